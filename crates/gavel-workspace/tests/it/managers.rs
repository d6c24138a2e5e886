//! Package managers against the public registries: a project that behaves, and one that tries to run
//! code while there is a network. They are fetched for it, which takes a while: asked for by
//! `cargo xtask test --with attacks`.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gavel_workspace::{
    NodeInstall, NodeManager, PythonInstall, Recipe, ScriptRunner, VerifyReason, registries_of,
};

use crate::install::{reached_hosts, refused, rooms, spy, telltale, told, verified, write};
use crate::room::{Room, text};

/// A folder of programs that came from a registry, outside of every sandbox.
pub(crate) fn fetched(name: &str, words: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("managers")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    let (program, rest) = words.split_first().unwrap();
    let done = Command::new(program)
        .args(rest)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    folder.canonicalize().unwrap()
}

pub(crate) fn with_npm(room: &mut Room, package: &str) {
    let folder = fetched(package, &["npm", "install", "--prefix", ".", package]);
    room.toolchains.path = vec![folder.join("node_modules/.bin")];
    room.toolchains.folders = vec![folder];
}

/// Configured as whoever runs the tests is, files of the home left out.
pub(crate) fn configure(room: &mut Room) {
    let found = registries_of(&|name| std::env::var(name).ok(), &|_| None);
    room.toolchains.env = found.env;
    room.toolchains.registries = found.registries;
    room.limits.wall_ms = 300_000;
}

const fn script(manager: NodeManager) -> Recipe {
    Recipe::NodeScript {
        manager,
        install: NodeInstall::Ranges,
        runner: ScriptRunner::Unknown,
    }
}

const NODE_TEST: &str = "require('node:test')('a', () => { require('left-pad'); });\n";

/// A Node project whose own scripts and settings try to tell the spy.
fn node_project(room: &Room, spy: u16) {
    write(
        room,
        "package.json",
        r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test","postinstall":"node tell.js"},"dependencies":{"left-pad":"1.3.0"}}"#,
    );
    write(room, "tell.js", &telltale(spy, "own-ran"));
    write(room, "a.test.js", NODE_TEST);
}

type Files<'a> = &'a [(&'a str, &'a str)];

/// Verifies with the hostile files, and then without them and with the one that is kept.
async fn node_manager(
    package: &str,
    manager: NodeManager,
    hostile: Files<'_>,
    kept: Option<(&str, &str)>,
) {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        configure(&mut room);
        with_npm(&mut room, package);
        let spy = spy();
        node_project(&room, spy.port());
        for (name, words) in hostile {
            let loaded = telltale(spy.port(), text(&room.tree().join("loaded")));
            write(&room, name, &words.replace("CODE", &loaded));
        }
        let seen = verified(&room, script(manager)).await;
        let fetch = seen.install.first().unwrap();
        assert_eq!(fetch.outcome.exit.code(), Some(0), "{}", told(&seen));
        assert_eq!(
            (spy.asked(), refused(&seen)),
            (Vec::new(), Vec::new()),
            "{}",
            told(&seen)
        );
        // What runs later may load what the tree names. There is no network then.
        let loaded = fs::read_to_string(room.tree().join("loaded")).unwrap_or_default();
        assert!(!loaded.contains("http"), "{loaded} {}", told(&seen));
        for (name, _) in hostile {
            fs::remove_file(room.tree().join(name)).unwrap();
        }
        if let Some((name, words)) = kept {
            write(&room, name, words);
        }
        let seen = verified(&room, script(manager)).await;
        assert_eq!(
            seen.judgement.reason,
            VerifyReason::AllPassed,
            "{}",
            told(&seen)
        );
        let hosts = reached_hosts(&seen);
        let known = ["registry.npmjs.org", "registry.yarnpkg.com"];
        assert!(
            hosts.iter().all(|host| known.contains(&host.as_str())),
            "{hosts:?}"
        );
        let own = fs::read_to_string(room.tree().join("own-ran")).unwrap();
        assert!(
            own.contains("offline") && !own.contains("http"),
            "{own} {}",
            told(&seen)
        );
        assert_eq!((spy.asked(), refused(&seen)), (Vec::new(), Vec::new()));
    }
}

#[tokio::test]
async fn pnpm_fetches_without_its_hooks_file() {
    let hostile = [(".pnpmfile.cjs", "CODE\nmodule.exports = { hooks: {} };\n")];
    node_manager("pnpm", NodeManager::Pnpm, &hostile, None).await;
}

#[tokio::test]
async fn classic_yarn_does_not_start_the_program_that_the_tree_names() {
    let hostile = [
        (".yarnrc", "yarn-path \"./evil.js\"\n"),
        ("evil.js", "CODE"),
    ];
    node_manager("yarn@1", NodeManager::Yarn, &hostile, None).await;
}

