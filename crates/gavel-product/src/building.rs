//! Building: the contracts onto the branch, then phase by phase.

use std::sync::Arc;

use gavel_agent::{Registry, RegistryError, work_tree_tools};
use gavel_build::{Crew, PhaseEnd, PhaseWork, Site, build_phase, commit_phase};
use gavel_contracts::{Shelf, phase_window, reading_tools};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, CommitMade, ContractKind, FaultClass, OnTimeout, Phase,
    Purpose, QuestionCard, Scope, ShipHeeded, Stage, Timestamp, ToolFinished,
};
use gavel_rules::HaltReason;
use gavel_run::{Blobs, Pure, Question, Recorded, Run, RunError, StepCommit, StepFailure, Tree};
use gavel_workspace::{CommitId, RepoPath};

use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, try_again, until_mended};
use crate::way::{Leave, Way, halt, unusable};

/// The folder of the contracts on a build's branch.
pub(crate) const CONTRACTS: &str = ".gavel/contracts";

/// The most sprints of one run, phases that are built again included.
const MOST_SPRINTS: u32 = 20;

/// What was built.
#[derive(Debug)]
pub(crate) struct Built {
    /// The last commit.
    pub(crate) commit: CommitId,
    /// How each phase that was built ended, in order.
    pub(crate) ends: Vec<PhaseEnd>,
    /// How many phases the contracts have.
    pub(crate) phases: u32,
    /// True when a model audited what it wrote itself.
    pub(crate) audited_itself: bool,
}

/// Everything of one build.
pub(crate) async fn site(way: Way<'_>, shelf: &Arc<Shelf>) -> Result<Site, RegistryError> {
    let Way { means, place, .. } = way;
    let workshop = means.workshop.clone();
    let folder = place.tree.folder();
    let context = match workshop.room(folder, &place.beside).await {
        Ok(room) => place.context.clone().with_commands(Arc::new(room)),
        // Whoever builds works with the files alone; each verification tells why nothing can run.
        Err(error) => {
            tracing::warn!(%error, "no command can be run");
            place.context.clone()
        }
    };
    let mut tools = Registry::default();
    work_tree_tools(&mut tools)?;
    reading_tools(&mut tools, shelf.clone())?;
    gavel_build::tools(&mut tools)?;
    Ok(Site {
        tree: place.tree.clone(),
        branch: place.branch.clone(),
        remote: place.remote.clone(),
        tools: Arc::new(tools),
        context,
        workshop,
        beside: place.beside.clone(),
    })
}

