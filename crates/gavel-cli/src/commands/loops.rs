//! `gavel loop`: everything that people and agents do to a loop, and what they see of it.

mod answer;
mod document;
mod hand;
mod open;
mod page;
mod problem;
mod shown;
mod stand;
mod table;
mod told;

use gavel_deliberation::loops::{LoopProblem, LoopRow, Verb};
use gavel_domain::{AgentId, Role, RunId, RunState};
use gavel_memory::{Kind, ShelfItemError};
use gavel_store::{Access, Store as _};
use serde_json::json;

pub(crate) use document::document;
pub(crate) use problem::plain as problem_of;
pub(crate) use shown::{Shown, ended};
pub(crate) use stand::{LoopInList, Stand};
pub(crate) use table::{LoopTable, loop_brief, memory_of};

use self::problem::failed;
use super::control::read_text;
use crate::args::{LoopCommand, Place, PromotedKind, Who};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::summary::clipped;
use crate::ui::{Look, cell};

/// Who keeps a plan at this command line when nobody is named.
const PERSON: &str = "person";
/// How much of a title a list shows.
const TITLE_IN_LIST: usize = 60;

pub(crate) async fn run(context: &Context, command: LoopCommand) -> Result<Exit, Failure> {
    match command {
        LoopCommand::Open(args) => open::run(context, args).await,
        LoopCommand::Inbox { who } => inbox(context, &who).await,
        LoopCommand::Brief { place, who } => brief(context, &place, &who).await,
        LoopCommand::Turn { place, note, hand } => {
            let asked = json!({ "turn": place.slot, "note": note });
            let verb = Verb::Turn {
                slot: place.slot,
                note,
            };
            act(context, &place.id, (verb, hand.read(&asked)?)).await
        }
        LoopCommand::Complete {
            place,
            outcome,
            reason,
            handed,
            hand,
        } => {
            let (artifacts, told) = handed.read(context)?;
            let reason = reason.map(read_text).transpose()?;
            let asked = json!({
                "complete": place.slot, "outcome": outcome, "reason": reason, "artifacts": told,
            });
            let verb = Verb::Complete {
                slot: place.slot,
                outcome,
                artifacts,
                reason,
            };
            act(context, &place.id, (verb, hand.read(&asked)?)).await
        }
        LoopCommand::Add {
            id,
            slot,
            handed,
            hand,
        } => {
            let (artifacts, told) = handed.read(context)?;
            let asked = json!({ "add": slot, "artifacts": told });
            let verb = Verb::Add { slot, artifacts };
            act(context, &id, (verb, hand.read(&asked)?)).await
        }
        LoopCommand::Advance { id, to, hand } => {
            let asked = json!({ "advance": to });
            act(context, &id, (Verb::Advance { to }, hand.read(&asked)?)).await
        }
        LoopCommand::Pause { id, reason, hand } => {
            let reason = reason.map(read_text).transpose()?;
            let asked = json!({ "pause": reason });
            act(context, &id, (Verb::Pause { reason }, hand.read(&asked)?)).await
        }
        LoopCommand::Resume { id, hand } => {
            let asked = json!({ "resume": true });
            act(context, &id, (Verb::Resume, hand.read(&asked)?)).await
        }
        LoopCommand::Close {
            id,
            status,
            reason,
            hand,
        } => {
            let reason = reason.map(read_text).transpose()?;
            let asked = json!({ "close": status, "reason": reason });
            let verb = Verb::Close { status, reason };
            act(context, &id, (verb, hand.read(&asked)?)).await
        }
        LoopCommand::Get { id } => get(context, id.as_deref()).await,
        LoopCommand::List { all } => list(context, all).await,
        LoopCommand::Promote { id, kind, who } => promote(context, &id, (kind, &who)).await,
    }
}

/// Does something to a loop and tells what came of it.
async fn act(
    context: &Context,
    name: &str,
    (verb, hand): (Verb, gavel_deliberation::loops::Hand),
) -> Result<Exit, Failure> {
    let table = LoopTable::open(context, Access::ReadWrite).await?;
    let (id, table) = table.of_loop(context, name).await?;
    refuse_given_up(&table, id).await?;
    table.desk.see(&hand.agent).await.map_err(failed(id))?;
    let with_brief = matches!(verb, Verb::Turn { .. });
    let done = table.desk.act(id, &hand, verb).await.map_err(failed(id))?;
    answer::tell(context, (id, &done), with_brief);
    Ok(Exit::Done)
}

/// A loop that was given up as a run takes nothing more, although nobody closed it.
async fn refuse_given_up(table: &LoopTable, id: RunId) -> Result<(), Failure> {
    let head = table.store.head(id).await?;
    if head.is_some_and(|head| head.state == RunState::Aborted) {
        let over = anyhow::anyhow!("the loop {} was given up", id.short());
        let failure = Failure::new(Exit::Conflict, over).because("loop_not_open");
        return Err(failure.hint("gavel loop open begins another one"));
    }
    Ok(())
}

