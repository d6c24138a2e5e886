//! The one sprint of a small change: change, commit, verify, mend.

use std::collections::BTreeMap;
use std::time::Duration;

use gavel_agent::{Agent, AgentLimits, Caller, WorkStop, Worked};
use gavel_build::{CommitVerified, JudgedCommit, push_branch, verify_commit};
use gavel_domain::{
    Digest, ErrorResolved, ErrorTracked, FaultClass, Role, Scope, SprintOpened, SprintPart,
    SprintStage, Tokens, ToolFinished,
};
use gavel_rules::{Breaker, Trip, repeated_action, stall, wall_clock};
use gavel_run::{Blobs, Pure, RecallSpec, StepCommit, StepFailure, Tree};
use gavel_view::errors_in;
use gavel_workspace::TreeId;
use serde::{Deserialize, Serialize};

use crate::breakers::{Choice, Tripped, trip};
use crate::building::id;
use crate::discovery::{data, in_other_words};
use crate::hot::Small;
use crate::hot_words::{self, Saw, Touched, title_of, told, troubles};
use crate::runner_consent;
use crate::staffing::{Staff, ask_for_a_model};
use crate::trouble::{Tried, persist, until_mended};
use crate::way::{Leave, keep, read_json, unusable};

/// How often a change is mended.
const ROUNDS: u32 = 2;
/// The most replies for the change, and for each repair.
const TURNS: u32 = 30;
/// The longest reply.
const REPLY: Tokens = Tokens(32_000);
/// The most that is written for one change.
const WRITTEN: Tokens = Tokens(160_000);
/// The most that memory adds to the coder's task.
const REMEMBERED: Tokens = Tokens(400);
/// What a model says that cannot do it.
const CANNOT: &str = "Cannot:";

/// How the sprint ended.
#[derive(Debug)]
pub(crate) enum SprintEnd {
    /// There is a commit for the gate.
    Ready,
    /// A person changed what is asked, or how: another sprint follows at once.
    Again,
    /// It is not done; the text says why.
    NotDone(String),
    /// Through the council.
    Rethink(String),
}

/// The first flow in which a change that does not compile is told with the compiler's own words.
const ERRORS_SINCE: u32 = 9;

/// What a look at the work tree shows, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Looked {
    /// True when it is another tree than that of the last commit.
    moved: bool,
    /// The files that differ from the commit that the run begins with.
    touched: Vec<Touched>,
}

/// Makes the change, and mends it while it helps.
pub(crate) async fn work(small: &mut Small<'_>, scope: &Scope) -> Result<SprintEnd, Leave> {
    let opened = open(small, scope).await?;
    if let Some(end) = too_late(small, scope, &opened).await? {
        return Ok(end);
    }
    let task = task_of(small);
    let coded = put(small, scope, (Role::Coder, 0), &task).await?;
    if let WorkStop::Guard { reason } = coded.stop {
        let circles = repeated_action(reason);
        if let Some(end) = tripped(small, scope, &circles, coded.text.trim()).await? {
            return Ok(end);
        }
    }
    let mut looked = look(small, scope, 0).await?;
    small.changed.push(looked.moved);
    // What an earlier sprint left may be all that is needed: then the gate judges it again.
    if !looked.moved && (looked.touched.is_empty() || says_cannot(&coded)) {
        return nothing_changed(small, scope, &coded).await;
    }
    let mut standing = BTreeMap::new();
    for round in 0..=ROUNDS {
        if looked.moved {
            commit(small, scope, round).await?;
        }
        let after = verify(small, scope, round).await?;
        if after.fact.reason == "no_recipe" {
            return still_blank(small, scope).await;
        }
        let both = (saw(&small.before), saw(&after));
        let asked = (small.found.idea.text(), small.way.run.flow());
        let against = troubles(asked, both, &looked.touched);
        let room = scope.scope("round", round + 1)?;
        standing = track(small, &room, (&standing, &against)).await?;
        if against.is_empty() {
            return Ok(SprintEnd::Ready);
        }
        let mut why = against.join("\n");
        if small.way.run.flow() >= ERRORS_SINCE && after.fact.executed == 0 {
            // Nothing ran, so the compiler says why.
            let errors = errors_in(&after.commands).into_iter();
            why = [why]
                .into_iter()
                .chain(errors)
                .collect::<Vec<_>>()
                .join("\n");
        }
        if round == ROUNDS {
            return Ok(SprintEnd::NotDone(format!(
                "The repairs did not help.\n{why}"
            )));
        }
        let task = repair_of(small, (&after, &against));
        let fixed = put(small, scope, (Role::Fixer, round + 1), &task).await?;
        looked = look(small, scope, round + 1).await?;
        if !looked.moved {
            let said = fixed.text.trim();
            return Ok(SprintEnd::NotDone(format!("{why}\n{said}")));
        }
    }
    Ok(SprintEnd::NotDone("The repairs did not help.".to_owned()))
}

