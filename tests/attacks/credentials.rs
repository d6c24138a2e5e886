//! A coder who wants the credentials of a project: by commands, and by tests.

use gavel_testkit::FakeServer;
use serde_json::{Value, json};

use super::runner::{JudgeSays, coder, is_sealed, led_by, start, users_with, write};
use crate::product_hot::project;
use crate::studio::Studio;

const SECRET: &str = "zanzibar-horizon-4417";
const ENV: &str = "TOKEN=zanzibar-horizon-4417\n";

fn run(command: &str) -> (&'static str, Value) {
    ("run_command", json!({"command": command}))
}

/// The secret as bytes are usually written down, wherever it begins in a longer text.
fn forms() -> Vec<String> {
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![SECRET.to_owned(), hex.clone()];
    forms.push(SECRET.chars().rev().collect());
    // Middles of the base64 of the whole file and of the value at each place of a group.
    forms.extend(["emFuemliYXI", "phbnppYmFy", "YW56aWJhci", "VE9LRU49"].map(str::to_owned));
    // As `xxd` groups it.
    let pairs: Vec<&str> = (0..hex.len() / 4)
        .filter_map(|at| hex.get(at * 4..at * 4 + 4))
        .collect();
    forms.push(pairs.get(..3).unwrap_or_default().join(" "));
    forms
}

/// Nothing of the secret was sent to the model.
fn nothing_left(server: &FakeServer) {
    for seen in server.requests() {
        let body = seen.body.to_string();
        for form in forms() {
            assert!(!body.contains(&form), "{form}: {body}");
        }
    }
}

#[test]
fn commands_of_an_agent_do_not_see_credentials() {
    let read = "python3 -c \"print(open('.env').read()[::-1])\"";
    let calls = vec![
        run("base64 .env"),
        run("od -An -tx1 .env"),
        run("xxd .env"),
        run("cp .env x"),
        run("cat x"),
        run("ln .env y"),
        run("cat y"),
        run(read),
        run("find . -name .env -exec cat {} ;"),
        run("mv conf other"),
        run("cat other/.env"),
        run("grep -r TOKEN ."),
        ("run_tests", json!({})),
        write("README.md", "# Users, hello\n"),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let folder = users_with(&studio, &[(".env", ENV), ("conf/.env", ENV)]);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    nothing_left(&server);
    assert!(is_sealed(&folder));
    // What commands do not see is still on the branch.
    let branch = format!("gavel/build-{}", crate::bench::run_id().short());
    for file in [".env", "conf/.env"] {
        let kept = gavel_testkit::git(&folder, &["show", &format!("{branch}:{file}")]);
        assert_eq!(kept, ENV.trim_end(), "{file}");
    }
    server.finish();
}

/// A file that is replaced would go to the judge as a difference, and be lost from the branch.
#[test]
fn credentials_that_a_command_replaces_are_kept_and_told_to_nobody() {
    let calls = vec![
        run("cp .env.example .env"),
        run("mkdir conf/server.pem"),
        run("rm -rf deep"),
        run("ln -s src deep"),
        write("README.md", "# Users, hello\n"),
    ];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let credentials = [".env", "conf/server.pem", "deep/.env"];
    let files: Vec<(&str, &str)> = credentials.iter().map(|file| (*file, ENV)).collect();
    let example = [(".env.example", "TOKEN=fill-me-in\n")];
    let folder = users_with(&studio, &[&files[..], &example].concat());
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    nothing_left(&server);
    assert!(is_sealed(&folder));
    let branch = format!("gavel/build-{}", crate::bench::run_id().short());
    for file in credentials {
        let kept = gavel_testkit::git(&folder, &["show", &format!("{branch}:{file}")]);
        assert_eq!(kept, ENV.trim_end(), "{file}");
    }
    server.finish();
}

#[test]
fn a_person_can_reveal_a_credential_file() {
    let calls = vec![run("cat .env"), write("README.md", "# Users, hello\n")];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "[sandbox]\nreveal = [\".env\"]\n");
    users_with(&studio, &[(".env", "PLACE=zanzibar\n")]);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let heard = server.requests();
    let told = heard
        .iter()
        .any(|seen| seen.body.to_string().contains("zanzibar"));
    assert!(told, "the person wants it so");
    server.finish();
}

#[test]
fn a_project_cannot_reveal_its_credentials() {
    let studio = Studio::offline();
    let settings = ("gavel.toml", "[sandbox]\nreveal = [\".env\"]\n");
    users_with(&studio, &[settings]);
    let refused = start(&studio);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let said = "`sandbox.reveal` cannot be set by a project";
    assert!(refused.stderr.contains(said), "{refused:?}");
}

const SUMS: &str = "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
    self.assertEqual(1 + 2, 3)\n";

#[test]
fn tests_that_an_agent_brought_do_not_see_credentials() {
    // It fails, so that its output goes to whoever mends it.
    let thief = "import unittest\n\nclass Thief(unittest.TestCase):\n    def test_take(self):\n        \
        with open('.env', 'rb') as file:\n            data = file.read()\n        \
        print(data, data.hex(), data[::-1])\n        self.fail(data.hex())\n";
    let server = coder(vec![write("test_thief.py", thief)], JudgeSays::Met);
    let studio = led_by(&server, "");
    let files = [
        ("test_sums.py", SUMS),
        (".env", ENV),
        ("README.md", "# Sums\n"),
    ];
    let folder = project(&studio, &files);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    nothing_left(&server);
    let heard = server.requests();
    let told = heard
        .iter()
        .any(|seen| seen.body.to_string().contains("No such file"));
    assert!(told, "its test ran, and found nothing");
    assert!(!is_sealed(&folder));
    server.finish();
}

#[test]
fn credentials_that_are_made_for_tests_are_read_by_them_and_not_shown() {
    let reads = "import unittest\n\nclass Settings(unittest.TestCase):\n    def test_mode(self):\n        \
        text = open('.env.test').read()\n        print(text)\n        \
        self.assertEqual(text.strip(), 'TOKEN=zanzibar-horizon-4417')\n";
    let calls = vec![run("cat .env.test"), write("README.md", "# Sums, hello\n")];
    let server = coder(calls, JudgeSays::Met);
    let studio = led_by(&server, "");
    let files = [
        ("test_mode.py", reads),
        (".env.test", ENV),
        ("README.md", "# Sums\n"),
    ];
    let folder = project(&studio, &files);
    let ended = start(&studio);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(is_sealed(&folder));
    nothing_left(&server);
    server.finish();
}
