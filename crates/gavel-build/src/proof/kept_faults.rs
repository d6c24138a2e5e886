//! Tests from before the run against faults in the result: what one of them noticed before the run, it
//! has to notice still.
//!
//! A test can be left as it was and see nothing any more: the product may change what an assertion
//! means, what equality means, or what the test compares with. So the code from before the run is broken
//! first, to see what each test notices; then the result is broken at the same places.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use futures_util::{StreamExt as _, stream};
use gavel_domain::{
    BlindedTest, Digest, FaultOutcome, KeptTestsTried, Key, PlantedFault, test_name,
};
use gavel_rules::{KeptTest, Untold, judge_kept_test};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use gavel_workspace::{Alarm, Alarms, Fault, LoneVerdict};

use super::bench::{Listed, ListedTest, Ready, draw};
use super::faults::{FaultAt, Planted, Unplanted, Wanted};
use super::kept::KeptCase;
use super::tests::tests_of;
use super::{ProofBench, ProofBudget, TestCase};
use crate::verify::failed;

/// How many tests are tried, chosen by the run's seed.
const MOST_TESTS: usize = 16;
/// How many faults a test is tried with at most.
const PATIENCE: usize = 8;
/// How many tests are made to fail at their beginning.
const MOST_ALARMS: usize = 24;
/// How many faults that it notices are compared.
const COMPARED: usize = 3;

/// What tests from before the run make of faults in the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTestsSeen {
    /// The fact.
    pub fact: KeptTestsTried,
    /// The tests that notice less than before.
    pub blinded: Vec<BlindedTest>,
}

/// The tests from before the run that are tried.
pub(super) fn kept_names(listed: &Listed, new: &BTreeSet<String>, seed: &Digest) -> Vec<String> {
    let names = listed.tests.iter().map(|one| one.test.name.clone());
    let kept: BTreeSet<String> = names
        .filter(|name| !new.contains(test_name(name)))
        .collect();
    let mut kept: Vec<String> = kept.into_iter().collect();
    kept.sort_by_key(|name| draw(seed, name, 0));
    kept.truncate(MOST_TESTS);
    kept
}

/// Tests from before the run that are tried with faults.
#[derive(Debug, Clone, Copy)]
pub struct KeptTrial<'a> {
    /// The code before and after.
    pub case: KeptCase<'a>,
    /// The tests of criteria, which are tried in the same planted checkout afterwards.
    pub criteria: &'a [TestCase<'a>],
    /// How much may be tried.
    pub budget: ProofBudget<'a>,
    /// What is said of a test about which no fault in the result tells anything.
    pub hiding: Hiding,
}

/// What is said of a test that noticed faults before the run, when no fault in the result tells anything
/// about it, and time was left to try some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hiding {
    /// Nothing is known of it: runs from before that counted.
    Unknown,
    /// What it looks at was put out of reach: it is blinded.
    Blinds,
    /// The same, and the work wrote files in which nothing can be planted: where all that is left of the code
    /// is a body that can be taken away as a whole, what stood in it may be in one of these.
    BlindsBodies,
}

/// Tries tests from before the run with faults in the code from before it, and with the same faults in
/// the result. The planted checkout of the result stays, for the tests of criteria.
pub async fn try_kept_tests(
    run: &Run,
    key: Key,
    trial: KeptTrial<'_>,
) -> Result<KeptTestsSeen, RunError> {
    let KeptTrial {
        case,
        criteria,
        budget,
        hiding,
    } = trial;
    let tests = tests_of(criteria);
    let wanted = Wanted {
        kept: Some(case.new),
        ..budget.wanted(&tests)
    };
    let commit = case.after.commit();
    let effect = |blobs: Blobs| Box::pin(effect(case, (wanted, hiding), blobs));
    let fact = run.step(key, Pure, &commit, effect).await?.value;
    let blinded = run.text(fact.report).await?;
    let blinded = serde_json::from_str(&blinded).map_err(|error| RunError::Brief {
        run: run.id(),
        problem: format!("what tests from before the run notice cannot be read: {error}"),
    })?;
    Ok(KeptTestsSeen { fact, blinded })
}