async fn open(small: &Small<'_>, scope: &Scope) -> Result<SprintOpened, Leave> {
    let (run, sprint) = (small.way.run, small.sprint);
    let focus = small.focus.join("\n\n");
    let effect = |blobs: Blobs| {
        let focus = (!focus.is_empty()).then(|| blobs.keep(focus.as_str()));
        async move {
            let usage = run.usage().await.map_err(|error| failed(&error))?;
            Ok(SprintOpened {
                sprint,
                phase: None,
                of_phase: sprint,
                spent: usage.total.cost + usage.total.interrupted_ceiling,
                driven_ms: u64::try_from(run.driven().as_millis()).unwrap_or(u64::MAX),
                cap: None,
                said: None,
                focus,
            })
        }
    };
    let opened = run
        .step(scope.key("opened")?, Pure, &sprint, effect)
        .await?;
    Ok(opened.value)
}

/// The run has been driven longer than it may.
async fn too_late(
    small: &mut Small<'_>,
    scope: &Scope,
    opened: &SprintOpened,
) -> Result<Option<SprintEnd>, Leave> {
    let driven = Duration::from_millis(opened.driven_ms);
    let Some(late) = wall_clock(driven, small.way.choices.max_driven * small.times) else {
        return Ok(None);
    };
    let told = format!("Driven for {} minutes.", driven.as_secs() / 60);
    let room = scope.scope("clock", 1)?;
    let at = Tripped {
        scope: &room,
        sprint: Some(small.sprint),
        role: None,
        told: &told,
    };
    Ok(match trip(small.way, at, &late).await? {
        Choice::Rethink => Some(SprintEnd::Rethink(told)),
        Choice::Raise | Choice::Retry(_) | Choice::Skip | Choice::ChangeModel => {
            small.times += 1;
            None
        }
    })
}

fn task_of(small: &Small<'_>) -> String {
    let way = small.way;
    let mut task = format!(
        "Change: {}\n\nMake the change that the request asks for, and nothing else.\n\n{}",
        small.sprint,
        data(way, "idea", small.found.idea.text())
    );
    let contracts: Vec<&str> = small.shelf.iter().map(|one| one.kind.word()).collect();
    for (source, text) in [
        ("tests", told_briefly(&small.before)),
        ("contracts", contracts.join(", ")),
        ("focus", small.focus.join("\n\n")),
    ] {
        if !text.is_empty() {
            task.push_str("\n\n");
            task.push_str(&data(way, source, &text));
        }
    }
    task
}

fn told_briefly(before: &CommitVerified) -> String {
    let fact = &before.fact;
    format!(
        "before the change, by {}: {} executed, {} passed, {} failed",
        fact.recipe, fact.executed, fact.passed, fact.failed
    )
}

fn repair_of(small: &Small<'_>, (after, against): (&CommitVerified, &[String])) -> String {
    let way = small.way;
    [
        format!(
            "Change: {}\n\nMend what stands against the change.",
            small.sprint
        ),
        data(way, "idea", small.found.idea.text()),
        data(way, "troubles", &against.join("\n")),
        data(way, "verification", &told(after)),
    ]
    .join("\n\n")
}

