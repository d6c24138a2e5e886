//! What the done gate proves by itself, before a judge, an owner or a person is asked.
//!
//! What the work did to what was there before comes first, since it costs least: tests, settings and
//! scope, the contracts, the tests from before the run. Then the criteria: their examples are executed,
//! their tests run alone and against broken code. Where something cannot pass any more, the rest is
//! left out.

mod contracts;
mod criteria;
mod release;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use gavel_build::{CommitVerified, Site};
use gavel_domain::{ExampleOutcome, FaultCount, KeptTestsTried, TestOutcome, VerifyVerdict};
use gavel_rules::{BaseTests, CriterionProof, FixShown, TestProof, WorkChecks};

use crate::PROVEN_FLOW;
use crate::gating::{GateCase, NamedTests};
use crate::staffing::Staff;
use crate::way::{Leave, Way};

/// What was proven about a commit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proven {
    /// By criterion.
    pub(crate) criteria: BTreeMap<String, CriterionProof>,
    pub(crate) work: WorkLooked,
}

impl Proven {
    /// What the tests of criteria made of planted faults; none where nothing was planted.
    pub(crate) fn faults(&self) -> Option<FaultCount> {
        let tests = self
            .criteria
            .values()
            .filter_map(|proof| proof.test.as_ref());
        let count = FaultCount::of(tests.flat_map(|test| &test.faults));
        (count.tried > 0).then_some(count)
    }

    /// Hollow tests of criteria whose example holds, and what each did not notice.
    pub(crate) fn hollow_beside_examples(&self) -> Vec<String> {
        let criteria = self.criteria.iter();
        let told = criteria.filter_map(|(id, proof)| {
            let held = proof.example.as_ref()?.outcome == ExampleOutcome::Held;
            let test = proof.test.as_ref();
            let test = test.filter(|test| held && test.outcome == TestOutcome::Hollow)?;
            Some(format!(
                "{id}: its test {} is hollow: {}",
                test.test, test.why
            ))
        });
        told.collect()
    }

    /// Criteria whose test no fault made fail.
    pub(crate) fn hollow(&self) -> Vec<String> {
        let hollow = |test: &TestProof| test.outcome == TestOutcome::Hollow;
        let criteria = self.criteria.iter();
        let hollow = criteria.filter(|(_, proof)| proof.test.as_ref().is_some_and(hollow));
        hollow.map(|(id, _)| id.clone()).collect()
    }
}

/// What the work did to what was there before.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkLooked {
    /// Files that the work touched.
    pub(crate) touched: BTreeSet<String>,
    /// Findings that nobody released, a sentence each.
    pub(crate) open: Vec<String>,
    /// Findings that somebody released, with the reason.
    pub(crate) released: Vec<String>,
    base_tests: BaseHeld,
    /// What tests from before the run made of faults; none where they were not tried.
    pub(crate) kept: Option<KeptCount>,
    fix: Option<FixShown>,
    /// Rules of the contracts that were applied.
    rules: u32,
    /// Where they are broken.
    pub(crate) broken: Vec<String>,
    /// What no rule can check.
    pub(crate) not_checked: Vec<String>,
}

/// What tests from before the run made of faults in the result, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeptCount {
    pub(crate) tried: u32,
    pub(crate) biting: u32,
    pub(crate) hollow_before: u32,
    pub(crate) not_measured: u32,
}

impl KeptCount {
    const fn of(fact: &KeptTestsTried) -> Self {
        Self {
            tried: fact.tried,
            biting: fact.biting,
            hollow_before: fact.hollow_before,
            not_measured: fact.not_measured,
        }
    }
}

#[derive(Debug, Clone, Default)]
enum BaseHeld {
    #[default]
    None,
    Held,
    Failed(Vec<String>),
}

impl WorkLooked {
    /// True for a fix whose runner names no tests, so that none was seen to fail before it.
    pub(crate) fn is_unseen_fix(&self) -> bool {
        self.fix == Some(FixShown::Unseen)
    }

    /// As the gate looks at it.
    pub(crate) fn checks(&self) -> WorkChecks<'_> {
        WorkChecks {
            files: u32::try_from(self.touched.len()).unwrap_or(u32::MAX),
            findings: &self.open,
            base_tests: match &self.base_tests {
                BaseHeld::None => BaseTests::None,
                BaseHeld::Held => BaseTests::Held,
                BaseHeld::Failed(why) => BaseTests::Failed(why),
            },
            fix: self.fix.unwrap_or(FixShown::NotAsked),
            rules: self.rules,
            broken: &self.broken,
            hollow: &[],
        }
    }

    /// True while nothing stands against the result.
    fn holds(&self) -> bool {
        let base = match &self.base_tests {
            BaseHeld::None | BaseHeld::Held => true,
            BaseHeld::Failed(_) => false,
        };
        base && self.open.is_empty()
            && self.broken.is_empty()
            && !matches!(self.fix, Some(FixShown::Missing | FixShown::Hollow))
    }
}

/// What is proven, and who may release something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToProve<'a> {
    pub(crate) case: &'a GateCase<'a>,
    pub(crate) verified: &'a CommitVerified,
    /// Its tests by what their names can show.
    pub(crate) named: &'a NamedTests,
    pub(crate) staff: &'a Staff,
    /// The person's own words.
    pub(crate) request: &'a str,
}

/// Proves a commit whose tests passed; none in runs from before there was a proof.
pub(crate) async fn prove(
    way: Way<'_>,
    site: &Site,
    work: ToProve<'_>,
) -> Result<Option<Proven>, Leave> {
    if way.run.flow() < PROVEN_FLOW {
        return Ok(None);
    }
    let mut proven = Proven::default();
    match work.verified.fact.verdict {
        VerifyVerdict::Passed => {}
        // The floor does not hold; nothing else can.
        VerifyVerdict::Failed | VerifyVerdict::Unclear => return Ok(Some(proven)),
    }
    let scope = way.run.scope("proof", work.case.number)?;
    contracts::compare(way, &scope, &work, &mut proven.work).await?;
    let looked = work::look(way, (site, &scope), &work, &mut proven).await?;
    if proven.work.holds() {
        criteria::prove(way, (site, &scope), (&work, &looked), &mut proven).await?;
    }
    Ok(Some(proven))
}
