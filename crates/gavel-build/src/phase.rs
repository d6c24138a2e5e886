//! One phase: scout, plan, code, verify, audit, repairs, commit.

use std::collections::BTreeSet;

use gavel_agent::{WorkStop, Worked};
use gavel_domain::{
    AuditVerdict, Phase, Role, Scope, SprintPart, SprintStage, Timestamp, VerifyFinished,
    VerifyVerdict,
};
use gavel_rules::{Repetition, RoleMemory};
use gavel_run::{Run, RunError, StepCommit};
use gavel_workspace::{CommitId, TestNames};

use crate::sprint::{Looked, Sprint};
use crate::troubles::Troubles;
use crate::verify::{COULD_NOT_RUN, with_sources};
use crate::{CommandRan, Crew, Site, push_branch};

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
    /// True when no phase follows.
    pub is_last: bool,
    /// What this sprint is told beside its phase: open criteria, failures, feedback. May be empty.
    pub focus: &'a str,
    /// How many requests to ship were heeded before.
    pub heeded: u32,
    /// What each role remembers of the sprints before.
    pub roles: &'a RoleMemory,
}

/// How a phase ended. Whether it is good enough is not decided here; [`commit_phase`] commits it in
/// any case, so that nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseEnd {
    /// The last verification of the work tree.
    pub verify: VerifyFinished,
    /// The tests of that verification.
    pub tests: TestNames,
    /// Its commands.
    pub commands: Vec<CommandRan>,
    /// The last audit.
    pub audit: AuditVerdict,
    /// What still stands against it.
    pub open_errors: Vec<String>,
    /// What stood against it on the way and no longer does.
    pub repaired: Vec<String>,
    /// True when the sprint left a file in another state than it found it.
    pub changed: bool,
    /// How a role went round in circles, when one was stopped for it.
    pub circles: Option<Repetition>,
    /// Files that its plan named.
    pub planned: Vec<String>,
    /// What each role had to say at its end.
    pub said: Vec<(Role, String)>,
    /// Why it was left like this; `None` only when the tests passed, the audit passed and nothing
    /// stands against it.
    pub stuck: Option<String>,
}

impl PhaseEnd {
    /// True when this machine could not run the tests, which says nothing about them.
    pub fn could_not_run(&self) -> bool {
        self.verify.reason == COULD_NOT_RUN
    }
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
    let mut way = RepairWay::default();
    let scouted = Box::pin(sprint.scout()).await?;
    let scout = scouted.text.clone();
    way.heard(Role::Scout, scouted);
    let plan = Box::pin(sprint.plan(&scout)).await?;
    let coded = Box::pin(sprint.code(&plan, &scout)).await?;
    way.heard(Role::Coder, coded);
    let (looked, stuck) = Box::pin(repair(&sprint, &mut way)).await?;
    let open_errors = looked.troubles.texts();
    way.met.retain(|error| !open_errors.contains(error));
    let mut said = way.said;
    said.push((Role::Auditor, looked.audit_told()));
    Ok(PhaseEnd {
        repaired: way.met.into_iter().collect(),
        changed: looked.changed,
        planned: plan.paths,
        circles: way.circles,
        said,
        stuck: stuck.or_else(|| what_is_wrong(&looked)),
        verify: looked.verify,
        tests: looked.tests,
        commands: looked.commands,
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
    push_branch(run, scope.key("pushed")?, site.publication(), &commit).await?;
    Ok(commit)
}

/// What happened on the way of a sprint.
#[derive(Debug, Default)]
struct RepairWay {
    /// Everything that ever stood against the phase.
    met: BTreeSet<String>,
    said: Vec<(Role, String)>,
    circles: Option<Repetition>,
}

impl RepairWay {
    fn heard(&mut self, role: Role, worked: Worked) {
        if let WorkStop::Guard { reason } = worked.stop {
            self.circles = Some(reason);
        }
        self.said.push((role, worked.text));
    }
}

/// Looks, and repairs while something stands against the phase and it may help.
async fn repair(
    sprint: &Sprint<'_>,
    way: &mut RepairWay,
) -> Result<(Looked, Option<String>), RunError> {
    let mut looked = sprint.look(0).await?;
    sprint.record(0, &looked, &Troubles::default()).await?;
    for round in 1..=ROUNDS {
        way.met.extend(looked.troubles.texts());
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
        let fixed = sprint.fix(round, &looked).await?;
        let gave_up = gave_up(&fixed);
        way.heard(Role::Fixer, fixed);
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

/// The reason when a fixer gave up.
fn gave_up(worked: &Worked) -> Option<String> {
    let words = worked.text.trim();
    words.starts_with("Cannot:").then(|| words.to_owned())
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
