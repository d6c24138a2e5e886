//! A coder who decides what the tests are: by their names, or by what runs them.

use std::path::{Path, PathBuf};

use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, git};
use serde_json::{Value, json};

use crate::bench::{Ended, run_id};
use crate::product_hot::{project, users};
use crate::studio::{Served, Speaks, Studio, shape};

/// What the judge says about the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JudgeSays {
    /// The first line of the README shows it.
    Met,
    /// It was not made.
    Unmet,
}

/// A model that makes these calls at once, ends, and judges.
pub(crate) fn coder(calls: Vec<(&'static str, Value)>, says: JudgeSays) -> FakeServer {
    let rule = move |seen: &SeenRequest| {
        let asked = seen.rebuilt().request;
        let schema = asked.answer.as_ref().map(|answer| &answer.schema);
        match schema.and_then(shape) {
            Some("judge") => FakeReply::text(&judgement(says).to_string()),
            Some(other) => FakeReply::status(400, &format!("nobody asks for {other}")),
            None if asked.messages.len() > 2 => FakeReply::text("Done."),
            None => {
                let calls: Vec<_> = (1..)
                    .zip(&calls)
                    .map(|(number, (tool, arguments))| {
                        (format!("call-{number}"), *tool, arguments.to_string())
                    })
                    .collect();
                let calls: Vec<_> = calls
                    .iter()
                    .map(|(id, tool, arguments)| (id.as_str(), *tool, arguments.as_str()))
                    .collect();
                FakeReply::calls(&calls)
            }
        }
    };
    fake_server().rule(rule).start()
}

fn judgement(says: JudgeSays) -> Value {
    let line = json!({"kind": "file", "name": "README.md", "line": 1, "exit": 0});
    let (standing, evidence) = match says {
        JudgeSays::Met => ("met", vec![line]),
        JudgeSays::Unmet => ("unmet", Vec::new()),
    };
    let why = "by reading the change";
    json!({"judgements": [
        {"id": "change-made", "standing": standing, "evidence": evidence, "why": why},
    ]})
}

pub(crate) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"path": path, "content": content}))
}

pub(crate) fn led_by(server: &FakeServer, settings: &str) -> Studio {
    let settings = format!(
        "{settings}\n[models]\npaid = \"agreed\"\n\
         slots = {{ leader = \"small/rules\", stances = [] }}\n"
    );
    let model = Served {
        name: "small",
        server,
        speaks: Speaks::OpenAi,
    };
    Studio::with(&settings, &[model])
}

pub(crate) const IDEA: &str = "add a greeting to README.md";
pub(crate) const GREETED: &str = "# Users, hello\n";

pub(crate) fn start(studio: &Studio) -> Ended {
    let id = run_id().to_string();
    studio.run(&["start", IDEA, "--run", &id, "--yes", "--non-interactive"])
}

fn judges_asked(server: &FakeServer) -> usize {
    let requests = server.requests();
    let is_judge = |seen: &&SeenRequest| {
        let asked = seen.rebuilt().request;
        let schema = asked.answer.as_ref().map(|answer| &answer.schema);
        schema.and_then(shape) == Some("judge")
    };
    requests.iter().filter(is_judge).count()
}

pub(crate) fn is_sealed(folder: &Path) -> bool {
    let branch = format!("gavel/build-{}", run_id().short());
    git(folder, &["ls-tree", "-r", "--name-only", &branch]).contains(".gavel/seal/")
}

pub(crate) fn seal_text(studio: &Studio) -> String {
    let seal = studio.bench.json(&["seal", "verify"]);
    assert_eq!(seal["valid"], true, "{seal}");
    seal.to_string()
}

pub(crate) fn users_with(studio: &Studio, more: &[(&str, &str)]) -> PathBuf {
    let all = [&users()[..], more].concat();
    project(studio, &all)
}

#[test]
fn an_empty_test_with_the_name_of_a_criterion_does_not_replace_the_judge() {
    for name in ["change_made", "tests_still_pass"] {
        let calls = vec![
            write("README.md", "# Users\n\nNothing of what was asked.\n"),
            // A file of its own, for what the request does not name is out of scope and judged by nobody.
            write("tests/named.rs", &format!("#[test]\nfn {name}() {{}}\n")),
        ];
        let server = coder(calls, JudgeSays::Unmet);
        let studio = led_by(&server, "");
        let folder = users_with(&studio, &[]);
        let ended = start(&studio);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(ended.stdout.contains("The change is not done"), "{ended:?}");
        assert_eq!(judges_asked(&server), 1, "{name}");
        assert!(!is_sealed(&folder), "{name}");
        server.finish();
    }
}