/// Commits the contracts, then builds the phases.
pub(crate) async fn build(
    way: Way<'_>,
    site: &Site,
    staff: &mut Staff,
    (shelf, phases): (&Shelf, &[Phase]),
) -> Result<Built, Leave> {
    let run = way.run;
    let at = way.enter(Stage::Building).await?;
    let made = until_mended(way, "build", async |scope: Scope| {
        Ok(Tried::Done(
            commit_contracts(way, &scope, shelf, at).await?.value,
        ))
    })
    .await?;
    let mut commit = id(run, &made)?;
    let all = u32::try_from(phases.len()).unwrap_or(u32::MAX);
    let mut built = Built {
        commit: commit.clone(),
        ends: Vec::new(),
        phases: all,
        audited_itself: false,
    };
    let mut sprint = 0;
    for phase in phases {
        loop {
            sprint += 1;
            if sprint > MOST_SPRINTS {
                let told = format!("{MOST_SPRINTS} sprints were not enough");
                return Err(halt(run, HaltReason::MaxSprintsReached, &told).await);
            }
            let scope = run.scope("sprint", sprint)?;
            if sprint > 1 && ship_asked(run, &scope).await? {
                return Ok(built);
            }
            let query = format!("{} {}", phase.name, phase.objective);
            let notes = memory::recall(way, &scope, &query).await?;
            let window = window_of(run, shelf, phase)?;
            let work = PhaseWork {
                phase,
                window: &window,
                sprint,
                parent: &commit,
                at,
                memory: &notes,
                is_last: phase.number + 1 == all,
            };
            let crew = Crew {
                coder: staff.coder.clone(),
                auditor: staff.auditor.clone(),
            };
            built.audited_itself |= crew.coder.id == crew.auditor.id;
            let end = match build_phase(run, &scope, site, &crew, &work).await {
                Ok(end) => end,
                // On record, so the same sprint would fail the same way: the next one may not.
                Err(RunError::Failed(error)) => {
                    try_again(way, &scope, staff, &error.to_string()).await?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let name = format!("sprint-{sprint}/commit");
            commit = until_mended(way, &name, async |scope: Scope| {
                Ok(Tried::Done(commit_phase(run, &scope, site, &work).await?))
            })
            .await?;
            built.commit = commit.clone();
            let problem = problem_of(&end);
            if end.stuck.is_none() {
                built.ends.push(end);
                break;
            }
            match go_on(run, &scope, (phase, &problem)).await? {
                GoOn::Again => staff.choose_again(way, &scope).await?,
                GoOn::Gate => {
                    built.ends.push(end);
                    return Ok(built);
                }
                GoOn::Stop => return Err(halt(run, HaltReason::PhaseFailed, &problem).await),
            }
        }
    }
    Ok(built)
}

/// The phase and the one after it, as the contract states them.
fn window_of(run: &Run, shelf: &Shelf, phase: &Phase) -> Result<String, RunError> {
    let contract = shelf.get(ContractKind::Phases);
    let text = contract.map_or("", |contract| contract.text.as_str());
    phase_window(text, phase.number).map_err(|error| unusable(run, &error))
}

fn problem_of(end: &PhaseEnd) -> String {
    let verify = &end.verify;
    let mut lines = vec![format!(
        "{} of {} tests failed ({})",
        verify.failed, verify.executed, verify.reason
    )];
    lines.extend(end.stuck.clone());
    lines.extend(end.open_errors.iter().take(20).cloned());
    lines.join("\n")
}

/// Writes the contracts into the tree and commits them: whoever reviews the branch sees what it was
/// held to.
async fn commit_contracts(
    way: Way<'_>,
    scope: &Scope,
    shelf: &Shelf,
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
            })
        }
    };
    let key = scope.key("contracts")?;
    let class = Tree::new(&place.tree);
    run.step(key, class, &shelf.digests(), effect).await?;
    let commit = StepCommit {
        work_tree: &place.tree,
        branch: &place.branch,
        parent: &place.base,
        title: "contracts",
        at,
    };
    Ok(run.commit(scope.key("contracts-commit")?, commit).await?)
}

/// Whether somebody asked to ship before this sprint; on record, since later drives know more.
async fn ship_asked(run: &Run, scope: &Scope) -> Result<bool, RunError> {
    let asked = run.ship_requested();
    let effect = |_: Blobs| async move { Ok(ShipHeeded { asked }) };
    let heeded = run.step(scope.key("ship")?, Pure, &(), effect).await?;
    Ok(heeded.value.asked)
}

enum GoOn {
    Again,
    Gate,
    Stop,
}

/// Tests still fail after the repairs: a person may want another sprint.
async fn go_on(run: &Run, scope: &Scope, (phase, problem): (&Phase, &str)) -> Result<GoOn, Leave> {
    let card = QuestionCard::with_options(
        format!(
            "Phase {} ({}) is not done. What now?",
            phase.number, phase.name
        ),
        Some(problem.to_owned()),
        &[
            ("gate", "let the done gate judge what there is"),
            ("again", "build this phase again"),
            ("stop", "stop here; the branch stays as it is"),
        ],
    );
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: ["gate", "again", "stop"].map(str::to_owned).to_vec(),
        },
        recommended: Some("gate".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("not-done")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Option { id } if id == "again" => GoOn::Again,
        AnswerValue::Option { id } if id == "stop" => GoOn::Stop,
        AnswerValue::Option { .. }
        | AnswerValue::Decide
        | AnswerValue::Text { .. }
        | AnswerValue::Limit { .. } => GoOn::Gate,
    })
}

/// The commit that a fact names.
pub(crate) fn id(run: &Run, made: &CommitMade) -> Result<CommitId, RunError> {
    made.commit.parse().map_err(|error| unusable(run, &error))
}

fn failed(problem: impl std::fmt::Display) -> StepFailure {
    StepFailure::new(FaultClass::Failed, problem)
}
