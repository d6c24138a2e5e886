//! What a council came to: at its end, shown again, and asked.

use gavel_deliberation::{CouncilRecord, RecordAnswer, RecordError};
use gavel_domain::{Head, RunState, SynthesisOutcome};
use gavel_product::meeting;
use gavel_store::{Access, SqliteStore};

use super::{data, page, reviewed};
use crate::context::Context;
use crate::driver::{brief_of, records};
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::which_run::{RunsWanted, Surroundings, Unnamed};

/// The word for a council that nobody was there to draw together.
const SYNTHESIS_FAILED: &str = "synthesis_failed";

/// Tells what a council's run came to, once it is closed. One that was not drawn together has failed,
/// unless somebody was asked and wanted to go on without.
pub(crate) async fn tell(
    context: &Context,
    store: &SqliteStore,
    head: &Head,
) -> Result<Exit, Failure> {
    let all = records(store, head).await?;
    if let Some(review) = reviewed::read(store, &all).await? {
        reviewed::sheet(head.run, &review).print(context);
        context
            .ui
            .data("council", &reviewed::data(head.run, &review));
        return Ok(Exit::Done);
    }
    let mut exit = Exit::Done;
    match record(store, head, None).await? {
        Some(record) => {
            let mut outcome = data::outcome(&record);
            if not_drawn(store, head, &record).await? {
                exit = Exit::Failed;
                outcome.insert("code".to_owned(), SYNTHESIS_FAILED.into());
            }
            page::sheet(&record, false).print(context);
            context.ui.data("council", &outcome);
        }
        // Whoever asked took it back before anybody debated.
        None => {
            context
                .ui
                .line("the question was withdrawn; nobody debated");
            context.ui.data("run", &super::super::status::as_json(head));
        }
    }
    Ok(exit)
}

/// True for a debate whose synthesis failed where nobody could be asked about it.
async fn not_drawn(
    store: &SqliteStore,
    head: &Head,
    record: &CouncilRecord,
) -> Result<bool, Failure> {
    let how = record.synthesis.as_ref().map(|synthesis| synthesis.how);
    if how != Some(SynthesisOutcome::Failed) || head.driver != meeting::DRIVER {
        return Ok(false);
    }
    let brief: Option<meeting::MeetingBrief> = brief_of(store, head).await?;
    Ok(brief.is_some_and(|brief| !brief.attended))
}

/// `gavel council show`.
pub(super) async fn show(
    context: &Context,
    run: Option<&str>,
    (debate, turns): (Option<u32>, bool),
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = match run {
        Some(name) => {
            context
                .run(store.as_ref(), Some(name), Unnamed::Newest)
                .await?
        }
        None => newest(context, &store).await?,
    };
    if let Some(record) = record(&store, &head, debate).await? {
        page::sheet(&record, turns).print(context);
        context.ui.data("council_record", &record);
        return Ok(Exit::Done);
    }
    let all = records(&store, &head).await?;
    if let (Some(review), None) = (reviewed::read(&store, &all).await?, debate) {
        reviewed::sheet(head.run, &review).print(context);
        context
            .ui
            .data("council", &reviewed::data(head.run, &review));
        return Ok(Exit::Done);
    }
    Err(nothing(&head, debate))
}

/// `gavel council ask`: from the record alone, or "not in the record".
pub(super) async fn ask(
    context: &Context,
    run: &str,
    (debate, question): (Option<u32>, &str),
) -> Result<Exit, Failure> {
    if question.is_empty() {
        return Err(Failure::usage("there is no question")
            .hint("gavel council ask RUN \"who was against, and why?\""));
    }
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), Some(run), Unnamed::Newest)
        .await?;
    let record = record(&store, &head, debate).await?;
    let record = record.ok_or_else(|| nothing(&head, debate))?;
    let answer: RecordAnswer = record.ask(question);
    page::answer(&answer).print(context);
    context.ui.data("council_answer", &answer);
    Ok(Exit::Done)
}

/// The record of a debate of that run.
pub(crate) async fn record(
    store: &SqliteStore,
    head: &Head,
    debate: Option<u32>,
) -> Result<Option<CouncilRecord>, Failure> {
    let read = CouncilRecord::read(store, head.run, debate).await;
    read.map_err(|error| {
        let exit = match &error {
            RecordError::NoRun(_) => Exit::Usage,
            RecordError::Damaged { .. } => Exit::Failed,
            RecordError::Newer { .. } => Exit::Conflict,
            RecordError::Unread { .. } => Exit::Failed,
        };
        Failure::new(exit, error)
    })
}

/// The newest run of this project with a council.
async fn newest(context: &Context, store: &SqliteStore) -> Result<Head, Failure> {
    let here = Surroundings::of(context)?;
    for head in here.runs(store, RunsWanted::ALL).await?.heads {
        let own = head.driver == meeting::DRIVER;
        let read = record(store, &head, None).await;
        let debated = unless_damaged(head.run, read)?;
        let met = own && debated.is_some() || debated.flatten().is_some();
        if met {
            return Ok(head);
        }
    }
    let none = format!("no council has met {}", here.place());
    Err(Failure::usage(none).hint(
        "gavel council \"A or B for …?\" convenes one; to see another project's, name its run",
    ))
}

pub(super) fn nothing(head: &Head, debate: Option<u32>) -> Failure {
    let short = head.run.short();
    let which = match debate {
        Some(number) => format!("run {short} has no debate {number}"),
        None => format!("nobody debated in run {short}"),
    };
    let hint = if head.driver == meeting::DRIVER && head.state != RunState::Closed {
        format!("gavel resume {short} goes on with it")
    } else {
        format!("gavel review {short} shows what happened in it")
    };
    Failure::usage(which).hint(hint)
}
