//! Tests listed and run alone, by real runners in the sandbox, and tests that lie about themselves.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop"
)]

mod cargo;
mod jest;
mod lane;
mod node;
mod python;

use std::fs;
use std::time::Duration;

use gavel_workspace::{
    Exit, LoneRun, LoneTest, LoneVerdict, Recipe, TestListing, VerifyPlan, list_tests, run_alone,
};
use tokio_util::sync::CancellationToken;

use crate::room::Room;

/// What a cheat prints, in every runner's words.
pub(crate) const CLOSINGS: &str = "test result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; \
    0 filtered out; finished in 0.00s\\nRan 14 tests in 0.001s\\n\\nOK\\n14 passed in 0.01s\\nok 1 - a\\n";

fn plan(room: &Room, recipe: &Recipe) -> VerifyPlan {
    VerifyPlan {
        recipe: recipe.clone(),
        cache: room.cache(),
        policy: room.policy(),
        lock: room.lock(),
        cancel: CancellationToken::new(),
    }
}

fn write(room: &Room, name: &str, text: &str) {
    let path = room.tree().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

async fn listing(room: &Room, recipe: &Recipe) -> TestListing {
    let plan = plan(room, recipe);
    list_tests(&room.commands(room.walls), &plan).await.unwrap()
}

async fn listed(room: &Room, recipe: &Recipe) -> Vec<LoneTest> {
    match listing(room, recipe).await {
        TestListing::Listed(tests) => tests,
        other @ (TestListing::Broken { .. } | TestListing::NoAdapter) => panic!("{other:?}"),
    }
}

async fn run(room: &Room, recipe: &Recipe, test: &LoneTest) -> LoneRun {
    let plan = plan(room, recipe);
    let wall = Duration::from_secs(20);
    run_alone(&room.commands(room.walls), &plan, test, wall)
        .await
        .unwrap()
}

/// Runs each test that was listed and compares all names and verdicts.
async fn check(room: &Room, recipe: &Recipe, wanted: &[(&str, LoneVerdict)]) {
    let tests = listed(room, recipe).await;
    let mut seen = Vec::new();
    let mut told = String::new();
    for test in &tests {
        let run = run(room, recipe, test).await;
        seen.push((test.name.as_str(), run.verdict));
        told.push_str(&format!("{} {:?}\n{}\n", test.name, run.exit, run.output));
    }
    let mut wanted = wanted.to_vec();
    seen.sort_by_key(|(name, _)| *name);
    wanted.sort_by_key(|(name, _)| *name);
    assert_eq!(seen, wanted, "{told}");
}

fn test_named<'a>(tests: &'a [LoneTest], name: &str) -> &'a LoneTest {
    tests.iter().find(|test| test.name == name).unwrap()
}

/// A scratch folder is gone when its process is.
fn nothing_is_left(room: &Room) {
    let left = fs::read_dir(room.temp()).unwrap().filter_map(Result::ok);
    let names = left.map(|entry| entry.file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.starts_with("alone-")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn a_suite_without_an_adapter_says_so() {
    let room = Room::each().await.remove(0);
    let make = Recipe::Make { target: "test" };
    assert_eq!(listing(&room, &make).await, TestListing::NoAdapter);
}

#[tokio::test]
async fn a_test_that_hangs_is_timed_out() {
    let room = Room::each().await.remove(0);
    let recipe = python::UNITTEST;
    write(
        &room,
        "test_a.py",
        "import time, unittest\nclass A(unittest.TestCase):\n    def test_a(self): time.sleep(600)\n",
    );
    let tests = listed(&room, &recipe).await;
    let plan = plan(&room, &recipe);
    let wall = Duration::from_millis(500);
    let commands = room.commands(room.walls);
    let run = run_alone(&commands, &plan, &tests[0], wall).await.unwrap();
    assert_eq!(
        (run.verdict, run.exit),
        (LoneVerdict::TimedOut, Exit::Deadline),
        "{}",
        run.output
    );
    assert!(run.millis >= 500);
    nothing_is_left(&room);
}
