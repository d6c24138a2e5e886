//! What drives a run: found by the name in its first fact, with what it was given.

use std::cmp::Ordering;

use gavel_agent::toy::{ToyMeans, ToyTask};
use gavel_domain::{Head, ModelsChosen, Record, RunStarted, Seq};
use gavel_models::ModelId;
use gavel_product::{Means, ProductBrief, Slots};
use gavel_run::toy::{self, ToyBrief};
use gavel_run::{DriveEnd, DriveOptions, Engine, Run, RunError, StopHandle};
use gavel_store::{SqliteStore, Store as _};

use crate::commands::Again;
use crate::context::Context;
use crate::earlier::earlier_runs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::history::spend_history;
use crate::slots::{models_of, slots_before, slots_now};

/// What drives a run, with what it was given.
pub(crate) enum Driver {
    Product(Box<ProductBrief>, Slots),
    Toy(Box<ToyBrief>),
    Task(Box<ToyTask>),
}

impl Driver {
    /// Finds the driver that a run was started for.
    pub(crate) async fn of(
        context: &Context,
        store: &SqliteStore,
        head: &Head,
    ) -> Result<Self, Failure> {
        let records = records(store, head).await?;
        let started: Option<RunStarted> = records.first().and_then(|record| record.read().ok());
        let flow = started.as_ref().map_or(0, |started| started.flow);
        let text = match started.and_then(|started| started.brief) {
            Some(name) => store.blob(name.digest).await?.unwrap_or_default(),
            None => Vec::new(),
        };
        let unreadable = |error| {
            let told = format!("what run {} was given cannot be read", head.run);
            Failure::new(Exit::Failed, anyhow::Error::new(error).context(told))
        };
        match head.driver.as_str() {
            gavel_product::DRIVER => {
                refuse_other_flow(head, flow)?;
                let brief = serde_json::from_slice(&text).map_err(unreadable)?;
                let slots = slots_now(&context.settings()?, &slots_before(&records)?)?;
                Ok(Self::Product(brief, slots))
            }
            toy::DRIVER => Ok(Self::Toy(
                serde_json::from_slice(&text).map_err(unreadable)?,
            )),
            gavel_agent::toy::DRIVER => Ok(Self::Task(
                serde_json::from_slice(&text).map_err(unreadable)?,
            )),
            other => {
                let error = anyhow::anyhow!("run {} was started by `{other}`", head.run);
                Err(Failure::new(Exit::Conflict, error).hint("use the gavel that started it"))
            }
        }
    }

    /// The models that it works with.
    pub(crate) fn models(&self) -> Vec<ModelId> {
        match self {
            Self::Product(_, slots) => models_of(slots),
            Self::Toy(brief) => vec![brief.model.clone()],
            Self::Task(task) => vec![task.model.clone()],
        }
    }

    /// Drives until the run is through, stops or fails.
    pub(crate) async fn drive(
        self,
        context: &Context,
        engine: &Engine,
        head: &Head,
        (options, stop, again): (DriveOptions, StopHandle, Option<Again>),
    ) -> Result<DriveEnd, Failure> {
        let end = match self {
            Self::Product(brief, slots) => {
                let means = product_means(context, engine, head, slots).await?;
                let drive = |run: Run| async move {
                    if let Some(again) = again {
                        again.say(run.id()).await?;
                    }
                    gavel_product::drive(run, *brief, means).await
                };
                Box::pin(engine.drive(head.run, options, stop, drive)).await?
            }
            Self::Toy(_) => engine.drive(head.run, options, stop, toy::drive).await?,
            Self::Task(task) => {
                let means = toy_means(context, engine, &task).await?;
                let drive = |run| gavel_agent::toy::drive(run, *task, means);
                engine.drive(head.run, options, stop, drive).await?
            }
        };
        Ok(end)
    }
}

/// A run that is under way goes on as it began, or not at all: replayed under other keys it would
/// pay twice and prove something else.
fn refuse_other_flow(head: &Head, flow: u32) -> Result<(), Failure> {
    let age = match flow.cmp(&gavel_product::FLOW) {
        Ordering::Equal => return Ok(()),
        _ if head.state.is_final() => return Ok(()),
        Ordering::Less => "an older",
        Ordering::Greater => "a newer",
    };
    let short = head.run.short();
    let told = anyhow::anyhow!("run {short} was started by {age} gavel, and this one cannot go on");
    let hint =
        format!("gavel abort {short} gives it up; or finish it with the gavel that began it");
    Err(Failure::new(Exit::Conflict, told).hint(hint))
}

/// What a product run was given; nothing for other runs, and once retention dropped the text.
pub(crate) async fn product_brief(
    store: &SqliteStore,
    head: &Head,
) -> Result<Option<ProductBrief>, Failure> {
    if head.driver != gavel_product::DRIVER {
        return Ok(None);
    }
    let first = store.records(head.run, Seq::ZERO, 1).await?;
    let started = first.first().and_then(|record| record.read().ok());
    let Some(name) = started.and_then(|started: RunStarted| started.brief) else {
        return Ok(None);
    };
    let text = store.blob(name.digest).await?.unwrap_or_default();
    // One of another version is no reason to show nothing else of the run.
    Ok(serde_json::from_slice(&text).ok())
}

/// Every record of a run.
pub(crate) async fn records(store: &SqliteStore, head: &Head) -> Result<Vec<Record>, Failure> {
    Ok(store.records(head.run, Seq::ZERO, u32::MAX).await?)
}

async fn product_means(
    context: &Context,
    engine: &Engine,
    head: &Head,
    slots: Slots,
) -> Result<Means, Failure> {
    let mut wanted = models_of(&slots);
    // A run that is under way keeps the models on its record, whatever is configured now.
    for record in engine
        .store()
        .records(head.run, Seq::ZERO, u32::MAX)
        .await?
    {
        if let Ok(chosen) = record.read::<ModelsChosen>() {
            let names = [chosen.leader, chosen.coder, chosen.auditor];
            let names = names.into_iter().chain(chosen.stances).chain(chosen.judge);
            wanted.extend(names.filter_map(|name| name.parse().ok()));
        }
    }
    let known = wanted
        .into_iter()
        .filter_map(|id| Some((id.clone(), engine.model(&id)?.clone())));
    let spend_history = spend_history(engine.store().as_ref(), &slots).await?;
    Ok(Means {
        models: known.collect(),
        slots,
        workshop: context.workshop().await?,
        seal_key: context.seal_key()?,
        earlier: earlier_runs(engine.store().as_ref(), head).await?,
        spend_history,
    })
}

async fn toy_means(
    context: &Context,
    engine: &Engine,
    task: &ToyTask,
) -> Result<ToyMeans, Failure> {
    let Some(model) = engine.model(&task.model) else {
        return Err(RunError::NoModel(task.model.clone()).into());
    };
    let room = context.command_room(&task.folder).await?;
    Ok(ToyMeans {
        room: Some(room),
        model: model.clone(),
    })
}
