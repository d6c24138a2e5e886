//! `node --test`, by itself and from a script.

use gavel_workspace::{
    Exit, LoneVerdict, NodeInstall, NodeManager, Recipe, ScriptRunner, TestListing,
};

use super::{CLOSINGS, check, listed, listing, nothing_is_left, run, test_named, write};
use crate::room::Room;

use LoneVerdict::{Failed, NotExecuted, Passed};

const NODE: Recipe = Recipe::NodeTest {
    manager: NodeManager::Npm,
    install: NodeInstall::Nothing,
};
const SCRIPT: Recipe = Recipe::NodeScript {
    manager: NodeManager::Npm,
    install: NodeInstall::Nothing,
    runner: ScriptRunner::Unknown,
};

const FILE: &str = r"const { test, describe, it } = require('node:test');
const assert = require('node:assert');
test('good', () => assert.equal(1, 1));
test('bad', () => assert.equal(1, 2));
test('goods', () => assert.equal(1, 2));
test('skipped', { skip: true }, () => {});
test('to do', { todo: true }, () => assert.equal(1, 2));
describe('outer (1)', () => {
  it('in a', () => {});
  describe('deep', () => { it('b [x] $y /z', () => {}); it('bad too', () => assert.fail()); });
});
test('parent', async (t) => {
  await t.test('child', () => {});
  await t.test('other', () => {});
});
for (const n of [1, 2]) test('twice', () => assert.ok(n));
for (const n of [1, 0]) test('once', () => assert.ok(n));
";

const WANTED: [(&str, LoneVerdict); 13] = [
    ("good", Passed),
    ("bad", Failed),
    ("goods", Failed),
    ("skipped", NotExecuted),
    ("to do", NotExecuted),
    ("outer (1)::in a", Passed),
    ("outer (1)::deep::b [x] $y /z", Passed),
    ("outer (1)::deep::bad too", Failed),
    ("parent", Passed),
    ("parent::child", Passed),
    ("parent::other", Passed),
    ("twice", Passed),
    ("once", Failed),
];

#[tokio::test]
async fn tests_of_node_run_alone() {
    for room in Room::each().await {
        write(&room, "package.json", "{}");
        write(&room, "a.test.js", FILE);
        // To node, a file without tests is one; here it is none.
        write(&room, "b.test.js", "console.log('ok 1 - good');\n");
        check(&room, &NODE, &WANTED).await;
        nothing_is_left(&room);
    }
}

#[tokio::test]
async fn a_process_that_ends_early_executed_nothing() {
    let room = Room::each().await.remove(0);
    write(&room, "package.json", "{}");
    let honest = "require('node:test')('a', () => {});\n";
    write(&room, "a.test.js", honest);
    let tests = listed(&room, &NODE).await;
    let test = test_named(&tests, "a");
    assert_eq!(run(&room, &NODE, test).await.verdict, Passed);
    for body in [
        "process.exit(0)".to_owned(),
        format!("require('fs').writeSync(1, '{CLOSINGS}'); process.exit(0)"),
        "require('fs').writeSync(1, 'TAP version 13\\nok 1 - a\\n'); process.exit(0)".to_owned(),
    ] {
        write(
            &room,
            "a.test.js",
            &format!("require('node:test')('a', () => {{ {body} }});\n"),
        );
        let seen = run(&room, &NODE, test).await;
        assert_eq!(seen.verdict, NotExecuted, "{body} {}", seen.output);
    }
    // Another name, and the same one in another place.
    for text in [
        "require('node:test')('b', () => {});\n",
        "require('node:test').describe('x', () => { require('node:test')('a', () => {}); });\n",
    ] {
        write(&room, "a.test.js", text);
        let seen = run(&room, &NODE, test).await;
        assert_eq!(
            (seen.verdict, seen.exit),
            (NotExecuted, Exit::Code(0)),
            "{text}"
        );
    }
    write(&room, "a.test.js", "syntax error(\n");
    assert_eq!(run(&room, &NODE, test).await.verdict, Failed);
}

/// Looks for the report from the process of a file, and writes to it.
const FORGER: &str = r#"const fs = require('fs'), path = require('path');
require('node:test')('a', () => {
  const words = fs.readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0');
  const destination = words.find((word) => word.includes('destination=')).split('=')[1];
  const found = fs.readdirSync(path.dirname(destination));
  if (found.includes('reporter.mjs')) throw new Error(`the reporter can be read: ${found}`);
  const line = { kind: 'pass', name: 'a', nesting: 0, file: __filename, open: false, suite: false };
  fs.appendFileSync(destination, `${JSON.stringify(line)}\n{"kind":"end"}\n`);
  process.exit(0);
});
"#;

#[tokio::test]
async fn a_report_that_a_file_writes_is_not_believed() {
    let room = Room::each().await.remove(0);
    write(&room, "package.json", "{}");
    write(&room, "a.test.js", "require('node:test')('a', () => {});\n");
    let tests = listed(&room, &NODE).await;
    write(&room, "a.test.js", FORGER);
    let seen = run(&room, &NODE, test_named(&tests, "a")).await;
    assert_eq!(seen.verdict, NotExecuted, "{}", seen.output);
}

#[tokio::test]
async fn a_script_that_calls_node_is_read() {
    let room = Room::each().await.remove(0);
    let passing = "require('node:test')('a', () => { if (!process.env.MODE) throw 1; });\n";
    write(&room, "checks/one.js", passing);
    write(
        &room,
        "checks/two.js",
        "require('node:test')('b', () => {});\n",
    );
    for (script, wanted) in [
        (
            "MODE=x node --test checks/*.js",
            &[("a", Passed), ("b", Passed)][..],
        ),
        (
            "node --no-warnings --test 'checks/one.js'",
            &[("a", Failed)],
        ),
        (
            "echo built > out && node --test checks/two.js",
            &[("b", Passed)],
        ),
    ] {
        let manifest = format!(r#"{{"scripts":{{"test":"{script}"}}}}"#);
        write(&room, "package.json", &manifest);
        check(&room, &SCRIPT, wanted).await;
    }
    assert!(room.tree().join("out").exists());
    for script in [
        "node run.js --test",
        "mocha",
        "echo '# pass 14'",
        "node --test | cat",
    ] {
        let manifest = format!(r#"{{"scripts":{{"test":"{script}"}}}}"#);
        write(&room, "package.json", &manifest);
        let seen = listing(&room, &SCRIPT).await;
        assert_eq!(seen, TestListing::NoAdapter, "{script}");
    }
}

#[tokio::test]
async fn attacks_tests_of_newer_nodes_run_alone() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for version in ["node@22", "node@24"] {
        let mut room = Room::each().await.remove(0);
        crate::managers::with_npm(&mut room, version);
        write(&room, "package.json", "{}");
        write(&room, "a.test.js", FILE);
        write(&room, "b.test.js", "console.log('ok 1 - good');\n");
        check(&room, &NODE, &WANTED).await;
        write(&room, "a.test.js", "require('node:test')('a', () => {});\n");
        let tests = listed(&room, &NODE).await;
        let early = "require('node:test')('a', () => process.exit(0));\n";
        for cheat in [early, FORGER] {
            write(&room, "a.test.js", cheat);
            let seen = run(&room, &NODE, test_named(&tests, "a")).await;
            assert_ne!(seen.verdict, Passed, "{version} {}", seen.output);
        }
    }
}