async fn effect(
    case: KeptCase<'_>,
    (wanted, hiding): (Wanted<'_>, Hiding),
    blobs: Blobs,
) -> Result<KeptTestsTried, StepFailure> {
    let started = Instant::now();
    let mut tried = Tried {
        known: BTreeMap::new(),
        hiding,
    };
    if let Err(why) = tried.all(case, wanted).await {
        // Nothing is said of a test that could not be tried; the fact counts it.
        tracing::warn!(%why, "tests from before the run could not be tried with faults");
    }
    case.before.close().await;
    let blinded: Vec<BlindedTest> = tried.blinded().collect();
    let report = serde_json::to_string(&blinded).map_err(failed)?;
    let counted = |wanted: KeptTest| {
        let known = tried.known.values();
        let count = known.filter(|known| **known == wanted).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    Ok(KeptTestsTried {
        commit: case.after.commit().to_owned(),
        held: blinded.is_empty(),
        tried: u32::try_from(tried.known.len()).unwrap_or(u32::MAX),
        biting: counted(KeptTest::Bites),
        hollow_before: counted(KeptTest::HollowBefore),
        not_measured: counted(KeptTest::NotMeasured),
        millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        report: blobs.keep(report),
    })
}

/// What is known of each test.
#[derive(Debug)]
struct Tried {
    known: BTreeMap<String, KeptTest>,
    hiding: Hiding,
}

impl Tried {
    async fn all(&mut self, case: KeptCase<'_>, wanted: Wanted<'_>) -> Result<(), String> {
        // Both work in the same folder.
        case.after.close().await;
        let known = self.before_the_run(case.before, wanted).await;
        case.before.close().await;
        let known = known?;
        if (known.noticed.is_empty() && known.heard.is_empty()) || wanted.is_over() {
            return Ok(());
        }
        self.in_result(case.after, &known, wanted).await
    }

    /// What each test notices in the code from before the run.
    async fn before_the_run(
        &mut self,
        bench: &ProofBench<'_>,
        wanted: Wanted<'_>,
    ) -> Result<Before, String> {
        let shared = bench.listed().await?;
        let listed = shared.ready()?.known_tests().clone();
        drop(shared);
        let new = wanted.kept.cloned().unwrap_or_default();
        let tests: BTreeSet<String> = kept_names(&listed, &new, &bench.seed).into_iter().collect();
        for name in &tests {
            self.set(name, KeptTest::NotMeasured);
        }
        let wanted = Wanted {
            tests: &tests,
            kept: None,
            alarms: Alarms::Planted,
            ..wanted
        };
        let shared = bench.planted(wanted).await?;
        let ready = shared.ready()?;
        let planted = planted_in(ready)?;
        let tried = tests.iter();
        let tried: Vec<_> = tried
            .map(|name| caught_by(ready, planted, name, wanted))
            .collect();
        let mut tried = stream::iter(tried).buffered(bench.at_once);
        let mut noticed = BTreeMap::new();
        for name in &tests {
            let caught = tried.next().await.unwrap_or_else(|| Ok(Vec::new()))?;
            if wanted.is_over() {
                break;
            }
            let has_mutator = |one: &&ListedTest| one.recipe.has_mutator();
            let is_tried = listed.named(name).iter().any(has_mutator);
            if caught.is_empty() && passed_before(planted, name) && is_tried {
                self.set(name, KeptTest::HollowBefore);
            } else if !caught.is_empty() {
                noticed.insert(name.clone(), caught);
            }
        }
        drop(tried);
        let alarms: Vec<&Alarm> = planted.alarms(&new).into_iter().take(MOST_ALARMS).collect();
        let heard = heard((ready, bench.at_once), planted, &alarms, wanted).await?;
        let heard = alarms.into_iter().zip(heard);
        let heard = heard.filter(|(_, heard)| *heard);
        Ok(Before {
            noticed,
            heard: heard.map(|(alarm, _)| alarm.clone()).collect(),
        })
    }

    /// Breaks the result where each test noticed it before.
    async fn in_result(
        &mut self,
        bench: &ProofBench<'_>,
        Before {
            noticed,
            heard: known,
        }: &Before,
        wanted: Wanted<'_>,
    ) -> Result<(), String> {
        let shared = bench.planted(wanted).await?;
        let ready = shared.ready()?;
        let hiding = self.hiding;
        if hiding >= Hiding::Blinds
            && let Some(Err(Unplanted::DoesNotBuild)) = &ready.planted
        {
            // It did build with faults before the run.
            for (name, known) in noticed {
                let first = known.first().map(FaultAt::noticed);
                let is_there = !ready.known_tests().named(name).is_empty();
                if let Some(noticed) = first.filter(|_| is_there) {
                    self.set(name, judge_kept_test(&[], &[], Untold::Blinds(&noticed)));
                }
            }
            return Ok(());
        }
        let planted = planted_in(ready)?;
        let tried = noticed.iter();
        let tried: Vec<_> = tried
            .map(|(name, known)| seen_in_result(ready, planted, (name, known), (wanted, hiding)))
            .collect();
        let mut tried = stream::iter(tried).buffered(bench.at_once);
        for (name, known) in noticed {
            let Some(seen) = tried.next().await else {
                break;
            };
            let (same, others) = seen?;
            if wanted.is_over() {
                break;
            }
            if !holds_alone(planted, name) {
                continue;
            }
            let first = known.first().map(FaultAt::noticed);
            let untold = first.as_ref().filter(|_| hiding >= Hiding::Blinds);
            let untold = untold.map_or(Untold::Unknown, Untold::Blinds);
            self.set(name, judge_kept_test(&same, &others, untold));
        }
        drop(tried);
        let new = wanted.kept.cloned().unwrap_or_default();
        let now = planted.alarms(&new);
        let same = |known: &Alarm| {
            let key = |alarm: &Alarm| (alarm.file.clone(), alarm.test.clone(), alarm.nth);
            now.iter().find(|alarm| key(alarm) == key(known)).copied()
        };
        let alarms: Vec<&Alarm> = known.iter().filter_map(same).collect();
        let gone = known.iter().filter(|known| same(known).is_none());
        for alarm in gone.filter(|_| hiding >= Hiding::Blinds) {
            // In a file that is as it was, an alarm builds unless something looks at the file.
            let untouched = !wanted.touched.contains_key(&alarm.file);
            if untouched && planted.is_listed(&alarm.test) {
                self.set(&alarm.test, KeptTest::Blinded(unheard(alarm)));
            }
        }
        let heard = heard((ready, bench.at_once), planted, &alarms, wanted).await?;
        for (alarm, heard) in alarms.into_iter().zip(heard) {
            // With a runner that cannot run it alone, nothing passed with the alarm.
            let is_listed = planted.is_listed(&alarm.test);
            if is_listed && !heard && !wanted.is_over() {
                self.set(&alarm.test, KeptTest::Blinded(unheard(alarm)));
            }
        }
        Ok(())
    }

    fn set(&mut self, test: &str, standing: KeptTest) {
        self.known.insert(test.to_owned(), standing);
    }

    fn blinded(&self) -> impl Iterator<Item = BlindedTest> {
        self.known
            .iter()
            .filter_map(|(test, standing)| match standing {
                KeptTest::Blinded(missed) => Some(BlindedTest {
                    test: test.clone(),
                    missed: missed.clone(),
                }),
                KeptTest::Bites | KeptTest::HollowBefore | KeptTest::NotMeasured => None,
            })
    }
}

/// What tests noticed before the run.
struct Before {
    /// The faults, by test.
    noticed: BTreeMap<String, Vec<FaultAt>>,
    /// The alarms that made a test fail.
    heard: Vec<Alarm>,
}

/// For each alarm, whether it makes a test of its name fail.
async fn heard(
    (ready, at_once): (&Ready, usize),
    planted: &Planted,
    alarms: &[&Alarm],
    wanted: Wanted<'_>,
) -> Result<Vec<bool>, String> {
    let runs = alarms.iter();
    let runs: Vec<_> = runs.map(|alarm| planted.is_heard(ready, alarm)).collect();
    let mut runs = stream::iter(runs).buffered(at_once);
    let mut heard = Vec::new();
    while !wanted.is_over()
        && let Some(one) = runs.next().await
    {
        heard.push(one?);
    }
    Ok(heard)
}

/// A test that is not the one in the sources: it passes although that one fails at once.
fn unheard(alarm: &Alarm) -> PlantedFault {
    PlantedFault {
        file: alarm.file.to_string(),
        line: alarm.line,
        function: alarm.test.clone(),
        before: "what stands in it".to_owned(),
        after: "a failure at its beginning".to_owned(),
        outcome: FaultOutcome::Missed,
    }
}

/// What a test makes of the faults that it noticed before, and of others where none of them tells.
async fn seen_in_result(
    ready: &Ready,
    planted: &Planted,
    (name, known): (&str, &[FaultAt]),
    (wanted, hiding): (Wanted<'_>, Hiding),
) -> Result<(Vec<PlantedFault>, Vec<PlantedFault>), String> {
    let only_inner = hiding >= Hiding::BlindsBodies && !known.iter().all(FaultAt::takes_body);
    let counts = |known: &&FaultAt| !(only_inner && known.takes_body());
    let known = known.iter().filter(counts);
    let mut same = Vec::new();
    for fault in known.filter_map(|known| planted.same(known)) {
        same.push(planted.try_fault(ready, name, fault).await?);
    }
    let tells = |fault: &PlantedFault| match fault.outcome {
        FaultOutcome::Caught | FaultOutcome::Missed => true,
        FaultOutcome::NotReached | FaultOutcome::FailedAnyway => false,
    };
    let mut others = Vec::new();
    if !same.iter().any(tells) {
        let mut chosen: Vec<Fault> = planted
            .chosen(name, wanted)
            .into_iter()
            .map(|one| one.fault)
            .collect();
        if chosen.is_empty() && !wanted.is_over() {
            // It is none of those that were traced, or failed by chance when it was.
            let reached = planted.traced(ready, name).await?.unwrap_or_default();
            chosen.extend(planted.among(&reached).into_iter().cloned());
        }
        if only_inner {
            chosen.retain(|fault| !fault.place.kind.takes_body());
        }
        for fault in chosen.iter().take(PATIENCE) {
            let tried = planted.try_fault(ready, name, fault).await?;
            let caught = tried.outcome == FaultOutcome::Caught;
            others.push(tried);
            if caught {
                break;
            }
        }
    }
    Ok((same, others))
}

/// What was planted in a checkout.
fn planted_in(ready: &Ready) -> Result<&Planted, String> {
    match &ready.planted {
        Some(planted) => planted.as_ref().map_err(ToString::to_string),
        None => Err("nothing was planted".to_owned()),
    }
}

/// True when a test passes alone in the result: what does not is said elsewhere, and so is one that is
/// gone. One that was not among those that ran before anything was planted passed with its suite.
fn holds_alone(planted: &Planted, test: &str) -> bool {
    let before = planted.before(test);
    let passed = before.is_none_or(|before| before.verdict == LoneVerdict::Passed);
    planted.is_listed(test) && passed
}

/// True when a test passed alone before anything was planted.
fn passed_before(planted: &Planted, test: &str) -> bool {
    let before = planted.before(test);
    before.is_some_and(|before| before.verdict == LoneVerdict::Passed)
}

/// Some of the faults that a test notices. Those that take a whole body away come last: a result of
/// another type is noticed by almost anything.
async fn caught_by(
    ready: &Ready,
    planted: &Planted,
    test: &str,
    wanted: Wanted<'_>,
) -> Result<Vec<FaultAt>, String> {
    let mut chosen = planted.chosen(test, wanted);
    // Stable: the order of the faults stays within each half.
    chosen.sort_by_key(|one| one.fault.place.kind.takes_body());
    let mut caught = Vec::new();
    for one in chosen.iter().take(PATIENCE) {
        if caught.len() == COMPARED || wanted.is_over() {
            break;
        }
        let tried = planted.try_fault(ready, test, &one.fault).await?;
        if tried.outcome == FaultOutcome::Caught {
            caught.push(planted.address(&one.fault));
        }
    }
    Ok(caught)
}
