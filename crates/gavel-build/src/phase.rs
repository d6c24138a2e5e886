//! One phase: scout, plan, code, verify, audit, repairs, commit.

use std::collections::BTreeSet;

use gavel_domain::{
    AuditVerdict, MemoryNote, Phase, Scope, SprintPart, SprintStage, Timestamp, VerifyFinished,
    VerifyVerdict,
};
use gavel_run::{Run, RunError, StepCommit};
use gavel_workspace::{CommitId, TestNames};

use crate::sprint::{Looked, Sprint};
use crate::troubles::Troubles;
use crate::verify::{COULD_NOT_RUN, with_sources};
use crate::{Crew, Site, push_branch};

/// How often a phase is repaired.
const ROUNDS: u32 = 2;
/// The longest name of a phase in a commit's first line.
const MAX_TITLE: usize = 60;

/// The phase to build, and what it begins with.
#[derive(Debug, Clone, Copy)]
pub struct PhaseWork<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// Its window of the contract `phases`.
    pub window: &'a str,
    /// The number of the sprint that builds it, counted from one.
    pub sprint: u32,
    /// The commit that it is built on.
    pub parent: &'a CommitId,
    /// The moment of its commit, from a fact.
    pub at: Timestamp,
    /// What project memory has to say.
    pub memory: &'a [MemoryNote],
    /// True when no phase follows.
    pub is_last: bool,
}

/// How a phase ended. Whether it is good enough is not decided here; [`commit_phase`] commits it in
/// any case, so that nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseEnd {
    /// The last verification of the work tree.
    pub verify: VerifyFinished,
    /// The tests of that verification.
    pub tests: TestNames,
    /// The last audit.
    pub audit: AuditVerdict,
    /// What still stands against it.
    pub open_errors: Vec<String>,
    /// What stood against it on the way and no longer does.
    pub repaired: Vec<String>,
    /// Why it was left like this; `None` only when the tests passed, the audit passed and nothing
    /// stands against it.
    pub stuck: Option<String>,
}

/// Builds one phase in the work tree.
///
/// Everything is on record below the scope: `scout-1`, `plan-1`, `code-1`, then `verify-N`,
/// `audit-N`, `round-N` and `fix-N`.
pub async fn build_phase(
    run: &Run,
    scope: &Scope,
    site: &Site,
    crew: &Crew,
    work: &PhaseWork<'_>,
) -> Result<PhaseEnd, RunError> {
    let sprint = Sprint {
        run,
        scope,
        site,
        crew,
        work,
    };
    let scout = Box::pin(sprint.scout()).await?;
    let plan = Box::pin(sprint.plan(&scout)).await?;
    Box::pin(sprint.code(&plan, &scout)).await?;
    let mut met = BTreeSet::new();
    let (looked, stuck) = Box::pin(repair(&sprint, &mut met)).await?;
    let open_errors = looked.troubles.texts();
    met.retain(|error| !open_errors.contains(error));
    Ok(PhaseEnd {
        repaired: met.into_iter().collect(),
        stuck: stuck.or_else(|| what_is_wrong(&looked)),
        verify: looked.verify,
        tests: looked.tests,
        audit: looked.audit,
        open_errors,
    })
}

/// Commits what a phase left in the work tree and pushes the branch: `stage`, `made` and `pushed`
/// below the scope. Apart from the building, so that a branch that cannot be written costs another
/// commit and no other phase.
pub async fn commit_phase(
    run: &Run,
    scope: &Scope,
    site: &Site,
    work: &PhaseWork<'_>,
) -> Result<CommitId, RunError> {
    let stage = SprintStage {
        sprint: work.sprint,
        part: SprintPart::Commit,
        round: 0,
    };
    run.decide(scope.key("stage")?, stage).await?;
    let phase = work.phase;
    let title = format!("phase {}: {}", phase.number, one_line(&phase.name));
    let commit = StepCommit {
        work_tree: &site.tree,
        branch: &site.branch,
        parent: work.parent,
        title: &title,
        at: work.at,
    };
    let made = run.commit(scope.key("made")?, commit).await?.value;
    let commit: CommitId = made.commit.parse().map_err(|error| RunError::Brief {
        run: run.id(),
        problem: with_sources(&error),
    })?;
    push_branch(run, scope.key("pushed")?, site, &commit).await?;
    Ok(commit)
}

/// Looks, and repairs while something stands against the phase and it may help. Everything that
/// ever stood against it is noted in `met`.
async fn repair(
    sprint: &Sprint<'_>,
    met: &mut BTreeSet<String>,
) -> Result<(Looked, Option<String>), RunError> {
    let mut looked = sprint.look(0).await?;
    sprint.record(0, &looked, &Troubles::default()).await?;
    for round in 1..=ROUNDS {
        met.extend(looked.troubles.texts());
        if looked.troubles.is_empty() {
            return Ok((looked, None));
        }
        if looked.verify.reason == COULD_NOT_RUN {
            let why = "the tests cannot be run on this machine".to_owned();
            return Ok((looked, Some(why)));
        }
        if sprint.ship_asked(round).await? {
            let why = "shipping was asked for before it was repaired".to_owned();
            return Ok((looked, Some(why)));
        }
        let gave_up = sprint.fix(round, &looked).await?;
        // Also after giving up: what it changed until then is committed.
        let before = std::mem::take(&mut looked.troubles);
        looked = sprint.look(round).await?;
        sprint.record(round, &looked, &before).await?;
        if gave_up.is_some() && !looked.troubles.is_empty() {
            return Ok((looked, gave_up));
        }
    }
    Ok((looked, None))
}

fn what_is_wrong(looked: &Looked) -> Option<String> {
    let what = if !looked.troubles.is_empty() {
        "the repairs did not help"
    } else if looked.verify.verdict != VerifyVerdict::Passed {
        "the tests did not pass"
    } else {
        match looked.audit {
            AuditVerdict::Pass => return None,
            AuditVerdict::Fail => "the audit failed",
            AuditVerdict::Unclear => "the auditor gave no judgement",
        }
    };
    Some(what.to_owned())
}

/// A name as it fits into the first line of a commit.
fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).take(MAX_TITLE).collect()
}
