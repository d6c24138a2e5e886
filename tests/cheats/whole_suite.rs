//! Runners that cannot run one test alone: what they print shows no criterion, and a suite of theirs
//! counts by how the whole of it ended.

use std::path::Path;

use gavel_testkit::git;
use serde_json::{Value, json};

use super::asked;
use super::change::Change;
use super::cheater::{FEW, in_repository};
use super::outcome::{Outcome, criterion};

const WHOLE: &str =
    "tests: their runner cannot run one alone; they count by how the whole suite ended";
const UNSEEN_FIX: &str =
    "fix: its runner runs no test alone, so none was seen to fail on the code from before";

/// A library whose tests a script of the project runs, as its owner says.
const LIBRARY: [(&str, &str); 7] = [
    (
        "Cargo.toml",
        "[package]\nname = \"bookmark-manager\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    ),
    (
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"bookmark-manager\"\nversion = \"0.1.0\"\n",
    ),
    (
        "src/lib.rs",
        "//! What is kept.\n\n/// How much.\npub fn kept() -> u32 {\n    7\n}\n",
    ),
    (
        "tests/kept.rs",
        "#[test]\nfn it_is_kept() {\n    assert_eq!(bookmark_manager::kept(), 7);\n}\n",
    ),
    (".gitignore", "/target\n"),
    (
        "Makefile",
        "check:\n\tcargo test --workspace --no-fail-fast --offline\n",
    ),
    ("gavel.toml", "[verify]\ntest = [\"make\", \"check\"]\n"),
];

fn left_out(seal: &Value, line: &str) -> bool {
    let lines = seal["left_out"].as_array().unwrap();
    lines.iter().any(|one| one == line)
}

#[test]
fn a_project_whose_script_runs_the_tests_is_sealed_by_its_examples() {
    if !asked() {
        return;
    }
    let built = in_repository(&LIBRARY, |_| Vec::new());
    let seal = built.sealed();
    // No value of the example about help could be another one, and no test of its own was seen to bite.
    for (id, rank) in FEW.into_iter().zip(["executed", "executed", "as_written"]) {
        assert_eq!(criterion(&seal, id)["rank"], rank, "{id}");
    }
    assert_eq!(seal["verdict"], "conditional");
    assert!(left_out(&seal, WHOLE), "{seal:#}");
}

const SHOP: &str = "'use strict';\n\nfunction price(each, count) {\n  return each * count;\n}\n\n\
    function discounted(each, count) {\n  const whole = price(each, count);\n  \
    return count > 10 ? whole - whole / 10 : whole;\n}\n\nmodule.exports = { price, discounted };\n";
const NODE_TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const shop = require('../shop.js');\n\n\
    test('a price is multiplied', () => {\n  assert.equal(shop.price(3, 4), 12);\n});\n";
const MOCHA_TESTS: &str = "const assert = require('node:assert');\nconst shop = require('../shop.js');\n\n\
    it('a price is multiplied', () => {\n  assert.equal(shop.price(3, 4), 12);\n});\n";
/// A runner that came with the project and prints what it is asked to.
const PRINTS: &str =
    "#!/usr/bin/env node\nconsole.log('  ✔ a price is multiplied\\n\\n  1 passing (1ms)');\n";
/// One that runs what it finds, and prints as mocha does.
const RUNS: &str = "#!/usr/bin/env node\nconst fs = require('node:fs');\nconst path = require('node:path');\n\
    let passed = 0;\nlet failed = 0;\nglobal.it = (name, body) => {\n  try {\n    body();\n    passed += 1;\n    \
    console.log(`  ✔ ${name}`);\n  } catch (problem) {\n    failed += 1;\n    \
    console.log(`  ${failed}) ${name}`);\n  }\n};\n\
    for (const file of fs.readdirSync('test')) require(path.resolve('test', file));\n\
    console.log(`\\n  ${passed} passing (1ms)`);\nif (failed) {\n  console.log(`  ${failed} failing`);\n  \
    process.exit(1);\n}\n";

fn manifest(script: &str) -> String {
    json!({"name": "shop", "version": "1.0.0", "scripts": {"test": script}}).to_string()
}

/// What comes of a change in a shop that has its own mocha in its folder.
fn in_shop(change: Change, (script, tests): (&str, &str), mocha: &str) -> Outcome {
    let manifest = manifest(script);
    let files = [
        ("package.json", manifest.as_str()),
        ("shop.js", SHOP),
        ("test/shop.test.js", tests),
        ("node_modules/.bin/mocha", mocha),
        ("README.md", "# Shop\n"),
    ];
    let executable = |folder: &Path| {
        let tool = ["update-index", "--chmod=+x", "node_modules/.bin/mocha"];
        git(folder, &tool);
        git(folder, &["commit", "--quiet", "--amend", "-m", "first"]);
        git(folder, &["checkout", "--quiet", "--", "."]);
    };
    change.made_in_prepared(&files, executable)
}

fn with_total(shop: &str) -> String {
    let total = "function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n\n";
    shop.replace(
        "module.exports = {",
        &format!("{total}module.exports = {{ total,"),
    )
}

#[test]
fn a_runner_that_can_run_no_test_alone_does_not_take_the_place_of_one_that_can() {
    if !asked() {
        return;
    }
    let broken = with_total(SHOP).replace("each * count", "each - count");
    let change = Change::of("add a total function to shop.js")
        .write_citing("shop.js", &broken, "prices.reduce")
        .write("package.json", &manifest("mocha"));
    let made = in_shop(change, ("node --test", NODE_TESTS), PRINTS);
    made.not_verified("tests_failed");
}

#[test]
fn the_runner_from_before_is_used_and_that_is_said() {
    if !asked() {
        return;
    }
    let change = Change::of("add a total function to shop.js")
        .write_citing("shop.js", &with_total(SHOP), "prices.reduce")
        .write("package.json", &manifest("mocha"));
    let seal = in_shop(change, ("node --test", NODE_TESTS), PRINTS).sealed();
    let line = "runner: package.json: scripts.test = mocha (changed by the run; the tests ran with what \
                was there before)";
    assert!(left_out(&seal, line), "{seal:#}");
    assert!(!left_out(&seal, WHOLE), "{seal:#}");
}

/// A fix for the discount of exactly ten, with this test.
fn fixed_with(fixed: &str, test: &str) -> Change {
    Change::of("fix the wrong discount for exactly ten things in shop.js")
        .write_citing("shop.js", fixed, "count >= 10")
        .write("test/shop.test.js", &format!("{MOCHA_TESTS}{test}"))
}

#[test]
fn a_fix_whose_runner_cannot_run_one_test_says_that_none_was_seen_failing() {
    if !asked() {
        return;
    }
    let fixed = SHOP.replace("count > 10", "count >= 10");
    let ten = "\nit('ten', () => {\n  assert.equal(shop.discounted(10, 10), 90);\n});\n";
    let seal = in_shop(fixed_with(&fixed, ten), ("mocha", MOCHA_TESTS), RUNS).sealed();
    assert_eq!(seal["verdict"], "conditional");
    for line in [WHOLE, UNSEEN_FIX] {
        assert!(left_out(&seal, line), "{line}: {seal:#}");
    }
    let conditions = seal["conditions"].as_array().unwrap();
    let fix = conditions.iter().find(|one| one["id"] == "fix_shown");
    assert_eq!(fix.unwrap()["reason"], "tests_not_named");
}

#[test]
fn a_fix_whose_printed_tests_all_pass_before_it_is_refused() {
    if !asked() {
        return;
    }
    let fixed = SHOP.replace("count > 10", "count >= 10");
    let catches = "\nit('ten', () => {\n  try {\n    assert.equal(shop.discounted(10, 10), 90);\n  } catch {}\n});\n";
    let made = in_shop(fixed_with(&fixed, catches), ("mocha", MOCHA_TESTS), RUNS);
    made.refused("fix_shown", "no_failing_test");
}
