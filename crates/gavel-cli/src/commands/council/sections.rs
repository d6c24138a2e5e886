//! The sections that a debate was to fill, each with what it says.

use gavel_deliberation::CouncilRecord;
use gavel_domain::{CouncilOutcome, SynthesisOutcome};
use serde_json::Value;

use super::page::plan;
use super::sheet::Sheet;
use crate::ui::Look;

/// What the page tells elsewhere.
const ELSEWHERE: [&str; 5] = [
    "summary",
    "agreed",
    "tradeoffs",
    "recommendation",
    "action_items",
];

/// Every section that was planned; one that nobody filled says so.
pub(super) fn told(record: &CouncilRecord, outcome: &CouncilOutcome, sheet: &mut Sheet) {
    let drawn = record.synthesis.as_ref().map(|synthesis| synthesis.how);
    if drawn == Some(SynthesisOutcome::Failed) {
        return;
    }
    let planned = plan(record)
        .into_iter()
        .flat_map(|plan| &plan.output_shape.sections);
    for section in planned.filter(|section| !ELSEWHERE.contains(&section.key.as_str())) {
        let heading = match section.heading.trim() {
            "" => &section.key,
            heading => heading,
        };
        sheet.text(heading, Look::Strong);
        match outcome.sections.get(&section.key) {
            Some(Value::Array(entries)) if !entries.is_empty() => {
                for entry in entries {
                    sheet.hung("- ", &words_of(entry), Look::Plain);
                }
            }
            Some(Value::String(text)) if !text.trim().is_empty() => {
                sheet.hung("  ", text, Look::Plain);
            }
            Some(value @ (Value::Object(_) | Value::Number(_) | Value::Bool(_))) => {
                sheet.hung("  ", &words_of(value), Look::Plain);
            }
            Some(Value::Null | Value::Array(_) | Value::String(_)) | None => {
                sheet.hung("  ", "planned, and nobody filled it", Look::Warn);
            }
        }
        sheet.gap();
    }
}

/// An entry on one line: an object as its fields.
fn words_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", words_of(value)));
            fields.collect::<Vec<_>>().join("; ")
        }
        Value::Array(entries) => entries.iter().map(words_of).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
