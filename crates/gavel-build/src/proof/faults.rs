//! A checkout with planted faults, and what tests make of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use gavel_domain::{Digest, FaultOutcome, PlantedFault, test_name};
use gavel_workspace::{
    Alarm, Alarms, Exclusions, Fault, FaultPlace, LoneVerdict, PlantRequest, PlantedTree, Recipe,
    RepoPath, Switch, TestListing,
};

use super::bench::{Listed, Ready, draw, passed};
use super::kept_faults::kept_names;
use super::tests::Unlisted;
use crate::own_thread::on_own_thread;

/// The most faults that one checkout carries.
pub(super) const MOST_FAULTS: usize = 1_200;
/// How often faults are taken out that do not compile.
const BUILDS: usize = 7;
/// How many decoys a test is tried with.
const DECOYS: usize = 3;
/// The shortest and the longest that a test may take with a fault.
const WALL: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(120));

/// Why a checkout carries no faults.
#[derive(Debug, Clone)]
pub(super) enum Unplanted {
    /// Its tests do not build as soon as anything is planted.
    DoesNotBuild,
    /// Something else kept it from being tried.
    Failed(String),
}

impl From<String> for Unplanted {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl std::fmt::Display for Unplanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::DoesNotBuild => "code with planted faults does not build",
            Self::Failed(why) => why,
        })
    }
}

/// Lines that the work touched, by file.
pub type TouchedLines = BTreeMap<RepoPath, BTreeSet<u32>>;

/// A checkout with planted faults.
#[derive(Debug)]
pub(super) struct Planted {
    tree: PlantedTree,
    tests: Listed,
    /// How each test went before anything was planted, by its name.
    before: BTreeMap<String, Before>,
    /// The switches of the faults and decoys whose places a test came to, by its name.
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

impl FaultAt {
    /// True when it takes the whole body away.
    pub(super) fn takes_body(&self) -> bool {
        self.place.kind.takes_body()
    }

    /// The fault as one that was noticed.
    pub(super) fn noticed(&self) -> PlantedFault {
        let place = &self.place;
        PlantedFault {
            file: place.file.to_string(),
            line: place.line,
            function: place.function.clone(),
            before: place.before.clone(),
            after: place.after.clone(),
            outcome: FaultOutcome::Caught,
        }
    }
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
    /// Whether tests from before the run are to be made to fail, too.
    pub(super) alarms: Alarms,
    /// How many faults each test is tried with, once one was caught.
    pub(super) faults: usize,
    pub(super) until: Instant,
    /// What is said of a test that no runner lists.
    pub(super) unlisted: Unlisted,
}

impl Wanted<'_> {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// What is asked of a planted checkout, for a thread of its own.
struct OwnedRequest {
    folder: PathBuf,
    files: Vec<RepoPath>,
    touched: TouchedLines,
    exclusions: Exclusions,
    control: PathBuf,
    seed: Digest,
    most: usize,
    alarms: Alarms,
}

impl OwnedRequest {
    fn of(request: &PlantRequest<'_>) -> Self {
        Self {
            folder: request.folder.to_owned(),
            files: request.files.to_vec(),
            touched: request.touched.clone(),
            exclusions: request.exclusions.clone(),
            control: request.control.to_owned(),
            seed: *request.seed,
            most: request.most,
            alarms: request.alarms,
        }
    }

    fn lent(&self) -> PlantRequest<'_> {
        PlantRequest {
            folder: &self.folder,
            files: &self.files,
            touched: &self.touched,
            exclusions: &self.exclusions,
            control: &self.control,
            seed: &self.seed,
            most: self.most,
            alarms: self.alarms,
        }
    }
}

