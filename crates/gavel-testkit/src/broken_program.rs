//! A Rust program whose own tests are tried with faults, counted as a proof counts them: each test with
//! faults at places that it comes to, those that few other tests come to first, one of each function.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use gavel_domain::Digest;
use gavel_workspace::{
    Alarms, Exclusions, Fault, FaultKind, PlantRequest, PlantedTree, RepoPath, Switch,
};
use serde_json::Value;

/// How many faults each test is tried with, as `proof.mutants` says it.
const FAULTS: usize = 4;
/// A fault may keep a program from ending.
const WALL: Duration = Duration::from_secs(20);
/// How often faults are taken out that do not compile.
const BUILDS: usize = 7;
const MOST: usize = 1_200;

/// What the tests of a program make of every fault in it.
#[derive(Debug)]
pub struct BrokenProgram {
    tests: Vec<String>,
    faults: Vec<Fault>,
    /// The switches of the faults that each test comes to.
    reached: BTreeMap<String, BTreeSet<u64>>,
    /// The tests that fail with a fault, by its switch.
    noticed: BTreeMap<u64, BTreeSet<String>>,
}

/// How much of what is tried with one seed is caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaughtShare {
    /// In hundredths of what is tried.
    pub percent: usize,
    /// How many pairs of a test and a fault are tried.
    pub tried: usize,
}

impl BrokenProgram {
    /// Plants faults in all the files, and runs the tests of the target `tests` with each. `cargo` runs cargo
    /// in the folder.
    pub fn new(
        folder: &Path,
        files: &[&str],
        tests: &str,
        cargo: &dyn Fn(&[&str]) -> Output,
    ) -> Self {
        let control = tempfile::tempdir().unwrap();
        let paths = files.iter().map(|path| RepoPath::new(*path).unwrap());
        let mut tree = PlantedTree::plant(&PlantRequest {
            folder,
            files: &paths.collect::<Vec<_>>(),
            touched: &BTreeMap::new(),
            exclusions: &Exclusions::default(),
            control: control.path(),
            seed: &Digest::of("broken program"),
            most: MOST,
            alarms: Alarms::Left,
        })
        .unwrap();
        let runner = build(&mut tree, tests, cargo);
        tree.restore().unwrap();
        let runner = Runner {
            binary: &runner,
            folder,
        };
        tree.set_switch(Switch::Off).unwrap();
        let tests = runner.listed();
        let mut reached = BTreeMap::new();
        for test in &tests {
            tree.set_switch(Switch::Watch).unwrap();
            let passed = runner.passed(&[test, "--exact"]);
            assert!(passed.contains(test), "{test} fails without a fault");
            reached.insert(test.clone(), tree.executed().unwrap());
        }
        let mut noticed = BTreeMap::new();
        for fault in tree.faults() {
            if reached.values().any(|all| all.contains(&fault.switch)) {
                tree.set_switch(Switch::Fault(fault)).unwrap();
                let passed = runner.passed(&[]);
                let failed = tests.iter().filter(|test| !passed.contains(*test));
                noticed.insert(fault.switch, failed.cloned().collect());
            }
        }
        Self {
            faults: tree.faults().to_vec(),
            tests,
            reached,
            noticed,
        }
    }

    /// How many faults there are.
    pub fn faults(&self) -> usize {
        self.faults.len()
    }

    /// Those that no test notices, among them those that none comes to.
    pub fn unnoticed(&self) -> Vec<String> {
        let is_noticed = |fault: &&Fault| {
            let tests = self.noticed.get(&fault.switch);
            tests.is_none_or(BTreeSet::is_empty)
        };
        let mut all: Vec<String> = self.faults.iter().filter(is_noticed).map(line).collect();
        all.sort();
        all
    }

    /// What is caught of the faults that are tried where a run has this seed, and which are missed.
    pub fn caught(&self, seed: u64) -> (CaughtShare, Vec<String>) {
        let (mut tried, mut missed) = (0, Vec::new());
        for test in &self.tests {
            for fault in self.chosen(test, seed) {
                tried += 1;
                if !self.catches(test, fault) {
                    missed.push(format!("{test}: {}", line(fault)));
                }
            }
        }
        let percent = (tried - missed.len()) * 100 / tried.max(1);
        (CaughtShare { percent, tried }, missed)
    }

    fn catches(&self, test: &str, fault: &Fault) -> bool {
        let tests = self.noticed.get(&fault.switch);
        tests.is_some_and(|tests| tests.contains(test))
    }

    /// How many tests come to a place.
    fn shared(&self, fault: &Fault) -> usize {
        let all = self.reached.values();
        all.filter(|reached| reached.contains(&fault.switch))
            .count()
    }

