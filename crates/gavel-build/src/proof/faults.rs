//! A checkout with planted faults, and what tests make of each.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use gavel_domain::{FaultOutcome, PlantedFault};
use gavel_workspace::{
    Fault, FaultPlace, LoneVerdict, PlantRequest, PlantedTree, Recipe, RepoPath, Switch,
    TestListing,
};

use super::bench::{Listed, Ready, passed};
use super::kept_faults::kept_names;

/// The most faults that one checkout carries.
pub(super) const MOST_FAULTS: usize = 1_200;
/// How often faults are taken out that do not compile.
const BUILDS: usize = 6;
/// The shortest and the longest that a test may take with a fault.
const WALL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(120));

/// Lines that the work touched, by file.
pub type TouchedLines = BTreeMap<RepoPath, BTreeSet<u32>>;

/// A checkout with planted faults.
#[derive(Debug)]
pub(super) struct Planted {
    tree: PlantedTree,
    tests: Listed,
    /// How each test went before anything was planted, by its name.
    before: BTreeMap<String, Before>,
    /// The faults whose places a test came to, by its name.
    reached: BTreeMap<String, BTreeSet<u64>>,
}

/// A fault that a test is tried with.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) fault: Fault,
    /// Most of the tests come to its place, so that it says little about this one.
    pub(super) is_common: bool,
}

/// A fault of another version of the code: the function, what it does there, and which of several.
#[derive(Debug, Clone)]
pub(super) struct FaultAt {
    place: FaultPlace,
    nth: usize,
}

/// True for faults that do the same to the same code of one function.
fn is_alike(one: &FaultPlace, other: &FaultPlace) -> bool {
    let words = |place: &FaultPlace| (place.before.clone(), place.after.clone());
    one.file == other.file && one.function == other.function && words(one) == words(other)
}

/// How a test went alone.
#[derive(Debug, Clone)]
pub(super) struct Before {
    pub(super) verdict: LoneVerdict,
    pub(super) output: String,
    millis: u64,
}

/// What is asked of a planted checkout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The tests of criteria that will be tried.
    pub(super) tests: &'a BTreeSet<String>,
    /// Where tests from before the run are tried, too: the names of those that came with it.
    pub(super) kept: Option<&'a BTreeSet<String>>,
    /// Lines that the work touched, by file.
    pub(super) touched: &'a TouchedLines,
    /// How many faults each test is tried with, once one was caught.
    pub(super) faults: usize,
    pub(super) until: Instant,
}

impl Wanted<'_> {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

impl Planted {
    /// Runs the wanted tests as they are, plants faults, builds, and sees where each test comes to.
    pub(super) async fn make(
        ready: &mut Ready,
        wanted: Wanted<'_>,
        request: PlantRequest<'_>,
    ) -> Result<Self, String> {
        let mut before = BTreeMap::new();
        let tests = ready.tests().await?;
        let mut names: Vec<String> = wanted.tests.iter().cloned().collect();
        if let Some(new) = wanted.kept {
            names.extend(kept_names(&tests, new, request.seed));
        }
        for name in &names {
            for listed in tests.named(name) {
                let ran = ready.run(listed, WALL.1).await?;
                let this = Before {
                    verdict: ran.verdict,
                    output: ran.output,
                    millis: ran.millis,
                };
                // Tests of one name are one: the worst of them counts.
                let worst = before.entry(name.clone()).or_insert_with(|| this.clone());
                if worst.verdict == LoneVerdict::Passed {
                    *worst = this;
                }
            }
        }
        let mut tree = PlantedTree::plant(&request).map_err(|error| error.to_string())?;
        build(ready, &mut tree).await?;
        let tests = ready.list().await?;
        let is_cargo = |recipe: &Recipe| matches!(recipe, Recipe::Cargo { .. });
        if ready.recipes.iter().all(is_cargo) {
            // What was built keeps its faults; tests see the sources as they are judged.
            tree.restore().map_err(|error| error.to_string())?;
        }
        let mut planted = Self {
            tests,
            tree,
            before,
            reached: BTreeMap::new(),
        };
        for name in &names {
            if wanted.is_over() {
                break;
            }
            planted.trace(ready, name).await?;
        }
        Ok(planted)
    }

    /// Sees which places a test comes to, with a switch that turns no fault on.
    async fn trace(&mut self, ready: &Ready, test: &str) -> Result<(), String> {
        let (ran_well, reached) = self.try_with(ready, test, Switch::Watch).await?;
        if ran_well {
            self.reached.insert(test.to_owned(), reached);
        }
        Ok(())
    }

    /// How a test went before anything was planted.
    pub(super) fn before(&self, test: &str) -> Option<&Before> {
        self.before.get(test)
    }

    /// True when the test passes in the planted checkout while no fault is on.
    pub(super) fn passes_unbroken(&self, test: &str) -> bool {
        self.reached.contains_key(test)
    }

