//! What a verification records beside counts: coverage, smoke runs, and why there was nothing to run.

use gavel_build::{CommitVerified, verify_commit};
use gavel_domain::{CommandFinished, VerifyFinished, VerifyVerdict};
use gavel_testkit::asked_for;

use crate::bench::{Bench, judged};
use crate::script::Script;

const TEST: &str = "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
                    self.assertEqual(1 + 2, 3)\n";

async fn verified(files: &[(&str, &str)]) -> (Bench, CommitVerified) {
    let bench = Bench::new(Script::default().model(), files).await;
    let base = bench.ground.base();
    let look = async || {
        bench
            .drive(async |run, site| {
                let scope = run.scope("gate", 1)?;
                Box::pin(verify_commit(run, &scope, site, judged(&base))).await
            })
            .await
    };
    let seen = look().await;
    // Everything comes from what was recorded.
    assert_eq!(look().await, seen);
    assert_eq!(bench.facts::<VerifyFinished>().await.len(), 1);
    (bench, seen)
}

const APP: &str = "import sys\nprint('usage: app')\nsys.exit(int(sys.argv[1]))\n";

fn with_smoke(table: &str) -> String {
    format!("[[verify.smoke]]\n{table}\n")
}

#[tokio::test]
async fn a_smoke_run_that_comes_to_what_it_says_is_on_record() {
    let own = with_smoke("command = ['python3', 'app.py', '0']\nexpect = 'usage:'");
    let files = [("test_a.py", TEST), ("app.py", APP), ("gavel.toml", &own)];
    let (bench, seen) = verified(&files).await;
    assert_eq!(
        (
            seen.fact.verdict,
            seen.fact.smoke,
            seen.fact.reason.as_str()
        ),
        (VerifyVerdict::Passed, Some(true), "all_passed"),
        "{seen:?}"
    );
    assert!(seen.smoke_shows("python3 app.py 0") && !seen.smoke_shows("python3 app.py"));
    assert_eq!((seen.fact.passed, seen.coverage()), (1, None));
    // Its command is a command like the others, and names no test.
    let commands = bench.facts::<CommandFinished>().await;
    assert_eq!((commands.len(), commands[1].1.exit), (2, Some(0)));
    assert_eq!(seen.commands[1].recipe, "smoke");
    assert_eq!(seen.tests.passed.len(), 1);
}

#[tokio::test]
async fn a_smoke_run_that_fails_fails_the_verification() {
    let own = with_smoke("command = ['python3', 'app.py', '4']");
    let files = [("test_a.py", TEST), ("app.py", APP), ("gavel.toml", &own)];
    let (_bench, seen) = verified(&files).await;
    assert_eq!(
        (
            seen.fact.verdict,
            seen.fact.smoke,
            seen.fact.reason.as_str()
        ),
        (VerifyVerdict::Failed, Some(false), "smoke_failed")
    );
    assert_eq!((seen.fact.passed, seen.fact.failed), (1, 0));
    assert!(!seen.smoke_shows("python3 app.py 4"));
    let output = &seen.commands[1].output;
    let said = "python3 app.py 4: it ended with exit code 4, and 0 was expected\n";
    assert!(
        output.starts_with(said) && output.contains("usage: app"),
        "{output}"
    );
}

/// Passes where programs can have a network of their own; elsewhere it says that they cannot.
#[tokio::test]
async fn a_server_is_asked_or_the_verdict_stays_open() {
    let own =
        with_smoke("start = ['python3', '-m', 'http.server', '{port}']\nexpect = 'test_a.py'");
    let (_bench, seen) = verified(&[("test_a.py", TEST), ("gavel.toml", &own)]).await;
    match seen.fact.reason.as_str() {
        "all_passed" => {
            assert_eq!(seen.fact.smoke, Some(true));
            assert!(seen.smoke_shows("GET /"));
            assert_eq!(
                (seen.smoke[0].status, seen.commands[1].exit),
                (Some(200), None)
            );
        }
        reason => {
            assert_eq!((reason, seen.fact.smoke), ("smoke_not_run", None));
            assert_eq!(seen.fact.verdict, VerifyVerdict::Unclear);
        }
    }
}

