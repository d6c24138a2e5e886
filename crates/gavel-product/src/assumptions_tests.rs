//! What a person's answer comes to, and what the repository shows.

use gavel_domain::{Blob, Confidence, Speaker};
use gavel_rules::assume;

use super::*;

fn answered(value: AnswerValue, assumed: bool) -> QuestionAnswered {
    QuestionAnswered {
        value,
        by: Speaker::PERSON,
        inbox: None,
        timed_out: false,
        assumed,
    }
}

fn option(id: &str) -> AnswerValue {
    AnswerValue::Option { id: id.to_owned() }
}

fn words() -> AnswerValue {
    AnswerValue::Text {
        text: Blob::new(b"kept elsewhere".to_vec()).name(),
    }
}

#[test]
fn an_answer_holds_puts_off_or_names_what_fell() {
    let settled = |value, said: &str, assumed| {
        let settled = settle(&answered(value, assumed), said, 3)?;
        let fell: Vec<usize> = settled.fell.into_iter().collect();
        Some((settled.others, fell, settled.by, settled.reason))
    };
    use AssumptionStatus::{Deferred, Validated};
    let plain = |status, by| Some((status, vec![], by, String::new()));
    assert_eq!(
        settled(option("hold"), "", false),
        plain(Validated, "person")
    );
    assert_eq!(
        settled(option("put-off"), "", false),
        plain(Deferred, "person")
    );
    // `--yes` and the engine vouch for nothing.
    assert_eq!(
        settled(AnswerValue::Decide, "", true),
        plain(Deferred, "engine")
    );
    assert_eq!(
        settled(words(), "1, 3: two people use it", false),
        Some((
            Validated,
            vec![1, 3],
            "person",
            "two people use it".to_owned()
        ))
    );
    assert_eq!(settled(words(), "some of them", false), None);
    assert_eq!(settled(words(), "4", false), None);
}

#[test]
fn the_card_numbers_them_and_recommends_nothing() {
    let open = [
        assume("Nobody edits the file", "Skeptic", Confidence::High, ""),
        assume("It is fast", "Researcher", Confidence::High, "measure it"),
    ];
    let asked = question(&open, false);
    let why = asked.card.why.unwrap();
    assert!(
        why.contains("1. Nobody edits the file (said by: Skeptic)\n"),
        "{why}"
    );
    assert!(
        why.contains("2. It is fast (said by: Researcher; to find out: measure it)"),
        "{why}"
    );
    assert_eq!(asked.recommended, None);
    let again = question(&open, true).card.why.unwrap();
    assert!(again.starts_with("That named none of them."), "{again}");
}

#[test]
fn a_file_or_a_folder_of_the_repository_is_found_by_its_path() {
    let files = ["src/main.rs".to_owned(), "Cargo.toml".to_owned()];
    for (path, there) in [
        ("Cargo.toml", true),
        ("./Cargo.toml", true),
        ("src", true),
        ("src/", true),
        ("sr", false),
        ("main.rs", false),
        ("", false),
        ("/", false),
    ] {
        assert_eq!(holds(&files, path), there, "{path}");
    }
}
