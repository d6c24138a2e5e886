//! What drives a run: found by the name in its first fact, with what it was given.

mod loops;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gavel_agent::Source;
use gavel_agent::toy::{ToyMeans, ToyTask};
use gavel_deliberation::loops as deliberation;
use gavel_domain::ProductBrief;
use gavel_domain::{Head, LoopOpened, ModelsChosen, Record, RunStarted, Seq};
use gavel_models::{ModelId, ModelInfo};
use gavel_product::meeting::{self, MeetingBrief, MeetingMeans};
use gavel_product::{Forecast, Means, MemoryMeans, Reach, Slots, forecast};
use gavel_rules::Origin;
use gavel_run::toy::{self, ToyBrief};
use gavel_run::{DriveEnd, DriveOptions, Engine, Run, RunError, StopHandle};
use gavel_store::{SqliteStore, Store as _};
use gavel_workspace::RunOrigin;
use serde::de::DeserializeOwned;

use crate::commands::{Again, loop_brief};
use crate::context::Context;
use crate::doubted::doubted_councils;
use crate::earlier::earlier_runs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flows::Undrivable;
use crate::history::spend_history;
use crate::slots::{models_of, slots_before, slots_now};

use self::loops::LoopDriver;

/// What drives a run, with what it was given.
pub(crate) enum Driver {
    Product(Box<ProductBrief>, Bench),
    Council(Box<MeetingBrief>, Bench),
    Loop(Box<LoopDriver>),
    Toy(Box<ToyBrief>),
    Task(Box<ToyTask>),
}

/// What a record's seats are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Those that were named, or the leader's.
    Named,
    /// Those that were chosen: they stay.
    Chosen,
}

/// The models that a council may have, and how they came to be named.
pub(crate) struct Bench {
    slots: Slots,
    /// Models that the person's own file tells of.
    listed: Vec<ModelId>,
    leader_named: bool,
    seats_named: bool,
    sources: Vec<Arc<dyn Source>>,
}

