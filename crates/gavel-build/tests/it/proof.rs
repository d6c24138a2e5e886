//! Tests of criteria against planted faults: those that bite, those that only look as if, in three
//! languages; and figures for packages with good tests.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use gavel_build::{ProofBench, ProofBudget, TestCase, TouchedLines, Unlisted, prove_tests};
use gavel_domain::{Digest, FaultCount, TestOutcome, TestProven};
use gavel_rules::TestProof;
use gavel_testkit::{asked_for, text_asked_for};

use crate::bench::{Bench, LOCK, MANIFEST, judged};
use crate::script::Script;

/// Proves these tests of a tree; asking again reads what was recorded.
async fn proven(files: &[(&str, &str)], tests: &[&str], faults: u32) -> Vec<TestProof> {
    proven_at_once(files, (tests, 2), faults).await
}

/// The same with so many tests at the same time.
async fn proven_at_once(
    files: &[(&str, &str)],
    (tests, at_once): (&[&str], usize),
    faults: u32,
) -> Vec<TestProof> {
    let bench = Bench::new(Script::default().model(), files).await;
    let base = bench.ground.base();
    let cases: Vec<TestCase<'_>> = tests
        .iter()
        .map(|test| TestCase {
            criterion: test,
            test,
        })
        .collect();
    let prove = async || {
        bench
            .drive(async |run, site| {
                let scope = run.scope("proof", 1)?;
                let proof = ProofBench::new(site, judged(&base), Digest::of("seed"));
                let proof = proof.at_once(NonZero::new(at_once).unwrap());
                let budget = ProofBudget {
                    faults,
                    until: Instant::now() + Duration::from_secs(600),
                    touched: &TouchedLines::new(),
                    kept: None,
                    unlisted: Unlisted::Refuted,
                };
                let proofs = Box::pin(prove_tests(run, &scope, &proof, &cases, budget)).await;
                proof.close().await;
                proofs
            })
            .await
    };
    let proofs = prove().await;
    assert_eq!(prove().await, proofs, "everything is on record");
    let facts = bench.facts::<TestProven>().await;
    let recorded: Vec<&str> = facts
        .iter()
        .map(|(_, fact)| fact.criterion.as_str())
        .collect();
    assert_eq!(recorded, tests, "in their order, however many run at once");
    let left: Vec<_> = std::fs::read_dir(bench.ground.beside().join("fresh"))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(left.iter().all(|name| name == "tree"), "{left:?}");
    proofs.into_iter().map(|(_, proof)| proof).collect()
}

/// What each test came to, and why.
fn outcomes(proofs: &[TestProof]) -> Vec<(&str, TestOutcome, &str)> {
    let all = proofs.iter();
    all.map(|one| (one.test.as_str(), one.outcome, one.why.as_str()))
        .collect()
}

const SUMS: &str = "pub fn total(prices: &[i32]) -> i32 {\n    let mut sum = 0;\n    for price in prices {\n        \
    if *price > 0 {\n            sum += price;\n        }\n    }\n    sum\n}\n";
const RUST_TESTS: &str = r#"
use demo::total;

#[test]
fn honest() {
    assert_eq!(total(&[1, 2, -5]), 3);
}

#[test]
fn empty() {}

#[test]
fn only_calls() {
    let _ = total(&[1]);
}

#[test]
fn leaves_early() {
    std::process::exit(0);
}

#[test]
fn catches_all() {
    let _ = std::panic::catch_unwind(|| assert_eq!(total(&[1, 2]), 3));
}

mod fake {
    pub fn total(_: &[i32]) -> i32 {
        3
    }
}

#[test]
fn of_a_mock() {
    assert_eq!(fake::total(&[1, 2]), 3);
}

#[test]
fn of_the_source() {
    let text = std::fs::read_to_string("src/lib.rs").unwrap();
    assert_eq!(text.len(), SIZE);
}

#[test]
fn prints_results() {
    println!("test honest ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored");
}
"#;