/// Puts the coder or the fixer to work, with other models if a person wants so.
async fn put(
    small: &mut Small<'_>,
    scope: &Scope,
    (role, round): (Role, u32),
    task: &str,
) -> Result<Worked, Leave> {
    let (way, sprint) = (small.way, small.sprint);
    let (part, system) = match round {
        0 => (SprintPart::Code, hot_words::CODER),
        _ => (SprintPart::Fix, hot_words::FIXER),
    };
    stage(small, scope, (part, round)).await?;
    let (tools, context) = (small.site.tools.clone(), small.site.context.clone());
    let name = format!("hot-{sprint}/round-{}/work", round + 1);
    let recall = (role == Role::Coder).then(|| RecallSpec {
        kinds: &["trap", "constraint", "decision", "feedback", "runtime_note"],
        query: small.found.idea.text().to_owned(),
        max_tokens: REMEMBERED,
    });
    let staff = &mut small.found.staff;
    persist(way, &name, staff, async |room: Scope, staff: &Staff| {
        let model = staff.coder.clone();
        let mut limits = AgentLimits::for_model(&model, TURNS);
        limits.reply = Tokens(model.max_output.0.min(REPLY.0));
        limits.output = WRITTEN;
        let agent = Agent {
            registry: tools.clone(),
            caller: Caller::in_process(role, context.clone()),
            model,
            system: system.to_owned(),
            ends_with: None,
            recall: recall.clone(),
            limits,
        };
        let worked = Box::pin(agent.work(way.run, &room, task)).await?;
        Ok(Tried::Done(worked))
    })
    .await
}

async fn stage(
    small: &Small<'_>,
    scope: &Scope,
    (part, round): (SprintPart, u32),
) -> Result<(), Leave> {
    let name = match part {
        SprintPart::Verify => "verify",
        SprintPart::Commit => "commit",
        SprintPart::Fix => "fix",
        SprintPart::Scout | SprintPart::Plan | SprintPart::Code | SprintPart::Audit => "code",
    };
    let sprint = small.sprint;
    let fact = SprintStage {
        sprint,
        part,
        round,
    };
    let key = scope.key(&format!("stage-{name}-{round}"))?;
    small.way.run.decide(key, fact).await?;
    Ok(())
}

/// Looks at the work tree; on record, for the tree moves on.
async fn look(small: &Small<'_>, scope: &Scope, round: u32) -> Result<Looked, Leave> {
    let (run, place) = (small.way.run, small.way.place);
    let [base, last] = [&place.base, &small.commit].map(|commit| place.tree.tree_of(commit));
    let base: TreeId = base.await.map_err(|error| unusable(run, &error))?;
    let last: TreeId = last.await.map_err(|error| unusable(run, &error))?;
    let effect = |blobs: Blobs| {
        let (base, last) = (base.clone(), last.clone());
        async move {
            let now = place
                .tree
                .snapshot()
                .await
                .map_err(|error| failed(&error))?;
            let files = place.tree.changed_files(&base, &now).await;
            let touched = files
                .map_err(|error| failed(&error))?
                .into_iter()
                .map(|file| Touched::new(file.name.to_string(), file.kind))
                .collect();
            let moved = now != last;
            let looked = serde_json::to_string(&Looked { moved, touched });
            Ok(ToolFinished {
                tool: "look_at_changes".to_owned(),
                ok: moved,
                result: blobs.keep(looked.map_err(|error| failed(&error))?),
                level: None,
                source: None,
            })
        }
    };
    let key = scope.key(&format!("changed-{round}"))?;
    let input = (base.as_str(), last.as_str());
    let looked = run
        .step(key, Tree::new(&place.tree), &input, effect)
        .await?;
    Ok(read_json(run, looked.value.result).await?)
}

async fn commit(small: &mut Small<'_>, scope: &Scope, round: u32) -> Result<(), Leave> {
    stage(small, scope, (SprintPart::Commit, round)).await?;
    let (way, site, sprint) = (small.way, &small.site, small.sprint);
    let title = match (sprint, round) {
        (1, 0) => title_of(small.found.idea.text()),
        _ => format!("mend: {}", title_of(small.found.idea.text())),
    };
    let name = format!("hot-{sprint}/round-{}/commit", round + 1);
    let (parent, at) = (&small.commit, small.at);
    let commit = until_mended(way, &name, async |room: Scope| {
        let new = StepCommit {
            work_tree: &site.tree,
            branch: &site.branch,
            parent,
            title: &title,
            at,
        };
        let made = way.run.commit(room.key("made")?, new).await?.value;
        let commit = id(way.run, &made)?;
        push_branch(way.run, room.key("pushed")?, site.publication(), &commit).await?;
        Ok(Tried::Done(commit))
    })
    .await?;
    small.commit = commit;
    Ok(())
}

