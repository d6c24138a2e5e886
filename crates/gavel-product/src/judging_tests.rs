//! The judge through its seam: what it says comes from a model, what counts is looked up in a real
//! repository.

use gavel_domain::SandboxLevel;
use gavel_models::Tier;
use gavel_testkit::ScriptedModel;
use serde_json::{Value, json};

use super::*;
use crate::bench::{Bench, Cast, info, tests, verified};

const CAST: Cast<'_> = Cast {
    leader: "a/lead",
    stances: &[],
    auditor: "a/lead",
    judge: "b/judge",
};
const FILES: [(&str, &str); 2] = [
    ("src/main.rs", "fn main() {\n    println!(\"a list\");\n}\n"),
    (".gavel/contracts/schema.md", "# Schema\n"),
];

fn criterion(id: &str) -> Criterion {
    Criterion {
        id: id.to_owned(),
        statement: format!("{id} is so"),
        example: String::new(),
    }
}

fn said(id: &str, standing: &str, evidence: &[Value]) -> Value {
    json!({"id": id, "standing": standing, "evidence": evidence, "why": "the judge says so"})
}

fn named(kind: &str, name: &str, line: u32, exit: i32) -> Value {
    json!({"kind": kind, "name": name, "line": line, "exit": exit})
}

async fn bench(judge: &ScriptedModel) -> Bench {
    let models = vec![
        (info("a/lead", Tier::Premium), ScriptedModel::new()),
        (info("b/judge", Tier::Balanced), judge.clone()),
    ];
    Bench::new(CAST, models, &FILES).await
}

/// Judges criteria by these tests; `added` has one of its name.
async fn judged(bench: &Bench, ids: &[&str], (passed, failed): (&[&str], &[&str])) -> Judgement {
    let criteria: Vec<Criterion> = ids.iter().map(|id| criterion(id)).collect();
    let spec = Spec {
        weights: [("heavy".to_owned(), 3)].into(),
        ..Spec::default()
    };
    let names = tests(passed, failed);
    let verdict = if failed.is_empty() {
        VerifyVerdict::Passed
    } else {
        VerifyVerdict::Failed
    };
    let ran = |recipe: &str, argv: &str, exit| CommandRan {
        recipe: recipe.to_owned(),
        argv: argv.split(' ').map(str::to_owned).collect(),
        exit: Some(exit),
        level: SandboxLevel::Landlock,
        millis: 3,
        output: String::new(),
    };
    let commands = [
        ran("cargo", "cargo test", 0),
        ran("smoke", "list --all", 0),
        ran("smoke", "list --wrong", 2),
    ];
    let done = bench.drive(async |way: Way<'_>| {
        let (verify, _) = verified(way.run, &names, verdict).await?;
        let work = ToJudge {
            sprint: 2,
            criteria: &criteria,
            spec: &spec,
            verify: &verify,
            tests: &names,
            commands: &commands,
            commit: &bench.commit,
            printed: &BTreeSet::new(),
            proven: &BTreeMap::new(),
            asked: JudgeAsked::Yes,
            judge: &info("b/judge", Tier::Balanced),
            coder: &info("a/lead", Tier::Premium),
        };
        judge_criteria(way, &way.run.scope("sprint", 2)?, work).await
    });
    done.await.unwrap()
}

fn standings(judgement: &Judgement) -> Vec<(&str, CriterionStanding, usize)> {
    let all = judgement.judged.iter();
    all.map(|one| (one.id.as_str(), one.standing, one.evidence.len()))
        .collect()
}

#[tokio::test]
async fn what_a_test_of_its_name_shows_needs_no_judge() {
    let model = ScriptedModel::new();
    model.forbid_requests();
    let bench = bench(&model).await;
    let judgement = judged(&bench, &["added", "heavy"], (&["cli::added", "heavy"], &[])).await;
    assert_eq!(
        standings(&judgement),
        [
            ("added", CriterionStanding::Met, 1),
            ("heavy", CriterionStanding::Met, 1)
        ]
    );
    assert_eq!((judgement.score, judgement.judged[1].weight), (1000, 3));
    let [fact] = bench.facts::<CriteriaJudged>().await.try_into().unwrap();
    assert_eq!(
        (fact.sprint, fact.met, fact.partial, fact.unmet),
        (2, 2, 0, 0)
    );
    model.finish();
}

/// What a judge says of a criterion, what it names as evidence, and what is left of it.
type Row<'a> = (
    &'a str,
    &'a str,
    (&'a str, &'a str, u32, i32),
    CriterionStanding,
);

