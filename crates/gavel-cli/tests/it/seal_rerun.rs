//! `gavel seal verify --rerun`: whoever has a clone builds what was sealed again, in another home and with empty
//! caches, and sees whether examples, tests and faults come to the same.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gavel_build::{PublicKey, SealContract, SealProof};
use gavel_domain::{
    ContractKind, CriterionStanding, Digest, EvidenceRank, EvidenceRef, GateCondition,
};
use gavel_testkit::{asked_for, git};
use serde_json::Value;

use crate::bench::{Ended, ended, run_id};
use crate::seal::{BRANCH, Desk};
use crate::studio::Studio;

const MAIN: &str = r#"import sys

from greeting import greet

if __name__ == "__main__":
    print(greet(sys.argv[2]))
"#;
const GREETING: &str = r#"def greet(name):
    if name == "":
        return "Hello nobody"
    return "Hello " + name
"#;
const TESTS: &str = r#"import unittest

from greeting import greet


class Greeting(unittest.TestCase):
    def test_greets(self):
        self.assertEqual(greet("Anna"), "Hello Anna")
        self.assertEqual(greet(""), "Hello nobody")
"#;
const PHASES: &str = "# Phases\n\n## Phase 0: Greeting\n**Objective:** Somebody is greeted.\n\n\
    **Deliverables:**\n- a program\n\n**Schema coverage:** `person`\n\n**Exit criteria:**\n\
    - `greets_by_name`: It greets whom it is told of.\n\n    ```\n    $ greet Hannah\n    has \"Hello Hannah\"\n    ```\n\
    - `test_greets`: The greeting holds the name.\n";
const PLACE: &str = ".gavel/contracts/phases.md";

/// A sealed program, and a clone of it in another folder with another home.
struct Case {
    desk: Desk,
    clone: PathBuf,
}

impl Case {
    /// Sealed as it is, with these files written over it before; what the seal says stays the same.
    fn sealed_with(files: &[(&str, &str)]) -> Self {
        let desk = Desk::new();
        desk.git(&["checkout", "-q", BRANCH]);
        desk.git(&["reset", "-q", "--hard", "main"]);
        for (name, text) in [
            ("main.py", MAIN),
            ("greeting.py", GREETING),
            ("test_greeting.py", TESTS),
            (PLACE, PHASES),
        ] {
            desk.put(name, text);
        }
        for (name, text) in files {
            desk.put(name, text);
        }
        desk.commit("phase 1");
        let base = desk.git(&["rev-parse", "main"]);
        desk.seal_with(&desk.key, |predicate| {
            predicate.base_commit = base;
            predicate.conditions = vec![GateCondition {
                id: "engineering_floor".to_owned(),
                holds: true,
                looked_at: 1,
                held: 1,
                reason: String::new(),
            }];
            let contract = SealContract {
                file: PLACE.to_owned(),
                blake3: Digest::of(PHASES),
            };
            predicate.contracts = BTreeMap::from([(ContractKind::Phases, contract)]);
            let one = predicate.criteria.remove(0);
            let shown = |id: &str, rank, evidence| {
                let mut shown = one.clone();
                shown.id = id.to_owned();
                shown.standing = Some(CriterionStanding::Met);
                shown.rank = Some(rank);
                shown.proof = vec![evidence];
                shown
            };
            let test = "test_greeting::Greeting::test_greets".to_owned();
            let file = EvidenceRef::File {
                path: "main.py".to_owned(),
                line: 1,
            };
            predicate.criteria = vec![
                shown(
                    "greets_by_name",
                    EvidenceRank::Executed,
                    EvidenceRef::Example {
                        runs: 3,
                        changes: None,
                    },
                ),
                shown(
                    "test_greets",
                    EvidenceRank::TestBites,
                    EvidenceRef::Test { name: test },
                ),
                shown("reads_well", EvidenceRank::Read, file),
            ];
            predicate.proof = Some(SealProof {
                evidence_ranks: [
                    EvidenceRank::Executed,
                    EvidenceRank::TestBites,
                    EvidenceRank::Read,
                ]
                .map(|rank| (rank, 1))
                .into(),
                mutants: 2,
                killed: 2,
                mutants_per_criterion: 1,
                seconds: 60,
                ..SealProof::default()
            });
        });
        desk.git(&["checkout", "-q", "main"]);
        let url = format!("file://{}", desk.repository().display());
        git(desk.folder.path(), &["clone", "-q", &url, "clone"]);
        let clone = desk.folder.path().join("clone");
        Self { desk, clone }
    }

    /// The check of somebody else: another home, nothing in any cache.
    fn rerun(&self, more: &[&str]) -> Ended {
        let key: PublicKey = self.desk.key.public();
        let key = key.to_string();
        let fixed = ["seal", "verify", BRANCH, "--key", &key, "--rerun"];
        let home = self.desk.folder.path().join("stranger");
        std::fs::create_dir_all(&home).unwrap();
        let mut command = self.desk.command(&self.clone, &[more, &fixed].concat());
        let child = command.env("HOME", home).spawn().unwrap();
        crate::bench::ended(child)
    }

    fn rerun_as_data(&self) -> (Option<i32>, Value) {
        let ended = self.rerun(&["--json"]);
        let read = serde_json::from_str(ended.stdout.trim());
        (
            ended.code,
            read.unwrap_or_else(|error| panic!("{error}: {ended:?}")),
        )
    }
}

