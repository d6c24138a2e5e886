//! `gavel_memory_get`.

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryDesk, ToldItem};

/// Reads one item.
#[derive(Debug)]
pub struct MemoryGet(pub MemoryDesk);

/// Which one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetInput {
    /// Its id, or the end of it
    id: String,
}

/// All of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GetOutput {
    item: ToldItem,
    confirmed: u64,
    contradicted: u64,
    saved_me: u64,
    misled_me: u64,
    superseded_by: Option<String>,
    expires_at: Option<String>,
    /// Why it should be looked at again.
    stale: Option<String>,
}

impl ServedTool for MemoryGet {
    type Input = GetInput;
    type Output = GetOutput;

    const NAME: &'static str = "gavel_memory_get";
    const PURPOSE: &'static str = "Read one memory item in full, with how it proved";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, _visit: &Visit, input: GetInput) -> Result<Served<GetOutput>, Refused> {
        let item = self.0.item(&input.id).await?;
        let now = self.0.now();
        let line = format!("{} ({}): {}", item.id, item.kind, item.label());
        let output = GetOutput {
            confirmed: item.marks.confirmed.count.into(),
            contradicted: item.marks.contradicted.count.into(),
            saved_me: item.marks.saved_me.count.into(),
            misled_me: item.marks.misled_me.count.into(),
            superseded_by: item.superseded_by.map(|by| by.to_string()),
            expires_at: item.expires_at.map(|at| at.to_string()),
            stale: item.staleness(now).map(|stale| stale.told().to_owned()),
            item: ToldItem::of(&item, now),
        };
        Ok(Served::new(output, line))
    }
}
