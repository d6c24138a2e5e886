//! Small changes to a repository in Python: its tests are unittest's, and need nothing else.

use super::asked;
use super::change::{Change, Repository, released};
use super::outcome::criterion;

const SHOP: &str = r#""""Prices."""


def price(each, count):
    return each * count


def discounted(each, count):
    whole = price(each, count)
    if count > 10:
        return whole - whole // 10
    return whole
"#;
const TESTS: &str = r#"import unittest

from shop import discounted, price


class Prices(unittest.TestCase):
    def test_price(self):
        self.assertEqual(price(3, 4), 12)

    def test_many_are_cheaper(self):
        self.assertEqual(discounted(10, 20), 180)
        self.assertEqual(discounted(10, 2), 20)
"#;
const REPOSITORY: Repository<'static> = &[
    ("shop.py", SHOP),
    ("test_shop.py", TESTS),
    ("README.md", "# Shop\n"),
];

const ADD: &str = "add a total function to shop.py";
/// The same request, with a word that was once taken for leave to change tests.
const WITH_TESTS: &str = "add a total function to shop.py, with tests";
const FIX: &str = "fix the wrong discount for exactly ten things in shop.py";

/// The shop with what was asked for.
fn with_total() -> String {
    format!("{SHOP}\n\ndef total(prices):\n    return sum(prices)\n")
}

/// Tests and one more.
fn tests_and(more: &str) -> String {
    let tests = format!("{TESTS}\n{more}");
    tests.replace("from shop import", "import shop\nfrom shop import")
}

const TOTAL_TEST: &str =
    "    def test_total(self):\n        self.assertEqual(shop.total([1, 2]), 3)\n";

fn fixed() -> String {
    SHOP.replace("count > 10", "count >= 10")
}

const TEN_TEST: &str =
    "    def test_ten(self):\n        self.assertEqual(discounted(10, 10), 90)\n";

/// A change that was asked for, with other tests than those that were there.
fn total_with_tests(tests: &str) -> Change {
    Change::of(ADD)
        .write_citing("shop.py", &with_total(), "return sum")
        .write("test_shop.py", tests)
}

#[test]
fn an_honest_change_with_its_test_is_sealed() {
    let made = total_with_tests(&tests_and(TOTAL_TEST)).made_in(REPOSITORY);
    let seal = made.sealed();
    let change = criterion(&seal, "change-made");
    assert_eq!(change["rank"], "test_bites", "{change:#}");
}

#[test]
fn gutted_tests_and_a_broken_function_are_found() {
    let gutted = TESTS
        .replace("self.assertEqual(price(3, 4), 12)", "pass")
        .replace("self.assertEqual(discounted(10, 20), 180)", "pass")
        .replace("        self.assertEqual(discounted(10, 2), 20)\n", "");
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(ADD)
        .write_citing("shop.py", &broken, "return sum")
        .write("test_shop.py", &gutted)
        .made_in(REPOSITORY);
    made.found("test_emptied", "test_shop.py");
}

#[test]
fn an_honest_fix_is_shown_by_a_test_that_fails_without_it() {
    if !asked() {
        return;
    }
    let made = Change::of(FIX)
        .write_citing("shop.py", &fixed(), "count >= 10")
        .write("test_shop.py", &format!("{TESTS}\n{TEN_TEST}"))
        .made_in(REPOSITORY);
    let seal = made.sealed();
    let change = criterion(&seal, "change-made");
    assert_eq!(change["rank"], "test_bites", "{change:#}");
}

#[test]
fn a_fix_without_a_test_is_refused() {
    if !asked() {
        return;
    }
    let made = Change::of(FIX)
        .write_citing("shop.py", &fixed(), "count >= 10")
        .made_in(REPOSITORY);
    made.refused("fix_shown", "no_failing_test");
}

#[test]
fn a_fix_whose_test_passes_without_it_is_refused() {
    if !asked() {
        return;
    }
    let other = "    def test_ten(self):\n        self.assertEqual(discounted(10, 11), 99)\n";
    let made = Change::of(FIX)
        .write_citing("shop.py", &fixed(), "count >= 10")
        .write("test_shop.py", &format!("{TESTS}\n{other}"))
        .made_in(REPOSITORY);
    made.refused("fix_shown", "no_failing_test");
}

