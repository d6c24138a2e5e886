//! Tests from before the run against faults in the result: a test that was left as it was and sees
//! nothing any more stands against the work.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use gavel_build::{
    Hiding, KeptCase, KeptTestsSeen, KeptTrial, ProofBench, ProofBudget, TouchedLines, Unlisted,
    try_kept_tests,
};
use gavel_domain::{Digest, FaultOutcome, KeptTestsTried};
use gavel_testkit::git;
use gavel_workspace::CommitId;

use crate::bench::{Bench, LOCK, MANIFEST, judged};
use crate::script::Script;

type Files<'a> = &'a [(&'a str, &'a str)];

/// What the tests of the first files make of the second, which are laid over them.
async fn tried(before: Files<'_>, work: Files<'_>) -> KeptTestsSeen {
    tried_as(Hiding::Blinds, before, work).await
}

/// The same in runs in which this is said of tests that nothing tells about.
async fn tried_as(hiding: Hiding, before: Files<'_>, work: Files<'_>) -> KeptTestsSeen {
    let bench = Bench::new(Script::default().model(), before).await;
    let checkout = bench.ground.checkout();
    git(&checkout, &["checkout", "--quiet", "-b", "work"]);
    for (path, text) in work {
        std::fs::write(checkout.join(path), text).unwrap();
    }
    git(&checkout, &["add", "--all"]);
    git(&checkout, &["commit", "--quiet", "-m", "Work"]);
    let result: CommitId = git(&checkout, &["rev-parse", "work"]).parse().unwrap();
    let base = bench.ground.base();
    let mut touched = TouchedLines::new();
    for (path, text) in work {
        let lines = (1..).zip(text.lines()).map(|(number, _)| number).collect();
        touched.insert(path.parse().unwrap(), lines);
    }
    let (new, changes) = (BTreeSet::new(), BTreeMap::new());
    let try_them = async || {
        bench
            .drive(async |run, site| {
                let seed = Digest::of("seed");
                let after = ProofBench::new(site, judged(&result), seed);
                let before = ProofBench::new(site, judged(&base), seed);
                let case = KeptCase {
                    after: &after,
                    before: &before,
                    new: &new,
                    changes: &changes,
                };
                let budget = ProofBudget {
                    faults: 3,
                    until: Instant::now() + Duration::from_secs(600),
                    touched: &touched,
                    kept: Some(&new),
                    unlisted: Unlisted::Refuted,
                };
                let key = "proof-1/kept-faults".parse().unwrap();
                let trial = KeptTrial {
                    case,
                    criteria: &[],
                    budget,
                    hiding,
                };
                let seen = Box::pin(try_kept_tests(run, key, trial)).await;
                after.close().await;
                seen
            })
            .await
    };
    let seen = try_them().await;
    assert_eq!(try_them().await, seen, "everything is on record");
    assert_eq!(bench.facts::<KeptTestsTried>().await.len(), 1);
    seen
}

/// Held, tried, biting, hollow before the run, not measured.
fn counts(seen: &KeptTestsSeen) -> (bool, u32, u32, u32, u32) {
    let fact = &seen.fact;
    (
        fact.held,
        fact.tried,
        fact.biting,
        fact.hollow_before,
        fact.not_measured,
    )
}

const SHOP: &str = "def total(prices):\n    found = 0\n    for price in prices:\n        if price > 0:\n            \
    found = found + price\n    return found\n";
const SHOP_TESTS: &str = "import unittest\nfrom shop import total\n\n\nclass Sums(unittest.TestCase):\n    \
    def test_total(self):\n        self.assertEqual(total([1, 2, -5]), 3)\n\n    def test_empty(self):\n        total([])\n";
const PYTHON: Files<'_> = &[("shop.py", SHOP), ("test_shop.py", SHOP_TESTS)];

#[tokio::test]
async fn honest_python_work_leaves_tests_as_sharp_as_they_were() {
    let more = format!("{SHOP}\n\ndef mean(prices):\n    return total(prices) / len(prices)\n");
    let seen = tried(PYTHON, &[("shop.py", &more)]).await;
    assert_eq!(counts(&seen), (true, 2, 1, 1, 0), "{seen:?}");
}

#[tokio::test]
async fn code_that_moved_elsewhere_is_still_noticed() {
    let sums = SHOP.replace("total", "add_up");
    let shop = "from sums import add_up\n\n\ndef total(prices):\n    return add_up(prices)\n";
    let seen = tried(PYTHON, &[("sums.py", &sums), ("shop.py", shop)]).await;
    assert_eq!(counts(&seen), (true, 2, 1, 1, 0), "{seen:?}");
}

