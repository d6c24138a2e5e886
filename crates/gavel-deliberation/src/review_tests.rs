use super::*;

fn answer(question: &str, answer: &str, by_person: bool) -> DiscoveryAnswer {
    DiscoveryAnswer {
        question: question.to_owned(),
        answer: answer.to_owned(),
        by_person,
        ..DiscoveryAnswer::default()
    }
}

fn note(kind: &str, text: &str) -> MemoryNote {
    MemoryNote {
        id: format!("{kind}-1"),
        kind: kind.to_owned(),
        text: text.to_owned(),
    }
}

fn items(answers: &[DiscoveryAnswer], memory: &[MemoryNote]) -> Vec<ReviewItem> {
    review_topic(&Topic {
        idea: "a bookmark manager with tags",
        answers,
        memory,
        trouble: None,
    })
}

#[test]
fn memory_speaks_by_its_kind_and_only_when_it_shares_words() {
    let table = [
        (
            "trap",
            ReviewStance::Against,
            Some("heed it: Bookmarks were lost."),
        ),
        (
            "feedback",
            ReviewStance::Against,
            Some("heed it: Bookmarks were lost."),
        ),
        (
            "constraint",
            ReviewStance::Note,
            Some("keep to it: Bookmarks were lost."),
        ),
        ("vision", ReviewStance::For, None),
        ("plan", ReviewStance::For, None),
        ("decision", ReviewStance::Note, None),
        ("handoff", ReviewStance::Note, None),
        ("runtime_note", ReviewStance::Note, None),
    ];
    for (kind, stance, choice) in table {
        let found = items(&[], &[note(kind, "Bookmarks were lost.")]);
        let [item] = found.as_slice() else {
            panic!("{kind}: one line, not {found:?}");
        };
        assert_eq!(
            (item.kind, item.stance),
            (ReviewKind::Memory, stance),
            "{kind}"
        );
        assert_eq!(item.source, format!("memory:{kind}-1"));
        assert!(
            item.text.ends_with("(shared words: bookmark)"),
            "{}",
            item.text
        );
        let settled = item
            .settled
            .as_ref()
            .map(|decision| decision.choice.as_str());
        assert_eq!(settled, choice, "{kind}");
        assert_eq!(items(&[], &[note(kind, "Water the plants.")]), []);
    }
    let by_answer = [answer("backend-stack", "plants in Rust", false)];
    assert_eq!(
        items(&by_answer, &[note("trap", "Water the plants.")]).len(),
        1
    );
}

#[test]
fn a_rule_never_overrules_a_person() {
    let table = [
        // Nobody spoke: the narrower answer yields.
        (
            false,
            false,
            "target-platform against frontend-approach",
            "",
        ),
        (true, false, "target-platform against frontend-approach", ""),
        // The person spoke for the side that would yield.
        (false, true, "frontend-approach against target-platform", ""),
        (
            true,
            true,
            "target-platform against frontend-approach",
            "a person said both, and a program in a terminal has no use for a library that draws pages",
        ),
    ];
    for (platform, frontend, title, dissent) in table {
        let answers = [
            answer("target-platform", "cli", platform),
            answer("frontend-approach", "React", frontend),
        ];
        let found = items(&answers, &[]);
        let item = &found[0];
        assert_eq!(
            (item.kind, item.stance),
            (ReviewKind::Contradiction, ReviewStance::Against)
        );
        let decision = item.settled.as_ref().unwrap();
        assert_eq!(
            (decision.title.as_str(), decision.dissent.as_str()),
            (title, dissent)
        );
        assert_eq!(decision.choice.contains("yields"), !(platform && frontend));
    }
}

#[test]
fn the_idea_is_a_persons_word() {
    let answers = [answer("db-strategy", "none", true)];
    let found = items(&answers, &[]);
    let decision = found[0].settled.as_ref().unwrap();
    assert_eq!(
        decision.choice,
        "both stay as they were said: the idea stands; `db-strategy` is \"none\""
    );
    assert!(!decision.dissent.is_empty());

    let answers = [answer("db-strategy", "none", false)];
    let found = items(&answers, &[]);
    let decision = found[0].settled.as_ref().unwrap();
    assert_eq!(
        decision.choice,
        "the idea stands; the answer to `db-strategy` yields to it"
    );
}

#[test]
fn what_a_person_decided_is_noted_and_kept() {
    let answers = [
        answer("db-strategy", "one text file", true),
        answer("audience", "me", false),
    ];
    let found = items(&answers, &[]);
    let [item] = found.as_slice() else {
        panic!("one line, not {found:?}");
    };
    assert_eq!(item.kind, ReviewKind::PersonDecided);
    let decision = item.settled.as_ref().unwrap();
    assert_eq!(
        (decision.title.as_str(), decision.choice.as_str()),
        ("db-strategy", "one text file")
    );
}

#[test]
fn a_plain_plan_has_an_empty_checklist() {
    assert_eq!(items(&[answer("target-platform", "cli", false)], &[]), []);
}

#[test]
fn the_stored_form_of_a_line() {
    let found = items(&[answer("audience", "me", true)], &[]);
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(
        text,
        r#"[{"kind":"person_decided","stance":"note","text":"a person decided `audience`: me","source":"answer:audience","settled":{"title":"audience","choice":"me","why":"a person said so","dissent":""}}]"#
    );
    assert_eq!(
        serde_json::from_str::<Vec<ReviewItem>>(&text).unwrap(),
        found
    );
}

#[test]
fn what_went_wrong_before_speaks_against_and_is_not_to_be_repeated() {
    let items = review_topic(&Topic {
        idea: "a bookmark manager with tags",
        answers: &[],
        memory: &[],
        trouble: Some("the tests went in circles"),
    });
    let [item] = items.as_slice() else {
        panic!("{items:?}");
    };
    assert_eq!(
        (item.kind, item.stance),
        (ReviewKind::Trouble, ReviewStance::Against)
    );
    let settled = item.settled.as_ref().unwrap();
    assert_eq!(
        settled.choice,
        "do not repeat it: the tests went in circles"
    );
}
