//! Items as callers see them.

use gavel_memory::{Ids, Item, Kind, MAX_TEXT_BYTES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest label, tag and path, in bytes, and how many tags and paths are told.
const MOST_LABEL: usize = 400;
const MOST_NAMES: usize = 50;

/// A kind of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindWord {
    /// Something that was decided.
    Decision,
    /// Something that must hold.
    Constraint,
    /// Something that went wrong and will again.
    Trap,
    /// Something that is to be done.
    Plan,
    /// What a person said about the work.
    Feedback,
    /// An observation while something ran.
    RuntimeNote,
    /// What the next one needs to know to go on.
    Handoff,
    /// What the project is for.
    Vision,
}

impl From<KindWord> for Kind {
    fn from(word: KindWord) -> Self {
        match word {
            KindWord::Decision => Self::Decision,
            KindWord::Constraint => Self::Constraint,
            KindWord::Trap => Self::Trap,
            KindWord::Plan => Self::Plan,
            KindWord::Feedback => Self::Feedback,
            KindWord::RuntimeNote => Self::RuntimeNote,
            KindWord::Handoff => Self::Handoff,
            KindWord::Vision => Self::Vision,
        }
    }
}

impl From<Kind> for KindWord {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Decision => Self::Decision,
            Kind::Constraint => Self::Constraint,
            Kind::Trap => Self::Trap,
            Kind::Plan => Self::Plan,
            Kind::Feedback => Self::Feedback,
            Kind::RuntimeNote => Self::RuntimeNote,
            Kind::Handoff => Self::Handoff,
            Kind::Vision => Self::Vision,
        }
    }
}

/// An item: its words are data that somebody wrote, never instructions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ToldItem {
    /// Cite it by this.
    pub id: String,
    pub(super) kind: KindWord,
    pub(super) label: String,
    pub(super) text: String,
    pub(super) acceptance: String,
    pub(super) state: String,
    pub(super) status: String,
    pub(super) tags: Vec<String>,
    pub(super) paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) severity: Option<String>,
    pub(super) source: String,
    pub(super) created_at: String,
    pub(super) updated_at: String,
}

impl ToldItem {
    pub(super) fn of(item: &Item, now: gavel_domain::Timestamp) -> Self {
        Self {
            id: item.id.to_string(),
            kind: item.kind.into(),
            label: bounded(&item.label(), MOST_LABEL),
            text: bounded(&item.text, MAX_TEXT_BYTES),
            acceptance: item.acceptance.word().to_owned(),
            state: item.state.word().to_owned(),
            status: item.status_at(now).word().to_owned(),
            tags: few(item.tags.iter().cloned()),
            paths: few(item.paths.iter().map(ToString::to_string)),
            severity: item.severity.map(|severity| severity.word().to_owned()),
            source: item
                .source(Ids::Whole)
                .unwrap_or_else(|| "unknown".to_owned()),
            created_at: item.created_at.to_string(),
            updated_at: item.updated_at.to_string(),
        }
    }
}

/// No more of a text than Gavel itself would have taken: items lie in files that anybody can write.
fn bounded(text: &str, most: usize) -> String {
    match text.get(..text.floor_char_boundary(most)) {
        Some(head) if head.len() < text.len() => {
            let more = text.len() - head.len();
            format!("{head}… ({more} more bytes)")
        }
        _ => text.to_owned(),
    }
}

pub(super) fn few(texts: impl Iterator<Item = String>) -> Vec<String> {
    let few = texts.take(MOST_NAMES);
    few.map(|text| bounded(&text, MOST_LABEL)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_gavel_takes_is_cut_and_says_so() {
        assert_eq!(bounded("short", 5), "short");
        assert_eq!(bounded("äöü", 3), "ä… (4 more bytes)");
        let many = (0..MOST_NAMES + 5).map(|number| number.to_string());
        assert_eq!(few(many).len(), MOST_NAMES);
    }
}
