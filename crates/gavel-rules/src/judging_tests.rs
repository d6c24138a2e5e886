use proptest::prelude::*;

use super::*;

fn criterion(id: &str) -> Criterion {
    Criterion {
        id: id.to_owned(),
        statement: format!("{id} holds"),
        example: String::new(),
    }
}

/// What a verification and a tree have to offer.
struct World {
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
    lines: BTreeMap<String, u32>,
    commits: BTreeSet<String>,
    commands: Vec<(String, Option<i32>)>,
    smoke: Vec<String>,
}

impl World {
    fn new() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            passed: names(&["cli::added", "a::twin", "b::twin", "unit::mixed", "listed"]),
            failed: names(&["slow::mixed", "cli::broken"]),
            lines: [("src/main.rs".to_owned(), 12), ("empty".to_owned(), 0)].into(),
            commits: names(&[
                "1234567aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "1234567bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                "effaced0cccccccccccccccccccccccccccccccc",
            ]),
            commands: vec![
                ("cargo test --workspace".to_owned(), Some(0)),
                ("cargo run".to_owned(), None),
            ],
            smoke: vec!["GET /health".to_owned()],
        }
    }

    fn known(&self) -> KnownProof<'_> {
        KnownProof {
            passed: &self.passed,
            failed: &self.failed,
            lines: &self.lines,
            commits: &self.commits,
            commands: &self.commands,
            smoke: &self.smoke,
        }
    }
}

fn test(name: &str) -> EvidenceRef {
    EvidenceRef::Test {
        name: name.to_owned(),
    }
}

fn file(path: &str, line: u32) -> EvidenceRef {
    let path = path.to_owned();
    EvidenceRef::File { path, line }
}

fn commit(id: &str) -> EvidenceRef {
    EvidenceRef::Commit { id: id.to_owned() }
}

fn command(command: &str, exit: i32) -> EvidenceRef {
    let command = command.to_owned();
    EvidenceRef::Command { command, exit }
}

fn smoke(request: &str) -> EvidenceRef {
    EvidenceRef::Smoke {
        request: request.to_owned(),
    }
}

fn claim(standing: CriterionStanding, evidence: &[EvidenceRef]) -> Claimed {
    Claimed {
        standing,
        evidence: evidence.to_vec(),
        note: "the judge's word".to_owned(),
    }
}

#[test]
fn only_a_test_of_exactly_the_name_speaks_and_a_failed_one_has_the_last_word() {
    let world = World::new();
    let table = [
        ("added", TestWord::Passed("cli::added")),
        ("listed", TestWord::Passed("listed")),
        ("mixed", TestWord::Failed("slow::mixed")),
        ("broken", TestWord::Failed("cli::broken")),
        ("cli", TestWord::NoTest),
        ("add", TestWord::NoTest),
        ("", TestWord::NoTest),
    ];
    for (id, wanted) in table {
        let word = shown_by_test(id, &world.passed, &world.failed);
        assert_eq!(word, wanted, "{id}");
    }
}

#[test]
fn evidence_counts_when_it_is_found() {
    let world = World::new();
    let found = [
        (test("cli::added"), test("cli::added")),
        (test(" added "), test("cli::added")),
        (file("src/main.rs", 1), file("src/main.rs", 1)),
        (file("src/main.rs", 12), file("src/main.rs", 12)),
        (
            commit("EFFACED0"),
            commit("effaced0cccccccccccccccccccccccccccccccc"),
        ),
        (
            command("cargo  test --workspace", 0),
            command("cargo test --workspace", 0),
        ),
        (smoke("GET  /health"), smoke("GET /health")),
    ];
    for (said, wanted) in found {
        let held = check_refs(std::slice::from_ref(&said), &world.known());
        assert_eq!(held, [wanted], "{said:?}");
    }
    let invented = [
        test("cli::broken"),
        test("broken"),
        test("mixed"),
        // Two tests end like this, so it names neither.
        test("twin"),
        test("cli"),
        test(""),
        file("src/main.rs", 0),
        file("src/main.rs", 13),
        file("empty", 1),
        file("src/lib.rs", 1),
        file("main.rs", 1),
        // Too short, shared by two, an English word, and nothing at all.
        commit("123456"),
        commit("1234567"),
        commit("defaced"),
        commit(""),
        command("cargo test", 0),
        command("cargo test --workspace", 1),
        command("cargo run", 0),
        smoke("GET /"),
    ];
    for said in invented {
        let held = check_refs(std::slice::from_ref(&said), &world.known());
        assert!(held.is_empty(), "{said:?}");
    }
    let twice = [test("added"), test("cli::added"), file("nowhere", 1)];
    assert_eq!(check_refs(&twice, &world.known()), [test("cli::added")]);
}