/// The first ones have evidence that exists.
fn table(commit: &str) -> [Row<'_>; 16] {
    use CriterionStanding::{Met, Partial, Unmet};
    [
        ("by_line", "met", ("file", "./src/main.rs", 2, 0), Met),
        ("by_test", "met", ("test", "cli::other", 0, 0), Met),
        ("by_command", "met", ("command", "list --all", 0, 0), Met),
        ("by_smoke", "met", ("smoke", "GET /health", 0, 0), Met),
        (
            "by_error",
            "met",
            ("command", "list --wrong", 0, 2),
            Partial,
        ),
        ("by_commit", "met", ("commit", commit, 0, 0), Partial),
        ("line_too_far", "met", ("file", "src/main.rs", 4, 0), Unmet),
        ("no_such_file", "met", ("file", "src/lib.rs", 1, 0), Unmet),
        (
            "outside",
            "met",
            ("file", "../checkout/src/main.rs", 1, 0),
            Unmet,
        ),
        (
            "no_such_test",
            "partial",
            ("test", "cli::by_magic", 0, 0),
            Unmet,
        ),
        ("other_exit", "met", ("command", "list --all", 0, 1), Unmet),
        (
            "by_all_tests",
            "met",
            ("command", "cargo test", 0, 0),
            Unmet,
        ),
        (
            "by_contract",
            "met",
            ("file", ".gavel/contracts/schema.md", 1, 0),
            Unmet,
        ),
        ("by_a_brace", "met", ("file", "src/main.rs", 3, 0), Unmet),
        (
            "base_commit",
            "met",
            ("commit", "0123456789abcdef", 0, 0),
            Unmet,
        ),
        ("broken_smoke", "met", ("smoke", "GET /broken", 0, 0), Unmet),
    ]
}

#[tokio::test]
async fn a_judge_is_believed_as_far_as_its_evidence_is_there() {
    let model = ScriptedModel::new();
    let bench = bench(&model).await;
    let table = table(bench.commit.as_str());
    let mut replies: Vec<Value> = table
        .iter()
        .map(|(id, standing, (kind, name, line, exit), _)| {
            said(id, standing, &[named(kind, name, *line, *exit)])
        })
        .collect();
    replies.push(said("denied", "unmet", &[]));
    let reply = json!({"judgements": replies}).to_string();
    model.push(Ok(gavel_testkit::text_reply(&reply)));
    let ids = table.map(|(id, ..)| id);
    let ids = [&["added"][..], &ids, &["denied"]].concat();
    let names = (&["cli::added", "cli::other"][..], &[][..]);
    let judgement = judged(&bench, &ids, names).await;
    let mut wanted = vec![("added", CriterionStanding::Met, 1)];
    wanted.extend(table.map(|(id, _, _, standing)| {
        let found = usize::from(standing != CriterionStanding::Unmet);
        (id, standing, found)
    }));
    wanted.push(("denied", CriterionStanding::Unmet, 0));
    assert_eq!(standings(&judgement), wanted);
    assert_eq!(judgement.unproven, ids[7..17]);
    // Five and two halves of eighteen.
    assert_eq!(judgement.score, 333);

    // The judge saw the criteria that no test speaks of, numbered lines, and no contract.
    let [request] = model.requests().try_into().unwrap();
    let text = format!("{request:?}");
    for shown in [
        "by_line is so",
        "2:     println!",
        "list --all -> 0",
        "GET /health",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    for hidden in ["added is so", "# Schema", "GET /broken", "cargo test"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }

    // What is on record is read back, and nobody is asked again.
    model.forbid_requests();
    assert_eq!(judged(&bench, &ids, names).await, judgement);
    model.finish();
}

#[tokio::test]
async fn nobody_judges_while_tests_fail() {
    let model = ScriptedModel::new();
    model.forbid_requests();
    let bench = bench(&model).await;
    let names = (&["cli::added"][..], &["cli::heavy"][..]);
    let judgement = judged(&bench, &["added", "heavy", "unseen"], names).await;
    assert_eq!(
        standings(&judgement),
        [
            ("added", CriterionStanding::Met, 1),
            ("heavy", CriterionStanding::Unmet, 0),
            ("unseen", CriterionStanding::Unmet, 0)
        ]
    );
    assert_eq!((judgement.score, judgement.unproven.len()), (200, 0));
    model.finish();
}

#[tokio::test]
async fn a_judge_who_cannot_answer_has_shown_nothing() {
    let whole = |judgements: &[Value]| json!({"judgements": judgements}).to_string();
    let without = said("unseen", "met", &[]);
    let other = said("other", "unmet", &[]);
    let model = ScriptedModel::new()
        .text(&whole(&[without]))
        .text(&whole(&[other]))
        .text("It looks fine to me.");
    let bench = bench(&model).await;
    let judgement = judged(&bench, &["unseen"], (&["cli::added"], &[])).await;
    assert_eq!(
        standings(&judgement),
        [("unseen", CriterionStanding::Unmet, 0)]
    );
    let note = &judgement.judged[0].note;
    assert!(note.contains("gave no usable answer"), "{note}");
    let requests = model.requests();
    let again = format!("{:?}", requests[1].messages.last().unwrap());
    assert!(again.contains("names no evidence"), "{again}");
    let again = format!("{:?}", requests[2].messages.last().unwrap());
    assert!(again.contains("`unseen` is not judged"), "{again}");
    model.finish();
}
