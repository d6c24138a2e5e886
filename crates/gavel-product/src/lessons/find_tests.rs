use gavel_domain::{
    AssumptionRaised, AssumptionResolved, Blob, CardOption, Confidence, Decision, DiscoveryAnswer,
    Epoch, ErrorResolved, ErrorTracked, Fact, GateJudged, OnTimeout, RecordDraft, RunId, Seq,
    Speaker, StageEntered, Timestamp,
};

use super::*;

struct Journal {
    records: Vec<Record>,
    texts: Texts,
}

impl Journal {
    fn new() -> Self {
        Self {
            records: Vec::new(),
            texts: Texts::default(),
        }
    }

    fn text(&mut self, text: &str) -> BlobRef {
        let name = Blob::new(text.as_bytes()).name();
        self.texts.add(name, text.to_owned());
        name
    }

    fn fact(&mut self, key: RecordKey, fact: &impl Fact) {
        let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let seq = Seq(u64::try_from(self.records.len()).unwrap() + 1);
        let draft = RecordDraft::new(key, fact).unwrap();
        let place = draft.place(run, (seq, Epoch(1)), at, Digest::ZERO);
        self.records.push(place);
    }

    fn lessons(&self, learned: Learned<'_>) -> Vec<Lesson> {
        let mut finder = Finder::default();
        for record in &self.records {
            let there = |name: &BlobRef| self.texts.get(*name).is_some();
            assert!(Texts::wanted(record).iter().all(there), "{record:?}");
            finder.take(record, &self.texts);
        }
        finder.finish(learned, |text| text.replace("s3cret", "[secret]"))
    }
}

fn key(text: &str) -> RecordKey {
    Key::new(text).unwrap().outcome()
}

fn told(lessons: &[Lesson]) -> Vec<(Kind, &str)> {
    let all = lessons.iter();
    all.map(|lesson| (lesson.kind, lesson.text.as_str()))
        .collect()
}

fn judged(journal: &mut Journal, number: u32, holds: bool) {
    judged_commit(journal, (number, &format!("c{number}")), holds);
}

fn judged_commit(journal: &mut Journal, (number, commit): (u32, &str), holds: bool) {
    judged_condition(journal, number, (commit, "weighted_score", holds));
}

fn judged_condition(journal: &mut Journal, number: u32, (commit, id, holds): (&str, &str, bool)) {
    let evidence = journal.text("[]");
    let gate = GateJudged {
        commit: commit.to_owned(),
        passed: holds,
        score: 800,
        conditions: vec![GateCondition {
            id: id.to_owned(),
            holds,
            looked_at: 1,
            held: u32::from(holds),
            reason: if holds { "" } else { "below_threshold" }.to_owned(),
        }],
        evidence,
        faults: None,
    };
    journal.fact(key(&format!("gate-{number}/judged")), &gate);
}

#[test]
fn what_failed_first_and_was_mended_is_a_trap() {
    let mut journal = Journal::new();
    let stage = Stage::Building;
    journal.fact(key("stage/building"), &StageEntered { stage });
    for (number, text) in [(1, "the index starts at one"), (2, "never mended")] {
        let tracked = ErrorTracked {
            error: Digest::of(text),
            source: "verify".to_owned(),
            sprint: 1,
            text: journal.text(text),
        };
        journal.fact(key(&format!("sprint-1/error-{number}")), &tracked);
    }
    let resolved = ErrorResolved {
        error: Digest::of("the index starts at one"),
        sprint: 2,
    };
    journal.fact(key("sprint-2/resolved-1"), &resolved);
    judged(&mut journal, 1, false);
    judged(&mut journal, 2, true);
    let lessons = journal.lessons(Learned::default());
    assert_eq!(
        told(&lessons),
        [
            (
                Kind::Trap,
                "Came up while building and had to be repaired: the index starts at one"
            ),
            (
                Kind::Trap,
                "The done gate refused the first result, weighted score (below threshold); more \
                 work mended it."
            ),
        ]
    );
    let first = lessons.first().unwrap();
    assert_eq!(first.stage, Some(Stage::Building));
    assert_eq!(first.rests_on, Some(key("sprint-1/error-1")));
}