fn outcomes(rerun: &Value) -> BTreeMap<&str, &str> {
    let criteria = rerun["criteria"].as_array().unwrap().iter();
    criteria
        .map(|one| {
            (
                one["id"].as_str().unwrap(),
                one["outcome"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn a_clone_repeats_what_was_sealed_and_says_what_nobody_can_repeat() {
    let case = Case::sealed_with(&[]);
    let before = git(&case.clone, &["for-each-ref"]);
    let ended = case.rerun(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for told in [
        "repeated: what can be run came to the same",
        "same: 1 of 1 passed",
        "same: executed by Gavel",
        "same: test that was proven to bite",
        "nothing to repeat: a judge read it",
        "killed; 2 of 2 when it was sealed",
    ] {
        assert!(ended.stdout.contains(told), "{told}: {ended:?}");
    }
    for told in [
        "building the commit",
        "example 1 of 1: greets_by_name",
        "trying 1 tests",
    ] {
        assert!(ended.stderr.contains(told), "{told}: {ended:?}");
    }
    assert_eq!(
        git(&case.clone, &["for-each-ref"]),
        before,
        "nothing is left in the clone"
    );
    assert_eq!(git(&case.clone, &["status", "--porcelain"]), "");
    let places = case
        .desk
        .folder
        .path()
        .join("stranger/.local/state/gavel/worktrees/rerun");
    assert_eq!(
        std::fs::read_dir(places).unwrap().count(),
        0,
        "what was built is removed"
    );
}

#[test]
fn a_result_that_is_not_what_its_seal_says_is_found_whoever_signed_it() {
    let only_one = GREETING.replace("\"Hello \" + name", "\"Hello Hannah\"");
    let blind = TESTS.replace(
        "assertEqual(greet(\"Anna\"), \"Hello Anna\")",
        "assertTrue(greet)",
    );
    let blind = blind.replace(
        "        self.assertEqual(greet(\"\"), \"Hello nobody\")\n",
        "",
    );
    let case = Case::sealed_with(&[("greeting.py", &only_one), ("test_greeting.py", &blind)]);
    let (code, data) = case.rerun_as_data();
    assert_eq!(code, Some(5), "{data:#}");
    assert_eq!(
        (&data["valid"], &data["signer"]),
        (&true.into(), &"known".into())
    );
    assert_eq!(data["rerun"]["same"], false, "{data:#}");
    let found = outcomes(&data["rerun"]);
    assert_eq!(
        found,
        BTreeMap::from([
            ("greets_by_name", "different"),
            ("test_greets", "different"),
            ("reads_well", "not_repeatable"),
        ]),
        "{data:#}"
    );
}

#[test]
fn one_changed_file_with_a_failing_test_is_found() {
    let broken = GREETING.replace("Hello nobody", "Hi");
    let case = Case::sealed_with(&[("greeting.py", &broken)]);
    let ended = case.rerun(&[]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    for told in [
        "repeated, and it came to something else",
        "DIFFERENT: 0 of 1 passed",
        "DIFFERENT: its test test_greeting::Greeting::test_greets fails",
    ] {
        assert!(ended.stdout.contains(told), "{told}: {ended:?}");
    }
}

#[test]
fn what_cannot_be_run_is_said_and_nothing_is_run_for_a_seal_that_does_not_hold() {
    let case = Case::sealed_with(&[("test_greeting.py", "# nothing\n")]);
    let ended = case.rerun(&[]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("NOT repeated: "), "{ended:?}");
    git(&case.clone, &["checkout", "-q", BRANCH]);
    std::fs::write(case.clone.join("greeting.py"), "later\n").unwrap();
    git(&case.clone, &["commit", "-q", "-a", "-m", "later"]);
    let after = case.rerun(&[]);
    assert_eq!(after.code, Some(5), "{after:?}");
    assert!(after.stdout.starts_with("NOT valid"), "{after:?}");
    assert!(!after.stderr.contains("rerun:"), "{after:?}");
}

/// A whole run's own seal, in a clone with another home: every example, test and fault again.
#[test]
fn a_run_of_ours_is_repeated_in_a_clone_with_another_home() {
    if !asked_for("ideas") {
        return;
    }
    let studio = Studio::offline();
    let done = studio.start(&["--yes", "--non-interactive"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let made = studio.bench.folder().join("project/made");
    let branch = format!("gavel/build-{}", run_id().short());
    let clone = studio.bench.folder().join("elsewhere/clone");
    let home = studio.bench.folder().join("elsewhere/home");
    std::fs::create_dir_all(&home).unwrap();
    let from = made.display().to_string();
    git(
        studio.bench.folder(),
        &["clone", "-q", "-b", &branch, &from, "elsewhere/clone"],
    );
    let repeat = || {
        let mut command = studio.command(&["--json", "seal", "verify", "--rerun"]);
        command.current_dir(&clone).env("HOME", &home);
        for name in [
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
        ] {
            command.env_remove(name);
        }
        ended(command.spawn().unwrap())
    };
    let same = repeat();
    let told: Value = serde_json::from_str(&same.stdout).unwrap();
    assert_eq!(told["signer"], "unknown", "{told:#}");
    assert_eq!(told["rerun"]["same"], true, "{told:#}");
    assert_eq!(told["rerun"]["complete"], true, "{told:#}");
    let outcomes = outcomes(&told["rerun"]);
    assert_eq!(outcomes.len(), 14, "{outcomes:?}");
    assert!(outcomes.values().all(|one| *one == "same"), "{outcomes:?}");
    std::fs::write(clone.join("src/main.rs"), "fn main() {}\n").unwrap();
    git(&clone, &["commit", "-q", "-a", "-m", "later"]);
    let changed = repeat();
    assert_eq!(changed.code, Some(5), "{changed:?}");
}
