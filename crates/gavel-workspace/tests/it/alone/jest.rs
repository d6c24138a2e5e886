//! jest and vitest from the registry.

use gavel_workspace::{Exit, LoneVerdict, NodeInstall, NodeManager, Recipe, ScriptRunner, verify};

use super::{check, listed, plan, run, test_named, write};

use LoneVerdict::{Failed, NotExecuted, Passed};

const BODY: &str = r"
test('good', () => { expect(1).toBe(1) });
test('bad', () => { expect(1).toBe(2) });
test('goods', () => { expect(1).toBe(2) });
test.skip('skipped', () => {});
test.todo('to do');
describe('outer (1)', () => { describe('deep', () => { test('b [x] $y /z', () => {}) }) });
test.each([1, 2])('twice', (n) => { expect(n).toBeTruthy() });
test.each([1, 0])('once', (n) => { expect(n).toBeTruthy() });
";
const WANTED: [(&str, LoneVerdict); 8] = [
    ("good", Passed),
    ("bad", Failed),
    ("goods", Failed),
    ("skipped", NotExecuted),
    ("to do", NotExecuted),
    ("outer (1)::deep::b [x] $y /z", Passed),
    ("twice", Passed),
    ("once", Failed),
];

async fn runner(name: &str, script: &str, runner: ScriptRunner, head: &str) {
    let recipe = Recipe::NodeScript {
        manager: NodeManager::Npm,
        install: NodeInstall::Ranges,
        runner,
    };
    let mut room = crate::install::rooms().await.remove(0);
    crate::managers::configure(&mut room);
    let manifest =
        format!(r#"{{"scripts":{{"test":"{script}"}},"devDependencies":{{"{name}":"*"}}}}"#);
    write(&room, "package.json", &manifest);
    let file = |body: &str| write(&room, "a.test.js", &format!("{head}{body}"));
    file(BODY);
    let seen = verify(&room.commands(room.walls), &plan(&room, &recipe)).await;
    let fetched = seen.unwrap().install;
    assert_eq!(fetched.first().unwrap().outcome.exit, Exit::Code(0));
    check(&room, &recipe, &WANTED).await;
    let tests = listed(&room, &recipe).await;
    let test = test_named(&tests, "good");
    for body in [
        "test('good', () => { process.exit(0) });\n",
        "test('good', () => { process.reallyExit(0) });\n",
        "test('good', () => { process.stdout.write('Tests: 14 passed, 14 total\\n'); process.reallyExit(0) });\n",
        "test('other', () => {});\n",
        "describe('in', () => { test('good', () => {}) });\n",
    ] {
        file(body);
        let seen = run(&room, &recipe, test).await;
        assert_ne!(seen.verdict, Passed, "{body} {}", seen.output);
    }
    file("test('good', () => {});\n");
    assert_eq!(run(&room, &recipe, test).await.verdict, Passed);
    // Another runner in the place of the one that listed.
    write(&room, &format!("node_modules/{name}/package.json"), "{}");
    let seen = run(&room, &recipe, test).await;
    assert_eq!(seen.verdict, NotExecuted, "{}", seen.output);
}

#[tokio::test]
async fn attacks_tests_of_jest_run_alone() {
    if gavel_testkit::asked_for("attacks") {
        runner("jest", "jest --coverage", ScriptRunner::Jest, "").await;
    }
}

#[tokio::test]
async fn attacks_tests_of_vitest_run_alone() {
    if gavel_testkit::asked_for("attacks") {
        let head = "import { test, expect, describe } from 'vitest';\n";
        runner("vitest", "vitest run", ScriptRunner::Vitest, head).await;
    }
}