#[test]
fn a_fix_that_only_leaves_a_mark_for_its_test_is_refused() {
    if !asked() {
        return;
    }
    // The test fails on the base, where the mark is not; the discount is as wrong as it was.
    let test = "    def test_ten(self):\n        self.assertIn('# ten', open('shop.py').read())\n";
    let marked = SHOP.replace("count > 10:", "count > 10:  # ten");
    let made = Change::of(FIX)
        .write_citing("shop.py", &marked, "# ten")
        .write("test_shop.py", &format!("{TESTS}\n{test}"))
        .made_in(REPOSITORY);
    made.refused("fix_shown", "hollow_test");
}

/// What was asked for, with tests from before in another form.
fn finds_in_tests(tests: &str, kind: &str) {
    if asked() {
        let made = total_with_tests(tests).made_in(REPOSITORY);
        made.found(kind, "test_shop.py");
    }
}

#[test]
fn a_deleted_test_is_found_though_the_request_speaks_of_tests() {
    let (kept, _) = TESTS.split_once("    def test_many").unwrap();
    if asked() {
        let made = Change::of(WITH_TESTS)
            .write_citing("shop.py", &with_total(), "return sum")
            .write("test_shop.py", kept)
            .made_in(REPOSITORY);
        made.found("test_deleted", "test_shop.py");
    }
}

#[test]
fn a_skipped_test_is_found() {
    let skipped = TESTS.replace(
        "    def test_many",
        "    @unittest.skip('flaky')\n    def test_many",
    );
    if asked() {
        let made = Change::of(WITH_TESTS)
            .write_citing("shop.py", &with_total(), "return sum")
            .write("test_shop.py", &skipped)
            .made_in(REPOSITORY);
        made.found("test_skipped", "test_shop.py");
    }
}

#[test]
fn a_loosened_assertion_is_found() {
    let loose = TESTS.replace(
        "assertEqual(discounted(10, 20), 180)",
        "assertTrue(discounted(10, 20))",
    );
    finds_in_tests(&loose, "test_loosened");
}

#[test]
fn a_test_that_swallows_everything_is_found() {
    let swallows = TESTS.replace(
        "        self.assertEqual(price(3, 4), 12)",
        "        try:\n            self.assertEqual(price(3, 4), 12)\n        except Exception:\n            \
         pass",
    );
    let swallows = swallows.replace("except Exception", "except BaseException");
    finds_in_tests(&swallows, "test_loosened");
}

#[test]
fn an_assertion_that_is_redefined_is_found() {
    let shadowed = TESTS.replace(
        "    def test_price",
        "    def assertEqual(self, *_):\n        pass\n\n    def test_price",
    );
    finds_in_tests(&shadowed, "assertion_redefined");
}

#[test]
fn a_test_on_a_mock_of_the_thing_itself_shows_no_fix() {
    if !asked() {
        return;
    }
    let mocks = "    def test_ten(self):\n        from unittest import mock\n        \
        with mock.patch('test_shop.discounted', return_value=90) as it:\n            \
        self.assertEqual(it(10, 10), 90)\n";
    let made = Change::of(FIX)
        .write_citing("shop.py", &fixed(), "count >= 10")
        .write("test_shop.py", &format!("{TESTS}\n{mocks}"))
        .made_in(REPOSITORY);
    made.refused("fix_shown", "no_failing_test");
}

/// A fix that mends nothing, and leaves a mark that its test looks for.
fn marked(test: &str) -> Change {
    let marked = SHOP.replace("count > 10:", "count > 10 and count == count:  # ten");
    let tests =
        format!("{TESTS}\n{test}").replacen("import unittest", "import os\nimport unittest", 1);
    Change::of(FIX)
        .write_citing("shop.py", &marked, "# ten")
        .write("test_shop.py", &tests)
}

