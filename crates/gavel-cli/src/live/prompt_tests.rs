use gavel_domain::{Audience, OnTimeout, QuestionAsked, QuestionCard};

use super::*;

fn question(shape: AnswerShape, recommended: Option<&str>) -> OpenQuestion {
    let card = QuestionCard::with_options(
        "Which colour?".into(),
        None,
        &[("red", "Red"), ("blue", "Blue")],
    );
    OpenQuestion {
        id: Key::new("toy-1/colour").unwrap(),
        asked: QuestionAsked {
            purpose: Purpose::Choice,
            card: gavel_domain::Blob::new("{}".as_bytes()).name(),
            shape,
            recommended: recommended.map(str::to_owned),
            audience: Audience::Any,
            deadline_at: None,
            on_timeout: OnTimeout::Wait,
        },
        card,
    }
}

fn options() -> Vec<String> {
    vec!["red".to_owned(), "blue".to_owned()]
}

fn option(id: &str) -> Result<AnswerReply, String> {
    Ok(AnswerReply::Option { id: id.to_owned() })
}

fn text(text: &str) -> Result<AnswerReply, String> {
    let text = text.to_owned();
    Ok(AnswerReply::Text { text })
}

#[test]
fn a_choice_is_typed_as_a_number_or_its_name() {
    let choice = || AnswerShape::Choice { options: options() };
    let asked = question(choice(), Some("blue"));
    assert_eq!(invitation(&asked), "  1–2, Enter takes 2 › ");
    assert_eq!(reply(&asked, "1"), option("red"));
    assert_eq!(reply(&asked, "blue"), option("blue"));
    assert_eq!(reply(&asked, ""), option("blue"));
    for wrong in ["0", "3", "green", "-1"] {
        assert!(reply(&asked, wrong).is_err(), "{wrong}");
    }
    let open = question(choice(), None);
    assert_eq!(invitation(&open), "  1–2 › ");
    assert!(reply(&open, "").is_err(), "Enter takes nothing unasked");
}

#[test]
fn enter_alone_approves_nothing() {
    let shape = AnswerShape::Choice { options: options() };
    let mut approval = question(shape, Some("red"));
    approval.asked.purpose = Purpose::Approval;
    assert_eq!(invitation(&approval), "  1–2 › ");
    let problem = reply(&approval, "").unwrap_err();
    assert!(problem.contains("does not approve"), "{problem}");
    assert_eq!(reply(&approval, "1"), option("red"));
}

#[test]
fn own_words_are_taken_where_they_fit() {
    let either = question(
        AnswerShape::ChoiceOrText {
            options: options(),
            max_bytes: 100,
        },
        Some("red"),
    );
    assert_eq!(reply(&either, "2"), option("blue"));
    assert_eq!(reply(&either, "7"), text("7"));
    assert_eq!(reply(&either, "a warm red"), text("a warm red"));
    let words = question(AnswerShape::Text { max_bytes: 100 }, None);
    assert_eq!(reply(&words, "1"), text("1"));
    assert!(reply(&words, "").is_err());
}

#[test]
fn a_limit_is_typed_in_what_the_cap_counts() {
    let shape = || AnswerShape::Limit {
        options: vec!["stop".to_owned()],
        above: 5_000_000,
    };
    let mut money = question(shape(), None);
    money.id = Key::engine("money/cap-run-usd-1").unwrap();
    let limit = |limit| Ok(AnswerReply::Limit { limit });
    assert_eq!(reply(&money, "7.5"), limit(7_500_000));
    assert_eq!(reply(&money, "$7"), limit(7_000_000));
    // A number is an option only where the card has one of that number.
    assert_eq!(reply(&money, "1"), option("stop"));
    assert!(reply(&money, "much").is_err());
    let mut tokens = question(shape(), None);
    tokens.id = Key::engine("money/cap-run-tokens-1").unwrap();
    assert_eq!(reply(&tokens, "70000"), limit(70_000));
}
