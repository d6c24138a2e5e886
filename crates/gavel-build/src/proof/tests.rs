//! Tests of criteria: run alone, then against code that was broken on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use gavel_domain::{
    Digest, FaultOutcome, PlantedFault, Scope, TestOutcome, TestProven, TestReport,
};
use gavel_rules::{FaultsEnd, TestProof, judge_faults};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use gavel_workspace::{
    Alarms, Exclusions, LoneVerdict, MutationTool, PlantRequest, RepoPath, SourceLanguage, TreeId,
    TreeName,
};

use super::ProofBench;
use super::bench::{Listed, Ready};
use super::faults::{MOST_FAULTS, Planted, TouchedLines, Unplanted, Wanted};
use super::lanes::Ahead;
use crate::output::both_ends;
use crate::verify::{failed, with_sources};

/// How many more faults are tried before a test is called hollow.
const PATIENCE: usize = 10;
/// How often a test may fail by another rule than a fault before it is called hollow.
const UNSTEADY: u32 = 2;
/// How much is kept of what a test printed that did not pass.
const KEPT: usize = 4_000;

/// The most files in Rust that are looked at for marked functions.
const MOST_SOURCES: usize = 20_000;
/// The mark, as far as it is the same however the attribute is written.
const MARK: &str = "mutants::skip";

/// A criterion and the test of its name.
#[derive(Debug, Clone, Copy)]
pub struct TestCase<'a> {
    /// The criterion.
    pub criterion: &'a str,
    /// The test's full name.
    pub test: &'a str,
}

/// How much a proof may try.
#[derive(Debug, Clone, Copy)]
pub struct ProofBudget<'a> {
    /// Faults for each criterion.
    pub faults: u32,
    /// When the time for all of them is over.
    pub until: Instant,
    /// Lines that the work touched: they are broken first.
    pub touched: &'a TouchedLines,
    /// Where tests from before the run are tried, too: the names of those that came with it.
    pub kept: Option<&'a BTreeSet<String>>,
    /// What is said of a test that no runner lists.
    pub unlisted: Unlisted,
}

/// A test that was named in what a runner printed, and that can be started by none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    /// Nothing runs it.
    Refuted,
    /// Beside a runner that cannot run one test alone it may be one of its own: runs and seals from before
    /// such names counted for nothing.
    MayBePrinted,
}

