//! `gavel_memory_add`: proposes an item.

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_memory::{AddError, NewItem, Provenance, Severity, Visibility};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::search::read_paths;
use super::{KindWord, MemoryDesk, ToldItem, agent_name, may_see, stamped, unavailable};

/// Proposes an item; a person accepts it.
#[derive(Debug)]
pub struct MemoryAdd(pub MemoryDesk);

/// What is to be remembered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddInput {
    kind: KindWord,
    /// One thing, in a few sentences; no secrets
    text: String,
    title: Option<String>,
    tags: Option<Vec<String>>,
    /// Files or folders that it is about
    paths: Option<Vec<String>>,
    /// Of a trap
    severity: Option<SeverityWord>,
    /// Keep it on this machine instead of sharing it once accepted
    machine_only: Option<bool>,
}

/// How bad a trap is.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SeverityWord {
    Low,
    Medium,
    High,
}

impl From<SeverityWord> for Severity {
    fn from(word: SeverityWord) -> Self {
        match word {
            SeverityWord::Low => Self::Low,
            SeverityWord::Medium => Self::Medium,
            SeverityWord::High => Self::High,
        }
    }
}

/// What was proposed, and what it reminds of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddOutput {
    item: ToldItem,
    /// Items that look alike.
    similar: Vec<Alike>,
    /// Items that seem to say the opposite.
    contradicts: Vec<String>,
    /// What a person types to accept it.
    accept_with: String,
}

/// An item that looks alike.
#[derive(Debug, Serialize, JsonSchema)]
struct Alike {
    id: String,
    /// The share of words that both have.
    share: f64,
}

impl ServedTool for MemoryAdd {
    type Input = AddInput;
    type Output = AddOutput;

    const NAME: &'static str = "gavel_memory_add";
    const PURPOSE: &'static str = "Propose something to remember; a person accepts it later";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(&self, visit: &Visit, input: AddInput) -> Result<Served<AddOutput>, Refused> {
        let name = agent_name(visit);
        let visibility = if input.machine_only == Some(true) {
            Visibility::Machine
        } else {
            Visibility::Shared
        };
        let new = NewItem {
            title: input.title,
            tags: input.tags.unwrap_or_default(),
            paths: read_paths(input.paths.unwrap_or_default())?,
            severity: input.severity.map(Into::into),
            visibility,
            ..NewItem::new(input.kind.into(), input.text, Provenance::Agent { name })
        };
        let mut memory = self.0.memory().await?;
        let written = stamped(&self.0, visit.speaker, |stamp| {
            memory.add(new.proposed(), stamp)
        });
        let written = written.map_err(|error| unfit(&error))?;
        let id = written.ids.first().copied();
        self.0.keep(written).await?;
        let item = id.and_then(|id| memory.item(&id.to_string()).ok());
        let Some(item) = item else {
            return Err(Refused::new(
                "internal",
                "the item was written and not found again",
            ));
        };
        let now = self.0.now();
        let hints = memory.hints(item, now);
        let seen = |id: &gavel_memory::ItemId| memory.item(&id.to_string()).is_ok_and(may_see);
        let similar = hints.similar.into_iter().filter(|(id, _)| seen(id));
        let similar: Vec<Alike> = similar
            .map(|(id, share)| Alike {
                id: id.to_string(),
                share: (share * 100.0).round() / 100.0,
            })
            .collect();
        let contradicts = hints.contradicts.into_iter().filter(|(id, _)| seen(id));
        let line = match similar.first() {
            Some(alike) => format!("proposed as {}; it looks like {}", item.id, alike.id),
            None => format!("proposed as {}; a person accepts it", item.id),
        };
        let output = AddOutput {
            item: ToldItem::of(item, now),
            similar,
            contradicts: contradicts.map(|(id, _)| id.to_string()).collect(),
            accept_with: format!("gavel memory accept {}", item.id),
        };
        Ok(Served::new(output, line))
    }
}

/// What is wrong with the words, or with the place where they go.
pub(super) fn unfit(error: &AddError) -> Refused {
    match error {
        AddError::Secret { masked, .. } => {
            Refused::from_error("secret", error).with(json!({ "masked": masked }))
        }
        AddError::Empty
        | AddError::TooLong { .. }
        | AddError::Title
        | AddError::Tag { .. }
        | AddError::TooManyTags { .. }
        | AddError::NoSeverity { .. }
        | AddError::Status { .. } => Refused::from_error("bad_arguments", error),
        AddError::Scanner(_) | AddError::Write(_) => unavailable(error),
    }
}
