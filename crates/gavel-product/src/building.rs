//! Building: the place of the work, the contracts onto the branch, then phase by phase.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gavel_agent::{Registry, work_tree_tools};
use gavel_build::{HiddenFiles, PhaseEnd, Site};
use gavel_contracts::{Shelf, reading_tools};
use gavel_domain::{
    CommitMade, FaultClass, MicroUsd, Phase, Scope, Spec, Stage, Timestamp, ToolFinished,
};
use gavel_rules::{AuditedBy, RoleMemory, RunnerRules};
use gavel_run::{Blobs, Recorded, Run, RunError, StepCommit, StepFailure, Tree};
use gavel_workspace::{CommitId, RepoPath};

use crate::PRINTED_FLOW;
use crate::discovery::Discovered;
use crate::publishing::push_target;
use crate::sprint_feedback::SentBack;
use crate::sprints::{Delivered, Work};
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, unusable};

/// The folder of the contracts on a build's branch.
pub(crate) const CONTRACTS: &str = ".gavel/contracts";

/// What is to be built.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) shelf: &'a Shelf,
    pub(crate) phases: &'a [Phase],
}

/// How far the building is, over all rounds of the run.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The last commit.
    pub(crate) commit: CommitId,
    /// How each phase of the present contracts ended last, by its number.
    pub(crate) ends: BTreeMap<u32, PhaseEnd>,
    /// Files that the plans of all sprints named.
    pub(crate) planned: BTreeSet<String>,
    /// The number of the last sprint.
    pub(crate) sprint: u32,
    /// How many sprints the run may have: as set, and what a person allowed since.
    pub(crate) allowed: u32,
    /// How often a person allowed the whole time once more.
    pub(crate) times: u32,
    /// What had been spent when the last sprint began.
    pub(crate) spent: Option<MicroUsd>,
    /// What each sprint cost.
    pub(crate) costs: Vec<MicroUsd>,
    /// Whether each sprint changed a file, since somebody last said how to go on.
    pub(crate) changed: Vec<bool>,
    /// Requests to ship that were heeded.
    pub(crate) heeded: u32,
    /// How often it was looked for requests to ship.
    pub(crate) looks: u32,
    /// What a request to ship kept from the next sprint.
    pub(crate) pending: Option<SentBack>,
    /// Who audited, at worst; none while nobody has.
    pub(crate) audited_by: Option<AuditedBy>,
    /// What the roles remember.
    pub(crate) roles: RoleMemory,
    /// When the building of this round began: the moment of its commits.
    pub(crate) at: Timestamp,
    /// How often building was begun in this round.
    pub(crate) visits: u32,
    /// How often the gate was asked in this run.
    pub(crate) gates: u32,
}

/// Why building stopped for now.
#[derive(Debug)]
pub(crate) enum BuildEnd {
    /// There is something for the gate.
    Ready,
    /// The council is to think again; the sentence says what happened.
    Rethink(String),
}

/// Everything of one build.
pub(crate) async fn site(way: Way<'_>, shelf: &Arc<Shelf>) -> Result<Site, RunError> {
    let Way {
        run, means, place, ..
    } = way;
    let mut workshop = means.workshop.clone();
    workshop.permissions = way.mark.permissions(&way.brief.repository);
    let hidden = HiddenFiles::at(&place.tree, &place.base, &workshop.revealed).await;
    let hidden = Arc::new(hidden.map_err(|error| unusable(run, &error))?);
    let folder = place.tree.folder();
    let context = match workshop.room(folder, &place.beside).await {
        Ok(room) => {
            let room = hidden.for_agents(room);
            place.context.clone().with_commands(Arc::new(room))
        }
        // Whoever builds works with the files alone; each verification tells why nothing can run.
        Err(error) => {
            tracing::warn!(%error, "no command can be run");
            place.context.clone()
        }
    };
    let mut tools = Registry::default();
    let added = work_tree_tools(&mut tools)
        .and_then(|()| reading_tools(&mut tools, shelf.clone()))
        .and_then(|()| gavel_build::tools(&mut tools));
    added.map_err(|error| unusable(run, &error))?;
    Ok(Site {
        tree: place.tree.clone(),
        base: place.base.clone(),
        runner_rules: if run.flow() >= PRINTED_FLOW {
            RunnerRules::ProgramsAndReach
        } else {
            RunnerRules::Programs
        },
        branch: place.branch.clone(),
        push: push_target(way),
        hidden,
        tools: Arc::new(tools),
        context,
        workshop,
        beside: place.beside.clone(),
    })
}

/// What earlier rounds or the hot path left behind.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// The last commit; the base of the run when there is none.
    pub(crate) commit: Option<CommitId>,
    /// How many gates were numbered.
    pub(crate) gates: u32,
    /// How many sprints were numbered: they are counted over the whole run.
    pub(crate) sprints: u32,
    progress: Option<Progress>,
}

impl Before {
    /// What a round leaves to the next.
    pub(crate) fn of(progress: Progress) -> Self {
        Self {
            commit: Some(progress.commit.clone()),
            gates: progress.gates,
            sprints: progress.sprint,
            progress: Some(progress),
        }
    }
}

