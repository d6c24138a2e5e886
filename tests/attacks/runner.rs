//! A coder who decides what the tests are: by their names, or by what runs them.

use std::path::{Path, PathBuf};

use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server, git};
use serde_json::{Value, json};

use crate::bench::{Ended, run_id};
use crate::product_hot::{project, users};
use crate::studio::{Served, Speaks, Studio, shape};

/// What the judge says about the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JudgeSays {
    /// The first line of the README shows it.
    Met,
    /// It was not made.
    Unmet,
}

/// A model that makes these calls at once, ends, and judges.
pub(super) fn coder(calls: Vec<(&'static str, Value)>, says: JudgeSays) -> FakeServer {
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

pub(super) fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"path": path, "content": content}))
}

pub(super) fn led_by(server: &FakeServer, settings: &str) -> Studio {
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

pub(super) const IDEA: &str = "add a greeting to README.md";
const GREETED: &str = "# Users, hello\n";

pub(super) fn start(studio: &Studio) -> Ended {
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

pub(super) fn is_sealed(folder: &Path) -> bool {
    let branch = format!("gavel/build-{}", run_id().short());
    git(folder, &["ls-tree", "-r", "--name-only", &branch]).contains(".gavel/seal/")
}

pub(super) fn seal_text(studio: &Studio) -> String {
    let seal = studio.bench.json(&["seal", "verify"]);
    assert_eq!(seal["valid"], true, "{seal}");
    seal.to_string()
}

pub(super) fn users_with(studio: &Studio, more: &[(&str, &str)]) -> PathBuf {
    let all = [&users()[..], more].concat();
    project(studio, &all)
}

/// The library with one more test, which is empty.
fn with_empty_test(name: &str) -> String {
    let source = users()[2].1;
    let at = source.rfind("}\n").unwrap();
    format!("{}\n    #[test]\n    fn {name}() {{}}\n}}\n", &source[..at])
}

#[test]
fn an_empty_test_with_the_name_of_a_criterion_does_not_replace_the_judge() {
    for name in ["change_made", "tests_still_pass"] {
        let calls = vec![
            write("README.md", "# Users\n\nNothing of what was asked.\n"),
            write("src/lib.rs", &with_empty_test(name)),
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