impl Driver {
    /// Finds the driver that a run was started for.
    pub(crate) async fn of(
        context: &Context,
        store: &Arc<SqliteStore>,
        head: &Head,
    ) -> Result<Self, Failure> {
        if let Some(undrivable) = Undrivable::of(store, head).await? {
            return Err(undrivable.into());
        }
        let records = records(store, head).await?;
        let started: Option<RunStarted> = records.first().and_then(|record| record.read().ok());
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
                let brief = serde_json::from_slice(&text).map_err(unreadable)?;
                let bench = Bench::of(context, &records, Kept::Named)?;
                Ok(Self::Product(brief, bench))
            }
            meeting::DRIVER => {
                let brief = serde_json::from_slice(&text).map_err(unreadable)?;
                let bench = Bench::of(context, &records, Kept::Chosen)?;
                Ok(Self::Council(brief, bench))
            }
            deliberation::DRIVER => {
                let brief = serde_json::from_slice(&text).map_err(unreadable)?;
                let driver = LoopDriver::of(context, store, (brief, &records))?;
                Ok(Self::Loop(Box::new(driver)))
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
            Self::Product(_, bench) => models_of(&bench.slots),
            Self::Council(_, bench) => models_of(&bench.slots),
            Self::Loop(driver) => driver.models(),
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
            Self::Product(brief, bench) => {
                let means = product_means(context, engine, head, bench).await?;
                let checkout = (!brief.without_memory).then(|| brief.checkout.clone());
                let engine = &remembering(engine, &means.memory, checkout);
                let drive = |run: Run| async move {
                    if let Some(again) = again {
                        again.say(run.id()).await?;
                    }
                    Box::pin(gavel_product::drive(run, *brief, means)).await
                };
                Box::pin(engine.drive(head.run, options, stop, drive)).await?
            }
            Self::Council(brief, bench) => {
                let means = bench.means(context, engine, head).await?;
                let checkout = brief.checkout.clone();
                let checkout = checkout.filter(|_| !brief.without_memory);
                let engine = &remembering(engine, &means.memory, checkout);
                let drive = |run: Run| async move {
                    if let Some(again) = again {
                        again.say(run.id()).await?;
                    }
                    meeting::drive(run, *brief, means).await
                };
                Box::pin(engine.drive(head.run, options, stop, drive)).await?
            }
            Self::Loop(driver) => {
                let (means, voices) = driver.means(context, (engine, head))?;
                let drive = |run: Run| async move {
                    if let Some(again) = again {
                        again.say(run.id()).await?;
                    }
                    deliberation::drive(run, means, voices).await
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

impl Bench {
    /// Reads the settings, and what the run had before: a run that is under way keeps its models
    /// unless somebody names others now.
    fn of(context: &Context, records: &[Record], seats: Kept) -> Result<Self, Failure> {
        let loaded = context.settings()?;
        let before = slots_before(records)?;
        let slots = slots_now(&loaded, &before)?;
        let chosen = |record: &Record| record.read::<ModelsChosen>().is_ok();
        let kept = slots == before && records.iter().any(chosen);
        let named = |key: &str| {
            let mut effective = loaded.effective.iter();
            effective.find(|value| value.key == key && !value.value.is_null())
        };
        let for_all = Origin::Flag("--model".to_owned());
        let leader = named("models.slots.leader");
        Ok(Self {
            slots,
            listed: loaded.models.listed(),
            leader_named: !kept && leader.is_some_and(|value| value.origin != for_all),
            seats_named: kept && seats == Kept::Chosen || named("models.slots.stances").is_some(),
            sources: loaded.sources.sources(),
        })
    }

    /// What is known of these models, those of the slots first.
    async fn means(
        self,
        context: &Context,
        engine: &Engine,
        head: &Head,
    ) -> Result<MeetingMeans, Failure> {
        let (models, reach) = self.known(engine, head).await?;
        Ok(MeetingMeans {
            doubted_councils: doubted_councils(context, &self.slots, head).await?,
            slots: self.slots,
            models,
            reach,
            memory: memory_means(context, engine, head),
        })
    }

    /// What is known of the models that may be chosen, and of those on the run's record, which keeps
    /// them whatever is configured now.
    async fn known(
        &self,
        engine: &Engine,
        head: &Head,
    ) -> Result<(BTreeMap<ModelId, ModelInfo>, Reach), Failure> {
        let mut wanted = models_of(&self.slots);
        wanted.extend(self.listed.iter().cloned());
        let mut reach = Reach {
            models: Vec::new(),
            leader_named: self.leader_named,
            seats_named: self.seats_named,
            sources: self.sources.clone(),
        };
        for info in wanted.iter().filter_map(|id| engine.model(id)) {
            if reach.models.iter().all(|known| known.id != info.id) {
                reach.models.push(info.clone());
            }
        }
        let records = engine
            .store()
            .records(head.run, Seq::ZERO, u32::MAX)
            .await?;
        wanted.extend(records.iter().flat_map(recorded_models));
        let known = wanted
            .into_iter()
            .filter_map(|id| Some((id.clone(), engine.model(&id)?.clone())));
        Ok((known.collect(), reach))
    }
}

/// What a council that is about to begin will take; nothing where only rules are configured.
pub(crate) async fn council_forecast(
    context: &Context,
    (engine, head): (&Engine, &Head),
) -> Result<Option<Forecast>, Failure> {
    let bench = Bench::of(context, &[], Kept::Chosen)?;
    let (_, reach) = bench.known(engine, head).await?;
    let settings = context.settings()?.of_run();
    Ok(forecast(&settings, &bench.slots, &reach))
}

/// The models that a record names.
fn recorded_models(record: &Record) -> Vec<ModelId> {
    let Ok(chosen) = record.read::<ModelsChosen>() else {
        return Vec::new();
    };
    let names = [chosen.leader, chosen.coder, chosen.auditor];
    let names = names.into_iter().chain(chosen.stances).chain(chosen.judge);
    let council = chosen.council.into_iter().flat_map(|council| {
        let helpers = [council.researcher, council.fast, council.balanced];
        let helpers = helpers.into_iter().chain(council.leader);
        helpers.chain(council.seats)
    });
    let names = names.chain(council);
    names.filter_map(|name| name.parse().ok()).collect()
}

/// What a product run was given; nothing for other runs, and once retention dropped the text.
pub(crate) async fn product_brief(
    store: &SqliteStore,
    head: &Head,
) -> Result<Option<ProductBrief>, Failure> {
    if head.driver != gavel_product::DRIVER {
        return Ok(None);
    }
    brief_of(store, head).await
}

/// What a council was given; nothing for other runs, and once retention dropped the text.
pub(crate) async fn meeting_brief(
    store: &SqliteStore,
    head: &Head,
) -> Result<Option<MeetingBrief>, Failure> {
    if head.driver != meeting::DRIVER {
        return Ok(None);
    }
    brief_of(store, head).await
}

/// What a run is about, whatever drives it.
#[derive(Debug)]
pub(crate) struct Given {
    /// The idea or the topic.
    pub(crate) idea: String,
    /// The checkout, where there is one.
    pub(crate) checkout: Option<PathBuf>,
}

/// What a run is about; nothing for toys, and once retention dropped the text.
pub(crate) async fn given(store: &SqliteStore, head: &Head) -> Result<Option<Given>, Failure> {
    if let Some(brief) = product_brief(store, head).await? {
        return Ok(Some(Given {
            idea: brief.idea,
            checkout: Some(brief.checkout),
        }));
    }
    if let Some(brief) = loop_brief(store, head).await? {
        return Ok(Some(Given {
            idea: loop_title(store, head).await?,
            checkout: Some(brief.checkout),
        }));
    }
    let brief = meeting_brief(store, head).await?;
    Ok(brief.map(|brief| Given {
        idea: brief.topic,
        checkout: brief.checkout,
    }))
}

/// Where a run was begun.
pub(crate) async fn origin(store: &SqliteStore, head: &Head) -> Result<RunOrigin, Failure> {
    let first = store.records(head.run, Seq::ZERO, 1).await?;
    let started = first.first().and_then(|record| record.read().ok());
    let Some(started): Option<RunStarted> = started else {
        return Ok(RunOrigin {
            project: head.project,
            ..RunOrigin::default()
        });
    };
    let brief = match started.brief {
        Some(name) => store.blob(name.digest).await?,
        None => None,
    };
    Ok(RunOrigin::of(&started, brief.as_deref()))
}

/// What a loop is about.
async fn loop_title(store: &SqliteStore, head: &Head) -> Result<String, Failure> {
    // Opened in the very commit that began it.
    let first = store.records(head.run, Seq::ZERO, 2).await?;
    let opened = first.iter().find_map(|record| record.read().ok());
    let Some(LoopOpened { title, .. }) = opened else {
        return Ok(String::new());
    };
    let text = store.blob(title.digest).await?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What a run was given; nothing once retention dropped the text.
pub(crate) async fn brief_of<T: DeserializeOwned>(
    store: &SqliteStore,
    head: &Head,
) -> Result<Option<T>, Failure> {
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
    bench: Bench,
) -> Result<Means, Failure> {
    let (models, reach) = bench.known(engine, head).await?;
    let slots = bench.slots;
    let spend_history = spend_history(engine.store().as_ref(), &slots).await?;
    let whose = context.settings()?.earlier();
    Ok(Means {
        doubted_councils: doubted_councils(context, &slots, head).await?,
        models,
        reach,
        slots,
        workshop: context.workshop().await?,
        seal_key: context.seal_key()?,
        earlier: earlier_runs(engine.store().as_ref(), head, whose).await?,
        spend_history,
        memory: memory_means(context, engine, head),
    })
}

/// Where memory is found: the index is the same that `gavel memory search` uses.
fn memory_means(context: &Context, engine: &Engine, head: &Head) -> MemoryMeans {
    let store = Arc::clone(engine.store());
    MemoryMeans::new(store, head.project, context.index())
}

/// The engine with the memory of a checkout behind it, where there is one.
fn remembering(engine: &Engine, memory: &MemoryMeans, checkout: Option<PathBuf>) -> Engine {
    let engine = engine.clone();
    match checkout {
        Some(checkout) => engine.with_recaller(Arc::new(memory.clone().of_checkout(checkout))),
        None => engine,
    }
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
