use proptest::prelude::*;

use super::*;
use crate::proof::TestProof;
use gavel_domain::TestOutcome;

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
    printed: BTreeSet<String>,
    files: BTreeMap<String, String>,
    commits: BTreeSet<String>,
    commands: Vec<(String, Option<i32>)>,
    test_commands: Vec<(String, Option<i32>)>,
    smoke: Vec<String>,
}

impl World {
    fn new() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            passed: names(&[
                "cli::added",
                "a::twin",
                "b::twin",
                "unit::mixed",
                "listed",
                "t.py::many[1]",
                "t.py::many[2]",
                "t.py::some[1]",
            ]),
            printed: BTreeSet::new(),
            failed: names(&["slow::mixed", "cli::broken", "t.py::some[2]"]),
            files: [
                ("src/main.rs", "fn main() {\n\n    list();\n}\n"),
                ("empty", ""),
                (".gavel/contracts/api.md", "It lists.\n"),
                (".gavel/delivery/r1.md", "It lists.\n"),
            ]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into(),
            commits: names(&[
                "1234567aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "1234567bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                "effaced0cccccccccccccccccccccccccccccccc",
            ]),
            commands: vec![
                ("./list --all".to_owned(), Some(0)),
                ("./list --wrong".to_owned(), Some(2)),
                ("cargo run".to_owned(), None),
            ],
            test_commands: vec![("cargo test --workspace".to_owned(), Some(0))],
            smoke: vec!["GET /health".to_owned()],
        }
    }

    fn known(&self) -> KnownProof<'_> {
        KnownProof {
            passed: &self.passed,
            failed: &self.failed,
            printed: &self.printed,
            files: &self.files,
            commits: &self.commits,
            commands: &self.commands,
            test_commands: &self.test_commands,
            smoke: &self.smoke,
            ranked: None,
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
        by: Claimant::Judge,
        standing,
        evidence: evidence.to_vec(),
        note: "the judge's word".to_owned(),
    }
}

/// What is left of a judge's evidence.
fn held(evidence: &[EvidenceRef], world: &World) -> Vec<EvidenceRef> {
    check_refs(
        "It lists.",
        &claim(CriterionStanding::Met, evidence),
        &world.known(),
    )
}

