use gavel_domain::{Audience, Key, OnTimeout, Purpose, QuestionAsked};

use super::*;

fn question(options: &[(&str, &str)], shape: fn(Vec<String>) -> AnswerShape) -> OpenQuestion {
    let ids = options.iter().map(|(id, _)| (*id).to_owned()).collect();
    OpenQuestion {
        id: Key::engine("money/cap-run-usd-1").unwrap(),
        asked: QuestionAsked {
            purpose: Purpose::Choice,
            card: gavel_domain::Blob::new("{}".as_bytes()).name(),
            shape: shape(ids),
            recommended: None,
            audience: Audience::Any,
            deadline_at: None,
            on_timeout: OnTimeout::Wait,
        },
        card: QuestionCard::with_options("What now?".into(), None, options),
    }
}

fn or_text(options: Vec<String>) -> AnswerShape {
    let max_bytes = 100;
    AnswerShape::ChoiceOrText { options, max_bytes }
}

#[test]
fn an_option_is_typed_by_number_name_or_letter() {
    let options = [("again", "try it again"), ("stop", "stop here")];
    let question = question(&options, |options| AnswerShape::Choice { options });
    let typed = |text: &str| meant(&question, text).map(String::as_str);
    assert_eq!(typed("2"), Some("stop"));
    assert_eq!(typed("Again"), Some("again"));
    assert_eq!((typed("a"), typed("B")), (Some("again"), Some("stop")));
    for nothing in ["0", "3", "c", "ab", "é", "", ".", "sto"] {
        assert_eq!(typed(nothing), None, "{nothing}");
    }
    let refused = read(&question, "green").unwrap_err();
    let told = "takes one of its options: again, stop; type a number from 1 to 2";
    assert!(refused.contains(told), "{refused}");
}

const LABELS: [(&str, &str); 5] = [
    ("o1", "leave it; it stays on record"),
    ("o2", "PostgreSQL"),
    ("o3", "PostgreSQL behind a pool"),
    ("o4", "Nothing of this"),
    ("o5", "web-and-mobile"),
];

fn option(id: &str) -> AnswerReply {
    AnswerReply::Option { id: id.to_owned() }
}

#[test]
fn where_only_options_are_taken_a_label_is_known_by_its_first_words() {
    let question = question(&LABELS, |options| AnswerShape::Choice { options });
    let typed = |text: &str| read(&question, text).ok();
    assert_eq!(typed("Leave"), Some(option("o1")));
    assert_eq!(typed("nothing of"), Some(option("o4")));
    // A whole label wins over the beginning of a longer one.
    assert_eq!(typed("postgresql"), Some(option("o2")));
    assert_eq!(typed("postgresql behind"), Some(option("o3")));
    for nothing in ["no", "web", "Post", "leave it or not"] {
        assert_eq!(typed(nothing), None, "{nothing}");
    }
}

#[test]
fn where_own_words_are_taken_they_are_changed_into_no_longer_ones() {
    let question = question(&LABELS, or_text);
    let typed = |text: &str| read(&question, text).unwrap();
    assert_eq!(typed(" 3\n"), option("o3"));
    assert_eq!(typed("leave it"), option("o1"));
    assert_eq!(typed("Nothing of this"), option("o4"));
    let own = [
        "no",
        "leave",
        "web",
        "7",
        "nothing of",
        "PostgreSQL",
        "postgresql behind",
        "leave it or not",
    ];
    for own in own {
        let text = own.to_owned();
        assert_eq!(typed(own), AnswerReply::Text { text }, "{own}");
    }
}

#[test]
fn a_word_that_asks_back_or_goes_along_is_none_of_ones_own() {
    let mut card = question(&LABELS, or_text);
    for asks in ["why", "?", "Help!", "abort?"] {
        let refused = read(&card, asks).unwrap_err();
        assert!(refused.contains("nothing is changed"), "{asks}: {refused}");
    }
    let refused = read(&card, "ok").unwrap_err();
    assert!(refused.contains("none is recommended"), "{refused}");
    card.asked.recommended = Some("o2".to_owned());
    assert_eq!(read(&card, "OK"), Ok(option("o2")));
    let own = "why not a pool without a limit";
    let text = own.to_owned();
    assert_eq!(read(&card, own), Ok(AnswerReply::Text { text }));
    // Where nothing can be chosen, what is said stands.
    let free = question(&[], or_text);
    let text = "ok".to_owned();
    assert_eq!(read(&free, "ok"), Ok(AnswerReply::Text { text }));
}

#[test]
fn a_limit_is_typed_as_an_amount() {
    let limited = |options| AnswerShape::Limit { options, above: 1 };
    let question = question(&[("stop", "Stop here")], limited);
    let limit = |limit| Ok(AnswerReply::Limit { limit });
    assert_eq!(read(&question, "$7.5"), limit(7_500_000));
    assert_eq!(read(&question, "12"), limit(12_000_000));
    let stop = AnswerReply::Option { id: "stop".into() };
    assert_eq!(read(&question, "stop"), Ok(stop));
    assert!(read(&question, "much").is_err());
}

#[test]
fn a_long_text_is_broken_at_spaces_and_steers_nothing() {
    let text = "one two three\n\nfour\x1b[31m \u{202e}five\u{2066}";
    assert_eq!(
        wrap(text, Room::Columns(9)),
        ["one two", "three", "", "four[31m", "five"]
    );
    assert_eq!(
        wrap(text, Room::Endless),
        ["one two three", "", "four[31m five"]
    );
    assert_eq!(wrap("unbreakable", Room::Columns(4)), ["unbreakable"]);
}