    /// The faults that a test comes to, in the order in which they are tried: those in files that the
    /// work touched, then those that few other tests come to, each function once before any twice.
    pub(super) fn chosen(&self, test: &str, wanted: Wanted<'_>) -> Vec<Chosen> {
        let Some(reached) = self.reached.get(test) else {
            return Vec::new();
        };
        let shared = |switch: u64| {
            let others = self.reached.values().filter(|all| all.contains(&switch));
            others.count()
        };
        let faults = self.tree.faults().iter();
        let mut all: Vec<(bool, usize, &Fault)> = faults
            .filter(|fault| reached.contains(&fault.switch))
            .map(|fault| {
                let touched = wanted.touched.contains_key(&fault.place.file);
                (!touched, shared(fault.switch), fault)
            })
            .collect();
        // Stable: the tree's own order, the most telling faults first, decides between equals.
        all.sort_by_key(|(untouched, shared, _)| (*untouched, *shared));
        let mut seen = BTreeMap::<(&RepoPath, &str), usize>::new();
        let mut ranked: Vec<(usize, &Fault)> = Vec::new();
        for (_, _, fault) in all {
            let place = (&fault.place.file, fault.place.function.as_str());
            let times = seen.entry(place).or_default();
            ranked.push((*times, fault));
            *times += 1;
        }
        // Stable: within a round the order from above stays.
        ranked.sort_by_key(|(round, _)| *round);
        let most = self.reached.len() / 2;
        let chosen = ranked.into_iter().map(|(_, fault)| Chosen {
            is_common: self.reached.len() > 2 && shared(fault.switch) > most,
            fault: fault.clone(),
        });
        chosen.collect()
    }

    /// Where a fault is, in words that hold in another version of the code.
    pub(super) fn address(&self, fault: &Fault) -> FaultAt {
        let place = &fault.place;
        let alike = self.tree.faults().iter().filter(|other| {
            let other = &other.place;
            other.line < place.line && is_alike(other, place)
        });
        FaultAt {
            place: place.clone(),
            nth: alike.count(),
        }
    }

    /// The fault at the same place of this version of the code.
    pub(super) fn same(&self, known: &FaultAt) -> Option<&Fault> {
        let faults = self.tree.faults().iter();
        let mut alike: Vec<&Fault> = faults
            .filter(|fault| is_alike(&fault.place, &known.place))
            .collect();
        alike.sort_by_key(|fault| fault.place.line);
        alike.get(known.nth).or(alike.last()).copied()
    }

    /// Tries a test with one fault.
    pub(super) async fn try_fault(
        &self,
        ready: &Ready,
        test: &str,
        fault: &Fault,
    ) -> Result<PlantedFault, String> {
        let (passes, reached) = self.try_with(ready, test, Switch::Fault(fault)).await?;
        let outcome = if !reached.contains(&fault.switch) {
            FaultOutcome::NotReached
        } else if passes {
            FaultOutcome::Missed
        } else {
            let (passes, _) = self.try_with(ready, test, Switch::Neutral(fault)).await?;
            if passes {
                FaultOutcome::Caught
            } else {
                FaultOutcome::FailedAnyway
            }
        };
        let place = &fault.place;
        Ok(PlantedFault {
            file: place.file.to_string(),
            line: place.line,
            function: place.function.clone(),
            before: place.before.clone(),
            after: place.after.clone(),
            outcome,
        })
    }

    /// Runs all tests of a name with a switch; whether they passed, and where they came to.
    async fn try_with(
        &self,
        ready: &Ready,
        test: &str,
        switch: Switch<'_>,
    ) -> Result<(bool, BTreeSet<u64>), String> {
        let told = |error: std::io::Error| format!("the switch of a fault: {error}");
        self.tree.set_switch(switch).map_err(told)?;
        let wall = self.wall(test);
        let mut all_passed = true;
        for listed in self.tests.named(test) {
            let ran = ready.run(listed, wall).await?;
            all_passed &= passed(&ran);
        }
        let reached = self.tree.executed().map_err(told)?;
        self.tree.set_switch(Switch::Off).map_err(told)?;
        Ok((all_passed, reached))
    }

    /// Ten times what it took before; a fault may keep a test from ending.
    fn wall(&self, test: &str) -> Duration {
        let millis = self.before.get(test).map_or(0, |before| before.millis);
        Duration::from_millis(millis.saturating_mul(10)).clamp(WALL.0, WALL.1)
    }
}

/// Builds the planted tests; faults that do not compile are taken out. Lints that the project forbids do
/// not count against planted code.
async fn build(ready: &mut Ready, tree: &mut PlantedTree) -> Result<(), String> {
    for _ in 0..BUILDS {
        let mut broken = None;
        for recipe in &ready.recipes {
            if let TestListing::Broken { output, .. } = ready.list_one(recipe).await? {
                broken = Some(output);
            }
        }
        let Some(output) = broken else {
            return Ok(());
        };
        let dropped = tree.drop_uncompilable(&output);
        if dropped.map_err(|error| error.to_string())? == 0 {
            if ready.without_lints {
                break;
            }
            ready.without_lints = true;
        }
    }
    without_files(ready, tree).await
}

/// Takes out the faults of one file after another until the rest builds. Where nothing of the product can
/// be edited, nothing is planted, and no test comes to a place that was broken.
async fn without_files(ready: &Ready, tree: &mut PlantedTree) -> Result<(), String> {
    let faults = tree.faults().iter();
    let files: BTreeSet<RepoPath> = faults.map(|fault| fault.place.file.clone()).collect();
    for (number, file) in files.iter().enumerate() {
        let dropped = tree.drop_file(file);
        dropped.map_err(|error| error.to_string())?;
        // The last ones go together: each build takes its time.
        if number >= BUILDS && number + 1 < files.len() {
            continue;
        }
        if builds(ready).await? {
            return Ok(());
        }
    }
    Err("code with planted faults does not build".to_owned())
}

/// True when the tests build as the checkout is now.
async fn builds(ready: &Ready) -> Result<bool, String> {
    for recipe in &ready.recipes {
        if let TestListing::Broken { .. } = ready.list_one(recipe).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