async fn verify(small: &Small<'_>, scope: &Scope, round: u32) -> Result<CommitVerified, Leave> {
    stage(small, scope, (SprintPart::Verify, round)).await?;
    let (way, site, commit) = (small.way, &small.site, &small.commit);
    let consent = Box::pin(runner_consent::consent(way, site, commit)).await?;
    let name = format!("hot-{}/round-{}/verify", small.sprint, round + 1);
    until_mended(way, &name, async |room: Scope| {
        let judged = JudgedCommit { commit, consent };
        let verified = Box::pin(verify_commit(way.run, &room, site, judged)).await?;
        Ok(match verified.could_not_run() {
            Some(why) => Tried::Stuck(format!("the tests could not be run: {why}")),
            None => Tried::Done(verified),
        })
    })
    .await
}

const fn saw(verified: &CommitVerified) -> Saw<'_> {
    (&verified.fact, &verified.tests)
}

fn says_cannot(worked: &Worked) -> bool {
    worked.text.trim_start().starts_with(CANNOT)
}

/// Records what is new since the last look, and what is gone: later runs learn from it.
async fn track(
    small: &Small<'_>,
    room: &Scope,
    (before, against): (&BTreeMap<Digest, String>, &[String]),
) -> Result<BTreeMap<Digest, String>, Leave> {
    let (run, sprint) = (small.way.run, small.sprint);
    let now: BTreeMap<Digest, String> = against
        .iter()
        .map(|text| (Digest::of(text), text.clone()))
        .collect();
    for (error, text) in now.iter().filter(|(error, _)| !before.contains_key(error)) {
        let key = room.key(&format!("found-{}", error.short()))?;
        keep(run, key, error, text, |text| ErrorTracked {
            error: *error,
            source: "verify".to_owned(),
            sprint,
            text,
        })
        .await?;
    }
    for error in before.keys().filter(|error| !now.contains_key(error)) {
        let key = room.key(&format!("gone-{}", error.short()))?;
        let error = *error;
        run.decide(key, ErrorResolved { error, sprint }).await?;
    }
    Ok(now)
}

/// No file is another than before: the model could not, or did not.
async fn nothing_changed(
    small: &mut Small<'_>,
    scope: &Scope,
    coded: &Worked,
) -> Result<SprintEnd, Leave> {
    let way = small.way;
    let said = coded.text.trim();
    if let Some(why) = said.strip_prefix(CANNOT) {
        let model = &small.found.staff.coder.id;
        let told = format!("{model} did not make the change: {}", why.trim());
        let other = ask_for_a_model(way.run, scope, &told).await?;
        small.found.staff.choose_again(way, scope).await?;
        let idea = small.found.idea.clone();
        small.found.idea = in_other_words(idea, other.as_deref());
        return Ok(SprintEnd::Again);
    }
    let why = format!("No file was changed.\n{said}");
    if let Some(idle) = stall(&small.changed)
        && let Some(end) = tripped(small, scope, &idle, &why).await?
    {
        return Ok(end);
    }
    Ok(SprintEnd::NotDone(why))
}

/// The change brought no test command either.
async fn still_blank(small: &mut Small<'_>, scope: &Scope) -> Result<SprintEnd, Leave> {
    let blank = Trip::new(Breaker::BlankVerification, "no_recipe", []);
    let why = "The change is made, and nothing here says how to test it.";
    let end = tripped(small, scope, &blank, why).await?;
    small.focus.push(hot_words::BRING_TESTS.to_owned());
    Ok(end.unwrap_or(SprintEnd::Ready))
}

/// Asks after a breaker; `None` when the run goes on as if nothing had tripped.
async fn tripped(
    small: &mut Small<'_>,
    scope: &Scope,
    breaker: &Trip,
    told: &str,
) -> Result<Option<SprintEnd>, Leave> {
    let room = scope.scope("breaker", 1)?;
    let at = Tripped {
        scope: &room,
        sprint: Some(small.sprint),
        role: None,
        told,
    };
    let chosen = trip(small.way, at, breaker).await?;
    small.changed.clear();
    small.focus.clear();
    Ok(match chosen {
        Choice::Skip => None,
        Choice::Rethink => Some(SprintEnd::Rethink(told.to_owned())),
        Choice::Retry(words) => {
            small.focus.extend(words);
            Some(SprintEnd::Again)
        }
        Choice::Raise => Some(SprintEnd::Again),
        Choice::ChangeModel => {
            small.found.staff.choose_again(small.way, &room).await?;
            Some(SprintEnd::Again)
        }
    })
}

fn failed(problem: &dyn std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, problem)
}
