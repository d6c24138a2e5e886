//! Tools that run programs, in the sandbox of this machine.

use gavel_testkit::ScriptedModel;

use crate::bench::Bench;

#[tokio::test]
async fn a_command_runs_without_a_shell_and_its_changes_are_recorded() {
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "run_command", r#"{"command":"touch made"}"#),
            ("b", "run_command", r#"{"command":"cat a > b"}"#),
            ("c", "run_command", r#"{"command":"cat a"}"#),
            ("d", "run_command", r#"{"command":"cat missing"}"#),
            ("e", "run_command", r#"{"command":"no-such-program"}"#),
            ("f", "run_command", r#"{"command":"sleep 60","seconds":1}"#),
        ])
        .text("Done.");
    let bench = Bench::new(&model, &[("a", "hello\n")]).await.commands();
    bench.work("Run.").await;
    model.finish();
    assert!(bench.work_tree().join("made").exists());
    let (ok, told) = bench.result("b");
    assert!(!ok && told.starts_with("there is no shell here"), "{told}");
    let (ok, told) = bench.result("c");
    assert!(ok && told.starts_with("exit code 0; sandbox: "), "{told}");
    assert!(
        told.ends_with("<data source=\"output of cat a\">\nhello\n</data>"),
        "{told}"
    );
    let (ok, told) = bench.result("d");
    assert!(
        !ok && told.starts_with("exit code 1;") && told.contains("missing"),
        "{told}"
    );
    let (ok, told) = bench.result("e");
    assert!(
        !ok && told.contains("no program `no-such-program`"),
        "{told}"
    );
    let (ok, told) = bench.result("f");
    assert!(
        !ok && told.starts_with("stopped: its time was over"),
        "{told}"
    );
    let story = bench.story().await;
    assert!(
        story.contains("work-1/turn-1/tool-1:tree tree_recorded"),
        "{story}"
    );
}

const PASSES: &str = "import unittest\n\nclass T(unittest.TestCase):\n    def test_sum(self):\n        \
                      self.assertEqual(1 + 1, 2)\n";

#[tokio::test]
async fn tests_are_run_by_the_projects_recipe_and_counted() {
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "run_tests", "{}"),
            ("b", "check_syntax", r#"{"path":"test_sum.py"}"#),
            (
                "c",
                "edit_file",
                r#"{"path":"test_sum.py","old":"1 + 1, 2)","new":"1 + 1, 3)"}"#,
            ),
            ("d", "run_tests", "{}"),
            (
                "e",
                "edit_file",
                r#"{"path":"test_sum.py","old":"def test_sum(self):","new":"def ("}"#,
            ),
            ("f", "check_syntax", r#"{"path":"test_sum.py"}"#),
        ])
        .text("Done.");
    let bench = Bench::new(&model, &[("test_sum.py", PASSES)])
        .await
        .commands();
    bench.work("Test.").await;
    model.finish();
    let (ok, told) = bench.result("a");
    let expected = "unittest: passed (all_passed), 1 passed, 0 failed, 0 skipped; exit code 0;";
    assert!(ok && told.starts_with(expected), "{told}");
    assert_eq!(bench.result("b"), (true, "test_sum.py parses".to_owned()));
    let (ok, told) = bench.result("d");
    let expected = "unittest: failed (tests_failed), 0 passed, 1 failed, 0 skipped; exit code 1;";
    assert!(
        !ok && told.starts_with(expected) && told.contains("AssertionError"),
        "{told}"
    );
    let (ok, told) = bench.result("f");
    assert!(
        !ok && told.starts_with("test_sum.py does not parse"),
        "{told}"
    );
}

#[tokio::test]
async fn a_project_without_a_recipe_says_so() {
    for (files, said) in [
        (vec![("notes.txt", "")], "Nothing at the root of the tree"),
        (
            vec![("package.json", "{}")],
            "There is a project, and no test",
        ),
    ] {
        let model = ScriptedModel::new()
            .calls(&[("a", "run_tests", "{}")])
            .text("Done.");
        let bench = Bench::new(&model, &files).await.commands();
        bench.work("Test.").await;
        let (ok, told) = bench.result("a");
        assert!(!ok && told.starts_with(said), "{told}");
        assert!(told.ends_with("Use run_command."), "{told}");
    }
}

#[tokio::test]
async fn smoke_runs_are_part_of_the_tests() {
    for (script, passed, said) in [
        (
            "true",
            true,
            "smoke make smoke: passed, it ended with exit code 0",
        ),
        (
            "false",
            false,
            "smoke make smoke: failed, it ended with exit code 2",
        ),
    ] {
        let makefile = format!("smoke:\n\t@{script}\n");
        let model = ScriptedModel::new()
            .calls(&[("a", "run_tests", "{}")])
            .text("Done.");
        let files = [("test_sum.py", PASSES), ("Makefile", makefile.as_str())];
        let bench = Bench::new(&model, &files).await.commands();
        bench.work("Test.").await;
        let (ok, told) = bench.result("a");
        assert_eq!(ok, passed, "{told}");
        assert!(
            told.contains("unittest: passed") && told.contains(said),
            "{told}"
        );
    }
}
