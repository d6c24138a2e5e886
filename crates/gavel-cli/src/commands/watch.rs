//! `gavel watch`: follows the facts of a run from any process. People get sentences, and with -v or
//! --only every fact; programs get every fact.

mod council;
mod loops;
mod sentence;

use std::collections::BTreeMap;

use gavel_domain::{BlobRef, Key, LoopOpened, QuestionAsked, Record, RunState, Seq};
use gavel_run::Follower;
use gavel_store::{Access, SqliteStore, Store as _};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::loops::Names;
use crate::ui::Look;
use crate::which_run::Unnamed;

/// Where words begin behind a time.
const AFTER_TIME: usize = 10;

pub(crate) async fn run(
    context: &Context,
    run: Option<String>,
    from: u64,
    only: &[String],
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Unnamed::NewestUnfinished)
        .await?;
    let mut follower = Follower::new(store.clone(), head.run, Seq(from));
    let mut known = Known::default();
    let follow = async {
        loop {
            let records = follower.next().await?;
            let caught_up = records.is_empty();
            for record in records {
                known.take(&record);
                if only.is_empty() || only.contains(&record.kind) {
                    let every = context.general.verbose || !only.is_empty();
                    show(context, &store, (&record, &known, every)).await?;
                }
            }
            if context.ui.reader_is_gone() {
                return Ok(Exit::Done);
            }
            if caught_up && ended(&follower).await? {
                return Ok(Exit::Done);
            }
        }
    };
    tokio::select! {
        exit = follow => exit,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Done),
    }
}

/// What earlier facts tell about later ones.
#[derive(Debug, Default)]
struct Known {
    /// What the slots of a loop are called.
    names: Names,
    /// The cards of the questions that were asked.
    cards: BTreeMap<Key, BlobRef>,
}

impl Known {
    fn take(&mut self, record: &Record) {
        if let Ok(opened) = record.read::<LoopOpened>() {
            self.names = Names::of(&opened.slots);
        }
        if let Ok(asked) = record.read::<QuestionAsked>() {
            self.cards.insert(record.key.key(), asked.card);
        }
    }
}

/// True once the run is over and every record up to its end was shown.
async fn ended(follower: &Follower) -> Result<bool, Failure> {
    let Some(head) = follower.head().await? else {
        return Ok(true);
    };
    let over = head.state.is_final() || head.state == RunState::Halted;
    Ok(over && follower.seen() >= head.seq)
}

async fn show(
    context: &Context,
    store: &SqliteStore,
    (record, known, every): (&Record, &Known, bool),
) -> Result<(), Failure> {
    let time = record
        .at
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%H:%M:%S")
        .to_string();
    let time = context.ui.look(&time, Look::Faint);
    let text = match sentence::wanted(record, &known.cards) {
        Some(name) => store.blob(name.digest).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    let told = sentence::sentence(record, (&String::from_utf8_lossy(&text), &known.names));
    match told {
        Some(told) if !every => context.ui.flow(AFTER_TIME, format!("{time}  {told}")),
        None if !every => {}
        told => {
            let kind = context.ui.look(&record.kind, Look::Strong);
            let told = told.map_or_else(String::new, |told| format!("  {told}"));
            let (seq, key) = (record.seq, &record.key);
            let line = format!("{time} {seq:>5}  {kind}  {key}{told}");
            context.ui.flow(AFTER_TIME, line);
        }
    }
    let body: Value = serde_json::from_str(&record.body).unwrap_or(Value::Null);
    context.ui.data(
        "fact",
        &json!({
            "run": record.run,
            "seq": record.seq,
            "key": record.key,
            "kind": record.kind,
            "at": record.at,
            "body": body,
        }),
    );
    Ok(())
}
