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

#[test]
fn a_history_may_grow_and_repeat_but_not_change() {
    let mut histories = Histories::default();
    let first = vec![asked("go")];
    let second = vec![asked("go"), said("a"), asked("more")];
    assert_eq!(histories.check(&first), Ok(()));
    assert_eq!(histories.check(&second), Ok(()));
    assert_eq!(histories.check(&first), Ok(()), "asked again");
    assert_eq!(
        histories.check(&[asked("other")]),
        Ok(()),
        "another conversation"
    );
    let third = [&second[..], &[said("b"), asked("end")]].concat();
    assert_eq!(histories.check(&third), Ok(()));
    let changed = vec![asked("go"), said("a"), asked("mode"), said("b")];
    let mut strict = Histories::default();
    assert_eq!(strict.check(&second), Ok(()));
    let problem = strict.check(&changed).expect_err("must not pass");
    assert!(problem.contains("changed at piece 2"), "{problem}");
}

#[test]
fn words_that_ask_for_an_answer_are_no_history() {
    let mut histories = Histories::default();
    let words = format!("go\n\n{ANSWER_WORDS}, inside a fence.");
    assert_eq!(histories.check(&[asked(&words)]), Ok(()));
    assert_eq!(
        histories.check(&[asked("go"), said("{}"), asked("on")]),
        Ok(())
    );
}
