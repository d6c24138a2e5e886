use super::{Said, by_id, option, question, read};
use crate::clarify::shapes::{Proposed, ProposedOption};

fn asked() -> Proposed {
    let option = |label: &str, text: &str| ProposedOption {
        label: label.to_owned(),
        text: text.to_owned(),
    };
    Proposed {
        question: "May a job be lost?".to_owned(),
        why: "It decides how jobs are kept.".to_owned(),
        options: vec![
            option("Never", "Each survives a crash."),
            option("Now and then", ""),
        ],
        recommended: 1,
    }
}

fn told(said: &Said) -> String {
    match said {
        Said::Option(place) => format!("option {place}"),
        Said::Words(words) => format!("words {words}"),
        Said::Talk(words) => format!("talk {words}"),
        Said::Unchosen => "unchosen".to_owned(),
        Said::Withdraw => "withdraw".to_owned(),
    }
}

#[test]
fn own_words_are_an_answer_a_talk_or_the_end() {
    for (words, meant) in [
        ("  only on Sundays ", "words only on Sundays"),
        ("discuss", "talk "),
        (
            "Discuss: what does a crash cost?",
            "talk what does a crash cost?",
        ),
        ("discuss the price", "talk the price"),
        (
            "discussions are kept for a year",
            "words discussions are kept for a year",
        ),
        ("what counts as lost?", "talk what counts as lost?"),
        ("Withdraw", "withdraw"),
        ("abort", "withdraw"),
        (
            "withdraw money is a job too",
            "words withdraw money is a job too",
        ),
    ] {
        assert_eq!(told(&read(words, true)), meant, "{words}");
    }
    // Whoever talked enough is taken at their word.
    assert_eq!(
        told(&read("what counts as lost?", false)),
        "words what counts as lost?"
    );
}

#[test]
fn an_id_names_its_option() {
    for (id, meant) in [
        ("option-1", "option 0"),
        ("option-2", "option 1"),
        ("option-0", "unchosen"),
        ("discuss", "talk "),
        ("other", "unchosen"),
    ] {
        assert_eq!(told(&by_id(id)), meant, "{id}");
    }
    assert_eq!(option(&asked(), 0), "Never: Each survives a crash.");
    assert_eq!(option(&asked(), 1), "Now and then");
}

#[test]
fn a_card_offers_talks_while_there_are_any_left() {
    let first = question(&asked(), None, true);
    let labels: Vec<&str> = first
        .card
        .options
        .iter()
        .map(|one| one.label.as_str())
        .collect();
    assert_eq!(
        labels,
        [
            "Never: Each survives a crash.",
            "Now and then",
            "talk about it first: you say what you want to know"
        ]
    );
    assert_eq!(
        first.card.why.unwrap(),
        "It decides how jobs are kept.\nYour own words are fine too; words that end with a question \
         mark are answered first. To end it here, type withdraw."
    );
    let last = question(&asked(), Some("Lost means gone."), false);
    assert_eq!(last.card.options.len(), 2);
    assert_eq!(
        last.card.why.unwrap(),
        "The leader says: Lost means gone.\n\nIt decides how jobs are kept.\nYour own words are \
         fine too. To end it here, type withdraw."
    );
}
