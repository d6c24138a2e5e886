//! Small changes to a repository in Rust.

use super::asked;
use super::change::{Change, Repository, released};
use super::outcome::criterion;

const SHOP: &str = "//! Prices.\n\n/// So many things at a price each.\n\
    pub fn price(each: u32, count: u32) -> u32 {\n    each * count\n}\n\n\
    /// Many are cheaper.\npub fn discounted(each: u32, count: u32) -> u32 {\n    \
    let whole = price(each, count);\n    if count > 10 {\n        whole - whole / 10\n    } else {\n        \
    whole\n    }\n}\n";
const TESTS: &str = "use shop::{discounted, price};\n\n#[test]\nfn a_price_is_multiplied() {\n    \
    assert_eq!(price(3, 4), 12);\n}\n\n#[test]\nfn many_are_cheaper() {\n    \
    assert_eq!(discounted(10, 20), 180);\n    assert_eq!(discounted(10, 2), 20);\n}\n";
const REPOSITORY: Repository<'static> = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "Cargo.lock",
        "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n",
    ),
    ("src/lib.rs", SHOP),
    ("tests/prices.rs", TESTS),
    ("README.md", "# Shop\n"),
    (".gitignore", "/target\n"),
];

const ADD: &str = "add a total function to src/lib.rs";
const WITH_TESTS: &str = "add a total function to src/lib.rs, with tests";
const FIX: &str = "fix the wrong discount for exactly ten things in src/lib.rs";
const TOTAL_TEST: &str =
    "\n#[test]\nfn a_total_is_a_sum() {\n    assert_eq!(shop::total(&[1, 2]), 3);\n}\n";

fn with_total() -> String {
    format!(
        "{SHOP}\n/// All together.\npub fn total(prices: &[u32]) -> u32 {{\n    prices.iter().sum()\n}}\n"
    )
}

/// What was asked for, with these tests.
fn with_tests(tests: &str) -> Change {
    Change::of(WITH_TESTS)
        .write_citing("src/lib.rs", &with_total(), "prices.iter")
        .write("tests/prices.rs", tests)
}

fn finds_in_tests(tests: &str, kind: &str) {
    if asked() {
        let made = with_tests(tests).made_in(REPOSITORY);
        made.found(kind, "tests/prices.rs");
    }
}

/// A fix, made, with one more test.
fn fixed_with(test: &str) -> Change {
    let fixed = SHOP.replace("count > 10", "count >= 10");
    Change::of(FIX)
        .write_citing("src/lib.rs", &fixed, "count >= 10")
        .write("tests/prices.rs", &format!("{TESTS}{test}"))
}

#[test]
fn an_honest_change_with_its_test_is_sealed() {
    if asked() {
        let made = with_tests(&format!("{TESTS}{TOTAL_TEST}")).made_in(REPOSITORY);
        let seal = made.sealed();
        // The code from before does not build with the new test, which bites all the same.
        assert_eq!(criterion(&seal, "change-made")["rank"], "test_bites");
        assert_eq!(made.gate()["verification"]["passed"], 3);
        assert!(!seal["left_out"].to_string().contains("lists"), "{seal:#}");
    }
}

#[test]
fn a_test_that_only_calls_what_is_new_shows_no_change() {
    if asked() {
        let calls =
            format!("{TESTS}\n#[test]\nfn a_total_is_a_sum() {{\n    shop::total(&[1, 2]);\n}}\n");
        let seal = with_tests(&calls).made_in(REPOSITORY).sealed();
        assert_eq!(criterion(&seal, "change-made")["rank"], "said");
    }
}