impl<'a> ProofBudget<'a> {
    /// What is tried in one planted checkout.
    pub(super) fn wanted(self, tests: &'a BTreeSet<String>) -> Wanted<'a> {
        Wanted {
            tests,
            kept: self.kept,
            touched: self.touched,
            alarms: match self.kept {
                Some(_) => Alarms::Planted,
                None => Alarms::Left,
            },
            faults: usize::try_from(self.faults).unwrap_or(usize::MAX).max(1),
            until: self.until,
            unlisted: self.unlisted,
        }
    }
}

/// The names of the tests of cases.
pub(super) fn tests_of(cases: &[TestCase<'_>]) -> BTreeSet<String> {
    cases.iter().map(|case| case.test.to_owned()).collect()
}

/// Proves tests, several at the same time: `test-N` below the scope records each, in this order.
pub async fn prove_tests(
    run: &Run,
    scope: &Scope,
    bench: &ProofBench<'_>,
    cases: &[TestCase<'_>],
    budget: ProofBudget<'_>,
) -> Result<Vec<(String, TestProof)>, RunError> {
    let all = tests_of(cases);
    let wanted = budget.wanted(&all);
    let ahead = Ahead::new(bench.at_once);
    let mut proofs = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let key = scope.key(&format!("test-{}", number + 1))?;
        let input = (case.criterion, case.test, budget.faults);
        let left = || cases.iter().skip(number);
        let left = || left().map(|case| prove(bench, *case, wanted)).collect();
        let effect = |blobs: Blobs| Box::pin(recorded(bench, *case, (ahead.next(left), blobs)));
        let fact = run.step(key, Pure, &input, effect).await?.value;
        let report = run.text(fact.report).await?;
        let report: TestReport = serde_json::from_str(&report).unwrap_or_default();
        proofs.push((
            case.criterion.to_owned(),
            TestProof {
                test: case.test.to_owned(),
                outcome: fact.outcome,
                faults: report.faults,
                why: report.why,
            },
        ));
    }
    Ok(proofs)
}

/// Waits for the proof of a test, and records it.
async fn recorded(
    bench: &ProofBench<'_>,
    case: TestCase<'_>,
    (proved, blobs): (impl Future<Output = Option<(Proved, Duration)>>, Blobs),
) -> Result<TestProven, StepFailure> {
    let proved = proved.await;
    let (proved, took) = proved.ok_or_else(|| failed("there is no such test"))?;
    let mut report = proved.report;
    report.output = bench.site().context.scrub(&report.output);
    let text = serde_json::to_string(&report).map_err(failed)?;
    Ok(TestProven {
        criterion: case.criterion.to_owned(),
        outcome: proved.outcome,
        faults: proved.tried,
        caught: proved.caught,
        millis: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        test: blobs.keep(case.test),
        report: blobs.keep(text),
    })
}

async fn prove(
    bench: &ProofBench<'_>,
    case: TestCase<'_>,
    wanted: Wanted<'_>,
) -> (Proved, Duration) {
    let started = Instant::now();
    let proved = Proved::of(bench, case, wanted).await;
    let proved = proved.unwrap_or_else(|why| Proved::not_measured(&why));
    (proved, started.elapsed())
}

/// What the proof of one test came to.
struct Proved {
    outcome: TestOutcome,
    tried: u32,
    caught: u32,
    report: TestReport,
}

impl Proved {
    fn without_faults(outcome: TestOutcome, why: &str) -> Self {
        Self {
            outcome,
            tried: 0,
            caught: 0,
            report: TestReport {
                why: why.to_owned(),
                ..TestReport::default()
            },
        }
    }

    fn not_measured(why: &str) -> Self {
        Self::without_faults(TestOutcome::NotMeasured, why)
    }

    fn not_listed(listed: &Listed, unlisted: Unlisted) -> Self {
        let printed = match unlisted {
            Unlisted::Refuted => None,
            Unlisted::MayBePrinted => listed.without_adapter.first(),
        };
        match (printed, listed.broken) {
            (_, Some(recipe)) => {
                let why = format!("the tests of {recipe} cannot be listed");
                Self::without_faults(TestOutcome::Failed, &why)
            }
            (Some(recipe), None) => {
                Self::not_measured(&format!("{recipe} cannot run one test alone"))
            }
            (None, None) => {
                let why = "its runner knows no test of this name";
                Self::without_faults(TestOutcome::Failed, why)
            }
        }
    }

    async fn of(
        bench: &ProofBench<'_>,
        case: TestCase<'_>,
        wanted: Wanted<'_>,
    ) -> Result<Self, String> {
        let shared = bench.planted(wanted).await?;
        let ready = shared.ready()?;
        let listed = ready.known_tests();
        if listed.named(case.test).is_empty() {
            return Ok(Self::not_listed(listed, wanted.unlisted));
        }
        let planted = match &ready.planted {
            Some(Ok(planted)) => planted,
            Some(Err(why)) => {
                return Self::alone(ready, listed, case, &why.to_string()).await;
            }
            None => return Ok(Self::not_measured("nothing was planted")),
        };
        if let Some(failed) = alone_failed(planted, case.test) {
            return Ok(failed);
        }
        if !planted.passes_unbroken(case.test) {
            return Ok(if wanted.is_over() {
                Self::not_measured("the time for the proof was over")
            } else {
                let why = "it fails as soon as the code is edited, whether or not that changes \
                           anything";
                Self::without_faults(TestOutcome::Hollow, why)
            });
        }
        Self::against_faults((ready, &bench.seed), planted, case, wanted).await
    }

    /// Tries the test with faults, until enough were tried and one was caught.
    async fn against_faults(
        (ready, seed): (&Ready, &Digest),
        planted: &Planted,
        case: TestCase<'_>,
        wanted: Wanted<'_>,
    ) -> Result<Self, String> {
        let most = wanted.faults.saturating_mul(PATIENCE);
        let (mut tried, mut end) = (Vec::<PlantedFault>::new(), FaultsEnd::All);
        let mut unsteady = 0;
        for chosen in planted.chosen(case.test, wanted).iter().take(most) {
            let caught = tried.iter().any(|one| one.outcome == FaultOutcome::Caught);
            let enough = tried.len() >= wanted.faults || chosen.is_common;
            if caught && enough {
                break;
            }
            if wanted.is_over() {
                end = FaultsEnd::Time;
                break;
            }
            let mut seen = planted.try_fault(ready, case.test, &chosen.fault).await?;
            // The first one is what people are shown, and what the test is believed for.
            if seen.outcome == FaultOutcome::Caught && !caught {
                let fault = (&chosen.fault, seed);
                if !planted.is_steady(ready, case.test, fault).await? {
                    seen.outcome = FaultOutcome::FailedAnyway;
                    unsteady += 1;
                }
            }
            tried.push(seen);
            if unsteady == UNSTEADY {
                let why = "it fails now and then, whether or not the code is broken";
                return Ok(Self::without_faults(TestOutcome::Hollow, why));
            }
        }
        let caught = |one: &PlantedFault| one.outcome == FaultOutcome::Caught;
        if tried.iter().any(caught) && planted.fails_for_decoy(ready, case.test).await? {
            let why = "it fails also when a copy of the code stands in the place of the code: it looks \
                       at the sources";
            return Ok(Self::without_faults(TestOutcome::Hollow, why));
        }
        let judged = judge_faults(&tried, end);
        Ok(Self {
            outcome: judged.outcome,
            tried: judged.tried,
            caught: judged.caught,
            report: TestReport {
                why: judged.why,
                faults: tried,
                output: String::new(),
            },
        })
    }

    /// Where nothing could be planted, the test is run alone and no more is known of it.
    async fn alone(
        ready: &Ready,
        listed: &Listed,
        case: TestCase<'_>,
        why: &str,
    ) -> Result<Self, String> {
        for test in listed.named(case.test) {
            let ran = ready.run(test, Duration::from_secs(120)).await?;
            if let Some(failed) = not_passed(ran.verdict, &ran.output) {
                return Ok(failed);
            }
        }
        Ok(Self::not_measured(why))
    }
}

fn alone_failed(planted: &Planted, test: &str) -> Option<Proved> {
    let before = planted.before(test)?;
    not_passed(before.verdict, &before.output)
}

fn not_passed(verdict: LoneVerdict, output: &str) -> Option<Proved> {
    let why = match verdict {
        LoneVerdict::Passed => return None,
        LoneVerdict::Failed => "it fails",
        LoneVerdict::NotExecuted => "its process ended before the test was through",
        LoneVerdict::TimedOut => "it does not end",
    };
    let mut failed = Proved::without_faults(TestOutcome::Failed, why);
    failed.report.output = both_ends(output, KEPT);
    Some(failed)
}

/// Plants faults once for all tests.
pub(super) async fn plant(bench: &ProofBench<'_>, ready: &mut Ready, wanted: Wanted<'_>) {
    if ready.planted.is_none() {
        let planted = Box::pin(planted(bench, ready, wanted)).await;
        ready.planted = Some(planted);
    }
}

async fn planted(
    bench: &ProofBench<'_>,
    ready: &mut Ready,
    wanted: Wanted<'_>,
) -> Result<Planted, Unplanted> {
    let names = bench.site().tree.files_of(ready.tree()).await;
    let names = names.map_err(|error| with_sources(&error))?;
    let paths = names.into_iter().filter_map(|name| match name {
        TreeName::Path(path) => Some(path),
        TreeName::Unaddressable(_) => None,
    });
    let files: Vec<RepoPath> = paths.collect();
    let exclusions = exclusions(bench, ready).await?;
    let folder = ready.folder.clone();
    let control = ready.lanes.control().to_owned();
    let request = PlantRequest {
        folder: &folder,
        files: &files,
        touched: wanted.touched,
        exclusions: &exclusions,
        control: &control,
        seed: &bench.seed,
        most: MOST_FAULTS,
        alarms: wanted.alarms,
    };
    Planted::make((ready, bench.at_once), wanted, request).await
}

/// What the project's own settings leave out, as far as they are as before the run.
async fn exclusions(bench: &ProofBench<'_>, ready: &Ready) -> Result<Exclusions, String> {
    let site = bench.site();
    let base = site.tree.tree_of(&site.base).await;
    let base = base.map_err(|error| with_sources(&error))?;
    let mut texts = BTreeMap::new();
    for (_, file) in MutationTool::SETTINGS {
        let before = text_at(bench, &base, file).await?;
        let now = text_at(bench, ready.tree(), file).await?;
        if let (Some(before), Some(now)) = (before, now)
            && before == now
        {
            texts.insert(file, now);
        }
    }
    let read = Exclusions::read(|file| texts.get(file).cloned());
    let mut read = read.map_err(|error| with_sources(&error))?;
    for (file, source) in kept_sources(bench, &base, ready.tree()).await? {
        if let Err(error) = read.add_marked(&file, &source) {
            // What cannot be read is left out of nothing.
            tracing::debug!(%error, %file, "marks of functions were not read");
        }
    }
    Ok(read)
}

/// Files in Rust that are as before the run and may mark functions.
async fn kept_sources(
    bench: &ProofBench<'_>,
    base: &TreeId,
    now: &TreeId,
) -> Result<Vec<(RepoPath, String)>, String> {
    let tree_files = &bench.site().tree;
    let before = tree_files.entries_of(base).await;
    let before = before.map_err(|error| with_sources(&error))?;
    let now = tree_files.entries_of(now).await;
    let now = now.map_err(|error| with_sources(&error))?;
    let now: BTreeSet<(&str, &str)> = now
        .iter()
        .map(|entry| (entry.path.as_str(), entry.id.as_str()))
        .collect();
    let kept = before.iter().filter_map(|entry| {
        let id = entry.id.as_str();
        let file: RepoPath = entry.path.parse().ok()?;
        let is_rust = SourceLanguage::of_path(&file) == Some(SourceLanguage::Rust);
        (is_rust && now.contains(&(entry.path.as_str(), id))).then_some((file, id))
    });
    let (files, ids): (Vec<RepoPath>, Vec<&str>) = kept.take(MOST_SOURCES).unzip();
    let contents = tree_files.contents_of(&ids).await;
    let contents = contents.map_err(|error| with_sources(&error))?;
    let texts = files.into_iter().zip(contents);
    let marked = texts.filter_map(|(file, content)| {
        let text = String::from_utf8(content).ok()?;
        text.contains(MARK).then_some((file, text))
    });
    Ok(marked.collect())
}

async fn text_at(
    bench: &ProofBench<'_>,
    tree: &TreeId,
    file: &str,
) -> Result<Option<String>, String> {
    let tree_files = &bench.site().tree;
    let entries = tree_files.entries_of(tree).await;
    let entries = entries.map_err(|error| with_sources(&error))?;
    let Some(entry) = entries.iter().find(|entry| entry.path == file) else {
        return Ok(None);
    };
    let content = tree_files.contents_of(&[entry.id.as_str()]).await;
    let content = content.map_err(|error| with_sources(&error))?;
    let text = content.into_iter().next().map(String::from_utf8);
    Ok(text.and_then(Result::ok))
}
