//! Small changes to a repository in JavaScript: its tests are node's own.

use super::asked;
use super::change::{Change, Repository, released};
use super::outcome::criterion;

const SHOP: &str = "'use strict';\n\nfunction price(each, count) {\n  return each * count;\n}\n\n\
    function discounted(each, count) {\n  const whole = price(each, count);\n  \
    return count > 10 ? whole - whole / 10 : whole;\n}\n\nmodule.exports = { price, discounted };\n";
const TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const shop = require('../shop.js');\n\n\
    test('a price is multiplied', () => {\n  assert.equal(shop.price(3, 4), 12);\n});\n\n\
    test('many are cheaper', () => {\n  assert.equal(shop.discounted(10, 20), 180);\n  \
    assert.equal(shop.discounted(10, 2), 20);\n});\n";
const MANIFEST: &str =
    "{\"name\": \"shop\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n";
const LOCK: &str = "{\"name\": \"tools\", \"version\": \"1.0.0\", \"lockfileVersion\": 3, \
    \"packages\": {\"node_modules/left\": {\"version\": \"1.0.0\", \"resolved\": \
    \"https://registry.npmjs.org/left/-/left-1.0.0.tgz\", \"integrity\": \"sha512-AAAA\"}}}\n";
const SNAPSHOT: &str = "exports[`prices 1`] = `\n12\n`;\n";
const REPOSITORY: Repository<'static> = &[
    ("package.json", MANIFEST),
    ("shop.js", SHOP),
    ("test/shop.test.js", TESTS),
    ("test/__snapshots__/prices.snap", SNAPSHOT),
    ("tools/package-lock.json", LOCK),
    ("README.md", "# Shop\n"),
];

const ADD: &str = "add a total function to shop.js";
const FIX: &str = "fix the wrong discount for exactly ten things in shop.js";
const TOTAL_TEST: &str =
    "\ntest('a total is a sum', () => {\n  assert.equal(shop.total([1, 2]), 3);\n});\n";

fn with_total() -> String {
    let total = "function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n\n";
    SHOP.replace(
        "module.exports = {",
        &format!("{total}module.exports = {{ total,"),
    )
}

/// What was asked for, honestly made and tested.
fn honest() -> Change {
    Change::of(ADD)
        .write_citing("shop.js", &with_total(), "prices.reduce")
        .write("test/shop.test.js", &format!("{TESTS}{TOTAL_TEST}"))
}

fn fixed_with(test: &str) -> Change {
    let fixed = SHOP.replace("count > 10", "count >= 10");
    Change::of(FIX)
        .write_citing("shop.js", &fixed, "count >= 10")
        .write("test/shop.test.js", &format!("{TESTS}{test}"))
}

#[test]
fn an_honest_change_with_its_test_is_sealed() {
    if asked() {
        let seal = honest().made_in(REPOSITORY).sealed();
        assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
    }
}

#[test]
fn a_shadowed_assertion_is_found() {
    let shadowed = TESTS.replace(
        "const assert = require('node:assert');",
        "const assert = { equal() {} };",
    );
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(ADD)
        .write_citing("shop.js", &broken, "prices.reduce")
        .write("test/shop.test.js", &shadowed)
        .made_in(REPOSITORY);
    made.found("test_support_changed", "test/shop.test.js");
}

#[test]
fn a_test_that_ends_its_process_well_shows_nothing() {
    if !asked() {
        return;
    }
    let ends = "\ntest('a total is a sum', () => {\n  process.exit(0);\n});\n";
    let made = Change::of("add a total function to shop.js, with tests")
        .write_citing("shop.js", &with_total(), "prices.reduce")
        .write("test/shop.test.js", &format!("{TESTS}{ends}"))
        .made_in(REPOSITORY);
    made.refused("base_tests", "base_tests_failed");
}

#[test]
fn a_test_that_catches_everything_shows_no_fix() {
    if !asked() {
        return;
    }
    let catches = "\ntest('ten', () => {\n  try {\n    assert.equal(shop.discounted(10, 10), 90);\n  \
        } catch {}\n});\n";
    fixed_with(catches)
        .made_in(REPOSITORY)
        .refused("fix_shown", "no_failing_test");
}