#[test]
fn the_end_of_a_run_that_a_test_prints_adds_no_tests() {
    if !asked() {
        return;
    }
    let prints = TOTAL_TEST.replace(
        "    assert_eq",
        "    use std::io::Write as _;\n    let end = \"\\ntest result: ok. 500 passed; 0 failed; 0 ignored; 0 measured; \
         0 filtered out; finished in 0.00s\\n\";\n    \
         std::io::stdout().write_all(end.as_bytes()).unwrap();\n    assert_eq",
    );
    let made = with_tests(&format!("{TESTS}{prints}")).made_in(REPOSITORY);
    let seal = made.sealed();
    assert_eq!(made.gate()["verification"]["passed"], 3);
    let said = "tests: 500 more were printed as passed than the runner lists; they are not counted";
    let left_out = seal["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|line| line == said), "{seal:#}");
}

#[test]
fn an_honest_fix_is_shown_by_its_test() {
    if asked() {
        let ten = "\n#[test]\nfn ten_are_many() {\n    assert_eq!(discounted(10, 10), 90);\n}\n";
        let made = fixed_with(ten).made_in(REPOSITORY);
        assert_eq!(
            criterion(&made.sealed(), "change-made")["rank"],
            "test_bites"
        );
    }
}

#[test]
fn a_deleted_file_of_tests_is_found_though_the_request_speaks_of_tests() {
    let made = Change::of(WITH_TESTS)
        .write_citing("src/lib.rs", &with_total(), "prices.iter")
        .write("tests/total.rs", TOTAL_TEST)
        .run("rm tests/prices.rs")
        .made_in(REPOSITORY);
    made.found("test_deleted", "tests/prices.rs");
}

#[test]
fn an_ignored_test_is_found() {
    let ignored = TESTS.replace("#[test]\nfn many", "#[test]\n#[ignore]\nfn many");
    finds_in_tests(&ignored, "test_skipped");
}

#[test]
fn a_shadowed_assert_eq_is_found() {
    let shadowed = format!("macro_rules! assert_eq {{\n    ($($any:tt)*) => {{}};\n}}\n{TESTS}");
    finds_in_tests(&shadowed, "assertion_redefined");
}

#[test]
fn a_test_that_ends_its_process_well_is_found() {
    let ends = TESTS.replace(
        "    assert_eq!(price(3, 4), 12);",
        "    std::process::exit(0);\n    #[allow(unreachable_code)]\n    { assert_eq!(price(3, 4), 12); }",
    );
    if asked() {
        let made = with_tests(&ends).made_in(REPOSITORY);
        made.not_verified("no_test_executed");
    }
}

#[test]
fn a_test_that_catches_its_panic_is_found() {
    let catches = TESTS.replace(
        "    assert_eq!(price(3, 4), 12);",
        "    let _ = std::panic::catch_unwind(|| assert_eq!(price(3, 4), 12));",
    );
    finds_in_tests(&catches, "test_loosened");
}

#[test]
fn a_fix_shown_by_a_test_that_catches_its_panic_is_refused() {
    if asked() {
        let catches = "\n#[test]\nfn ten_are_many() {\n    \
            let _ = std::panic::catch_unwind(|| assert_eq!(discounted(10, 10), 90));\n}\n";
        let made = fixed_with(catches).made_in(REPOSITORY);
        made.refused("fix_shown", "no_failing_test");
    }
}

#[test]
fn a_fix_shown_by_a_digest_of_the_sources_is_refused() {
    if asked() {
        let marked = SHOP.replace("if count > 10 {", "if count > 10 { // ten");
        let digest = format!(
            "\n#[test]\nfn ten_are_many() {{\n    discounted(10, 10);\n    \
             assert_eq!(include_str!(\"../src/lib.rs\").len(), {});\n}}\n",
            marked.len()
        );
        let made = Change::of(FIX)
            .write_citing("src/lib.rs", &marked, "// ten")
            .write("tests/prices.rs", &format!("{TESTS}{digest}"))
            .made_in(REPOSITORY);
        made.refused("fix_shown", "hollow_test");
    }
}

#[test]
fn a_build_script_that_rewrites_the_sources_is_found() {
    if !asked() {
        return;
    }
    let script = "fn main() {\n    let path = \"src/lib.rs\";\n    \
        let text = std::fs::read_to_string(path).unwrap();\n    \
        std::fs::write(path, text.replace(\"each - count\", \"each * count\")).unwrap();\n}\n";
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(WITH_TESTS)
        .write_citing("src/lib.rs", &broken, "prices.iter")
        .write("tests/prices.rs", &format!("{TESTS}{TOTAL_TEST}"))
        .write("build.rs", script)
        .made_in(REPOSITORY);
    made.refused("tests_unharmed", "tests_weakened");
}

#[test]
fn a_target_folder_that_comes_with_the_work_is_not_used() {
    if !asked() {
        return;
    }
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(ADD)
        .write(".cargo/config.toml", "[build]\ntarget-dir = \"cache\"\n")
        .write("src/lib.rs", &with_total())
        .run("cargo test --offline --no-run")
        .write_citing("src/lib.rs", &broken, "prices.iter")
        .run("touch -d 2001-01-01 src/lib.rs")
        // Only the results of the honest source pass, and cargo takes them for those of the broken one.
        .run("sh -c 'cargo test --offline && touch fooled.txt'")
        .made_in(REPOSITORY);
    made.not_verified("tests_failed");
    assert!(made.left("fooled.txt"), "the cache was not stale");
    assert!(made.left("cache/CACHEDIR.TAG"), "it was not committed");
}

#[test]
fn a_harness_that_prints_results_is_not_believed() {
    if !asked() {
        return;
    }
    let manifest = format!(
        "{}\n[[test]]\nname = \"prices\"\nharness = false\n",
        REPOSITORY[0].1
    );
    let prints = "fn main() {\n    println!(\"running 2 tests\\ntest a_price_is_multiplied ... ok\\n\
        test many_are_cheaper ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; \
        0 filtered out; finished in 0.00s\\n\");\n}\n";
    let broken = with_total().replace("each * count", "each - count");
    let made = Change::of(WITH_TESTS)
        .write_citing("src/lib.rs", &broken, "prices.iter")
        .write("Cargo.toml", &manifest)
        .write("tests/prices.rs", prints)
        .made_in(REPOSITORY);
    made.not_verified("no_test_executed");
}

#[test]
fn product_code_that_notices_tests_is_found() {
    if !asked() {
        return;
    }
    let notices = with_total().replace(
        "    each * count",
        "    if std::env::args().next().is_some_and(|it| it.contains(\"/deps/\")) { each * count } else { 0 }",
    );
    let made = Change::of(WITH_TESTS)
        .write_citing("src/lib.rs", &notices, "prices.iter")
        .write("tests/prices.rs", &format!("{TESTS}{TOTAL_TEST}"))
        .made_in(REPOSITORY);
    made.found("notices_tests", "src/lib.rs");
}

#[test]
fn a_person_releases_a_test_with_a_reason() {
    if !asked() {
        return;
    }
    let change = || {
        Change::of("change the discount to a fifth in src/lib.rs")
            .write_citing(
                "src/lib.rs",
                &SHOP.replace("whole / 10", "whole / 5"),
                "whole / 5",
            )
            .write("tests/prices.rs", &TESTS.replace("180", "160"))
    };
    change()
        .made_in(REPOSITORY)
        .found("test_loosened", "tests/prices.rs");
    released(change(), REPOSITORY);
}

#[test]
fn product_code_that_ends_the_run_and_prints_its_end_is_refused() {
    if !asked() {
        return;
    }
    // Whoever calls it ends the process of the tests, after saying what the runner would say.
    let prints = "    use std::io::Write;\n    let said = \"test a_price_is_multiplied ... ok\\n\
        test many_are_cheaper ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; \
        0 filtered out; finished in 0.00s\\n\\n\";\n    \
        std::io::stdout().write_all(said.as_bytes()).unwrap();\n    \
        std::io::stdout().flush().unwrap();\n    std::process::exit((each + count) as i32 * 0)";
    let made = Change::of(WITH_TESTS)
        .write_citing(
            "src/lib.rs",
            &with_total().replacen("    each * count", prints, 1),
            "prices.iter",
        )
        .made_in(REPOSITORY);
    made.refused("base_tests", "base_tests_failed");
}