impl Planted {
    /// Runs the wanted tests as they are, plants faults, builds, and sees where each test comes to.
    pub(super) async fn make(
        (ready, at_once): (&mut Ready, usize),
        wanted: Wanted<'_>,
        request: PlantRequest<'_>,
    ) -> Result<Self, Unplanted> {
        let mut before = BTreeMap::new();
        let tests = ready.tests().await?;
        let mut names: Vec<String> = wanted.tests.iter().cloned().collect();
        if let Some(new) = wanted.kept {
            names.extend(kept_names(&tests, new, request.seed));
        }
        let ready_now = &*ready;
        let runs = names.iter();
        let runs: Vec<_> = runs
            .map(|name| before_faults(ready_now, &tests, name))
            .collect();
        let mut runs = stream::iter(runs).buffered(at_once);
        while let Some(ran) = runs.next().await {
            let (name, this) = ran?;
            before.extend(this.map(|this| (name, this)));
        }
        drop(runs);
        let request = OwnedRequest::of(&request);
        let planted = on_own_thread(move || PlantedTree::plant(&request.lent())).await;
        let mut tree = planted.map_err(|error| error.to_string())?;
        build(ready, &mut tree, wanted.touched).await?;
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
        let mut all = BTreeMap::new();
        let (watched, ready_now) = (&planted, &*ready);
        let traces = names.iter();
        let traces: Vec<_> = traces
            .map(|name| watched.trace(ready_now, name, wanted))
            .collect();
        let mut traces = stream::iter(traces).buffered(at_once);
        while let Some(traced) = traces.next().await {
            all.extend(traced?);
        }
        drop(traces);
        planted.reached = all;
        Ok(planted)
    }

    /// Sees which places a test comes to, with a switch that turns no fault on; none for one that fails
    /// then.
    async fn trace(
        &self,
        ready: &Ready,
        test: &str,
        wanted: Wanted<'_>,
    ) -> Result<Option<(String, BTreeSet<u64>)>, String> {
        if wanted.is_over() {
            return Ok(None);
        }
        let (ran_well, reached) = self.try_with(ready, test, Switch::Watch).await?;
        Ok(ran_well.then(|| (test.to_owned(), reached)))
    }

    /// The same for a test that was not among those that were traced; none where it fails then.
    pub(super) async fn traced(
        &self,
        ready: &Ready,
        test: &str,
    ) -> Result<Option<BTreeSet<u64>>, String> {
        let (ran_well, reached) = self.try_with(ready, test, Switch::Watch).await?;
        Ok(ran_well.then_some(reached))
    }