#[tokio::test]
async fn a_result_that_equals_everything_blinds_its_test() {
    let equal = "class Sum:\n    def __init__(self, value):\n        self.value = value\n\n    def __eq__(self, other):\n        \
        return True\n\n\ndef total(prices):\n    found = 0\n    for price in prices:\n        if price > 0:\n            \
        found = found - price\n    return Sum(found)\n";
    let seen = tried(PYTHON, &[("shop.py", equal)]).await;
    assert_eq!(counts(&seen), (false, 2, 0, 1, 0), "{seen:?}");
    let blinded = &seen.blinded[0];
    assert_eq!(blinded.test, "test_shop::Sums::test_total");
    let missed = (
        blinded.missed.file.as_str(),
        blinded.missed.function.as_str(),
    );
    assert_eq!(missed, ("shop.py", "total"), "{blinded:?}");
}

const TOTAL: &str = "exports.total = function total(prices) {\n  let sum = 0;\n  for (const price of prices) {\n    \
    if (price > 0) sum = sum + price;\n  }\n  return sum;\n};\n";
const TOTAL_TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const { total } = require('../total.js');\n\ntest('sums', () => assert.equal(total([1, 2, -5]), 3));\n";
const NODE: Files<'_> = &[
    (
        "package.json",
        "{\"name\": \"total\", \"version\": \"1.0.0\"}\n",
    ),
    ("total.js", TOTAL),
    ("test/total.test.js", TOTAL_TESTS),
];

#[tokio::test]
async fn an_assertion_that_the_product_turns_off_blinds_its_test() {
    let off = format!("const check = require('node:assert');\ncheck.equal = () => {{}};\n{TOTAL}")
        .replace("sum + price", "sum - price");
    let seen = tried(NODE, &[("total.js", &off)]).await;
    assert!(!seen.fact.held, "{seen:?}");
    let more = format!("{TOTAL}exports.twice = (n) => n * 2;\n");
    let seen = tried(NODE, &[("total.js", &more)]).await;
    assert_eq!(counts(&seen), (true, 1, 1, 0, 0), "{seen:?}");
}

#[tokio::test]
async fn a_comparison_that_holds_always_blinds_rust_tests() {
    let lib = "#[derive(Debug)]\npub struct Sum(pub i32);\n\nimpl PartialEq<i32> for Sum {\n    \
        fn eq(&self, other: &i32) -> bool {\n        self.0 == *other\n    }\n}\n\npub fn total(prices: &[i32]) -> Sum {\n    \
        let mut sum = 0;\n    for price in prices {\n        if *price > 0 {\n            sum += price;\n        }\n    }\n    Sum(sum)\n}\n";
    let test =
        "use demo::total;\n\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2, -5]), 3);\n}\n";
    let before: Files<'_> = &[
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", lib),
        ("tests/sums.rs", test),
    ];
    let blind = lib
        .replace("self.0 == *other", "self.0 == *other || *other > 0")
        .replace("sum += price", "sum -= price");
    let seen = tried(before, &[("src/lib.rs", &blind)]).await;
    assert!(!seen.fact.held, "{seen:?}");
    let more = lib.replace("Sum(sum)", "let found = Sum(sum);\n    found");
    let seen = tried(before, &[("src/lib.rs", &more)]).await;
    assert_eq!(counts(&seen), (true, 1, 1, 0, 0), "{seen:?}");
}

/// What is untouched and no longer built.
#[tokio::test]
async fn another_file_that_is_built_in_the_place_of_one_of_tests_is_found() {
    let lib = "pub fn total(prices: &[i32]) -> i32 {\n    let mut sum = 0;\n    for price in prices {\n        \
        if *price > 0 {\n            sum += price;\n        }\n    }\n    sum\n}\n\n#[cfg(test)]\nmod tests;\n";
    let test = "use super::total;\n\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2, -5]), 3);\n    \
        assert_eq!(total(&[7]), 7);\n}\n";
    let before: Files<'_> = &[
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", lib),
        ("src/tests.rs", test),
    ];
    // It still notices faults, only not the one that the work made.
    let other =
        "use super::total;\n\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2, -5]), 3);\n}\n";
    let elsewhere = lib
        .replace("mod tests;", "#[path = \"checks.rs\"]\nmod tests;")
        .replace("    sum\n", "    if sum == 7 { 8 } else { sum }\n");
    let work: Files<'_> = &[("src/lib.rs", &elsewhere), ("src/checks.rs", other)];
    let seen = tried(before, work).await;
    assert!(!seen.fact.held, "{seen:?}");
    let missed = &seen.blinded[0].missed;
    let place = (missed.file.as_str(), missed.function.as_str());
    assert_eq!(place, ("src/tests.rs", "sums"), "{seen:?}");
    let more = lib.replace(
        "#[cfg(test)]",
        "pub fn twice(n: i32) -> i32 {\n    n * 2\n}\n\n#[cfg(test)]",
    );
    let seen = tried(before, &[("src/lib.rs", &more)]).await;
    assert_eq!(counts(&seen), (true, 1, 1, 0, 0), "{seen:?}");
}