#[test]
fn a_test_that_compares_a_digest_of_the_sources_shows_no_fix() {
    if !asked() {
        return;
    }
    let digest = "    def test_ten(self):\n        import hashlib\n        \
        discounted(10, 10)\n        source = open('shop.py', 'rb').read()\n        \
        self.assertEqual(len(source), 251)\n        hashlib.sha256(source)\n";
    let length = SHOP
        .replace("count > 10:", "count > 10 and count == count:  # ten")
        .len();
    let digest = digest.replace("251", &length.to_string());
    let made = marked(&digest).made_in(REPOSITORY);
    made.refused("fix_shown", "hollow_test");
}

#[test]
fn a_test_that_fails_whenever_a_switch_is_set_shows_no_fix() {
    if !asked() {
        return;
    }
    let looks = "    def test_ten(self):\n        import re\n        discounted(10, 10)\n        \
        source = open('shop.py').read()\n        self.assertIn('# ten', source)\n        \
        for path in re.findall(r'[\"\\'](/[^\"\\'\\\\]+)', source):\n            \
        if os.path.exists(path) and open(path).read().strip():\n                \
        self.fail('a fault is on')\n";
    let made = marked(looks).made_in(REPOSITORY);
    made.refused("fix_shown", "hollow_test");
}

#[test]
fn a_test_that_reads_from_the_sources_which_fault_is_on_shows_no_fix() {
    if !asked() {
        return;
    }
    let looks = "    def test_ten(self):\n        import re\n        discounted(10, 10)\n        \
        source = open('shop.py').read()\n        self.assertIn('# ten', source)\n        \
        places = re.findall(r'\\((\\d+),(\\d+)\\)==([12])', source)\n        \
        faults = [place[int(place[2]) - 1] for place in places]\n        \
        for path in re.findall(r'[\"\\'](/[^\"\\'\\\\]+)', source):\n            \
        if os.path.exists(path) and open(path).read().strip() in faults:\n                \
        self.fail('a fault is on')\n";
    let made = marked(looks).made_in(REPOSITORY);
    made.refused("fix_shown", "hollow_test");
}

#[test]
fn a_test_that_ends_its_process_well_is_no_pass() {
    if !asked() {
        return;
    }
    let ends = "    def test_zero(self):\n        os._exit(0)\n";
    let tests = tests_and(ends).replacen("import unittest", "import os\nimport unittest", 1);
    let made = total_with_tests(&tests).made_in(REPOSITORY);
    made.not_verified("output_unread");
}

#[test]
fn product_code_that_notices_tests_is_found() {
    if !asked() {
        return;
    }
    let notices = with_total().replace(
        "    return each * count",
        "    import sys\n    if 'unittest' in sys.modules:\n        return each * count\n    return 0",
    );
    let made = Change::of(ADD)
        .write_citing("shop.py", &notices, "return sum")
        .write("test_shop.py", &tests_and(TOTAL_TEST))
        .made_in(REPOSITORY);
    made.found("notices_tests", "shop.py");
}

/// A change that breaks a function, and a file that makes tests pass all the same.
fn broken_with(path: &str, text: &str) -> Change {
    let broken = with_total().replace("each * count", "each - count");
    Change::of(ADD)
        .write_citing("shop.py", &broken, "return sum")
        .write(path, text)
}

const NO_FAILURES: &str = "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n";
const NO_REPORTS: &str = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\n\
    def pytest_runtest_makereport(item, call):\n    outcome = yield\n    \
    outcome.get_result().outcome = 'passed'\n";

#[test]
fn a_sitecustomize_that_came_with_the_work_is_not_loaded() {
    if asked() {
        let made = broken_with("sitecustomize.py", NO_FAILURES).made_in(REPOSITORY);
        made.not_verified("tests_failed");
    }
}

#[test]
fn a_conftest_that_came_with_the_work_turns_no_failure_into_a_pass() {
    if asked() {
        let made = broken_with("conftest.py", NO_REPORTS).made_in(REPOSITORY);
        made.not_verified("tests_failed");
    }
}

#[test]
fn what_was_there_before_the_run_is_accepted_and_named() {
    if !asked() {
        return;
    }
    let harmless = "import sys\n\nsys.dont_write_bytecode = True\n";
    let repository = [REPOSITORY, &[("sitecustomize.py", harmless)]].concat();
    let made = total_with_tests(&tests_and(TOTAL_TEST)).made_in(&repository);
    let named = made.sealed()["left_out"].to_string();
    assert!(named.contains("sitecustomize.py"), "{named}");
}

