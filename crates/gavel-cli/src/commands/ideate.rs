//! `gavel ideate "<proposal>"`: holds a proposal against what the project remembers, round after
//! round, until nothing new comes up, and draws a plan.

use std::sync::Arc;

use gavel_deliberation::loops::{
    self, Coordinate, CoordinateIntent, Hand, Warning, coordinate, nothing_to_stand_on,
};
use gavel_domain::{AgentId, Caps, Profile, RunId, Schedule, Speaker};
use gavel_store::{Access, SqliteStore, Store as _};

use super::control::read_text;
use super::drive::drive;
use super::loops::{LoopTable, problem_of};
use super::start::{cap_told, tell_month};
use crate::args::IdeateArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::slots::{models_of, offline_alone, slots_of, told};
use crate::ui::Look;
use crate::which_run::Unnamed;

/// Longer proposals are documents: nobody holds them against anything at once.
const MAX_PROPOSAL_BYTES: usize = 32 * 1024;

pub(crate) async fn run(context: &Context, args: IdeateArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let id = named(context, &store, args.run.as_deref()).await?;
    if store.head(id).await?.is_none() {
        open(context, &store, (id, args)).await?;
    }
    let Some(head) = store.head(id).await? else {
        return Err(gavel_run::RunError::NoRun(id).into());
    };
    if head.driver != loops::DRIVER {
        let other = format!("run {} is no loop", id.short());
        return Err(Failure::usage(other).hint("gavel loop list --all shows the loops"));
    }
    drive(context, store, &head, context.wait_mode()).await
}

/// The loop that was named, by its whole id or the end of it; else one that is new.
async fn named(
    context: &Context,
    store: &Arc<SqliteStore>,
    name: Option<&str>,
) -> Result<RunId, Failure> {
    let Some(name) = name else {
        return Ok(RunId::from_uuid(gavel_run::fresh_id()));
    };
    if let Ok(id) = name.parse() {
        return Ok(id);
    }
    let head = context
        .run(store.as_ref(), Some(name), Unnamed::Newest)
        .await
        .map_err(|failure| failure.hint("gavel loop list --all shows the loops"))?;
    Ok(head.run)
}

/// Opens the loop: everything is said before anything is asked of a model.
async fn open(
    context: &Context,
    store: &Arc<SqliteStore>,
    (id, args): (RunId, IdeateArgs),
) -> Result<(), Failure> {
    let task = proposal(args.proposal)?;
    let settings = context.settings()?.of_run();
    let slots = slots_of(&settings.values)?;
    // Nothing is begun for a model that cannot be reached.
    let engine = context.engine(store.clone(), &models_of(&slots))?;
    let table = LoopTable::here(context, engine, store.clone(), args.no_prior_context)?;
    let caps = settings.caps.clone();
    let hand = Hand {
        agent: AgentId::gavel(),
        speaker: Speaker::PERSON,
        expected: None,
        request: None,
    };
    let mut warnings = never_seen(&table, &args.agents).await?;
    let schedule = args.sequential.then_some(Schedule::Sequential);
    let ask = Coordinate {
        id: Some(id),
        goal: args.goal.map(read_text).transpose()?,
        targets: args.agents,
        profiles: critics(args.critics, &slots),
        schedule,
        max_iterations: args.max_iterations,
        exit_when: args.exit_when,
        reframe: args.reframe,
        settings,
        ..Coordinate::new(CoordinateIntent::Ideate, task)
    };
    let opened = coordinate(&table.desk, &hand, ask).await;
    let opened = opened.map_err(problem_of)?;
    begins(context, id, (&slots, &caps));
    if !args.no_prior_context {
        warnings.extend(empty_memory(&table).await?);
    }
    for warning in opened.warnings {
        if !warnings.iter().any(|told| told.code == warning.code) {
            warnings.push(warning);
        }
    }
    for warning in warnings {
        let mark = context.ui.look_beside("note", Look::Warn);
        context.ui.note(format!("{mark} {}", warning.message));
    }
    if !offline_alone(&slots) {
        tell_month(context, &table.desk.means().store, &caps).await?;
    }
    Ok(())
}

/// What stands at the beginning: the loop, and who takes the turns.
fn begins(context: &Context, id: RunId, (slots, caps): (&gavel_product::Slots, &Caps)) {
    let strong = |text: &str| context.ui.look_beside(text, Look::Strong);
    let cap = if offline_alone(slots) {
        String::new()
    } else {
        format!(", {}", cap_told(caps))
    };
    context.ui.note(format!(
        "{} {}\n{} {}{cap}",
        strong("loop"),
        id.short(),
        strong("models"),
        told(slots),
    ));
}

/// Whoever a person names is known from then on. One that never came may be a slip of the pen, and
/// the loop would wait for it for ever.
async fn never_seen(table: &LoopTable, agents: &[AgentId]) -> Result<Vec<Warning>, Failure> {
    let mut warnings = Vec::new();
    for agent in agents {
        if !table.desk.knows(agent).await.map_err(problem_of)? {
            warnings.push(Warning {
                code: "unknown_agent".to_owned(),
                message: format!(
                    "{agent} has never come to this project; gavel loop inbox --agent {agent} gives it \
                     its turns"
                ),
            });
            table.desk.see(agent).await.map_err(problem_of)?;
        }
    }
    Ok(warnings)
}

/// Said at once: whoever reads it may add something first.
async fn empty_memory(table: &LoopTable) -> Result<Option<Warning>, Failure> {
    let empty = table.memory.is_empty(Context::clock().now()).await;
    let empty = empty.map_err(|error| problem_of(error.into()))?;
    Ok(empty.then(|| nothing_to_stand_on(true)))
}

fn proposal(word: Option<String>) -> Result<String, Failure> {
    let text = read_text(word.unwrap_or_default())?.trim().to_owned();
    if text.is_empty() {
        return Err(
            Failure::usage("there is no proposal: say what you have in mind")
                .hint("gavel ideate \"Should we extract the dispatcher into its own package?\""),
        );
    }
    if text.len() > MAX_PROPOSAL_BYTES {
        let long =
            format!("the proposal is longer than {MAX_PROPOSAL_BYTES} bytes; nothing was started");
        return Err(Failure::usage(long).hint("say in a few paragraphs what you propose"));
    }
    Ok(text)
}

/// Those that were named. Rules know no profiles: a second critic of theirs would say the same.
fn critics(named: Vec<Profile>, slots: &gavel_product::Slots) -> Vec<Profile> {
    match (named.is_empty(), offline_alone(slots)) {
        (true, true) => vec![Profile::Pessimist],
        (true, false) => vec![Profile::Pessimist, Profile::Simplifier],
        (false, _) => each_once(named),
    }
}

fn each_once(critics: Vec<Profile>) -> Vec<Profile> {
    let mut once = Vec::new();
    for critic in critics {
        if !once.contains(&critic) {
            once.push(critic);
        }
    }
    once
}
