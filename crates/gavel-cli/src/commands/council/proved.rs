//! `gavel council proved`: a person says how a decision turned out. The run is over, so project memory
//! keeps it: later councils are told, and stats count it.

use std::path::Path;

use anyhow::anyhow;
use gavel_deliberation::{CouncilRecord, DecisionTold};
use gavel_domain::{Head, RunId, Speaker, Timestamp};
use gavel_memory::{Kind, Memory, NewItem, Provenance, Stamp};
use gavel_store::Access;
use serde_json::json;

use super::outcome::{nothing, record};
use crate::args::ProvedWord;
use crate::context::Context;
use crate::driver::given;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::which_run::Unnamed;

/// The tag of items that say how a decision of a council turned out.
const TAG: &str = "council";
const RIGHT: &str = "proved-right";
const WRONG: &str = "proved-wrong";

/// What a person said about a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) run: RunId,
    /// The key of the decision.
    pub(super) key: String,
    pub(super) right: bool,
    at: Timestamp,
}

/// What people said about decisions, the latest last. A memory that cannot be read says nothing.
pub(super) fn proofs(checkout: &Path) -> Vec<Proof> {
    let Ok(memory) = Memory::open(checkout) else {
        return Vec::new();
    };
    let now = Context::clock().now();
    let mut found: Vec<Proof> = memory
        .items()
        .filter(|item| item.is_trusted(now) && item.tags.iter().any(|tag| tag == TAG))
        .filter_map(|item| {
            let right = match (has(&item.tags, RIGHT), has(&item.tags, WRONG)) {
                (true, false) => true,
                (false, true) => false,
                (true, true) | (false, false) => return None,
            };
            let Some(Provenance::Run {
                run,
                key: Some(key),
            }) = item.provenance.clone()
            else {
                return None;
            };
            let at = item.created_at;
            Some(Proof {
                run,
                key,
                right,
                at,
            })
        })
        .collect();
    found.sort_by_key(|proof| proof.at);
    found
}

fn has(tags: &[String], wanted: &str) -> bool {
    tags.iter().any(|tag| tag == wanted)
}

pub(super) async fn run(
    context: &Context,
    run: &str,
    (debate, decision, how): (Option<u32>, &str, ProvedWord),
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), Some(run), Unnamed::Newest)
        .await?;
    let Some(record) = record(&store, &head, debate).await? else {
        return Err(nothing(&head, debate));
    };
    let told = decided(&record, &head, decision)?;
    let checkout = given(&store, &head).await?.and_then(|given| given.checkout);
    let Some(checkout) = checkout else {
        let lost = anyhow!("run {run} belongs to no project whose memory could keep it");
        return Err(Failure::new(Exit::Usage, lost));
    };
    let Some(made) = told.decision.kept() else {
        let gone = anyhow!("the words of that decision are no longer kept");
        return Err(Failure::new(Exit::Failed, gone));
    };
    let (kind, tag, text) = match how {
        ProvedWord::Right => (
            Kind::Decision,
            RIGHT,
            format!("{} We chose {}, and it worked.", made.title, made.choice),
        ),
        ProvedWord::Wrong => (
            Kind::Feedback,
            WRONG,
            format!(
                "{} We chose {}, and {} failed.",
                made.title, made.choice, made.choice
            ),
        ),
    };
    let provenance = Provenance::Run {
        run: head.run,
        key: Some(told.key.clone()),
    };
    let item = NewItem {
        tags: vec![TAG.to_owned(), tag.to_owned()],
        ..NewItem::new(kind, text.clone(), provenance)
    };
    let mut memory = Memory::open(&checkout)?;
    let mut draw = gavel_run::fresh_id;
    let mut stamp = Stamp::new(Context::clock().now(), Speaker::PERSON, &mut draw);
    let added = memory.add(item, &mut stamp)?;
    let file = added.file.unwrap_or_default();
    context
        .ui
        .line(format!("kept in {}: {text}", file.display()));
    let right = how == ProvedWord::Right;
    let data = json!({
        "run": head.run,
        "decision": told.id,
        "key": told.key,
        "right": right,
        "item": added.ids.first(),
        "file": file,
    });
    context.ui.data("council_proved", &data);
    Ok(Exit::Done)
}

/// The decision that was named, unless it is open.
fn decided<'r>(
    record: &'r CouncilRecord,
    head: &Head,
    decision: &str,
) -> Result<&'r DecisionTold, Failure> {
    let named = |told: &&DecisionTold| {
        told.id.as_deref() == Some(decision) || told.number.to_string() == decision
    };
    let Some(told) = record.decisions.iter().find(named) else {
        let ids: Vec<&str> = record
            .decisions
            .iter()
            .filter_map(|told| told.id.as_deref())
            .collect();
        let none = format!("run {} made no decision `{decision}`", head.run.short());
        let hint = if record.meetings > 1 {
            format!(
                "debate {} made: {}; --debate N names another of {}",
                record.meeting,
                ids.join(", "),
                record.meetings
            )
        } else {
            format!("it made: {}", ids.join(", "))
        };
        return Err(Failure::usage(none).hint(hint));
    };
    // What is open was not chosen, so it cannot have been right or wrong.
    if told.id.is_some() && told.option.is_none() {
        let open = format!(
            "`{decision}` is open: run {} chose none of its options",
            head.run.short()
        );
        return Err(Failure::usage(open)
            .hint("only what was decided can be proved; another council may settle it"));
    }
    Ok(told)
}
