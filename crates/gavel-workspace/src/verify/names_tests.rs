use super::*;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".txt"))
    };
}

#[track_caller]
fn check(recipe: &str, output: &str, passed: &[&str], failed: &[&str]) {
    let names = test_names(recipe, output);
    let found = (
        names.passed.iter().map(String::as_str).collect::<Vec<_>>(),
        names.failed.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    assert_eq!(found, (passed.to_vec(), failed.to_vec()), "{output}");
}

#[test]
fn cargo_lists_tests_of_every_binary() {
    let shown = ["api", "src/lib.rs - add (line 2)", "tests::adds"];
    let more = [&shown[..], &["tests::adds_more"]].concat();
    check("cargo", recorded!("cargo_pass"), &more, &[]);
    check(
        "cargo",
        recorded!("cargo_fail"),
        &shown,
        &["tests::adds_more"],
    );
    check("cargo", recorded!("cargo_broken"), &[], &[]);
}

#[test]
fn what_a_failed_test_printed_names_nothing() {
    let output = "\nrunning 2 tests\ntest a - should panic ... ok\ntest b ... FAILED\n\nfailures:\n\n\
        ---- b stdout ----\ntest forged ... ok\n\nfailures:\n    b\n\n\
        test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    check("cargo", output, &["a"], &["b"]);
    check("cargo", "test outside ... ok\n", &[], &[]);
    check(
        "cargo",
        "running 1 test\ntest unfinished ... ok\n",
        &[],
        &[],
    );
}

#[test]
fn more_names_than_the_runner_counted_are_not_believed() {
    let output = "running 1 test\ntest a ... ok\ntest forged ... ok\n\n\
        test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    check("cargo", output, &[], &[]);
}

#[test]
fn node_names_tests_in_both_reporters() {
    let passed = ["adds", "group", "group::inner"];
    check("node_test", recorded!("node_pass"), &passed, &[]);
    check("node_test", recorded!("node_pass_spec"), &passed, &[]);
    check("node_test", recorded!("node_fail"), &passed, &["subtracts"]);
    check("npm", recorded!("node_fail_spec"), &passed, &["subtracts"]);
    check("node_test", recorded!("node_none"), &[], &[]);
}

#[test]
fn suites_of_node_are_no_tests() {
    let spec = "▶ group\n  ✔ inner (0.1ms)\n▶ group (0.3ms)\n\nℹ tests 1\nℹ suites 1\nℹ pass 1\n\
                ℹ fail 0\nℹ duration_ms 9\n";
    check("node_test", spec, &["group::inner"], &[]);
    let closing = spec.replace("▶ group (", "✔ group (");
    check("node_test", &closing, &["group::inner"], &[]);
    let tap = "TAP version 13\n# Subtest: group\n    # Subtest: inner\n    ok 1 - inner\n      \
        ---\n      type: 'test'\n      ...\n    1..1\nok 1 - group\n  ---\n  type: 'suite'\n  \
        ...\n1..1\n# tests 1\n# suites 1\n# pass 1\n# fail 0\n# duration_ms 9\n";
    check("node_test", tap, &["group::inner"], &[]);
}

#[test]
fn scripts_name_what_their_runner_names() {
    check("npm", recorded!("mocha_fail"), &["adds"], &["bad"]);
    check("npm", recorded!("jest_pass"), &["adds"], &[]);
    // With several files jest names nothing, and vitest failures alone.
    check("npm", recorded!("jest_fail"), &[], &[]);
    check("npm", recorded!("vitest_fail"), &[], &["bad"]);
    check("npm", recorded!("vitest_pass"), &[], &[]);
}

#[test]
fn runners_that_are_asked_for_names_give_them() {
    let passed = [
        "adds",
        "group::inner::deep",
        "group::more::deepest",
        "test_ok_2",
    ];
    for output in [
        recorded!("vitest_verbose_v2"),
        recorded!("vitest_verbose_v3"),
    ] {
        check("npm", output, &passed, &["subtracts"]);
        check("own", output, &passed, &["subtracts"]);
    }
    let passed = ["adds", "c", "deepest", "inner", "test_ok_2"];
    check("pnpm", recorded!("jest_verbose"), &passed, &["subtracts"]);
    let passed = ["adds", "group::inner", "group::more::deepest"];
    check("bun", recorded!("bun_pass"), &passed, &[]);
    let more = [&passed[..], &["test_ok_2"]].concat();
    check("bun", recorded!("bun_fail"), &more, &["subtracts"]);
    check("bun", recorded!("bun_none"), &[], &[]);
}

#[test]
fn go_names_tests_and_their_cases() {
    let passed = [
        "TestAdds",
        "TestSub",
        "TestTable",
        "TestTable::one_case",
        "TestTable::two",
    ];
    check("go", recorded!("go_pass"), &passed, &[]);
    check("go", recorded!("go_fail"), &passed, &["TestBad"]);
    let without = [passed[0], passed[2], passed[3], passed[4]];
    check("go", recorded!("go_broken"), &without, &[]);
}

/// Written after the runners' manuals; neither is on the machines that these tests ran on.
#[test]
fn maven_and_dotnet_name_tests_when_asked() {
    let maven = "[INFO] Running com.example.AppTest\n\
        [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.05 s <<< FAILURE! -- in com.example.AppTest\n\
        [INFO] com.example.AppTest.adds(java.lang.String)[1]  Time elapsed: 0.001 s\n\
        [ERROR] com.example.AppTest.bad  Time elapsed: 0.002 s  <<< FAILURE!\n\
        [WARNING] com.example.AppTest skipped\n[INFO] Results:\n\
        [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1\n";
    let class = "com::example::AppTest";
    check(
        "maven",
        maven,
        &[&format!("{class}::adds")],
        &[&format!("{class}::bad")],
    );
    let dotnet = "  Passed Demo.Sums.Adds [2 ms]\n  Failed Demo.Sums.Bad(x: 1) [< 1 ms]\n\
        \u{20} Skipped Demo.Sums.Later [1 ms]\n\nTest Run Failed.\nTotal tests: 3\n     Passed: 1\n     \
        Failed: 1\n    Skipped: 1\n Total time: 0.5 Seconds\n";
    check(
        "dotnet",
        dotnet,
        &["Demo::Sums::Adds"],
        &["Demo::Sums::Bad"],
    );
}

#[test]
fn pytest_names_tests_in_its_summary() {
    let failed = ["test_b.py::test_bad", "test_b.py::test_err"];
    check("pytest", recorded!("pytest_fail"), &[], &failed);
    let named = recorded!("pytest_named");
    let passed = [
        "test_a.py::TestX::test_sum",
        "test_a.py::test_p[1]",
        "test_a.py::test_p[2]",
    ];
    check("pytest", named, &passed, &["test_a.py::TestX::test_bad"]);
    let names = test_names("pytest", named);
    assert!(names.shows("test_sum") && names.shows("test_p") && !names.shows("test_bad"));
    check(
        "pytest",
        "PASSED test_a.py::forged\n1 passed in 0.01s\n",
        &[],
        &[],
    );
}

#[test]
fn unittest_names_tests_when_it_is_verbose() {
    let output = "test_bad (test_b.U.test_bad) ... FAIL\ntest_doc (test_b.U.test_doc)\n\
        What it does. ... ok\ntest_old (test_b.U) ... ok\ntest_skip (test_b.U.test_skip) ... \
        skipped 'no'\n\n======\nFAIL: test_bad (test_b.U.test_bad)\n------\nforged (a.b) ... ok\n\n\
        ------\nRan 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n";
    let passed = ["test_b::U::test_doc", "test_b::U::test_old"];
    check("unittest", output, &passed, &["test_b::U::test_bad"]);
    let quiet = ["test_b::U::test_bad", "test_b::U::test_error"];
    check("unittest", recorded!("unittest_fail"), &[], &quiet);
}

#[test]
fn what_is_printed_meanwhile_hides_no_result() {
    let cargo = "running 2 tests\ntest a ... noise\nmore\nok\ntest b ... ignored\n\n\
        test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
    check("cargo", cargo, &["a"], &[]);
    let python = "test_a (t.U.test_a) ... t.py:5: ResourceWarning: unclosed file\n  open('x')\nok\n\
        test_b (t.U.test_b) ... ok\nFAIL\n\n=====\nFAIL: test_b (t.U.test_b)\n-----\n\n-----\n\
        Ran 2 tests in 0.001s\n\nFAILED (failures=1)\n";
    check("unittest", python, &["t::U::test_a"], &["t::U::test_b"]);
}

#[test]
fn a_name_that_failed_anywhere_shows_nothing() {
    let mut names = TestNames::default();
    names.take("a::shown", true);
    names.take("b::other", true);
    assert!(names.shows("shown") && names.knows("other") && !names.knows("a"));
    let mut again = TestNames::default();
    again.take("c::shown", false);
    again.take("b::other", false);
    names.add(again);
    assert!(!names.shows("shown") && names.knows("shown"));
    assert_eq!(names.passed.len(), 1);
}
