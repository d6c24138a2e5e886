//! `gavel council "<topic>"`: asks several models, or the rules where there are none, and prints what
//! they came to.

mod data;
mod list;
mod outcome;
mod page;
mod proved;
mod reviewed;
mod seats;
mod sections;
mod sheet;
mod stats;
mod steps;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gavel_domain::{Digest, MicroUsd, RunId};
use gavel_product::meeting::{self, MeetingBrief};
use gavel_run::{Engine, NewRun};
use gavel_store::{Access, SqliteStore, Store as _};

pub(crate) use outcome::{record as council_record, tell as tell_outcome};
pub(crate) use sheet::Sheet;
pub(crate) use steps::{carry_out, is_under_way};

use super::control::read_text;
use super::drive::drive;
use super::start::{cap_told, tell_month};
use crate::args::{CouncilArgs, CouncilCommand};
use crate::context::Context;
use crate::driver::council_forecast;
use crate::environment::home;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;
use crate::slots::{models_of, offline_alone, slots_of, told};
use crate::ui::Look;

/// Longer topics are documents: nobody debates them at once.
const MAX_TOPIC_BYTES: usize = 32 * 1024;

pub(crate) async fn run(context: &Context, args: CouncilArgs) -> Result<Exit, Failure> {
    match args.command {
        Some(CouncilCommand::Show { run, debate, turns }) => {
            outcome::show(context, run.as_deref(), (debate, turns)).await
        }
        Some(CouncilCommand::Ask {
            run,
            question,
            debate,
        }) => {
            let question = read_text(question)?;
            outcome::ask(context, &run, (debate, question.trim())).await
        }
        Some(CouncilCommand::List) => list::run(context).await,
        Some(CouncilCommand::Stats) => stats::run(context).await,
        Some(CouncilCommand::Proved {
            run,
            decision,
            how,
            debate,
        }) => proved::run(context, &run, (debate, &decision, how)).await,
        None => convene(context, args).await,
    }
}

/// Starts a council's run, or goes on with it, and drives it.
async fn convene(context: &Context, args: CouncilArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let attended = context.attended() || context.general.yes;
    let id = record(context, &store, (&args, attended)).await?;
    let Some(head) = store.head(id).await? else {
        return Err(gavel_run::RunError::NoRun(id).into());
    };
    drive(context, store, &head, context.wait_mode()).await
}

/// Records a council's run, unless it is on record.
pub(super) async fn record(
    context: &Context,
    store: &Arc<SqliteStore>,
    (args, attended): (&CouncilArgs, bool),
) -> Result<RunId, Failure> {
    let id = args
        .run
        .unwrap_or_else(|| RunId::from_uuid(gavel_run::fresh_id()));
    if store.head(id).await?.is_none() {
        let topic = topic(args.topic.clone().unwrap_or_default())?;
        let brief = MeetingBrief {
            attended,
            ..brief(context, args, topic)?
        };
        begin(context, store, (id, brief)).await?;
    }
    Ok(id)
}

fn topic(word: String) -> Result<String, Failure> {
    let topic = read_text(word)?.trim().to_owned();
    if topic.is_empty() {
        return Err(
            Failure::usage("there is no topic: say what is to be decided")
                .hint("gavel council \"SQLite or PostgreSQL for an embedded job queue?\""),
        );
    }
    if topic.len() > MAX_TOPIC_BYTES {
        let long = format!("the topic is longer than {MAX_TOPIC_BYTES} bytes; nothing was started");
        return Err(Failure::usage(long).hint("say in a few sentences what is to be decided"));
    }
    Ok(topic)
}

/// What is here is read, where something is; nothing is made in the folder. Outside of every project
/// that is the folder itself, unless it is as wide as a home folder.
fn brief(context: &Context, args: &CouncilArgs, topic: String) -> Result<MeetingBrief, Failure> {
    let checkout = project::find(context.directory())?;
    let folder = match &checkout {
        Some(checkout) => checkout.clone(),
        None => {
            let here = project::real(context.directory())?;
            if is_too_wide(context, &here) {
                nothing_to_read(context)?
            } else {
                here
            }
        }
    };
    Ok(MeetingBrief {
        topic,
        folder,
        checkout,
        without_memory: args.no_prior_context,
        attended: false,
        as_it_is: args.no_clarify,
        force_rounds: args.force_rounds,
    })
}