async fn inbox(context: &Context, who: &Who) -> Result<Exit, Failure> {
    let agent = who.needed_since("every agent has an inbox of its own")?;
    let table = LoopTable::open(context, Access::ReadWrite).await?;
    // From now on it is known here, and loops may wait for it.
    table.desk.see(&agent).await.map_err(problem::plain)?;
    let waiting = table.desk.inbox(&agent).await.map_err(problem::plain)?;
    if waiting.inbox.is_empty() {
        context.ui.line(format!("no turn waits for {agent}"));
    }
    for entry in &waiting.inbox {
        answer::entry(context, (entry, &agent));
    }
    for entry in &waiting.waits_for_you {
        answer::waits(context, entry);
    }
    context.ui.data(
        "loop_inbox",
        &json!({
            "agent": agent, "inbox": waiting.inbox, "waits_for_you": waiting.waits_for_you,
        }),
    );
    Ok(Exit::Done)
}

async fn brief(context: &Context, place: &Place, who: &Who) -> Result<Exit, Failure> {
    let agent = who.named()?;
    let table = LoopTable::open(context, Access::ReadOnly).await?;
    let (id, table) = table.of_loop(context, &place.id).await?;
    let brief = table.desk.brief(id, &place.slot).await;
    let brief = brief.map_err(failed(id))?;
    context.ui.flow(0, &brief);
    if let Some(agent) = agent {
        answer::hand_in(context, (&id.short(), &place.slot), agent.as_str());
    }
    context.ui.data(
        "loop_brief",
        &json!({ "loop_id": id, "slot": place.slot, "brief": brief }),
    );
    Ok(Exit::Done)
}

async fn get(context: &Context, name: Option<&str>) -> Result<Exit, Failure> {
    let table = LoopTable::open(context, Access::ReadOnly).await?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => newest(&table).await?,
    };
    let (id, table) = table.of_loop(context, &name).await?;
    let shown = Shown::read(&table, id).await?;
    shown.print(context);
    Ok(Exit::Done)
}

async fn newest(table: &LoopTable) -> Result<String, Failure> {
    let rows = table.desk.list(false).await.map_err(problem::plain)?;
    match rows.into_iter().next() {
        Some(row) => Ok(row.loop_id),
        None => Err(Failure::usage("there is no loop in this project")
            .hint("gavel ideate \"…\" or gavel loop open begins one")),
    }
}

async fn list(context: &Context, all: bool) -> Result<Exit, Failure> {
    let table = LoopTable::open(context, Access::ReadOnly).await?;
    let rows = table.desk.list(!all).await.map_err(problem::plain)?;
    if rows.is_empty() {
        let which = if all { "no loop" } else { "no open loop" };
        context.ui.line(format!("there is {which} in this project"));
    } else {
        let titles = [
            "loop",
            "kind",
            "status",
            "phase",
            "round",
            "waits for",
            "title",
        ];
        let mut cells = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
        cells.extend(rows.iter().map(row));
        context.ui.table(&cells);
    }
    context.ui.data("loops", &json!({ "loops": rows }));
    Ok(Exit::Done)
}

fn row(row: &LoopRow) -> Vec<crate::ui::Cell> {
    let waits = match row.waits_for.as_slice() {
        [] => "-".to_owned(),
        some => some.join(", "),
    };
    vec![
        (told::short_loop(&row.loop_id), Look::Strong),
        cell(row.kind),
        (row.status.to_string(), told::look_of(row.status)),
        cell(&row.phase),
        cell(row.iteration + 1),
        cell(waits),
        cell(clipped(&row.title, TITLE_IN_LIST)),
    ]
}

async fn promote(
    context: &Context,
    name: &str,
    (kind, who): (PromotedKind, &Who),
) -> Result<Exit, Failure> {
    let table = LoopTable::open(context, Access::ReadWrite).await?;
    let (id, table) = table.of_loop(context, name).await?;
    let person: AgentId = PERSON
        .parse()
        .map_err(|error| problem_of(LoopProblem::Name(error)))?;
    let agent = who.named()?.unwrap_or_else(|| person.clone());
    let by_person = agent == person;
    let mut hand = hand::person(agent);
    // Whoever says that they are an agent does not vouch as a person.
    if !by_person {
        hand.speaker.role = Role::Guest;
        hand.speaker.decides = false;
    }
    let kind = match kind {
        PromotedKind::Plan => Kind::Plan,
        PromotedKind::Decision => Kind::Decision,
    };
    let promoted = table.keeper().promote(id, &hand, kind).await;
    let promoted = promoted.map_err(problem::not_kept(id))?;
    let (artifact, item) = (&promoted.artifact, &promoted.item);
    let proposed = is_proposed(&table, item).await?;
    let how = match (promoted.before, proposed) {
        (true, false) => "is kept already in project memory",
        (true, true) => "is proposed already for project memory",
        (false, false) => "is kept in project memory",
        (false, true) => "is proposed for project memory",
    };
    context.ui.line(format!("{artifact} {how}: {item}"));
    if proposed {
        let accept = format!("gavel memory accept {item}");
        context
            .ui
            .command(("  next: ", &accept), "a person keeps it");
    }
    context.ui.data(
        "loop_promoted",
        &json!({
            "loop_id": id,
            "artifact_id": promoted.artifact,
            "item": promoted.item,
            "before": promoted.before,
        }),
    );
    Ok(Exit::Done)
}

/// True when nobody vouched for an item yet.
async fn is_proposed(table: &LoopTable, item: &str) -> Result<bool, Failure> {
    let Some(shelf) = table.shelf().await? else {
        return Ok(false);
    };
    match shelf.item(item).await {
        Ok(item) => Ok(item.is_proposed(Context::clock().now())),
        Err(ShelfItemError::Find(_)) => Ok(false),
        Err(ShelfItemError::Shelf(error)) => Err(error.into()),
    }
}