#[test]
fn only_a_test_of_exactly_the_name_speaks_and_a_failed_one_has_the_last_word() {
    let world = World::new();
    let table = [
        ("added", TestWord::Passed("cli::added")),
        ("listed", TestWord::Passed("listed")),
        ("mixed", TestWord::Failed("slow::mixed")),
        ("broken", TestWord::Failed("cli::broken")),
        ("many", TestWord::Passed("t.py::many[1]")),
        ("some", TestWord::Failed("t.py::some[2]")),
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
fn a_doc_test_shows_no_criterion() {
    let names = [
        "src/lib.rs - add (line 5)",
        "src/lib.rs - shop::total (line 9)",
    ];
    let (passed, failed) = (names.map(str::to_owned).into(), BTreeSet::new());
    for id in ["add", "total", "shop", "line"] {
        let word = shown_by_test(id, &passed, &failed);
        assert_eq!(word, TestWord::NoTest, "{id}");
    }
}

#[test]
fn evidence_counts_when_it_is_found() {
    let world = World::new();
    let found = [
        (test("cli::added"), test("cli::added")),
        (test(" added "), test("cli::added")),
        (file("src/main.rs", 1), file("src/main.rs", 1)),
        (file("src/main.rs", 3), file("src/main.rs", 3)),
        (test("many"), test("t.py::many[1]")),
        (test("t.py::many"), test("t.py::many[1]")),
        (
            commit("EFFACED0"),
            commit("effaced0cccccccccccccccccccccccccccccccc"),
        ),
        (command("./list  --all", 0), command("./list --all", 0)),
        (smoke("GET  /health"), smoke("GET /health")),
    ];
    for (said, wanted) in found {
        let held = held(std::slice::from_ref(&said), &world);
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
        file("src/main.rs", 5),
        // Nothing stands there, or nothing that says anything.
        file("src/main.rs", 2),
        file("src/main.rs", 4),
        // What Gavel wrote says what was wanted.
        file(".gavel/contracts/api.md", 1),
        file(".gavel/delivery/r1.md", 1),
        test("some"),
        test("t.py::some[2]"),
        file("empty", 1),
        file("src/lib.rs", 1),
        file("main.rs", 1),
        // Too short, shared by two, an English word, and nothing at all.
        commit("123456"),
        commit("1234567"),
        commit("defaced"),
        commit(""),
        command("cargo test", 0),
        command("./list --all", 1),
        command("cargo run", 0),
        // That tests passed shows no statement.
        command("cargo test --workspace", 0),
        smoke("GET /"),
    ];
    for said in invented {
        let held = held(std::slice::from_ref(&said), &world);
        assert!(held.is_empty(), "{said:?}");
    }
    let twice = [test("added"), test("cli::added"), file("nowhere", 1)];
    assert_eq!(held(&twice, &world), [test("cli::added")]);
    // The program may say that tests passed, where that is the statement.
    let tests = [command("cargo test --workspace", 0)];
    let own = Claimed {
        by: Claimant::Program,
        ..claim(CriterionStanding::Met, &tests)
    };
    assert_eq!(check_refs("It lists.", &own, &world.known()), tests);
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
        ("half", claim(Partial, &[command("./list --all", 0)])),
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
        "nothing that was named as evidence can show it: src/main.rs:99"
    );
    assert_eq!(judged[6].note, "no test of this name was executed");
    assert_eq!(unproven(&claims, &judged), ["broken", "invented"]);
    let executed: Vec<bool> = judged.iter().map(was_executed).collect();
    assert_eq!(executed, [true, false, false, true, false, false, false]);
    // 4 + 1 + ½ of 10.
    assert_eq!(score(&judged), 550);
}

#[test]
fn a_commit_or_an_error_alone_shows_a_part_at_most() {
    use CriterionStanding::{Met, Partial};
    let world = World::new();
    let commit = commit("effaced0cccccccccccccccccccccccccccccccc");
    let wrong = command("./list --wrong", 2);
    for (evidence, standing, executed) in [
        (vec![commit.clone()], Partial, false),
        (vec![wrong.clone()], Partial, false),
        (vec![commit.clone(), wrong.clone()], Partial, false),
        (vec![command("./list --all", 0)], Met, true),
        (vec![commit, file("src/main.rs", 1)], Met, false),
        (vec![wrong, smoke("GET /health")], Met, true),
    ] {
        let claims = BTreeMap::from([("it".to_owned(), claim(Met, &evidence))]);
        let judged = judge_criteria(&[criterion("it")], |_| 1, &claims, &world.known());
        assert_eq!(judged[0].standing, standing, "{evidence:?}");
        assert_eq!(was_executed(&judged[0]), executed, "{evidence:?}");
        assert!(unproven(&claims, &judged).is_empty());
    }
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
        rank: None,
        caught: String::new(),
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
        for held in held(&said, &world) {
            let known = match &held {
                EvidenceRef::Test { name } => world.passed.contains(name),
                EvidenceRef::File { path, line } => {
                    path == "src/main.rs" && [1, 3].contains(line)
                }
                EvidenceRef::Commit { id } => world.commits.contains(id),
                EvidenceRef::Command { command, exit } => {
                    world.commands.contains(&(command.clone(), Some(*exit)))
                }
                EvidenceRef::Smoke { request } => world.smoke.contains(request),
                EvidenceRef::Example { .. } => false,
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

/// What a criterion comes to where evidence has ranks.
fn ranked(
    said: Option<Claimed>,
    proof: Option<CriterionProof>,
    reader: Reader,
) -> (CriterionStanding, Option<EvidenceRank>, String) {
    let world = World::new();
    let proven: BTreeMap<_, _> = proof
        .map(|proof| ("it".to_owned(), proof))
        .into_iter()
        .collect();
    let before = BTreeMap::from([("src/main.rs".to_owned(), "fn main() {\n}\n".to_owned())]);
    let known = KnownProof {
        ranked: Some(Ranked {
            proven: &proven,
            before: &before,
            reader,
        }),
        ..world.known()
    };
    let claims: BTreeMap<_, _> = said
        .map(|said| ("it".to_owned(), said))
        .into_iter()
        .collect();
    let judged = judge_criteria(&[criterion("it")], |_| 1, &claims, &known);
    let one = judged.into_iter().next().unwrap();
    (one.standing, one.rank, one.note)
}

fn tested(outcome: TestOutcome) -> CriterionProof {
    CriterionProof {
        example: None,
        test: Some(TestProof {
            test: "cli::it".to_owned(),
            outcome,
            faults: Vec::new(),
            why: "why".to_owned(),
        }),
    }
}

#[test]
fn what_a_judge_reads_ranks_below_what_ran() {
    use CriterionStanding::{Met, Unmet};
    let says = |evidence: &[EvidenceRef]| Some(claim(Met, evidence));
    let call = file("src/main.rs", 3);
    for (said, proof, reader, expected) in [
        (
            says(std::slice::from_ref(&call)),
            None,
            Reader::Independent,
            (Met, Some(EvidenceRank::Read)),
        ),
        (
            says(std::slice::from_ref(&call)),
            None,
            Reader::Author,
            (Met, Some(EvidenceRank::Said)),
        ),
        (
            says(&[smoke("GET /health")]),
            None,
            Reader::Author,
            (Met, Some(EvidenceRank::TestRan)),
        ),
        // It stood there before.
        (
            says(&[file("src/main.rs", 1)]),
            None,
            Reader::Independent,
            (Unmet, None),
        ),
        (
            None,
            Some(tested(TestOutcome::Bites)),
            Reader::Author,
            (Met, Some(EvidenceRank::TestBites)),
        ),
        (
            None,
            Some(tested(TestOutcome::Hollow)),
            Reader::Author,
            (Unmet, None),
        ),
        // A judge cannot call a hollow test's criterion met.
        (
            says(std::slice::from_ref(&call)),
            Some(tested(TestOutcome::Hollow)),
            Reader::Independent,
            (Unmet, None),
        ),
        // A test that fails without the change makes a judge's word firmer, and does not replace it.
        (
            says(&[call]),
            Some(tested(TestOutcome::Bites)),
            Reader::Author,
            (Met, Some(EvidenceRank::TestBites)),
        ),
        (
            Some(claim(Unmet, &[])),
            Some(tested(TestOutcome::Bites)),
            Reader::Author,
            (Unmet, None),
        ),
    ] {
        let (standing, rank, note) = ranked(said, proof, reader);
        assert_eq!((standing, rank), expected, "{note}");
    }
}

#[test]
fn a_name_that_was_only_printed_shows_nothing_and_that_is_said() {
    let mut world = World::new();
    world.printed.insert("suite::it".to_owned());
    let judged = |claims: &BTreeMap<String, Claimed>, world: &World| {
        let known = world.known();
        let judged = judge_criteria(&[criterion("it")], |_| 1, claims, &known);
        judged.into_iter().next().unwrap()
    };
    let alone = judged(&BTreeMap::new(), &world);
    assert_eq!(alone.standing, CriterionStanding::Unmet);
    assert!(
        alone.note.contains("cannot run one test alone"),
        "{alone:?}"
    );
    // Nor does a judge show anything by that name, but by what can be looked up.
    let said = |evidence| Claimed {
        by: Claimant::Judge,
        standing: CriterionStanding::Met,
        evidence: vec![evidence],
        note: "by reading".to_owned(),
    };
    let by_name = BTreeMap::from([("it".to_owned(), said(test("suite::it")))]);
    let named = judged(&by_name, &world);
    assert_eq!(named.standing, CriterionStanding::Unmet);
    assert!(
        named.note.contains("cannot run one test alone"),
        "{named:?}"
    );
    let by_line = BTreeMap::from([("it".to_owned(), said(file("src/main.rs", 3)))]);
    let read = judged(&by_line, &world);
    assert_eq!(
        (read.standing, read.note.as_str()),
        (CriterionStanding::Met, "by reading")
    );
}