#[tokio::test]
async fn failed_tests_stay_the_reason() {
    let own = with_smoke("command = ['false']");
    let failing = TEST.replace("1 + 2", "2 + 2");
    let (_bench, seen) = verified(&[("test_a.py", &failing), ("gavel.toml", &own)]).await;
    assert_eq!(seen.fact.reason, "tests_failed");
    assert_eq!(seen.fact.smoke, Some(false));
}

#[tokio::test]
async fn nothing_to_run_says_which_nothing_it_is() {
    for (files, reason) in [
        (vec![("README.md", "")], "no_recipe"),
        (vec![("package.json", "{}")], "no_test_commands"),
        (
            vec![("gavel.toml", "[verify]\ntest = 'make'\n")],
            "recipe_unusable",
        ),
    ] {
        let (_bench, seen) = verified(&files).await;
        assert_eq!(
            (seen.fact.verdict, seen.fact.reason.as_str()),
            (VerifyVerdict::Unclear, reason)
        );
        assert!(seen.commands.is_empty() && seen.smoke.is_empty());
        assert_eq!((seen.fact.smoke, seen.coverage()), (None, None));
    }
}

#[tokio::test]
async fn coverage_is_what_the_project_measures() {
    let own = "[verify]\ntest = ['node', '--test', '--experimental-test-coverage']\n";
    let code = "exports.f = (x) => {\n  if (x) {\n    return 1;\n  }\n  return 2;\n};\n";
    let test = "require('node:test')('half', () => require('./a.js').f(1));\n";
    let (_bench, seen) =
        verified(&[("gavel.toml", own), ("a.js", code), ("a.test.js", test)]).await;
    assert_eq!(seen.fact.recipe, "own");
    assert_eq!(seen.fact.verdict, VerifyVerdict::Passed, "{seen:?}");
    let share = seen.coverage().unwrap();
    assert!((500..1000).contains(&share), "{share}");
    assert!(seen.tests.shows("half"));
}

/// The runners that a project fetches, for real. They come from the package registries.
#[tokio::test]
async fn runners_from_the_registries_name_every_test() {
    if !asked_for("peers") {
        return;
    }
    let body = "test('adds', () => { expect(1 + 2).toBe(3) })\n";
    let vitest = format!("import {{test, expect}} from 'vitest'\n{body}");
    let vitest_two = vitest.replace("adds", "adds_more");
    let jest_two = body.replace("adds", "adds_more");
    let manifest = |runner: &str, script: &str| {
        format!(r#"{{"scripts":{{"test":"{script}"}},"devDependencies":{{"{runner}":"*"}}}}"#)
    };
    for (manifest, one, two) in [
        (manifest("vitest", "vitest run"), &vitest, &vitest_two),
        (manifest("jest", "jest"), &body.to_owned(), &jest_two),
    ] {
        let files = [
            ("package.json", manifest.as_str()),
            ("one.test.js", one.as_str()),
            ("two.test.js", two.as_str()),
        ];
        let (_bench, seen) = verified(&files).await;
        assert_eq!(seen.fact.verdict, VerifyVerdict::Passed, "{seen:?}");
        assert!(
            seen.tests.shows("adds") && seen.tests.shows("adds_more"),
            "{seen:?}"
        );
    }
    let files = [
        ("requirements.txt", "pytest-cov\n"),
        (
            "a.py",
            "def f(x):\n    if x:\n        return 1\n    return 2\n",
        ),
        (
            "test_a.py",
            "from a import f\ndef test_half(): assert f(1) == 1\n",
        ),
        ("pytest.ini", "[pytest]\naddopts = --cov=a\n"),
    ];
    let (_bench, seen) = verified(&files).await;
    assert_eq!(
        (seen.fact.verdict, seen.coverage()),
        (VerifyVerdict::Passed, Some(750))
    );
    assert!(seen.tests.shows("test_half"));
}
