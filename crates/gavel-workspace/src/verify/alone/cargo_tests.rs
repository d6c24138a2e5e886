use super::*;

fn test(others: usize) -> LibtestTest {
    LibtestTest {
        executable: PathBuf::from("/tree/target/debug/deps/demo-1"),
        test: "tests::good".to_owned(),
        built: Stamp::default(),
        others,
        log: Log::File,
        folder: PathBuf::from("/tree"),
        env: BTreeMap::new(),
    }
}

const PASSED: &str = "warning: `--logfile` is deprecated\n\nrunning 1 test\ntest tests::good ... ok\n\n\
    test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\n";
const FAILED: &str = "\nrunning 1 test\ntest tests::good ... FAILED\n\nfailures:\n\n\
    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\n";
const IGNORED: &str = "\nrunning 1 test\ntest tests::good ... ignored\n\n\
    test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\n";
const UNKNOWN: &str = "\nrunning 0 tests\n\n\
    test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s\n\n";
const EARLY: &str = "\nrunning 1 test\ntest tests::good ... ";

#[test]
fn log_and_closing_must_agree() {
    let ok = Some("ok tests::good\n");
    let failed = Some("failed tests::good\n");
    let ignored = Some("ignored tests::good\n");
    let twice = format!("{PASSED}{PASSED}");
    for (output, log, wanted) in [
        (PASSED, ok, Says::Passed),
        (PASSED, None, Says::Passed),
        (PASSED, Some(""), Says::Begun),
        (PASSED, Some("ok tests::other\n"), Says::NotExecuted),
        (
            PASSED,
            Some("ok tests::good\nok tests::good\n"),
            Says::NotExecuted,
        ),
        (PASSED, failed, Says::Failed),
        (&twice, ok, Says::NotExecuted),
        (&twice, None, Says::NotExecuted),
        (FAILED, failed, Says::Failed),
        (FAILED, None, Says::Failed),
        (FAILED, ok, Says::NotExecuted),
        (IGNORED, ignored, Says::NotExecuted),
        (IGNORED, None, Says::NotExecuted),
        (UNKNOWN, Some(""), Says::NotExecuted),
        (UNKNOWN, None, Says::NotExecuted),
        (EARLY, Some(""), Says::Begun),
        (EARLY, None, Says::Begun),
        (EARLY, ok, Says::NotExecuted),
        ("", Some(""), Says::NotExecuted),
    ] {
        assert_eq!(
            libtest_says(&test(4), output, log),
            wanted,
            "{output} {log:?}"
        );
    }
    // Another number of tests than the executable has.
    assert_eq!(libtest_says(&test(5), PASSED, ok), Says::NotExecuted);
}

#[test]
fn names_are_read_from_a_terse_list() {
    let output = "tests::good: test\nother: test\nbench_it: benchmark\nsome text: test\n: test\n";
    let names: Vec<_> = listed_names(output).into_iter().collect();
    assert_eq!(names, ["other", "tests::good"]);
}