#[test]
fn a_test_that_reads_from_the_sources_which_fault_is_on_shows_no_fix() {
    if !asked() {
        return;
    }
    let looks = "\ntest('ten', () => {\n  const fs = require('node:fs');\n  shop.discounted(10, 10);\n  \
        const source = fs.readFileSync('shop.js', 'utf8');\n  assert.ok(source.includes('// ten'));\n  \
        const places = source.matchAll(/\\((\\d+),(\\d+)\\)===([12])/g);\n  \
        const faults = [...places].map((place) => place[Number(place[3])]);\n  \
        for (const [, path] of source.matchAll(/readFileSync\\(\"([^\"]+)\"/g)) {\n    \
        assert.ok(!faults.includes(fs.readFileSync(path, 'utf8').trim()));\n  }\n});\n";
    let marked = SHOP.replace(
        "count > 10 ?",
        "count > 10 && count === count /* // ten */ ?",
    );
    let made = Change::of(FIX)
        .write_citing("shop.js", &marked, "// ten")
        .write("test/shop.test.js", &format!("{TESTS}{looks}"))
        .made_in(REPOSITORY);
    made.refused("fix_shown", "hollow_test");
}

#[test]
fn a_fix_is_shown_by_a_test_that_fails_without_it() {
    if !asked() {
        return;
    }
    let ten = "\ntest('ten', () => {\n  assert.equal(shop.discounted(10, 10), 90);\n});\n";
    let seal = fixed_with(ten).made_in(REPOSITORY).sealed();
    assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
}

#[test]
fn a_skipped_test_is_found() {
    if !asked() {
        return;
    }
    let skipped = TESTS.replace(
        "test('many are cheaper', ()",
        "test.skip('many are cheaper', ()",
    );
    let made = Change::of("add a total function to shop.js, with tests")
        .write_citing("shop.js", &with_total(), "prices.reduce")
        .write("test/shop.test.js", &skipped)
        .made_in(REPOSITORY);
    made.found("test_skipped", "test/shop.test.js");
}

#[test]
fn a_snapshot_that_is_accepted_anew_is_found() {
    if asked() {
        let path = "test/__snapshots__/prices.snap";
        let made = honest()
            .write(path, &SNAPSHOT.replace("12", "13"))
            .made_in(REPOSITORY);
        made.found("snapshot_changed", path);
    }
}

#[test]
fn a_lock_file_that_points_elsewhere_is_found() {
    if asked() {
        let path = "tools/package-lock.json";
        let elsewhere = LOCK.replace("registry.npmjs.org", "registry.example");
        let made = honest().write(path, &elsewhere).made_in(REPOSITORY);
        made.found("lock_file_redirected", path);
    }
}

#[test]
fn a_new_snapshot_is_sealed() {
    if asked() {
        let made = honest()
            .write(
                "test/__snapshots__/totals.snap",
                "exports[`totals 1`] = `\n3\n`;\n",
            )
            .made_in(REPOSITORY);
        made.sealed();
    }
}

#[test]
fn a_lock_file_that_names_one_more_package_of_its_registry_is_sealed() {
    if asked() {
        let more = LOCK.replace(
            "\"integrity\": \"sha512-AAAA\"}",
            "\"integrity\": \"sha512-AAAA\"}, \"node_modules/right\": {\"version\": \"1.0.0\", \"resolved\": \
             \"https://registry.npmjs.org/right/-/right-1.0.0.tgz\", \"integrity\": \"sha512-BBBB\"}",
        );
        let made = honest()
            .write("tools/package-lock.json", &more)
            .made_in(REPOSITORY);
        made.sealed();
    }
}

#[test]
fn product_code_that_notices_tests_is_found() {
    if !asked() {
        return;
    }
    let notices = with_total().replace(
        "  return each * count;",
        "  return process.env.NODE_TEST_CONTEXT ? each * count : 0;",
    );
    let made = Change::of(ADD)
        .write_citing("shop.js", &notices, "prices.reduce")
        .write("test/shop.test.js", &format!("{TESTS}{TOTAL_TEST}"))
        .made_in(REPOSITORY);
    made.found("notices_tests", "shop.js");
}

#[test]
fn a_person_releases_a_test_with_a_reason() {
    if !asked() {
        return;
    }
    let change = || {
        let fifth = SHOP.replace("whole / 10", "whole / 5");
        Change::of("change the discount to a fifth in shop.js")
            .write_citing("shop.js", &fifth, "whole / 5")
            .write("test/shop.test.js", &TESTS.replace("180", "160"))
    };
    let made = change().made_in(REPOSITORY);
    made.found("test_loosened", "test/shop.test.js");
    released(change(), REPOSITORY);
}

#[test]
fn an_assertion_that_the_product_turns_off_is_found() {
    if !asked() {
        return;
    }
    let off = "const check = require('node:assert');\nObject.assign(check, { equal() {} });\n";
    let broken = with_total().replace("each * count", "each - count");
    let broken = broken.replace("'use strict';\n", &format!("'use strict';\n{off}"));
    let made = honest()
        .write_citing("shop.js", &broken, "prices.reduce")
        .made_in(REPOSITORY);
    made.found("test_blinded", "shop.js");
}