#[test]
fn an_assumption_that_fell_is_a_trap_and_one_that_holds_is_nothing() {
    let mut journal = Journal::new();
    for (id, claim, status) in [
        ("a1", "ids never repeat", AssumptionStatus::Refuted),
        ("a2", "disks are large", AssumptionStatus::Validated),
    ] {
        let assumption = Assumption {
            id: id.to_owned(),
            claim: claim.to_owned(),
            raised_by: "skeptic".to_owned(),
            confidence: Confidence::High,
            how_to_validate: "test:ids".to_owned(),
            status: AssumptionStatus::Unverified,
            evidence: String::new(),
        };
        let raised = AssumptionRaised {
            id: id.to_owned(),
            raised_by: "skeptic".to_owned(),
            confidence: Confidence::High,
            assumption: journal.text(&serde_json::to_string(&assumption).unwrap()),
        };
        journal.fact(key(&format!("ledger/{id}")), &raised);
        let resolved = AssumptionResolved {
            id: id.to_owned(),
            status,
            by: "verify".to_owned(),
            evidence: journal.text("the test failed"),
        };
        journal.fact(key(&format!("ledger/{id}-resolved")), &resolved);
    }
    let lessons = journal.lessons(Learned::default());
    assert_eq!(
        told(&lessons),
        [(
            Kind::Trap,
            "It was assumed that this holds, and it does not: ids never repeat (the test failed)"
        )]
    );
}

fn asked(journal: &mut Journal, question: &str, text: &str, answer: AnswerValue) {
    let card = QuestionCard {
        text: text.to_owned(),
        why: None,
        options: vec![CardOption {
            id: "yes".to_owned(),
            label: "yes".to_owned(),
        }],
    };
    let asked = QuestionAsked {
        purpose: Purpose::Approval,
        card: journal.text(&serde_json::to_string(&card).unwrap()),
        shape: gavel_domain::AnswerShape::Text { max_bytes: 100 },
        recommended: None,
        audience: gavel_domain::Audience::Any,
        deadline_at: None,
        on_timeout: OnTimeout::Wait,
    };
    journal.fact(Key::new(question).unwrap().part("asked"), &asked);
    let answered = QuestionAnswered {
        value: answer,
        by: Speaker::PERSON,
        inbox: None,
        timed_out: false,
        assumed: false,
    };
    journal.fact(key(question), &answered);
}

#[test]
fn what_people_say_in_their_own_words_comes_first_without_secrets() {
    let mut journal = Journal::new();
    let stage = Stage::Scoping;
    journal.fact(key("stage/scoping"), &StageEntered { stage });
    let words = journal.text("leave out the s3cret part");
    asked(
        &mut journal,
        "spec-1/approve",
        "Is this it?",
        AnswerValue::Text { text: words },
    );
    let yes = AnswerValue::Option {
        id: "yes".to_owned(),
    };
    asked(&mut journal, "spec-2/approve", "Is this it?", yes);
    let answers = [DiscoveryAnswer {
        question: "stack".to_owned(),
        answer: "Rust".to_owned(),
        by_person: true,
        ..DiscoveryAnswer::default()
    }];
    let decisions = [1, 2, 3, 4].map(|number| Decision {
        title: format!("D{number}"),
        choice: "files".to_owned(),
        why: "x".repeat(1_000),
        dissent: String::new(),
    });
    let learned = Learned {
        answers: &answers,
        decisions: &decisions,
    };
    let lessons = journal.lessons(learned);
    assert_eq!(lessons.len(), 5, "{lessons:?}");
    assert_eq!(
        told(&lessons).get(..2).unwrap(),
        [
            (
                Kind::Feedback,
                "Asked \"Is this it?\", a person said: leave out the [secret] part"
            ),
            (Kind::Feedback, "stack: a person chose Rust"),
        ]
    );
    let last = lessons.last().unwrap();
    assert_eq!(
        (last.kind, last.text.chars().count()),
        (Kind::Decision, 601)
    );
}

#[test]
fn nothing_was_mended_where_the_same_commit_passed_later() {
    let mut journal = Journal::new();
    judged_commit(&mut journal, (1, "same"), false);
    judged_commit(&mut journal, (2, "same"), true);
    assert_eq!(told(&journal.lessons(Learned::default())), []);
}

#[test]
fn no_lesson_claims_that_a_wish_was_met() {
    let mut journal = Journal::new();
    judged_condition(&mut journal, 1, ("c1", "user_approval", false));
    judged_condition(&mut journal, 2, ("c2", "user_approval", true));
    assert_eq!(told(&journal.lessons(Learned::default())), []);
    // The twin: of any other condition it is one.
    judged_condition(&mut journal, 3, ("c3", "weighted_score", false));
    judged_condition(&mut journal, 4, ("c4", "weighted_score", true));
    assert_eq!(journal.lessons(Learned::default()).len(), 1);
}