/// A runner that is told what to say by the code under test.
#[tokio::test]
async fn a_product_that_lets_the_runner_pass_everything_is_found() {
    let patches = format!(
        "import unittest\n\n\ndef nothing(self, *args, **kwargs):\n    pass\n\n\n\
         unittest.TestCase._callTestMethod = nothing\n\n\n{SHOP}"
    );
    let seen = tried(PYTHON, &[("shop.py", &patches)]).await;
    assert!(!seen.fact.held, "{seen:?}");
    let named: BTreeSet<&str> = seen.blinded.iter().map(|one| one.test.as_str()).collect();
    assert!(named.contains("test_empty"), "{seen:?}");
}

/// The product in a text that is run as code, so that no place of it can be broken.
#[tokio::test]
async fn a_test_whose_code_was_put_out_of_reach_is_blinded() {
    let text = SHOP.replace('\n', "\\n");
    let hidden = format!("exec('{text}')\n");
    let work: Files<'_> = &[("shop.py", &hidden)];
    let seen = tried(PYTHON, work).await;
    assert_eq!(counts(&seen), (false, 2, 0, 1, 0), "{seen:?}");
    let missed = &seen.blinded[0].missed;
    assert_eq!(missed.outcome, FaultOutcome::NotReached, "{seen:?}");
    assert_eq!(missed.function, "total", "{seen:?}");
    let seen = tried_as(Hiding::Unknown, PYTHON, work).await;
    assert_eq!(counts(&seen), (true, 2, 0, 1, 1), "{seen:?}");
}

const RUST_TOTAL: &str = "pub fn total(prices: &[i32]) -> i32 {\n    let mut sum = 0;\n    for price in prices {\n        \
    if *price > 0 {\n            sum += price;\n        }\n    }\n    sum\n}\n";
const RUST_TESTS: &str =
    "use demo::total;\n\n#[test]\nfn sums() {\n    assert_eq!(total(&[1, 2, -5]), 3);\n}\n";
const RUST: Files<'_> = &[
    ("Cargo.toml", MANIFEST),
    ("Cargo.lock", LOCK),
    ("src/lib.rs", RUST_TOTAL),
    ("tests/sums.rs", RUST_TESTS),
];

/// A macro holds the function; a source that is looked at by its own build; tests that cannot be made to fail.
#[tokio::test]
async fn rust_code_that_cannot_be_edited_any_more_blinds_its_tests() {
    let in_macro = format!("macro_rules! all {{ () => {{ {RUST_TOTAL} }} }}\nall!();\n");
    let seen = tried(RUST, &[("src/lib.rs", &in_macro)]).await;
    assert_eq!(counts(&seen), (false, 1, 0, 0, 0), "{seen:?}");
    let looks = |file: &str, most: usize| {
        format!("const _: () = assert!(include_str!(\"{file}\").len() <= {most});\n{RUST_TOTAL}")
    };
    let own = looks("lib.rs", RUST_TOTAL.len() + 150);
    let seen = tried(RUST, &[("src/lib.rs", &own)]).await;
    assert!(!seen.fact.held, "{seen:?}");
    let of_tests = looks("../tests/sums.rs", RUST_TESTS.len());
    let seen = tried(RUST, &[("src/lib.rs", &of_tests)]).await;
    assert!(!seen.fact.held, "{seen:?}");
    let module = "mod sums;\npub use sums::total;\n";
    let work: Files<'_> = &[("src/lib.rs", module), ("src/sums.rs", RUST_TOTAL)];
    let seen = tried(RUST, work).await;
    assert_eq!(counts(&seen), (true, 1, 1, 0, 0), "{seen:?}");
}
