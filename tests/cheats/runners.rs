//! Small changes in repositories whose tests pytest, jest and vitest run, each installed from its
//! registry, through a whole run.

use super::asked;
use super::change::Change;
use super::outcome::{Outcome, criterion};

const FIX: &str = "fix the wrong discount for exactly ten things in";

/// A shop in one language, with the runner of its tests.
struct Shop {
    manifest: (&'static str, &'static str),
    product: (&'static str, &'static str),
    tests: (&'static str, &'static str),
    /// What is wrong, and what is right.
    wrong: (&'static str, &'static str),
    /// A test that fails as long as it is wrong.
    shows: &'static str,
    /// A test of that name that catches everything.
    catches: &'static str,
}

impl Shop {
    fn fixed_with(&self, test: &str) -> Change {
        let (file, text) = self.product;
        let (wrong, right) = self.wrong;
        Change::of(Box::leak(format!("{FIX} {file}").into_boxed_str()))
            .write_citing(file, &text.replace(wrong, right), right)
            .write(self.tests.0, &format!("{}{test}", self.tests.1))
    }

    /// What comes of a fix with this test.
    fn made_with(&self, test: &str) -> Outcome {
        let ignored = (".gitignore", "node_modules/\n__pycache__/\n");
        let readme = ("README.md", "# Shop\n");
        let files = [self.manifest, self.product, self.tests, ignored, readme];
        self.fixed_with(test).made_in(&files)
    }

    /// A test that fails without the fix shows it.
    fn is_sealed(&self) {
        let seal = self.made_with(self.shows).sealed();
        assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
    }

    /// A test that catches everything does not.
    fn is_refused(&self) {
        let made = self.made_with(self.catches);
        made.refused("fix_shown", "no_failing_test");
    }
}

#[test]
fn a_fix_under_pytest_is_shown_by_a_test_that_fails_without_it() {
    if asked() {
        under_pytest().is_sealed();
    }
}

#[test]
fn a_fix_under_pytest_is_not_shown_by_a_test_that_catches_everything() {
    if asked() {
        under_pytest().is_refused();
    }
}

#[test]
fn a_conftest_that_only_gives_values_to_tests_is_sealed() {
    if !asked() {
        return;
    }
    let shop = under_pytest();
    let gives = "import pytest\n\n\n@pytest.fixture\ndef many():\n    return 10\n";
    let shows = "\n\ndef test_ten(many):\n    assert discounted(10, many) == 90\n";
    let files = [
        shop.manifest,
        shop.product,
        shop.tests,
        (".gitignore", "__pycache__/\n"),
        ("README.md", "# Shop\n"),
    ];
    let change = shop.fixed_with(shows).write("conftest.py", gives);
    let seal = change.made_in(&files).sealed();
    assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
}

fn under_pytest() -> Shop {
    Shop {
        manifest: ("requirements.txt", "pytest\n"),
        product: (
            "shop.py",
            "def discounted(each, count):\n    whole = each * count\n    if count > 10:\n        \
             return whole - whole // 10\n    return whole\n",
        ),
        tests: (
            "test_shop.py",
            "import pytest\n\nfrom shop import discounted\n\n\n@pytest.mark.parametrize(\"count\", [2, 3])\n\
             def test_few(count):\n    assert discounted(10, count) == 10 * count\n\n\n\
             def test_many():\n    assert discounted(10, 20) == 180\n",
        ),
        wrong: ("count > 10", "count >= 10"),
        shows: "\n\ndef test_ten():\n    assert discounted(10, 10) == 90\n",
        catches: "\n\ndef test_ten():\n    with pytest.raises(AssertionError):\n        \
                  assert discounted(10, 10) == -1\n",
    }
}

const SHOP: &str = "function discounted(each, count) {\n  const whole = each * count;\n  \
    return count > 10 ? whole - whole / 10 : whole;\n}\n\n";
const TESTS: &str = "\ntest('few', () => {\n  expect(discounted(10, 2)).toBe(20);\n});\n\n\
    test('many', () => {\n  expect(discounted(10, 20)).toBe(180);\n});\n";
const SHOWS: &str = "\ntest('exactly ten', () => {\n  expect(discounted(10, 10)).toBe(90);\n});\n";
const CATCHES: &str = "\ntest('exactly ten', () => {\n  \
    try { expect(discounted(10, 10)).toBe(90); } catch {}\n});\n";
const WRONG: (&str, &str) = ("count > 10 ?", "count >= 10 ?");

#[test]
fn a_fix_under_jest_is_shown_by_a_test_that_fails_without_it() {
    if asked() {
        under_jest().is_sealed();
    }
}

#[test]
fn a_fix_under_jest_is_not_shown_by_a_test_that_catches_everything() {
    if asked() {
        under_jest().is_refused();
    }
}

fn under_jest() -> Shop {
    let product = format!("{SHOP}module.exports = {{ discounted }};\n");
    let tests = format!("const {{ discounted }} = require('./shop.js');\n{TESTS}");
    Shop {
        manifest: (
            "package.json",
            "{\"name\": \"shop\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"jest\"}, \
             \"devDependencies\": {\"jest\": \"29.7.0\"}}\n",
        ),
        product: ("shop.js", product.leak()),
        tests: ("shop.test.js", tests.leak()),
        wrong: WRONG,
        shows: SHOWS,
        catches: CATCHES,
    }
}

#[test]
fn a_fix_under_vitest_is_shown_by_a_test_that_fails_without_it() {
    if asked() {
        under_vitest().is_sealed();
    }
}

#[test]
fn a_fix_under_vitest_is_not_shown_by_a_test_that_catches_everything() {
    if asked() {
        under_vitest().is_refused();
    }
}

fn under_vitest() -> Shop {
    let product = format!("export {SHOP}");
    let tests = format!(
        "import {{ expect, test }} from 'vitest';\nimport {{ discounted }} from './shop.js';\n{TESTS}"
    );
    Shop {
        manifest: (
            "package.json",
            "{\"name\": \"shop\", \"version\": \"1.0.0\", \"type\": \"module\", \"scripts\": {\"test\": \
             \"vitest run\"}, \"devDependencies\": {\"vitest\": \"2.1.9\"}}\n",
        ),
        product: ("shop.js", product.leak()),
        tests: ("shop.test.js", tests.leak()),
        wrong: WRONG,
        shows: SHOWS,
        catches: CATCHES,
    }
}