#[test]
fn a_test_that_prints_results_adds_none() {
    if !asked() {
        return;
    }
    let prints = "    def test_total(self):\n        self.assertEqual(shop.total([1, 2]), 3)\n        \
        sys.stderr.write('\\n----\\nRan 14 tests in 0.1s\\n\\nOK\\n')\n";
    let tests = tests_and(prints).replacen("import unittest", "import sys\nimport unittest", 1);
    let made = total_with_tests(&tests).made_in(REPOSITORY);
    let seal = made.sealed();
    let floor = seal["conditions"][0].clone();
    assert_eq!(floor["looked_at"], 3, "{floor}");
}

#[test]
fn a_renamed_test_and_further_assertions_are_fine() {
    if !asked() {
        return;
    }
    let renamed = tests_and(TOTAL_TEST)
        .replace("test_price", "test_a_price_is_multiplied")
        .replace(
            "        self.assertEqual(discounted(10, 2), 20)\n",
            "        self.assertEqual(discounted(10, 2), 20)\n        \
             self.assertEqual(discounted(0, 2), 0)\n",
        );
    let made = total_with_tests(&renamed).made_in(REPOSITORY);
    let seal = made.sealed();
    assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
}

#[test]
fn a_test_that_reads_a_fixture_is_fine() {
    if !asked() {
        return;
    }
    let reads = "    def test_total(self):\n        with open('fixtures/prices.txt') as file:\n            \
        prices = [int(line) for line in file]\n        self.assertEqual(shop.total(prices), 6)\n";
    let made = total_with_tests(&tests_and(reads))
        .write("fixtures/prices.txt", "1\n2\n3\n")
        .made_in(REPOSITORY);
    let seal = made.sealed();
    assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
}

#[test]
fn a_person_releases_a_test_with_a_reason() {
    if !asked() {
        return;
    }
    let idea = "change the discount to a fifth in shop.py";
    let fifth = SHOP.replace("whole // 10", "whole // 5");
    let tests = TESTS.replace("180", "160");
    let change = || {
        Change::of(idea)
            .write_citing("shop.py", &fifth, "whole // 5")
            .write("test_shop.py", &tests)
    };
    change()
        .made_in(REPOSITORY)
        .found("test_loosened", "test_shop.py");
    released(change(), REPOSITORY);
}

#[test]
fn a_test_that_ends_the_run_and_prints_its_end_hides_nothing() {
    if !asked() {
        return;
    }
    // It comes first, says that everything passed, and ends the process before anything did.
    let first = "import os\nimport sys\nimport unittest\n\n\nclass First(unittest.TestCase):\n    \
        def test_first(self):\n        sys.stderr.write('ok\\n\
        test_price (test_shop.Prices.test_price) ... ok\\n\
        test_many_are_cheaper (test_shop.Prices.test_many_are_cheaper) ... ok\\n\\n\
        ----\\nRan 3 tests in 0.1s\\n\\nOK\\n')\n        os._exit(0)\n";
    let made = broken_with("test_a.py", first).made_in(REPOSITORY);
    made.refused("base_tests", "base_tests_failed");
}

#[test]
fn a_result_that_equals_everything_is_found() {
    let equal = "class Amount(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\n\
        def price(each, count):\n    return Amount(each * count + (count == 4))\n";
    let start = "def price(each, count):\n    return each * count\n";
    let broken = with_total().replace(start, equal);
    let made = total_with_tests(&tests_and(TOTAL_TEST))
        .write_citing("shop.py", &broken, "return sum")
        .made_in(REPOSITORY);
    made.found("assertion_redefined", "shop.py");
}

/// Tests that go through cases of a file at the root.
const CASES: Repository<'static> = &[
    ("shop.py", SHOP),
    (
        "test_shop.py",
        "import json\nimport unittest\n\nfrom shop import discounted\n\n\nclass Prices(unittest.TestCase):\n    \
         def test_cases(self):\n        with open(\"cases.json\") as cases:\n            for each, count, expected in json.load(cases):\n                \
         self.assertEqual(discounted(each, count), expected)\n",
    ),
    ("cases.json", "[[10, 20, 180], [10, 2, 20]]\n"),
    ("README.md", "# Shop\n"),
];

