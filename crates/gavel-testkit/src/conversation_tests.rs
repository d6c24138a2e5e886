use super::*;

fn asked(text: &str) -> Piece {
    Piece::Asked(text.to_owned())
}

fn said(text: &str) -> Piece {
    Piece::Said(text.to_owned())
}

fn called(id: &str) -> Piece {
    Piece::called(id, "look", "{}")
}

fn result(id: &str) -> Piece {
    Piece::Result {
        id: id.to_owned(),
        text: "seen".to_owned(),
    }
}

#[test]
fn calls_and_results_that_pair_up_pass() {
    for pieces in [
        vec![asked("go")],
        vec![
            asked("go"),
            said("I look"),
            called("1"),
            called("2"),
            result("2"),
            result("1"),
        ],
        vec![
            asked("go"),
            called("1"),
            result("1"),
            asked("and?"),
            called("2"),
            result("2"),
        ],
    ] {
        assert_eq!(check_pairs(&pieces), Ok(()), "{pieces:?}");
    }
}

#[test]
fn calls_and_results_that_do_not_are_named() {
    for (pieces, words) in [
        (vec![asked("go"), called("1")], "have no result"),
        (vec![asked("go"), result("1")], "belongs to no open call"),
        (
            vec![called("1"), result("1"), result("1")],
            "belongs to no open call",
        ),
        (
            vec![called("1"), asked("well?"), result("1")],
            "words while",
        ),
        (
            vec![called("1"), called("2"), result("1"), called("3")],
            "is called while",
        ),
        (
            vec![called("1"), result("1"), called("1"), result("1")],
            "comes twice",
        ),
    ] {
        let problem = check_pairs(&pieces).expect_err("must not pass");
        assert!(problem.contains(words), "{problem}");
    }
}

fn histories(turns: &[(&[Piece], Piece)]) -> Histories {
    let mut histories = Histories::default();
    for (pieces, reply) in turns {
        assert_eq!(histories.check(pieces), Ok(()));
        histories.replied(pieces, Replied::Pieces(vec![reply.clone()]));
    }
    histories
}

#[test]
fn a_history_may_grow_repeat_and_fork() {
    let first = [asked("go")];
    let second = [asked("go"), said("a"), asked("more")];
    let mut histories = histories(&[(&first, said("a")), (&second, said("b"))]);
    assert_eq!(histories.check(&first), Ok(()), "asked again");
    histories.replied(&first, Replied::Pieces(vec![called("1")]));
    for fine in [
        vec![asked("other"), said("never seen"), asked("on")],
        vec![
            asked("go"),
            said("a"),
            asked("more"),
            said("b"),
            asked("end"),
        ],
        vec![asked("go"), said("a"), asked("instead")],
        vec![asked("go"), called("1"), result("1")],
    ] {
        assert_eq!(histories.check(&fine), Ok(()), "{fine:?}");
    }
}

#[test]
fn a_history_that_changed_is_named() {
    let first = [asked("go")];
    let second = [asked("go"), said("a"), asked("more")];
    for (changed, place) in [
        (vec![asked("go"), said("x"), asked("more")], 1),
        (
            vec![
                asked("go"),
                said("a"),
                asked("mode"),
                said("b"),
                asked("end"),
            ],
            2,
        ),
        (
            vec![
                asked("go"),
                said("a"),
                asked("more"),
                said("x"),
                asked("end"),
            ],
            3,
        ),
        (vec![asked("go"), called("1"), result("1")], 1),
    ] {
        let mut histories = histories(&[(&first, said("a")), (&second, said("b"))]);
        let problem = histories.check(&changed).expect_err("must not pass");
        assert!(
            problem.contains(&format!("changed at piece {place}:")),
            "{problem}"
        );
    }
}

#[test]
fn a_folded_history_is_a_new_one_and_grows_on() {
    let first = [asked("go")];
    let mut histories = histories(&[(&first, called("1"))]);
    let folded = vec![asked("go"), asked("so far: a"), called("4"), result("4")];
    assert_eq!(histories.check(&folded), Ok(()));
    histories.replied(&folded, Replied::Pieces(vec![called("5")]));
    let on = [&folded[..], &[called("5"), result("5")]].concat();
    assert_eq!(histories.check(&on), Ok(()));
    let changed = [&folded[..3], &[result("4"), called("6"), result("6")]].concat();
    assert!(histories.check(&changed).is_err());
}

#[test]
fn an_answer_may_lose_its_wrapping() {
    let first = [asked("go")];
    let carried = Piece::called("1", "answer_verdict", "{\"b\": 1, \"a\": 2}");
    for (reply, text) in [
        (said("```json\n{}\n```"), "{}"),
        (carried, "{\"b\": 1, \"a\": 2}"),
    ] {
        let mut histories = histories(&[(&first, reply)]);
        assert_eq!(
            histories.check(&[asked("go"), said(text), asked("on")]),
            Ok(())
        );
    }
    let mut unknown = Histories::default();
    assert_eq!(unknown.check(&first), Ok(()));
    unknown.replied(&first, Replied::Unknown);
    assert_eq!(
        unknown.check(&[asked("go"), said("?"), asked("on")]),
        Ok(())
    );
}

#[test]
fn words_that_ask_for_an_answer_are_no_history() {
    let mut histories = Histories::default();
    let words = format!("go\n\n{ANSWER_WORDS}, inside a fence.");
    assert_eq!(histories.check(&[asked(&words)]), Ok(()));
    histories.replied(&[asked(&words)], Replied::Pieces(vec![said("{}")]));
    assert_eq!(
        histories.check(&[asked("go"), said("{}"), asked("on")]),
        Ok(())
    );
}