/// True for a folder that holds a person's whole home, and this program's own keys and runs with it.
fn is_too_wide(context: &Context, folder: &Path) -> bool {
    let home = home().and_then(|home| project::real(&home).ok());
    home.is_some_and(|home| home.starts_with(folder)) || context.state().starts_with(folder)
}

/// An empty folder, for a council that reads no files.
fn nothing_to_read(context: &Context) -> Result<PathBuf, Failure> {
    let folder = context.state().join("nothing");
    let made = std::fs::create_dir_all(&folder);
    made.map_err(|error| {
        let error = anyhow::Error::new(error).context(folder.display().to_string());
        Failure::new(Exit::Failed, error)
    })?;
    project::real(&folder)
}

async fn begin(
    context: &Context,
    store: &Arc<SqliteStore>,
    (id, brief): (RunId, MeetingBrief),
) -> Result<(), Failure> {
    let mut settings = context.settings()?.of_run();
    if context.general.yes {
        settings.record_yes();
    }
    let slots = slots_of(&settings.values)?;
    // Nothing is begun for a model that cannot be reached.
    let engine = context.engine(Arc::clone(store), &models_of(&slots))?;
    let caps = settings.caps.clone();
    let text = serde_json::to_string(&brief).map_err(|error| Failure::new(Exit::Bug, error))?;
    let new = NewRun {
        driver: meeting::DRIVER.to_owned(),
        flow: meeting::FLOW,
        settings,
        project: match &brief.checkout {
            Some(checkout) => project::of(checkout)?,
            None => None,
        },
        brief: Some(text),
    };
    engine.start_as(id, Digest::of(id.to_string()), new).await?;
    let strong = |text: &str| context.ui.look_beside(text, Look::Strong);
    let place = match &brief.checkout {
        Some(checkout) => checkout.display().to_string(),
        None if is_too_wide(context, context.directory()) => {
            "outside of every project, in a home folder: no files, no memory".to_owned()
        }
        None => format!("{}, no project: files, no memory", brief.folder.display()),
    };
    let rules = offline_alone(&slots);
    let cap = if rules {
        String::new()
    } else {
        format!(", {}", cap_told(&caps))
    };
    context.ui.note(format!(
        "{} {}  {place}\n{} {}{cap}",
        strong("council"),
        id.short(),
        strong("models"),
        told(&slots),
    ));
    if !rules {
        expect(context, (&engine, id)).await?;
        tell_month(context, engine.store(), &caps).await?;
    }
    Ok(())
}

/// Says before anything is spent who leads, and what the whole of it will cost.
async fn expect(context: &Context, (engine, id): (&Engine, RunId)) -> Result<(), Failure> {
    let Some(head) = engine.store().head(id).await? else {
        return Ok(());
    };
    let Some(told) = council_forecast(context, (engine, &head)).await? else {
        return Ok(());
    };
    let strong = |text: &str| context.ui.look_beside(text, Look::Strong);
    if let Some(from) = &told.promoted_from {
        let leader = &told.leader;
        context.ui.note(format!(
            "{} {leader} leads in the place of {from}: it is the strongest of its provider",
            strong("leader")
        ));
    }
    let (least, planned, most) = (told.fewest, told.planned, told.most);
    let cost = match (least.usd, planned.usd) {
        (_, Some(MicroUsd(0))) => "free".to_owned(),
        (Some(least), Some(most)) => format!("about {least} to {most}, the leader included"),
        (_, None) | (None, _) => "nobody knows what they cost: a price is not listed".to_owned(),
    };
    context.ui.note(format!(
        "{} {} to {} replies, {cost}",
        strong("expected"),
        least.replies,
        planned.replies
    ));
    let cost = match most.usd {
        Some(MicroUsd(0)) | None => String::new(),
        Some(most) => format!(", about {most}"),
    };
    context.ui.note(format!(
        "{} {} replies{cost}, if every answer has to be repaired, rounds are added, and things are looked up \
         again",
        strong("at most"),
        most.replies
    ));
    Ok(())
}