#[test]
fn a_judge_is_believed_as_far_as_the_evidence_goes() {
    use CriterionStanding::{Met, Partial, Unmet};
    let world = World::new();
    let criteria = [
        "added", "broken", "read", "half", "invented", "denied", "silent",
    ];
    let claims: BTreeMap<String, Claimed> = [
        ("added", claim(Unmet, &[])),
        ("broken", claim(Met, &[file("src/main.rs", 1)])),
        (
            "read",
            claim(Met, &[file("src/main.rs", 1), file("src/gone.rs", 1)]),
        ),
        (
            "half",
            claim(Partial, &[command("cargo test --workspace", 0)]),
        ),
        ("invented", claim(Met, &[file("src/main.rs", 99)])),
        ("denied", claim(Unmet, &[file("src/main.rs", 1)])),
    ]
    .map(|(id, claim)| (id.to_owned(), claim))
    .into();
    let weight = |id: &str| if id == "added" { 4 } else { 0 };
    let criteria = criteria.map(criterion);
    let judged = judge_criteria(&criteria, weight, &claims, &world.known());
    let told: Vec<_> = judged
        .iter()
        .map(|one| {
            (
                one.id.as_str(),
                one.standing,
                one.evidence.len(),
                one.weight,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("added", Met, 1, 4),
            ("broken", Unmet, 0, 1),
            ("read", Met, 1, 1),
            ("half", Partial, 1, 1),
            ("invented", Unmet, 0, 1),
            ("denied", Unmet, 0, 1),
            ("silent", Unmet, 0, 1),
        ]
    );
    assert_eq!(judged[1].note, "the test cli::broken failed");
    assert_eq!(
        judged[4].note,
        "nothing that was named as evidence is there: src/main.rs:99"
    );
    assert_eq!(judged[6].note, "no test of this name was executed");
    assert_eq!(unproven(&claims, &judged), ["broken", "invented"]);
    let executed: Vec<bool> = judged.iter().map(was_executed).collect();
    assert_eq!(executed, [true, false, false, true, false, false, false]);
    // 4 + 1 + ½ of 10.
    assert_eq!(score(&judged), 550);
}

#[test]
fn two_criteria_of_one_name_are_shown_by_nothing() {
    let world = World::new();
    let claims = BTreeMap::from([(
        "added".to_owned(),
        claim(CriterionStanding::Met, &[test("added")]),
    )]);
    let criteria = ["added", "added"].map(criterion);
    let judged = judge_criteria(&criteria, |_| 1, &claims, &world.known());
    for one in judged {
        assert_eq!(one.standing, CriterionStanding::Unmet);
        assert_eq!(one.note, "several criteria have this id");
    }
}

fn judged(standing: CriterionStanding, weight: u32) -> CriterionJudged {
    CriterionJudged {
        id: "some".to_owned(),
        standing,
        evidence: Vec::new(),
        note: String::new(),
        weight,
    }
}

#[test]
fn the_score_is_the_weighted_mean_rounded_down() {
    use CriterionStanding::{Met, Partial, Unmet};
    let table: [(&[(CriterionStanding, u32)], u32); 7] = [
        (&[], 0),
        (&[(Met, 1)], 1000),
        (&[(Partial, 7)], 500),
        (&[(Met, 1), (Unmet, 2)], 333),
        (&[(Met, 9), (Unmet, 1)], 900),
        (&[(Met, 0), (Unmet, 0)], 500),
        (&[(Met, u32::MAX), (Partial, 1)], 999),
    ];
    for (all, wanted) in table {
        let all = all
            .iter()
            .map(|(standing, weight)| judged(*standing, *weight));
        assert_eq!(score(&all.collect::<Vec<_>>()), wanted);
    }
}

proptest! {
    #[test]
    fn no_invented_name_is_evidence(name in "[a-z/.:0-9 -]{0,20}", number in 0_u32..20) {
        let world = World::new();
        let said = [
            test(&name), file(&name, number), commit(&name),
            command(&name, i32::try_from(number).unwrap()), smoke(&name),
        ];
        for held in check_refs(&said, &world.known()) {
            let known = match &held {
                EvidenceRef::Test { name } => world.passed.contains(name),
                EvidenceRef::File { path, line } => world.lines.get(path).is_some_and(|all| line <= all),
                EvidenceRef::Commit { id } => world.commits.contains(id),
                EvidenceRef::Command { command, exit } => {
                    world.commands.contains(&(command.clone(), Some(*exit)))
                }
                EvidenceRef::Smoke { request } => world.smoke.contains(request),
            };
            prop_assert!(known, "{held:?}");
        }
    }

    #[test]
    fn the_score_is_whole_only_when_everything_is_met(
        all in prop::collection::vec((0_u8..3, 0_u32..1000), 0..12),
    ) {
        let all: Vec<_> = all.into_iter().map(|(standing, weight)| {
            let standing = match standing {
                0 => CriterionStanding::Met,
                1 => CriterionStanding::Partial,
                _ => CriterionStanding::Unmet,
            };
            judged(standing, weight)
        }).collect();
        let met = all.iter().all(|one| one.standing == CriterionStanding::Met);
        prop_assert_eq!(score(&all) == 1000, met && !all.is_empty());
        prop_assert!(score(&all) <= 1000);
    }
}