#[tokio::test]
async fn rust_tests_that_catch_nothing_are_hollow() {
    let tests = RUST_TESTS.replace("SIZE", &SUMS.len().to_string());
    let files = [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", SUMS),
        ("tests/sums.rs", &tests),
    ];
    let names = [
        "honest",
        "empty",
        "only_calls",
        "leaves_early",
        "catches_all",
        "of_a_mock",
        "of_the_source",
        "prints_results",
    ];
    let proofs = proven(&files, &names, 3).await;
    let seen = outcomes(&proofs);
    assert_eq!(seen[0].1, TestOutcome::Bites, "{seen:?}");
    assert_eq!(proofs[0].faults[0].file, "src/lib.rs", "{proofs:?}");
    assert_eq!(
        seen[3],
        (
            "leaves_early",
            TestOutcome::Failed,
            "its process ended before the test was through"
        )
    );
    for (name, outcome, why) in &seen[1..] {
        let expected = match *name {
            "leaves_early" => TestOutcome::Failed,
            _ => TestOutcome::Hollow,
        };
        assert_eq!(*outcome, expected, "{name}: {why}");
    }
    let reasons: BTreeSet<&str> = seen.iter().map(|(_, _, why)| *why).collect();
    let nowhere = "it comes to no place of the product that could be broken";
    assert!(reasons.contains(nowhere), "{reasons:?}");
    assert!(
        reasons
            .iter()
            .any(|why| why.starts_with("it passed although src/lib.rs:")),
        "{reasons:?}"
    );
}

const PYTHON: &str = "def total(prices):\n    found = 0\n    for price in prices:\n        if price > 0:\n            \
    found = found + price\n    return found\n";
const PYTHON_TESTS: &str = r#"import unittest
from shop import total


class Sums(unittest.TestCase):
    def test_honest(self):
        self.assertEqual(total([1, 2, -5]), 3)

    def test_empty(self):
        pass

    def test_swallows(self):
        try:
            self.assertEqual(total([1, 2]), 3)
        except BaseException:
            pass
"#;

#[tokio::test]
async fn python_tests_that_catch_nothing_are_hollow() {
    let files = [("shop.py", PYTHON), ("test_shop.py", PYTHON_TESTS)];
    let names = ["test_honest", "test_empty", "test_swallows"];
    let full = names.map(|name| format!("test_shop::Sums::{name}"));
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let proofs = proven(&files, &full, 3).await;
    let seen: Vec<TestOutcome> = proofs.iter().map(|one| one.outcome).collect();
    use TestOutcome::{Bites, Hollow};
    assert_eq!(seen, [Bites, Hollow, Hollow], "{proofs:?}");
}

#[tokio::test]
async fn how_many_tests_run_at_once_changes_nothing() {
    let files = [("shop.py", PYTHON), ("test_shop.py", PYTHON_TESTS)];
    let names = ["test_honest", "test_empty", "test_swallows"];
    let full = names.map(|name| format!("test_shop::Sums::{name}"));
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let alone = proven_at_once(&files, (&full, 1), 3).await;
    let together = proven_at_once(&files, (&full, 3), 3).await;
    assert_eq!(alone, together);
}

/// Tests that fail now and then, by another rule than a fault.
const UNSTEADY: &str = r#"import os, tempfile, unittest
from shop import total

PLACES = ['.', '/tmp', tempfile.gettempdir(), os.environ['HOME'], os.environ.get('CARGO_HOME', '.')]


def runs():
    count = 0
    for place in PLACES:
        path = os.path.join(place, 'runs')
        try:
            count = max(count, int(open(path).read()))
        except OSError:
            pass
    for place in PLACES:
        try:
            open(os.path.join(place, 'runs'), 'w').write(str(count + 1))
        except OSError:
            pass
    return count


class Unsteady(unittest.TestCase):
    def test_counts(self):
        total([1, 2])
        count = runs()
        self.assertTrue(count < 2 or count % 2 == 1)
"#;

#[tokio::test]
async fn tests_that_fail_by_count_catch_nothing() {
    let files = [("shop.py", PYTHON), ("test_shop.py", UNSTEADY)];
    let name = "test_shop::Unsteady::test_counts";
    let proofs = proven(&files, &[name], 3).await;
    assert_eq!(proofs[0].outcome, TestOutcome::Hollow, "{proofs:?}");
}

const NODE: &str = "exports.total = function total(prices) {\n  let sum = 0;\n  for (const price of prices) {\n    \
    if (price > 0) sum = sum + price;\n  }\n  return sum;\n};\n";
const NODE_TESTS: &str = r#"const test = require('node:test');
const assert = require('node:assert');
const { total } = require('../total.js');

test('honest', () => assert.equal(total([1, 2, -5]), 3));
test('empty', () => {});
"#;

