//! Each recipe once for real: the runner in the sandbox, without network.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must stop")]

use std::fs;
use std::path::Path;

use gavel_domain::VerifyVerdict;
use gavel_workspace::{
    Counts, NodeInstall, NodeManager, Recipe, RecipeFound, RepoDir, ScriptRunner, TestFolder,
    Toolchains, TreeRoot, Verification, VerifyPlan, VerifyReason, find_recipe, verify,
};
use tokio_util::sync::CancellationToken;

use crate::room::{Room, rust_toolchain};

fn found(room: &Room) -> Vec<Recipe> {
    let tree = TreeRoot::open(&room.tree()).unwrap();
    let files = tree.walk(&RepoDir::ROOT, 1000).unwrap().into();
    match find_recipe(&tree, &files) {
        RecipeFound::Found(recipes) => recipes.tests,
        RecipeFound::None
        | RecipeFound::NoTests
        | RecipeFound::Unseen(_)
        | RecipeFound::Unusable(_) => Vec::new(),
    }
}

async fn verified(room: &Room, recipe: Recipe) -> Verification {
    assert_eq!(found(room), std::slice::from_ref(&recipe));
    let plan = VerifyPlan {
        recipe,
        cache: room.cache(),
        policy: room.policy(),
        lock: room.lock(),
        cancel: CancellationToken::new(),
    };
    verify(&room.commands(room.walls), &plan).await.unwrap()
}

fn write(room: &Room, name: &str, text: &str) {
    let path = room.tree().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
    Counts {
        passed,
        failed,
        skipped,
    }
}

const UNITTEST: Recipe = Recipe::Unittest {
    folder: TestFolder::Root,
};

const fn npm(install: NodeInstall) -> Recipe {
    Recipe::NodeScript {
        manager: NodeManager::Npm,
        install,
        runner: ScriptRunner::Unknown,
    }
}

#[track_caller]
fn check(seen: &Verification, reason: VerifyReason, expected: Counts) {
    let judgement = &seen.judgement;
    let output = &seen.outcome.output.text;
    assert_eq!(
        (judgement.reason, judgement.counts),
        (reason, expected),
        "{output}"
    );
}

/// A workspace of its own: these tests run below Gavel's, which Landlock forbids to read but not to
/// find. Cargo's configuration files above are found too, and therefore opened.
const MANIFEST: &str = "[workspace]\n[package]\nname = \"demo\"\nedition = \"2021\"\n";

#[tokio::test]
async fn a_rust_project_is_verified_in_the_sandbox() {
    for mut room in Room::each().await {
        room.toolchains = rust_toolchain();
        let above = |folder: &Path| folder.join(".cargo/config.toml");
        let files = room.tree().ancestors().map(above).collect::<Vec<_>>();
        room.toolchains.folders.extend(files);
        room.limits.wall_ms = 120_000;
        write(&room, "Cargo.toml", MANIFEST);
        write(
            &room,
            "src/lib.rs",
            "/// ```\n/// assert_eq!(demo::one(), 1);\n/// ```\npub fn one() -> u32 { 1 }\n\
             #[test] fn a() { assert_eq!(one(), 1); }\n#[test] #[ignore] fn b() {}\n",
        );
        let seen = verified(&room, Recipe::Cargo { locked: false }).await;
        check(&seen, VerifyReason::AllPassed, counts(2, 0, 1));
        assert_eq!(seen.judgement.verdict(), VerifyVerdict::Passed);
        write(
            &room,
            "tests/c.rs",
            "#[test] fn c() { assert_eq!(demo::one(), 2); }\n",
        );
        let seen = verified(&room, Recipe::Cargo { locked: true }).await;
        check(&seen, VerifyReason::TestsFailed, counts(2, 1, 1));
        write(&room, "tests/c.rs", "fn c( {\n");
        let seen = verified(&room, Recipe::Cargo { locked: true }).await;
        check(&seen, VerifyReason::DidNotRun, counts(0, 0, 0));
    }
}

#[tokio::test]
async fn a_node_project_is_verified_in_the_sandbox() {
    let (manager, install) = (NodeManager::Npm, NodeInstall::Nothing);
    let node_test = Recipe::NodeTest { manager, install };
    for room in Room::each().await {
        write(&room, "package.json", "{}");
        assert_eq!(found(&room), []);
        write(&room, "a.test.js", "");
        let seen = verified(&room, node_test.clone()).await;
        // To node, a file that ends well is a test.
        check(&seen, VerifyReason::AllPassed, counts(1, 0, 0));
        let passing = "require('node:test')('a', () => {});\n";
        write(&room, "a.test.js", passing);
        let seen = verified(&room, node_test.clone()).await;
        check(&seen, VerifyReason::AllPassed, counts(1, 0, 0));
        // The same through the project's own script, and a failure.
        write(
            &room,
            "package.json",
            r#"{"scripts":{"test":"node --test"}}"#,
        );
        let failing = "require('node:test')('b', () => { throw 1 });\n";
        write(&room, "b.test.js", failing);
        let seen = verified(&room, npm(install)).await;
        check(&seen, VerifyReason::TestsFailed, counts(1, 1, 0));
    }
}

#[tokio::test]
async fn a_python_project_is_verified_in_the_sandbox() {
    for room in Room::each().await {
        let head = "import unittest\nclass A(unittest.TestCase):\n";
        write(
            &room,
            "test_a.py",
            &format!("{head}    def test_a(self): pass\n"),
        );
        let seen = verified(&room, UNITTEST).await;
        check(&seen, VerifyReason::AllPassed, counts(1, 0, 0));
        write(
            &room,
            "test_b.py",
            &format!("{head}    def test_b(self): self.fail()\n"),
        );
        let seen = verified(&room, UNITTEST).await;
        check(&seen, VerifyReason::TestsFailed, counts(1, 1, 0));
    }
}

#[tokio::test]
async fn tests_cannot_reach_the_network_or_the_world_outside() {
    for room in Room::each().await {
        let secret = room.outside().join("secret");
        let attempt = format!(
            "import unittest, socket\nclass A(unittest.TestCase):\n    \
             def test_read(self): open({secret:?}).read()\n    \
             def test_net(self): socket.create_connection(('192.0.2.1', 80), 3)\n"
        );
        write(&room, "test_a.py", &attempt);
        let seen = verified(&room, UNITTEST).await;
        check(&seen, VerifyReason::TestsFailed, counts(0, 2, 0));
        assert!(!seen.outcome.output.text.contains("outside secret"));
    }
}

#[tokio::test]
async fn dependencies_that_cannot_be_fetched_leave_the_verdict_open() {
    for mut room in Room::each().await {
        room.toolchains = Toolchains::default();
        let manifest = r#"{"scripts":{"test":"true"},"dependencies":{"x":"file:./missing"}}"#;
        write(&room, "package.json", manifest);
        write(&room, "package-lock.json", "{ not json");
        let seen = verified(&room, npm(NodeInstall::Locked)).await;
        check(&seen, VerifyReason::InstallFailed, counts(0, 0, 0));
        assert_eq!(seen.argv.to_string(), "npm ci --ignore-scripts");
    }
}
