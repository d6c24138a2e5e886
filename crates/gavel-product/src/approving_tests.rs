//! What a card tells, and what people mean.

use gavel_rules::assume;

use super::*;

#[test]
fn a_plain_yes_is_an_agreement_and_everything_else_a_wish() {
    for words in ["yes", "OK", " Build it. ", "looks good!"] {
        assert_eq!(meant(words.to_owned()), Agreed::Yes, "{words}");
    }
    for (words, reason) in [
        ("no", ""),
        ("Stop", ""),
        ("stop: too dear", "too dear"),
        ("Stop, I do it myself.", "I do it myself."),
        ("cancel because it is late", "because it is late"),
    ] {
        let stopped = Agreed::Stop(reason.to_owned());
        assert_eq!(meant(words.to_owned()), stopped, "{words}");
    }
    for wish in [
        "yes, but with a note",
        "stop words are left out of the search",
        "stop-words are left out of the search",
        "no accounts, please",
    ] {
        assert_eq!(meant(wish.to_owned()), Agreed::Change(wish.to_owned()));
    }
}

fn spec(weights: &[(&str, u32)]) -> Spec {
    let criterion = |(id, _): &(&str, u32)| Criterion {
        id: (*id).to_owned(),
        statement: format!("{id}: it is so"),
        example: String::new(),
    };
    Spec {
        title: "books".to_owned(),
        purpose: "keeps books".to_owned(),
        in_scope: vec!["keep books".to_owned()],
        out_of_scope: vec!["a server".to_owned()],
        criteria: weights.iter().map(criterion).collect(),
        weights: weights
            .iter()
            .map(|(id, weight)| ((*id).to_owned(), *weight))
            .collect(),
        ..Spec::default()
    }
}

#[test]
fn every_criterion_is_a_sentence_and_weights_are_told_only_where_they_differ() {
    assert_eq!(
        sentences(&spec(&[("a", 2), ("b", 2)])),
        "\n- a: it is so\n- b: it is so"
    );
    let many = [
        ("a", 5),
        ("b", 1),
        ("c", 1),
        ("d", 1),
        ("e", 1),
        ("f", 1),
        ("g", 3),
    ];
    let told = sentences(&spec(&many));
    let lines: Vec<&str> = told.lines().skip(1).collect();
    assert_eq!(lines.len(), many.len());
    assert_eq!(lines[0], "- a: it is so (weighs 5)");
    assert_eq!(lines[1], "- g: it is so (weighs 3)");
    assert_eq!(lines[6], "- f: it is so (weighs 1)");
    let mut nameless = spec(&[("is_listed", 1)]);
    nameless.criteria[0].statement.clear();
    assert_eq!(sentences(&nameless), "\n- is listed");
}

#[test]
fn the_card_tells_what_it_rests_on_and_leaves_guesses_out() {
    let assumed = [
        assume("one person uses it", "leader", Confidence::High, ""),
        assume("titles are short", "leader", Confidence::Low, ""),
    ];
    let mut spec = spec(&[("a", 1)]);
    spec.later = vec!["lend books".to_owned()];
    spec.stack = "Rust".to_owned();
    let told = told(&spec, &assumed);
    assert_eq!(
        told,
        "books: keeps books\n\nIt will:\n- keep books\n\nIt will not:\n- a server\n\nIt may \
         later:\n- lend books\n\nIt takes for granted:\n- one person uses it\n\nWritten with: \
         Rust\n\n1 criterion will be tested:\n- a: it is so"
    );
}