/// Begins a round of building: the contracts are committed on what there is.
pub(crate) async fn begin(way: Way<'_>, shelf: &Shelf, before: Before) -> Result<Progress, Leave> {
    let at = way.enter(Stage::Building).await?;
    let parent = before.commit.as_ref().unwrap_or(&way.place.base);
    let name = way.in_round("build");
    let made = until_mended(way, &name, async |scope: Scope| {
        let made = commit_contracts(way, &scope, (shelf, parent), at).await?;
        Ok(Tried::Done(made.value))
    })
    .await?;
    let commit = id(way.run, &made)?;
    let mut progress = match before.progress {
        Some(last) => Progress {
            commit,
            ends: BTreeMap::new(),
            changed: Vec::new(),
            at,
            visits: 1,
            ..last
        },
        None => Progress::new(commit, way.choices.max_sprints, at),
    };
    progress.gates = before.gates;
    progress.sprint = before.sprints;
    Ok(progress)
}

impl Progress {
    fn new(commit: CommitId, allowed: u32, at: Timestamp) -> Self {
        Self {
            commit,
            ends: BTreeMap::new(),
            planned: BTreeSet::new(),
            sprint: 0,
            allowed,
            times: 1,
            spent: None,
            costs: Vec::new(),
            changed: Vec::new(),
            heeded: 0,
            looks: 0,
            pending: None,
            audited_by: None,
            roles: RoleMemory::default(),
            at,
            visits: 1,
            gates: 0,
        }
    }
}

/// Builds the phases that are not done, in order; what the gate sent back is told to the first
/// sprint.
pub(crate) async fn build(
    way: Way<'_>,
    site: &Site,
    plan: Plan<'_>,
    (found, progress): (&mut Discovered, &mut Progress),
    sent_back: Option<SentBack>,
) -> Result<BuildEnd, Leave> {
    let mut work = Work {
        way,
        site,
        plan,
        found,
        progress,
    };
    let mut sent_back = sent_back;
    while let Some(phase) = next_phase(plan, work.progress, sent_back.is_some()) {
        match work.deliver(phase, sent_back.take()).await? {
            Delivered::Done => {}
            Delivered::Gate => break,
            Delivered::Rethink(trouble) => return Ok(BuildEnd::Rethink(trouble)),
        }
    }
    Ok(BuildEnd::Ready)
}

/// Goes back to building, for the gate did not pass.
pub(crate) async fn mend(
    way: Way<'_>,
    site: &Site,
    plan: Plan<'_>,
    (found, progress): (&mut Discovered, &mut Progress),
    mut sent_back: SentBack,
) -> Result<BuildEnd, Leave> {
    progress.visits += 1;
    progress.at = way.enter_again(Stage::Building, progress.visits).await?;
    if let Some(pending) = progress.pending.take() {
        sent_back.words = sent_back.words.or(pending.words);
    }
    build(way, site, plan, (found, progress), Some(sent_back)).await
}

/// The first phase that is not done. When all are and the gate sends back, the last one.
fn next_phase<'a>(plan: Plan<'a>, progress: &Progress, sent_back: bool) -> Option<&'a Phase> {
    let is_done = |phase: &&Phase| {
        let end = progress.ends.get(&phase.number);
        end.is_some_and(|end| end.stuck.is_none())
    };
    let open = plan.phases.iter().find(|phase| !is_done(phase));
    open.or_else(|| plan.phases.last().filter(|_| sent_back))
}

/// Writes the contracts into the tree and commits them: whoever reviews the branch sees what it was
/// held to.
async fn commit_contracts(
    way: Way<'_>,
    scope: &Scope,
    (shelf, parent): (&Shelf, &CommitId),
    at: Timestamp,
) -> Result<Recorded<CommitMade>, Leave> {
    let Way { run, place, .. } = way;
    let files: Vec<(String, String)> = shelf
        .iter()
        .map(|contract| {
            let path = format!("{CONTRACTS}/{}", contract.kind.file_name());
            (path, contract.text.clone())
        })
        .collect();
    let effect = |blobs: Blobs| {
        let (context, files) = (place.context.clone(), files.clone());
        async move {
            let count = files.len();
            let written = tokio::task::spawn_blocking(move || {
                for (path, text) in &files {
                    let path: RepoPath = path.parse().map_err(failed)?;
                    context
                        .files()
                        .write(&path, text.as_bytes())
                        .map_err(failed)?;
                }
                Ok::<_, StepFailure>(())
            });
            written.await.map_err(failed)??;
            Ok(ToolFinished {
                tool: "write_contracts".to_owned(),
                ok: true,
                result: blobs.keep(format!("{count} contracts written")),
                level: None,
                source: None,
            })
        }
    };
    let key = scope.key("contracts")?;
    let class = Tree::new(&place.tree);
    run.step(key, class, &shelf.digests(), effect).await?;
    let commit = StepCommit {
        work_tree: &place.tree,
        branch: &place.branch,
        parent,
        title: "contracts",
        at,
    };
    Ok(run.commit(scope.key("contracts-commit")?, commit).await?)
}

/// The commit that a fact names.
pub(crate) fn id(run: &Run, made: &CommitMade) -> Result<CommitId, RunError> {
    made.commit.parse().map_err(|error| unusable(run, &error))
}

fn failed(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Failed, problem)
}

#[cfg(test)]
#[path = "building_tests.rs"]
mod tests;
