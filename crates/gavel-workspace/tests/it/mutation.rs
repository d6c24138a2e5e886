//! Faults planted in real projects, which are built and run: off, on, neutral, watched.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that cannot be set up must stop"
)]

mod node;
mod python;
mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use gavel_domain::Digest;
use gavel_workspace::{
    Alarms, Exclusions, Fault, FaultKind, PlantRequest, PlantedTree, RepoPath, Switch,
};

/// A project in a folder of its own, and the folder for its switch.
struct Project {
    room: tempfile::TempDir,
    files: Vec<RepoPath>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let room = tempfile::tempdir().unwrap();
        fs::create_dir(room.path().join("control")).unwrap();
        for (path, text) in files {
            let path = room.path().join("tree").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let files = files.iter().map(|(path, _)| RepoPath::new(*path).unwrap());
        Self {
            files: files.collect(),
            room,
        }
    }

    fn folder(&self) -> PathBuf {
        self.room.path().join("tree")
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder().join(path)).unwrap()
    }

    fn plant(&self) -> PlantedTree {
        self.plant_with(&Exclusions::default(), "seed")
    }

    fn plant_with(&self, exclusions: &Exclusions, seed: &str) -> PlantedTree {
        PlantedTree::plant(&PlantRequest {
            folder: &self.folder(),
            files: &self.files,
            touched: &BTreeMap::new(),
            exclusions,
            control: &self.room.path().join("control"),
            seed: &Digest::of(seed),
            most: 500,
            alarms: Alarms::Left,
        })
        .unwrap()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(self.folder())
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("CARGO_TARGET_DIR", self.room.path().join("target"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap()
    }
}

/// The only fault of its kind in a function whose outcome holds these words.
fn fault<'a>(tree: &'a PlantedTree, function: &str, kind: FaultKind, after: &str) -> &'a Fault {
    let mut found = tree.faults().iter().filter(|fault| {
        let place = &fault.place;
        place.function == function && place.kind == kind && place.after.contains(after)
    });
    let first = found.next();
    first.unwrap_or_else(|| panic!("{function} has no {kind:?} with `{after}`"))
}

/// What one run of the tests shows, with the switch in one position.
struct Seen {
    passed: bool,
    reached: bool,
}

fn seen(tree: &PlantedTree, switch: Switch<'_>, fault: &Fault, test: &dyn Fn() -> bool) -> Seen {
    tree.set_switch(switch).unwrap();
    let passed = test();
    let reached = tree.executed().unwrap().contains(&fault.switch);
    Seen { passed, reached }
}

/// A test notices a fault: it reaches the place both times, and fails only when the fault is on.
fn assert_noticed(tree: &PlantedTree, fault: &Fault, test: &dyn Fn() -> bool) {
    let place = &fault.place;
    let neutral = seen(tree, Switch::Neutral(fault), fault, test);
    assert!(neutral.passed && neutral.reached, "neutral: {place:?}");
    let on = seen(tree, Switch::Fault(fault), fault, test);
    assert!(!on.passed && on.reached, "on: {place:?}");
}

/// With the switch off everything passes and nothing is written down; watched, places are.
fn assert_harmless(tree: &PlantedTree, test: &dyn Fn() -> bool) -> BTreeSet<u64> {
    tree.set_switch(Switch::Off).unwrap();
    assert!(test());
    assert_eq!(tree.executed().unwrap(), BTreeSet::new());
    tree.set_switch(Switch::Watch).unwrap();
    assert!(test());
    tree.executed().unwrap()
}

/// The number of lines stays, and with it what a message of the compiler points at.
fn assert_same_lines(planted: &str, original: &str) {
    assert_eq!(planted.lines().count(), original.lines().count());
    assert_ne!(planted, original);
}

fn text_of(output: &Output) -> String {
    let all = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&all).into_owned()
}
