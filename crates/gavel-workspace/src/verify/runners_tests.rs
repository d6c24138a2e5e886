//! Outputs recorded from the real runners; paths and backtraces are shortened.

use super::*;

const fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
    Counts {
        passed,
        failed,
        skipped,
    }
}

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".txt"))
    };
}

#[test]
fn cargo_prints_one_closing_for_each_binary() {
    for (output, expected) in [
        (
            recorded!("cargo_pass"),
            vec![counts(2, 0, 1), counts(1, 0, 0), counts(1, 0, 0)],
        ),
        (
            recorded!("cargo_fail"),
            vec![counts(1, 1, 1), counts(1, 0, 0), counts(1, 0, 0)],
        ),
        (
            recorded!("cargo_filtered"),
            vec![counts(0, 0, 0), counts(0, 0, 0)],
        ),
        (recorded!("cargo_broken"), vec![]),
        ("test result: ok. I say so\n", vec![]),
        (
            "note: test result: ok. 1 passed; 0 failed; 0 ignored;\n",
            vec![],
        ),
    ] {
        assert_eq!(cargo(output), expected, "{output}");
    }
}

#[test]
fn node_closes_alike_in_both_reporters() {
    for (output, expected) in [
        (recorded!("node_pass"), vec![counts(3, 0, 2)]),
        (recorded!("node_pass_spec"), vec![counts(3, 0, 2)]),
        (recorded!("node_fail"), vec![counts(3, 1, 2)]),
        (recorded!("node_fail_spec"), vec![counts(3, 1, 2)]),
        (recorded!("node_none"), vec![counts(0, 0, 0)]),
        ("# pass 3\n# duration_ms 1\n", vec![]),
        ("# tests many\n# pass 3\n# duration_ms 1\n", vec![]),
    ] {
        assert_eq!(node(output), expected, "{output}");
    }
}

#[test]
fn vitest_counts_tests_and_files_that_do_not_load() {
    for (output, expected) in [
        (recorded!("vitest_pass"), vec![counts(1, 0, 2)]),
        (recorded!("vitest_fail"), vec![counts(1, 1, 2)]),
        (recorded!("vitest_none"), vec![counts(0, 0, 0)]),
        (recorded!("vitest_import"), vec![counts(0, 1, 0)]),
    ] {
        assert_eq!(vitest(output), expected, "{output}");
    }
}

#[test]
fn jest_counts_tests_and_files_that_do_not_load() {
    for (output, expected) in [
        (recorded!("jest_pass"), vec![counts(1, 0, 2)]),
        (recorded!("jest_fail"), vec![counts(1, 1, 2)]),
        (recorded!("jest_none"), vec![counts(0, 0, 0)]),
        (recorded!("jest_import"), vec![counts(0, 1, 0)]),
    ] {
        assert_eq!(jest(output), expected, "{output}");
    }
}

#[test]
fn mocha_counts_on_lines_of_their_own() {
    for (output, expected) in [
        (recorded!("mocha_pass"), vec![counts(1, 0, 1)]),
        (recorded!("mocha_fail"), vec![counts(1, 1, 1)]),
        ("2 failing\n", vec![]),
    ] {
        assert_eq!(mocha(output), expected, "{output}");
    }
}

#[test]
fn pytest_closes_with_and_without_a_frame() {
    for (output, expected) in [
        (recorded!("pytest_pass"), vec![counts(1, 0, 2)]),
        (recorded!("pytest_fail"), vec![counts(3, 2, 3)]),
        (recorded!("pytest_fail_q"), vec![counts(3, 2, 3)]),
        (recorded!("pytest_xdist"), vec![counts(3, 2, 3)]),
        (recorded!("pytest_import"), vec![counts(0, 1, 0)]),
        (recorded!("pytest_none"), vec![counts(0, 0, 0)]),
        (recorded!("pytest_deselect"), vec![counts(1, 0, 0)]),
        (
            "== 3 passed, 2 warnings in 61.02s (0:01:01) ==",
            vec![counts(3, 0, 0)],
        ),
        ("3 passed the exam in 2s", vec![]),
        ("3 passed in time", vec![]),
    ] {
        assert_eq!(pytest(output), expected, "{output}");
    }
}

#[test]
fn unittest_closes_with_two_lines() {
    for (output, expected) in [
        (recorded!("unittest_pass"), vec![counts(1, 0, 2)]),
        (recorded!("unittest_fail"), vec![counts(1, 2, 2)]),
        (recorded!("unittest_import"), vec![counts(1, 3, 2)]),
        (recorded!("unittest_none"), vec![counts(0, 0, 0)]),
        (recorded!("unittest_none313"), vec![counts(0, 0, 0)]),
        ("Ran 3 tests in 0.1s\n\nsomething else\n", vec![]),
        ("Ran 1 test in 0.1s\n\nOK\n", vec![counts(1, 0, 0)]),
    ] {
        assert_eq!(unittest(output), expected, "{output}");
    }
}

#[test]
fn bun_closes_with_counts_and_a_sum() {
    for (output, expected) in [
        (recorded!("bun_pass"), vec![counts(3, 0, 2)]),
        (recorded!("bun_fail"), vec![counts(4, 1, 2)]),
        (recorded!("bun_none"), vec![counts(0, 0, 0)]),
        (" 3 pass\nRan 3 tests across 1 file. [1ms]\n", vec![]),
    ] {
        assert_eq!(bun::closings(output), expected, "{output}");
    }
}

#[test]
fn go_closes_each_package() {
    for (output, expected) in [
        (recorded!("go_pass"), vec![counts(4, 0, 1), counts(1, 0, 0)]),
        (recorded!("go_fail"), vec![counts(4, 0, 1), counts(1, 1, 0)]),
        // What does not build is a failure.
        (
            recorded!("go_broken"),
            vec![counts(4, 0, 1), counts(0, 1, 0)],
        ),
        ("--- PASS: TestA (0.00s)\nPASS\n", vec![]),
        ("--- PASS: TestA\nok  \ta\t0.1s\n", vec![counts(0, 0, 0)]),
    ] {
        assert_eq!(go::closings(output), expected, "{output}");
    }
}

#[test]
fn maven_closes_once_for_all_classes() {
    for (output, expected) in [
        (
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in A\n\
             [INFO] Results:\n[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n",
            vec![counts(2, 0, 1)],
        ),
        (
            "[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0\n",
            vec![counts(2, 2, 0)],
        ),
        (
            "Tests run: many, Failures: 0, Errors: 0, Skipped: 0\n",
            vec![],
        ),
        ("Tests run: 4\n", vec![]),
    ] {
        assert_eq!(surefire::closings(output), expected, "{output}");
    }
}

#[test]
fn dotnet_closes_each_project() {
    let closing = "Total tests: 3\n     Passed: 2\n    Skipped: 1\n Total time: 0.5 Seconds\n";
    assert_eq!(dotnet::closings(closing), [counts(2, 0, 1)]);
    let twice = [closing, "Total tests: 1\n     Failed: 1\n"].concat();
    assert_eq!(dotnet::closings(&twice), [counts(2, 0, 1), counts(0, 1, 0)]);
    assert_eq!(dotnet::closings("     Passed: 2\n"), []);
}

#[test]
fn colours_are_taken_away() {
    let coloured = "\u{1b}[1m\u{1b}[32mtest result: ok\u{1b}[0m. 1 passed\u{1b}[";
    assert_eq!(without_colours(coloured), "test result: ok. 1 passed");
}