#[tokio::test]
async fn node_tests_that_catch_nothing_are_hollow() {
    let files = [
        (
            "package.json",
            "{\"name\": \"total\", \"version\": \"1.0.0\"}\n",
        ),
        ("total.js", NODE),
        ("test/total.test.js", NODE_TESTS),
    ];
    let proofs = proven(&files, &["honest", "empty"], 3).await;
    let seen: Vec<TestOutcome> = proofs.iter().map(|one| one.outcome).collect();
    use TestOutcome::{Bites, Hollow};
    assert_eq!(seen, [Bites, Hollow], "{proofs:?}");
}

#[tokio::test]
async fn a_test_that_its_runner_does_not_know_is_none() {
    let files = [
        (
            "package.json",
            "{\"name\": \"x\", \"version\": \"1.0.0\"}\n",
        ),
        (
            "test/x.test.js",
            "const test = require('node:test');\ntest('reads', () => {});\n",
        ),
    ];
    let [gone] = proven(&files, &["never there"], 3)
        .await
        .try_into()
        .unwrap();
    assert_eq!(
        (gone.outcome, gone.why.as_str()),
        (TestOutcome::Failed, "its runner knows no test of this name")
    );
}

/// Figures for `docs/benchmarks.md`, for a package that cargo has fetched for Gavel itself.
#[expect(clippy::print_stderr, reason = "the figures are for whoever asked")]
async fn tests_of_package_bite(package: &str) {
    if !asked_for("cheats") {
        return;
    }
    let home = text_asked_for("CARGO_HOME")
        .unwrap_or_else(|| format!("{}/.cargo", text_asked_for("HOME").unwrap_or_default()));
    let registry = Path::new(&home).join("registry/src");
    let mut indexes = std::fs::read_dir(&registry).unwrap();
    let folder = indexes.next().unwrap().unwrap().path().join(package);
    let (name, _) = package.rsplit_once('-').unwrap();
    let files = package_files(&folder, name);
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let tests = test_names(&files);
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    let begun = std::time::Instant::now();
    let proofs = proven(&files, &tests, 4).await;
    let FaultCount { tried, caught } = FaultCount::of(proofs.iter().flat_map(|one| &one.faults));
    let bites = proofs
        .iter()
        .filter(|one| one.outcome == TestOutcome::Bites);
    let (bites, all) = (bites.count(), proofs.len());
    let took = begun.elapsed().as_secs_f32();
    eprintln!(
        "{package}: {bites} of {all} tests bite, {caught} of {tried} faults caught, {took:.1} s"
    );
    // `const fn` carries no faults, so that tests of nothing else come to none.
    assert!(bites * 10 >= all * 6, "{:?}", outcomes(&proofs));
}

#[tokio::test]
async fn tests_of_strsim_bite() {
    tests_of_package_bite("strsim-0.11.1").await;
}

#[tokio::test]
async fn tests_of_httpdate_bite() {
    tests_of_package_bite("httpdate-1.0.3").await;
}

#[tokio::test]
async fn tests_of_percent_encoding_bite() {
    tests_of_package_bite("percent-encoding-2.3.2").await;
}

/// The sources of a package, with a manifest that needs nothing else.
fn package_files(folder: &Path, name: &str) -> Vec<(String, String)> {
    let manifest = format!(
        "[workspace]\n[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\ndoctest = false\n\
         [features]\ndefault = [\"std\", \"alloc\"]\nstd = []\nalloc = []\n"
    );
    let lock = format!("version = 4\n\n[[package]]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
    let mut files = vec![
        ("Cargo.toml".to_owned(), manifest),
        ("Cargo.lock".to_owned(), lock),
    ];
    for entry in std::fs::read_dir(folder.join("src")).unwrap() {
        let entry = entry.unwrap();
        let path = format!("src/{}", entry.file_name().to_str().unwrap());
        files.push((path, std::fs::read_to_string(entry.path()).unwrap()));
    }
    files
}

/// The tests inside the sources, as libtest names them.
fn test_names(files: &[(&str, &str)]) -> Vec<String> {
    let mut names = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        let module = path.trim_start_matches("src/").trim_end_matches(".rs");
        let module = match module {
            "lib" => String::new(),
            other => format!("{other}::"),
        };
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            if line == "#[test]" {
                is_test = true;
            } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
                let name = rest.split('(').next().unwrap_or_default();
                names.push(format!("{module}tests::{name}"));
                is_test = false;
            }
        }
    }
    names.sort();
    names.truncate(12);
    names
}
