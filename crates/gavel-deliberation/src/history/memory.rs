//! Whether project memory was looked into for a debate.

use gavel_domain::{MemoryRecalled, Record, Settings};
use gavel_rules::RunChoices;
use gavel_rules::council::MemoryLooked;
use serde_json::Value;

use super::fold::Fold;
use super::rooms::newer;
use super::{RecordError, Told};

/// What the brief and the settings of a run say of it.
pub(super) fn of_brief(brief: &Told<Value>, settings: &Settings) -> MemoryLooked {
    let Some(brief) = brief.kept() else {
        return MemoryLooked::Asked;
    };
    let without = brief.get("without_memory").and_then(Value::as_bool);
    if brief.get("checkout").is_none_or(Value::is_null) {
        MemoryLooked::NoProject
    } else if without == Some(true) || !RunChoices::of(settings).memory_inject {
        MemoryLooked::NotAsked
    } else {
        MemoryLooked::Asked
    }
}

impl Fold<'_> {
    /// Takes note of memory that did not answer, in this debate or right before it.
    pub(super) fn recalled(&mut self, record: &Record) -> Result<(), RecordError> {
        let key = record.key.as_str();
        let before = match self.record.meeting {
            1 => "memory-".to_owned(),
            later => format!("after-{}/memory-", later - 1),
        };
        if !self.is_here(record) && !key.starts_with(&before) {
            return Ok(());
        }
        if record.kind != <MemoryRecalled as gavel_domain::Fact>::KIND {
            return Ok(());
        }
        let recalled: MemoryRecalled = record.read().map_err(|source| newer(record, source))?;
        let looked = MemoryLooked::of_recall(&recalled.unanswered);
        if looked != MemoryLooked::Asked {
            self.record.memory = looked;
        }
        Ok(())
    }
}