#[test]
fn an_honest_change_is_judged_once_and_sealed() {
    let server = coder(vec![write("README.md", GREETED)], JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = users_with(&studio, &[]);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(judges_asked(&server), 1);
    assert!(is_sealed(&folder));
    assert!(seal_text(&studio).contains("change-made"));
    server.finish();
}

/// Code that no compiler takes.
const NO_RUST: &str = "this does not compile\n";
/// A program that says what cargo says when everything is well.
const FAKE_CARGO: &str = "#!/bin/sh\necho 'running 1 test'\n\
    echo 'test tests::users_are_told ... ok'\n\
    echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'\nexit 0\n";

fn make_executable(path: &str) -> (&'static str, Value) {
    (
        "run_command",
        json!({"command": format!("chmod +x {path}")}),
    )
}

/// A coder who brings a runner over code that cannot pass: nothing may be sealed.
fn refuses_the_runner_of_the_work(calls: Vec<(&'static str, Value)>, named: &str) {
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = users_with(&studio, &[]);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(!is_sealed(&folder), "{ended:?}");
    // Whoever must mend it hears why.
    let heard = server.requests();
    let told = format!("what runs the tests: {named}");
    let is_told = heard
        .iter()
        .any(|seen| seen.body.to_string().contains(&told));
    assert!(is_told, "{told}: {ended:?}");
    server.finish();
}

#[test]
fn a_toolchain_in_the_tree_does_not_run_the_tests() {
    let toolchain = "[toolchain]\npath = \"/proc/self/cwd/tc\"\n";
    let calls = vec![
        write("src/lib.rs", NO_RUST),
        write("rust-toolchain.toml", toolchain),
        write("tc/bin/cargo", FAKE_CARGO),
        write("tc/bin/rustc", FAKE_CARGO),
        make_executable("tc/bin/cargo"),
        make_executable("tc/bin/rustc"),
    ];
    refuses_the_runner_of_the_work(calls, "rust-toolchain.toml: path = /proc/self/cwd/tc");
}

#[test]
fn a_wrapper_of_the_compiler_does_not_come_with_the_work() {
    // It compiles another file than the one that it is given.
    let wrapper = "#!/bin/sh\nfor word; do shift; case $word in src/lib.rs|*/src/lib.rs) \
        word=/proc/self/cwd/old.rs;; esac; set -- \"$@\" \"$word\"; done\nexec \"$@\"\n";
    let calls = vec![
        write("old.rs", users()[2].1),
        write("src/lib.rs", NO_RUST),
        write("wrap.sh", wrapper),
        make_executable("wrap.sh"),
        write(
            ".cargo/config.toml",
            "[build]\nrustc-wrapper = \"./wrap.sh\"\nrustdoc = \"true\"\n",
        ),
    ];
    refuses_the_runner_of_the_work(calls, ".cargo/config.toml: build.rustc-wrapper");
}

#[test]
fn a_runner_of_test_programs_does_not_come_with_the_work() {
    let broken = users()[2].1.replace("user {id}", "nobody {id}");
    let config = "[target.'cfg(all())']\nrunner = \"sh fake.sh\"\n";
    let calls = vec![
        write("src/lib.rs", &broken),
        write("fake.sh", FAKE_CARGO),
        write(".cargo/config.toml", config),
    ];
    let named = ".cargo/config.toml: target.cfg(all()).runner";
    refuses_the_runner_of_the_work(calls, named);
}

#[test]
fn a_runner_that_was_there_before_is_accepted_and_named() {
    let config = "[target.'cfg(all())']\nrunner = \"env\"\n";
    let server = coder(vec![write("README.md", GREETED)], JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = users_with(&studio, &[(".cargo/config.toml", config)]);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(is_sealed(&folder));
    let named =
        "runner: .cargo/config.toml: target.cfg(all()).runner = \"env\" (as before the run)";
    let seal = studio.bench.json(&["seal", "verify"]);
    let left_out = seal["statement"]["predicate"]["left_out"].as_array();
    assert!(left_out.unwrap().contains(&json!(named)), "{seal}");
    let review = studio.run(&["review", &run_id().to_string()]);
    assert!(review.stdout.contains("What runs the tests"), "{review:?}");
    server.finish();
}

const ADD: &str = "exports.add = (a, b) => a + b;\n";
const ADD_TEST: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const { add } = require('../add.js');\ntest('adds', () => assert.equal(add(1, 2), 3));\n";
pub(crate) const NODE_MANIFEST: &str =
    "{\"name\": \"add\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n";
const TAP: &str = "console.log(`TAP version 13\n# Subtest: adds\nok 1 - adds\n  ---\n  \
    duration_ms: 1\n  type: 'test'\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n\
    # cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 1`);\n";

pub(crate) fn sums(studio: &Studio) -> PathBuf {
    let files = [
        ("package.json", NODE_MANIFEST),
        ("add.js", ADD),
        ("test/add.test.js", ADD_TEST),
        ("README.md", "# Sums\n"),
    ];
    project(studio, &files)
}

#[test]
fn a_script_that_prints_results_does_not_take_the_place_of_a_runner() {
    let manifest = NODE_MANIFEST.replace("node --test", "node tap.js");
    let calls = vec![
        write("add.js", "exports.add = (a, b) => a - b;\n"),
        write("package.json", &manifest),
        write("tap.js", TAP),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(!is_sealed(&folder), "{ended:?}");
    server.finish();
}

#[test]
fn a_projects_own_script_runs_its_tests_and_an_honest_change_is_sealed() {
    let server = coder(vec![write("README.md", GREETED)], JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(is_sealed(&folder));
    assert!(!seal_text(&studio).contains("runner:"));
    server.finish();
}

#[test]
fn with_yes_the_runner_from_before_is_used_and_the_seal_says_so() {
    let manifest = NODE_MANIFEST.replace("node --test", "node tap.js");
    let calls = vec![
        write("README.md", GREETED),
        write("package.json", &manifest),
        write("tap.js", TAP),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(is_sealed(&folder));
    let seal = seal_text(&studio);
    for said in [
        "the work changed what runs the tests; they ran with what was there before",
        "package.json: scripts.test = node tap.js",
    ] {
        assert!(seal.contains(said), "{said}: {seal}");
    }
    server.finish();
}

#[test]
fn a_person_is_asked_about_a_changed_runner() {
    let manifest = NODE_MANIFEST.replace("node --test", "node all.js");
    let all = "require('./test/add.test.js');\n";
    let calls = vec![
        write("README.md", GREETED),
        write("package.json", &manifest),
        write("all.js", all),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = sums(&studio);
    let id = run_id().to_string();
    let asked = studio.run(&["start", IDEA, "--run", &id, "--non-interactive"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(
        asked.stdout.contains("changes what runs the tests"),
        "{asked:?}"
    );
    assert!(
        asked.stdout.contains("scripts.test = node all.js"),
        "{asked:?}"
    );
    let done = studio.run(&["answer", &id, "changed", "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(is_sealed(&folder));
    let seal = seal_text(&studio);
    assert!(seal.contains("(changed, a person agreed)"), "{seal}");
    server.finish();
}

/// A makefile that takes in whatever lies in a folder; unittest is its runner.
const MAKEFILE: &str = "test:\n\tpython3 -m unittest -v\n\ninclude $(wildcard mk/*.mk)\n";
const SUM: &str = "def add(a, b):\n    return a + b\n";
const SUM_TEST: &str = "import unittest\nimport sums\n\n\nclass Sums(unittest.TestCase):\n    \
    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n";
/// Prints what unittest prints.
const PRINTER: &str = "test:\n\t@echo 'test_add (test_sums.Sums.test_add) ... ok'\n\t@echo\n\t\
    @echo 'Ran 1 test in 0.001s'\n\t@echo\n\t@echo OK\n";

fn made_sums(studio: &Studio) -> PathBuf {
    let files = [
        ("Makefile", MAKEFILE),
        ("gavel.toml", "[verify]\ntest = [\"make\", \"test\"]\n"),
        ("mk/names.mk", "NAME = sums\n"),
        ("sums.py", SUM),
        ("test_sums.py", SUM_TEST),
        ("README.md", "# Sums\n"),
    ];
    project(studio, &files)
}

#[test]
fn what_a_makefile_finds_by_a_pattern_does_not_replace_its_rules() {
    let calls = vec![
        write("sums.py", "def add(a, b):\n    return a - b\n"),
        write("mk/rules.mk", PRINTER),
        write("README.md", GREETED),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = made_sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(!is_sealed(&folder), "{ended:?}");
    server.finish();
}

#[test]
fn a_makefile_with_parts_runs_its_tests_and_an_honest_change_is_sealed() {
    let server = coder(vec![write("README.md", GREETED)], JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = made_sums(&studio);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(is_sealed(&folder));
    assert!(seal_text(&studio).contains("mk/names.mk"));
    server.finish();
}

#[test]
fn settings_that_a_command_wrote_are_not_sealed() {
    let command = "cp other.toml gavel.toml";
    let calls = vec![
        write("README.md", GREETED),
        write("other.toml", "[verify]\ntest = [\"true\"]\n"),
        ("run_command", json!({"command": command})),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let theirs = "[verify]\ntest = [\"cargo\", \"test\"]\n";
    let folder = users_with(&studio, &[("gavel.toml", theirs)]);
    let ended = start(&studio);
    // They are put back, and what the project's own settings name has judged.
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let branch = format!("gavel/build-{}", run_id().short());
    let sealed = git(&folder, &["show", &format!("{branch}:gavel.toml")]);
    assert_eq!(sealed.trim(), theirs.trim());
    let seal: Value = serde_json::from_str(&seal_text(&studio)).unwrap();
    let commands = &seal["statement"]["predicate"]["commands"];
    let ran = |argv: Value| {
        commands
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["argv"] == argv)
    };
    assert!(ran(json!(["cargo", "test"])), "{commands}");
    assert!(!ran(json!(["true"])), "{commands}");
    server.finish();
}