    /// The faults that a test is tried with.
    fn chosen(&self, test: &str, seed: u64) -> Vec<&Fault> {
        let mut all = self.in_order(seed);
        let reached = self.reached.get(test).unwrap();
        all.retain(|fault| reached.contains(&fault.switch));
        all.sort_by_key(|fault| self.shared(fault));
        let mut seen = BTreeMap::<(&RepoPath, &str), usize>::new();
        let mut ranked: Vec<(usize, &Fault)> = Vec::new();
        for fault in all {
            let place = (&fault.place.file, fault.place.function.as_str());
            let times = seen.entry(place).or_default();
            ranked.push((*times, fault));
            *times += 1;
        }
        ranked.sort_by_key(|(round, _)| *round);
        let mut tried: Vec<&Fault> = Vec::new();
        for (_, fault) in ranked {
            let caught = tried.iter().any(|one| self.catches(test, one));
            let is_common = self.shared(fault) > self.tests.len() / 2;
            if caught && (tried.len() >= FAULTS || is_common) {
                break;
            }
            tried.push(fault);
        }
        tried
    }

    /// Each function in turn gives one: bodies, then conditions, then the rest.
    fn in_order(&self, seed: u64) -> Vec<&Fault> {
        let rank = |fault: &Fault| match fault.place.kind {
            FaultKind::EmptyBody | FaultKind::DefaultValue => 0,
            FaultKind::NegatedCondition | FaultKind::Boundary => 1,
            FaultKind::Equality
            | FaultKind::Logic
            | FaultKind::Arithmetic
            | FaultKind::DroppedStatement => 2,
        };
        let mut functions: BTreeMap<(&RepoPath, u32), Vec<&Fault>> = BTreeMap::new();
        for fault in &self.faults {
            let place = (&fault.place.file, *fault.place.function_lines.start());
            functions.entry(place).or_default().push(fault);
        }
        let mut ranked = Vec::new();
        for ((file, line), mut faults) in functions {
            let draw = Digest::of(format!("{seed} {file} {line}"));
            let chance = |fault: &Fault| Digest::of(format!("{seed} {}", fault.switch));
            faults.sort_by_key(|fault| (rank(fault), chance(fault)));
            let turns = faults.into_iter().enumerate();
            ranked.extend(turns.map(|(turn, fault)| (turn, draw, fault)));
        }
        ranked.sort_by_key(|(turn, draw, _)| (*turn, *draw));
        ranked.into_iter().map(|(.., fault)| fault).collect()
    }
}

fn line(fault: &Fault) -> String {
    let place = &fault.place;
    let (file, line, function) = (&place.file, place.line, &place.function);
    format!(
        "{file}:{line} {function}: `{}` becomes `{}`",
        place.before, place.after
    )
}

/// Builds the tests; faults that do not compile are taken out.
fn build(tree: &mut PlantedTree, tests: &str, cargo: &dyn Fn(&[&str]) -> Output) -> PathBuf {
    let args = [
        "test",
        "--locked",
        "--no-run",
        "--quiet",
        "--message-format=json",
    ];
    for _ in 0..BUILDS {
        let output = cargo(&args);
        let said = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            let messages = said
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            let text = |one: &Value, place: &str| one.pointer(place)?.as_str().map(str::to_owned);
            let is_it = |one: &Value| text(one, "/target/name").as_deref() == Some(tests);
            let mut built = messages.filter(is_it);
            return built
                .find_map(|one| Some(PathBuf::from(text(&one, "/executable")?)))
                .unwrap();
        }
        assert_ne!(tree.drop_uncompilable(&said).unwrap(), 0, "{said}");
    }
    PathBuf::new()
}

/// The built tests of a program.
struct Runner<'a> {
    binary: &'a Path,
    folder: &'a Path,
}

impl Runner<'_> {
    fn listed(&self) -> Vec<String> {
        let output = self.start(&["--list"]).wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let names = said.lines().filter_map(|line| line.strip_suffix(": test"));
        names.map(str::to_owned).collect()
    }

    /// The tests that pass. Those of a run that does not end do not.
    fn passed(&self, args: &[&str]) -> BTreeSet<String> {
        let child = self.start(args);
        let group = rustix::process::Pid::from_child(&child);
        let (sender, ended) = mpsc::sync_channel(1);
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let output = ended.recv_timeout(WALL).unwrap_or_else(|_too_long| {
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
            ended.recv().unwrap()
        });
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let names = said.lines().filter_map(|line| {
            let line = line.strip_prefix("test ")?;
            line.strip_suffix(" ... ok")
        });
        names.map(str::to_owned).collect()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a program's own tests are what is tested"
    )]
    fn start(&self, args: &[&str]) -> Child {
        let mut command = Command::new(self.binary);
        command.args(args).current_dir(self.folder);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        // A program that does not end is ended with the test that started it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().unwrap()
    }
}
