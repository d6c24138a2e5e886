//! What the work did to what was there before: findings that somebody may release, the tests from before
//! the run on the result, and the tests of a fix on the code before it.

use std::collections::{BTreeMap, BTreeSet};

use gavel_build::{
    JudgedCommit, Site, TouchedLines, WorkCase, inspect, read_work, run_base_tests, run_new_tests,
};
use gavel_domain::{FaultOutcome, PlantedFault, Scope, TestOutcome};
use gavel_rules::work::{WorkFinding, is_bug_fix};
use gavel_rules::{FixShown, TestProof};
use gavel_workspace::RepoPath;

use super::{BaseHeld, Proven, ToProve, WorkLooked, release};
use crate::way::{Leave, Way, unusable};
use crate::{KEPT_TESTS_FLOW, PRINTED_FLOW, runner_consent};

/// From this flow on tests that the code from before does not build with may show that a change was made.
const NEW_CODE_FLOW: u32 = 9;

/// Looks at the work; what the tests of a fix show stands beside the criterion that the change was made.
pub(super) async fn look(
    way: Way<'_>,
    (site, scope): (&Site, &Scope),
    work: &ToProve<'_>,
    proven: &mut Proven,
) -> Result<Looked, Leave> {
    let run = way.run;
    let commit = work.case.commit;
    let reading = read_work(site, commit, work.request);
    let read = run.until_cut(reading).await?;
    let read = read.map_err(|error| unusable(run, &error))?;
    let case = WorkCase {
        work: &read,
        judged: JudgedCommit {
            commit,
            consent: Box::pin(runner_consent::consent(way, site, commit)).await?,
        },
        request: work.request,
    };
    proven.work.touched = read.changed.clone();
    let findings = inspect(run, scope.key("work")?, case, work.case.planned).await?;
    let released = release_findings(way, scope, work, (&findings, &mut proven.work)).await?;
    let rewritten = work.verified.rewritten.iter();
    let rewritten =
        rewritten.map(|file| format!("{file}: it is written anew while it is verified"));
    proven.work.open.extend(rewritten);
    let written = read.touched.keys().map(ToString::to_string);
    let mut looked = Looked {
        written: written.filter(|path| read.wrote_product(path)).collect(),
        touched: read.touched.clone(),
        new_tests: NewTests::default(),
        came_with_it: BTreeSet::new(),
        test_changes: BTreeMap::new(),
        wrote_unplanted: read.wrote_unplanted(),
        kept_alone: false,
    };
    if !proven.work.holds() {
        return Ok(looked);
    }
    let key = scope.key("base-tests")?;
    proven.work.base_tests = match run_base_tests(run, key, site, case, &released).await? {
        Some(seen) if seen.fact.held => BaseHeld::Held,
        Some(seen) => BaseHeld::Failed(seen.problems),
        // All of them were run by the verification, beside those that came with the work.
        None if read.had_product => {
            let executed = work.verified.fact.executed;
            match executed.saturating_sub(read.new_tests()) {
                0 => BaseHeld::None,
                _ => BaseHeld::Held,
            }
        }
        None => BaseHeld::None,
    };
    let silent = read.not_executed((work.request, &released), &work.verified.tests);
    if proven.work.holds() && !silent.is_empty() {
        proven.work.base_tests = BaseHeld::Failed(silent);
    }
    looked.came_with_it = read.new_test_names();
    looked.test_changes = read.test_count_changes();
    looked.kept_alone = read.had_product
        && match run.flow() {
            ..KEPT_TESTS_FLOW => read.wrote_code(),
            KEPT_TESTS_FLOW.. => read.changed_what_runs(),
        };
    if proven.work.holds() {
        looked.new_tests = new_tests(way, (site, scope), (work, case), proven).await?;
    }
    Ok(looked)
}

/// Has findings released; what is not is held against the work. The ids of those that are.
pub(super) async fn release_findings(
    way: Way<'_>,
    scope: &Scope,
    work: &ToProve<'_>,
    (findings, looked): (&[WorkFinding], &mut WorkLooked),
) -> Result<BTreeSet<String>, Leave> {
    let people = (work.staff, work.request);
    let released = release::release(way, scope, people, findings).await?;
    for finding in findings {
        match released.get(&finding.id) {
            Some(why) => {
                let line = format!("{}: {why}", finding.sentence());
                looked.released.push(line);
            }
            None => looked.open.push(finding.sentence()),
        }
    }
    Ok(released.into_keys().collect())
}