#[tokio::test]
async fn newer_yarn_loads_neither_program_nor_plugins_of_the_tree() {
    let hostile = [
        (
            ".yarnrc.yml",
            "nodeLinker: node-modules\nyarnPath: ./evil.cjs\nplugins:\n  - ./plugin.cjs\n",
        ),
        ("evil.cjs", "CODE"),
        (
            "plugin.cjs",
            "CODE\nmodule.exports = { name: 'p', factory: () => ({}) };\n",
        ),
    ];
    let kept = (".yarnrc.yml", "nodeLinker: node-modules\n");
    node_manager("@yarnpkg/cli-dist", NodeManager::Yarn, &hostile, Some(kept)).await;
}

#[tokio::test]
async fn bun_asks_no_program_of_the_tree() {
    let hostile = [
        (
            "bunfig.toml",
            "preload = [\"./evil.js\"]\n[install.security]\nscanner = \"./evil.js\"\n",
        ),
        ("evil.js", "CODE"),
    ];
    node_manager("bun", NodeManager::Bun, &hostile, None).await;
}

const PY_TEST: &str = "import six, demo\ndef test_a(): assert six.PY3 and demo.X == 1\n";

/// A Python project whose tree holds what a careless Python would load.
fn python_project(room: &Room, manifest: &str) {
    write(room, "pyproject.toml", manifest);
    write(room, "demo/__init__.py", "X = 1\n");
    write(room, "tests/test_a.py", PY_TEST);
    let shadow = "open('shadow-ran', 'w').close()\n";
    for name in ["pip/__main__.py", "sitecustomize.py", ".venv/bin/python"] {
        write(room, name, shadow);
    }
}

async fn python_manager(room: &Room, install: PythonInstall) {
    let seen = verified(room, Recipe::Pytest { install }).await;
    assert_eq!(
        seen.judgement.reason,
        VerifyReason::AllPassed,
        "{}",
        told(&seen)
    );
    let known = ["pypi.org", "files.pythonhosted.org"];
    let hosts = reached_hosts(&seen);
    assert!(
        hosts.iter().all(|host| known.contains(&host.as_str())),
        "{hosts:?}"
    );
    assert_eq!(refused(&seen), []);
}

#[tokio::test]
async fn pip_fetches_for_a_project_of_setuptools() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        configure(&mut room);
        let manifest = "[build-system]\nrequires = [\"setuptools>=64\"]\nbuild-backend = \"setuptools.build_meta\"\n\
            [project]\nname = \"demo\"\nversion = \"1.0\"\ndependencies = [\"six\"]\n[tool.setuptools]\npackages = [\"demo\"]\n";
        python_project(&room, manifest);
        python_manager(&room, PythonInstall::Project).await;
    }
}

#[tokio::test]
async fn poetry_projects_are_filled_by_their_lock() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        configure(&mut room);
        let manifest = "[build-system]\nrequires = [\"poetry-core\"]\nbuild-backend = \"poetry.core.masonry.api\"\n\
            [tool.poetry]\nname = \"demo\"\nversion = \"1.0\"\ndescription = \"\"\nauthors = []\npackages = [{ include = \"demo\" }]\n\
            [tool.poetry.dependencies]\npython = \">=3.9\"\nsix = \"^1.16\"\n[tool.poetry.requires-plugins]\nevil = \">=1\"\n";
        python_project(&room, manifest);
        write(
            &room,
            "poetry.lock",
            "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n",
        );
        python_manager(&room, PythonInstall::Poetry { has_runner: false }).await;
        let seen = room
            .run([
                text(&room.cache().join("venv/bin/python")),
                "-c",
                "import six; print(six.__version__)",
            ])
            .await;
        assert_eq!(seen.output.text, "1.16.0\n");
    }
}

#[tokio::test]
async fn uv_syncs_without_network_from_what_it_fetched() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    for mut room in rooms().await {
        configure(&mut room);
        let folder = fetched(
            "uv",
            &[
                "python3", "-m", "pip", "install", "--quiet", "--target", ".", "uv",
            ],
        );
        room.toolchains.path = vec![folder.join("bin")];
        room.toolchains.folders = vec![folder.clone()];
        let manifest = "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n\
            [project]\nname = \"demo\"\nversion = \"1.0\"\nrequires-python = \">=3.9\"\ndependencies = [\"six\"]\n";
        python_project(&room, manifest);
        fs::remove_dir_all(room.tree().join(".venv")).unwrap();
        let locked = Command::new(folder.join("bin/uv"))
            .args(["lock", "--native-tls"])
            .current_dir(room.tree())
            .output()
            .unwrap();
        assert!(
            locked.status.success(),
            "{}",
            String::from_utf8_lossy(&locked.stderr)
        );
        python_manager(&room, PythonInstall::Uv { has_runner: false }).await;
    }
}