    /// The faults at places that were reached, in the tree's own order.
    pub(super) fn among(&self, reached: &BTreeSet<u64>) -> Vec<&Fault> {
        let faults = self.tree.faults().iter();
        faults
            .filter(|fault| reached.contains(&fault.switch))
            .collect()
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

    /// True when a test fails while a copy of the code stands in the place of the code: it looks at the
    /// planted sources, and what it says of faults is not to be believed. Asked twice, since a test may
    /// fail for other reasons.
    pub(super) async fn fails_for_decoy(&self, ready: &Ready, test: &str) -> Result<bool, String> {
        let reached = self.reached.get(test);
        let decoys = self.tree.decoys().iter();
        let decoys = decoys.filter(|one| reached.is_some_and(|all| all.contains(&one.switch)));
        for decoy in decoys.take(DECOYS) {
            let (passes, _) = self.try_with(ready, test, Switch::Decoy(decoy)).await?;
            if !passes && !self.try_with(ready, test, Switch::Decoy(decoy)).await?.0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The alarms of tests from before the run, one of each file before any second one.
    pub(super) fn alarms(&self, new: &BTreeSet<String>) -> Vec<&Alarm> {
        let mut of_file = BTreeMap::<&RepoPath, usize>::new();
        let alarms = self.tree.alarms().iter();
        let mut ranked: Vec<(usize, &Alarm)> = alarms
            .filter(|alarm| !new.contains(test_name(&alarm.test)))
            .map(|alarm| {
                let before = of_file.entry(&alarm.file).or_default();
                *before += 1;
                (*before, alarm)
            })
            .collect();
        // Stable: the tree's own order, which comes from the seed, decides between equals.
        ranked.sort_by_key(|(round, _)| *round);
        ranked.into_iter().map(|(_, alarm)| alarm).collect()
    }

    /// True when the runner of this tree can run a test of that name alone.
    pub(super) fn is_listed(&self, test: &str) -> bool {
        !self.tests.named(test).is_empty()
    }

    /// True when a test of that name fails with the alarm, and none does without it.
    pub(super) async fn is_heard(&self, ready: &Ready, alarm: &Alarm) -> Result<bool, String> {
        if !self.is_listed(&alarm.test) {
            return Ok(false);
        }
        let (passes, _) = self
            .try_with(ready, &alarm.test, Switch::Alarm(alarm))
            .await?;
        if passes {
            return Ok(false);
        }
        let (passes, _) = self
            .try_with(ready, &alarm.test, Switch::NoAlarm(alarm))
            .await?;
        Ok(passes)
    }

    /// Runs all tests of a name with a switch; whether they passed, and where they came to.
    async fn try_with(
        &self,
        ready: &Ready,
        test: &str,
        switch: Switch<'_>,
    ) -> Result<(bool, BTreeSet<u64>), String> {
        let wall = self.wall(test);
        let (mut all_passed, mut reached) = (true, BTreeSet::new());
        for listed in self.tests.named(test) {
            let ran = ready.run_switched((listed, wall), (&self.tree, switch));
            let ran = ran.await?;
            all_passed &= passed(&ran.run);
            reached.extend(ran.reached);
        }
        Ok((all_passed, reached))
    }

    /// Runs a test that noticed a fault again and again, with the fault and with its control, in an order
    /// that nobody knows who wrote the test. False when it fails by another rule than the fault: by the
    /// clock, by chance, or by how often it was run.
    pub(super) async fn is_steady(
        &self,
        ready: &Ready,
        test: &str,
        (fault, seed): (&Fault, &Digest),
    ) -> Result<bool, String> {
        let positions = [true, true, true, false, false, false];
        let of = format!("{test} {}", fault.switch);
        let order = positions.into_iter().zip(0..);
        let order = order.map(|(is_on, number)| (draw(seed, &of, number), is_on));
        let mut order: Vec<(u64, bool)> = order.collect();
        order.sort_unstable();
        for (_, is_on) in order {
            let switch = match is_on {
                true => Switch::Fault(fault),
                false => Switch::Neutral(fault),
            };
            let (passes, _) = self.try_with(ready, test, switch).await?;
            if passes == is_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Ten times what it took before; a fault may keep a test from ending.
    fn wall(&self, test: &str) -> Duration {
        let millis = self.before.get(test).map_or(0, |before| before.millis);
        Duration::from_millis(millis.saturating_mul(10)).clamp(WALL.0, WALL.1)
    }
}

/// How the tests of a name went before anything was planted: the worst of them counts.
async fn before_faults(
    ready: &Ready,
    tests: &Listed,
    name: &str,
) -> Result<(String, Option<Before>), String> {
    let mut worst = None::<Before>;
    for listed in tests.named(name) {
        let ran = ready.run(listed, WALL.1).await?;
        let this = Before {
            verdict: ran.verdict,
            output: ran.output,
            millis: ran.millis,
        };
        let has_failed = |before: &Before| before.verdict != LoneVerdict::Passed;
        if !worst.as_ref().is_some_and(has_failed) {
            worst = Some(this);
        }
    }
    Ok((name.to_owned(), worst))
}

/// Builds the planted tests; faults that do not compile are taken out. Lints that the project forbids do
/// not count against planted code.
///
/// Where that is not enough, alarms go, those in files that the work touched first: those in files that are
/// as they were did build before the run.
async fn build(
    ready: &mut Ready,
    tree: &mut PlantedTree,
    touched: &TouchedLines,
) -> Result<(), Unplanted> {
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
            let alarms = tree.drop_alarms(|file| touched.contains_key(file));
            if alarms.map_err(|error| error.to_string())? > 0 {
                continue;
            }
            let alarms = tree.drop_alarms(|_| true);
            if alarms.map_err(|error| error.to_string())? > 0 {
                continue;
            }
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
async fn without_files(ready: &Ready, tree: &mut PlantedTree) -> Result<(), Unplanted> {
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
    Err(Unplanted::DoesNotBuild)
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