/// Tests that came with the work and pass on the result, by their full names.
#[derive(Debug, Default)]
pub(super) struct NewTests {
    /// Those that fail on the code from before.
    pub(super) failing_before: Vec<String>,
    /// Others, where the code from before does not build with some of them: they call what is new. They show
    /// something by faults in lines that the work wrote, and no fix.
    pub(super) not_built_before: Vec<String>,
}

/// What later parts of the proof need to know of the work.
#[derive(Debug)]
pub(super) struct Looked {
    /// Files of the product in which the work wrote.
    written: BTreeSet<String>,
    pub(super) touched: TouchedLines,
    /// Tests that came with the work and may show that the change was made.
    pub(super) new_tests: NewTests,
    /// The names of all tests that came with the work.
    pub(super) came_with_it: BTreeSet<String>,
    /// By how many tests of a name the sources differ from those before.
    pub(super) test_changes: BTreeMap<String, i64>,
    /// True when the work wrote files that code may stand in and in which no fault is planted.
    pub(super) wrote_unplanted: bool,
    /// True when the tests from before are to be run alone: something was changed that could speak for
    /// them.
    pub(super) kept_alone: bool,
}

impl Looked {
    /// What a test showed about files that the work wrote in: one that bites only elsewhere is hollow here.
    pub(super) fn only_in_product(&self, proof: &TestProof) -> TestProof {
        only_by_faults(proof, |fault| self.written.contains(&fault.file))
    }

    /// The same about the very lines that it wrote.
    pub(super) fn only_in_lines(&self, proof: &TestProof) -> TestProof {
        only_by_faults(proof, |fault| {
            let file = fault.file.parse::<RepoPath>().ok();
            let lines = file.and_then(|file| self.touched.get(&file));
            self.written.contains(&fault.file)
                && lines.is_some_and(|lines| lines.contains(&fault.line))
        })
    }
}

/// What a test showed by these faults alone.
fn only_by_faults(proof: &TestProof, counts: impl Fn(&&PlantedFault) -> bool) -> TestProof {
    let faults: Vec<PlantedFault> = proof.faults.iter().filter(counts).cloned().collect();
    let caught = faults.iter().any(|one| one.outcome == FaultOutcome::Caught);
    let bites_elsewhere = proof.outcome == TestOutcome::Bites && !caught;
    let outcome = if bites_elsewhere {
        TestOutcome::Hollow
    } else {
        proof.outcome
    };
    TestProof {
        outcome,
        faults,
        ..proof.clone()
    }
}

/// Tries new tests on the code from before the run, where there was some.
async fn new_tests(
    way: Way<'_>,
    (site, scope): (&Site, &Scope),
    (work, case): (&ToProve<'_>, WorkCase<'_>),
    proven: &mut Proven,
) -> Result<NewTests, Leave> {
    let fix = is_bug_fix(work.request);
    if !case.work.had_product {
        return Ok(NewTests::default());
    }
    let key = scope.key("new-tests")?;
    let passed = &work.verified.tests.passed;
    let seen = run_new_tests(way.run, key, site, case, passed).await?;
    let not_built = seen.as_ref().map_or(0, |seen| seen.fact.not_built);
    let mut failing = seen.map(|seen| seen.failing).unwrap_or_default();
    // What fails before and passes after, without code that was written in between, shows no fix.
    if !case
        .work
        .touched
        .keys()
        .any(|path| case.work.wrote_product(path.as_str()))
    {
        failing.clear();
    }
    let was_printed = |name: &String| work.named.printed.contains(name);
    let only_printed = failing.iter().any(was_printed);
    failing.retain(|name| !was_printed(name));
    let names_tests = !passed.is_empty();
    let shown = u32::try_from(failing.len()).unwrap_or(u32::MAX);
    proven.work.fix = match shown {
        _ if !fix => None,
        1.. => Some(FixShown::Shown(shown)),
        0 if names_tests && !only_printed => Some(FixShown::Missing),
        0 if way.run.flow() >= PRINTED_FLOW => Some(FixShown::Unseen),
        0 => None,
    };
    let mut others = Vec::new();
    if not_built > 0 && !fix && way.run.flow() >= NEW_CODE_FLOW {
        let ours = case.work.new_among(passed);
        others.extend(
            ours.filter(|name| !was_printed(name) && !failing.contains(name))
                .cloned(),
        );
    }
    Ok(NewTests {
        failing_before: failing,
        not_built_before: others,
    })
}
