//! What ledger and journal know about the calls of a run, put together for the analysis.

use std::collections::BTreeMap;

use gavel_domain::{BlobRef, Digest, Head, RecordKey, Seq, SpendClass, Tokens, UsageReserved};
use gavel_models::{Catalogue, Message, ModelId, Part};
use gavel_rules::{BlockSeen, CallEnd, CallSeen, ClaimSeen};
use gavel_store::{CallRow, CallState, CallsQuery, CallsRead, DamagedCall, ReadError, Store};
use serde::Deserialize;

/// How much of a block is told.
const MOST_TOLD: usize = 60;

/// The calls of a run, and how its messages begin.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub(super) seen: Vec<CallSeen>,
    pub(super) beginnings: BTreeMap<Digest, String>,
    /// Rows that cannot be read, and are none of them.
    pub(super) damaged: Vec<DamagedCall>,
}

/// A request as the journal keeps it, as far as it matters here.
#[derive(Deserialize)]
struct Manifest {
    messages: Vec<Digest>,
}

/// A reservation, as far as it matters here.
struct Reserved {
    request: BlobRef,
    input_max: Tokens,
}

/// Reads everything that is still there.
pub(super) async fn read_calls(
    store: &dyn Store,
    head: &Head,
    catalogue: &Catalogue,
) -> Result<Calls, ReadError> {
    let query = CallsQuery {
        run: Some(head.run),
        month: None,
    };
    let CallsRead { rows, damaged } = store.calls_and_damage(query).await?;
    let mut reserved: BTreeMap<RecordKey, Reserved> = BTreeMap::new();
    for record in store.records(head.run, Seq::ZERO, u32::MAX).await? {
        if let Ok(UsageReserved {
            request, input_max, ..
        }) = record.read()
        {
            reserved.insert(record.key, Reserved { request, input_max });
        }
    }
    let mut texts = Texts {
        store,
        known: BTreeMap::new(),
        beginnings: BTreeMap::new(),
    };
    let mut seen = Vec::with_capacity(rows.len());
    for row in rows {
        let reservation = reserved.get(&row.call.key);
        let blocks = match reservation {
            Some(reservation) => texts.blocks(reservation.request).await?,
            None => None,
        };
        seen.push(CallSeen {
            expected_input: reservation.map(|reservation| reservation.input_max),
            blocks,
            ..of_row(&row, catalogue)
        });
    }
    Ok(Calls {
        seen,
        damaged,
        beginnings: texts.beginnings,
    })
}

fn of_row(row: &CallRow, catalogue: &Catalogue) -> CallSeen {
    let (end, amount) = match row.state {
        CallState::Settled => (CallEnd::Replied, row.cost),
        CallState::Lost => (CallEnd::Lost, row.ceiling),
        CallState::Reserved => (CallEnd::UnderWay, row.ceiling),
        CallState::Released => (CallEnd::Released, row.ceiling),
    };
    let key = row.call.key.key();
    let id = row.model.parse::<ModelId>().ok();
    let price = id.and_then(|id| catalogue.get(&id).and_then(|info| info.price));
    CallSeen {
        key: match row.call.key.attempt() {
            Some(1) | None => key.to_string(),
            Some(attempt) => format!("{key}@{attempt}"),
        },
        model: row.model.clone(),
        role: row.role,
        stage: row.stage,
        end,
        usage: row.usage,
        cost: (row.class == SpendClass::Metered).then_some(amount),
        claimed: row.claimed.map(|claimed| ClaimSeen {
            tokens: claimed.tokens,
            cost: claimed.cost,
        }),
        expected_input: None,
        caches: price.is_some_and(|price| price.cache_read < price.input),
        blocks: None,
    }
}

/// Messages that were read, by the names they are kept under.
struct Texts<'a> {
    store: &'a dyn Store,
    known: BTreeMap<Digest, Option<BlockSeen>>,
    beginnings: BTreeMap<Digest, String>,
}

impl Texts<'_> {
    /// The messages of a request; `None` when one of them is gone.
    async fn blocks(&mut self, request: BlobRef) -> Result<Option<Vec<BlockSeen>>, ReadError> {
        let Some(text) = self.store.blob(request.digest).await? else {
            return Ok(None);
        };
        let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else {
            return Ok(None);
        };
        let mut blocks = Vec::with_capacity(manifest.messages.len());
        for name in manifest.messages {
            let Some(block) = self.block(name).await? else {
                return Ok(None);
            };
            blocks.push(block);
        }
        Ok(Some(blocks))
    }

    async fn block(&mut self, name: Digest) -> Result<Option<BlockSeen>, ReadError> {
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        let text = self.store.blob(name).await?;
        let block = text.map(|text| {
            let (digest, beginning) = identity(&text);
            self.beginnings.entry(digest).or_insert(beginning);
            let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
            BlockSeen { digest, bytes }
        });
        self.known.insert(name, block);
        Ok(block)
    }
}

/// What a message is known by, and how it begins. Where a cache ends moves from call to call and
/// makes no other message of it.
fn identity(text: &[u8]) -> (Digest, String) {
    let Ok(message) = serde_json::from_slice::<Message>(text) else {
        return (Digest::of(text), String::new());
    };
    let beginning = beginning(&message);
    let plain = Message {
        cache_here: false,
        ..message
    };
    let digest = Digest::of_json(&plain).unwrap_or_else(|_| Digest::of(text));
    (digest, beginning)
}

fn beginning(message: &Message) -> String {
    let told = match message.parts.first() {
        Some(Part::Text { text } | Part::ToolResult { text, .. }) => text.as_str(),
        Some(Part::ToolCall { name, .. }) => name.as_str(),
        None => "",
    };
    let words: Vec<_> = told.split_whitespace().collect();
    let line = words.join(" ");
    let mut short: String = line.chars().take(MOST_TOLD).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    gavel_rules::sanitize_for_display(&short)
}