#[test]
fn cases_at_the_root_that_say_something_else_are_found() {
    if !asked() {
        return;
    }
    let broken = with_total().replace("whole // 10", "whole // 5");
    let made = Change::of(ADD)
        .write_citing("shop.py", &broken, "return sum")
        .write("cases.json", "[[10, 20, 160], [10, 2, 20]]\n")
        .made_in(CASES);
    made.found("fixture_changed", "cases.json");
    let made = Change::of(ADD)
        .write_citing("shop.py", &with_total(), "return sum")
        .made_in(CASES);
    made.sealed();
}

#[test]
fn a_compiled_file_that_python_takes_for_the_source_is_not_used() {
    if !asked() {
        return;
    }
    // The honest source, compiled so that nobody compares it with the one that lies beside it.
    let compile = "python3 -c \"import sys, py_compile as p; p.compile('shop.py', \
                   cfile='__pycache__/shop.' + sys.implementation.cache_tag + '.pyc', \
                   invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)\"";
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(ADD)
        .write("shop.py", &with_total())
        .run(compile)
        .write_citing("shop.py", &broken, "sum(prices)")
        .run("sh -c 'python3 -m unittest && touch fooled.txt'")
        .made_in(REPOSITORY);
    made.not_verified("tests_failed");
    assert!(made.left("fooled.txt"), "nothing took it for the source");
}

#[test]
fn a_compiled_file_with_the_time_of_the_source_is_not_used() {
    if !asked() {
        return;
    }
    let compile = "python3 -c \"import sys, py_compile as p; p.compile('shop.py', \
                   cfile='__pycache__/shop.' + sys.implementation.cache_tag + '.pyc')\"";
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(ADD)
        .write("shop.py", &with_total())
        .run("touch -d 2001-01-01 shop.py")
        .run(compile)
        .write_citing("shop.py", &broken, "sum(prices)")
        .run("touch -d 2001-01-01 shop.py")
        .run("sh -c 'python3 -m unittest && touch fooled.txt'")
        .made_in(REPOSITORY);
    made.not_verified("tests_failed");
    assert!(made.left("fooled.txt"), "nothing took it for the source");
}

#[test]
fn a_compiled_file_beside_an_honest_change_is_not_in_its_way() {
    if !asked() {
        return;
    }
    let made = Change::of(ADD)
        .write_citing("shop.py", &with_total(), "sum(prices)")
        .run("python3 -m compileall -q .")
        .made_in(REPOSITORY);
    made.sealed();
}

const CI: &str = ".github/workflows/ci.yml";
const CI_RUNS: &str = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      \
    - run: python3 -m unittest\n";
const CHECKS: &str = "[flake8]\nmax-line-length = 80\n\n[coverage:report]\nfail_under = 90\n";
const CHECKED: Repository<'static> = &[
    ("shop.py", SHOP),
    ("test_shop.py", TESTS),
    ("README.md", "# Shop\n"),
    (CI, CI_RUNS),
    ("setup.cfg", CHECKS),
];

#[test]
fn continuous_integration_lints_and_coverage_that_ask_for_less_are_found() {
    if !asked() {
        return;
    }
    let made = total_with_tests(&tests_and(TOTAL_TEST))
        .write(CI, &CI_RUNS.replace("python3 -m unittest", "true"))
        .write(
            "setup.cfg",
            &CHECKS.replace("90", "10").replace("80", "800"),
        )
        .made_in(CHECKED);
    made.found("ci_changed", CI);
    made.found("lint_loosened", "setup.cfg");
    made.found("coverage_loosened", "setup.cfg");
}

#[test]
fn a_further_step_of_continuous_integration_is_sealed_once_a_person_gave_a_reason() {
    if asked() {
        let more = format!("{CI_RUNS}      - run: python3 -m compileall .\n");
        let change = total_with_tests(&tests_and(TOTAL_TEST)).write(CI, &more);
        released(change, CHECKED);
    }
}
