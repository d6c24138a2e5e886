//! One line of a memory file: something that happened to an item.
//!
//! The stored form is frozen by `tests/golden/events.jsonl`: words and fields are added, never
//! renamed.

use gavel_domain::{Speaker, Timestamp};
use gavel_rules::memory::Status;
use gavel_workspace::{RepoPath, Scrubber, SecretKind};
use serde::Serialize;
use uuid::Uuid;

use crate::id::ItemId;
use crate::item::{Acceptance, Expiry, Provenance, Severity, Visibility};
use crate::marks::Mark;

/// An event's own id; the same event in two files is one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EventId(pub(crate) Uuid);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    pub(crate) at: Timestamp,
    /// `None` when a later version wrote a speaker that this one does not know.
    pub(crate) by: Option<Speaker>,
    pub(crate) item: ItemId,
    pub(crate) change: Change,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// It came to be.
    Added(Box<Fields>),
    /// Some of its fields were set.
    Changed(Box<Fields>),
    /// Somebody said how it proved.
    Marked(Mark),
    /// It holds no longer; wins over every change.
    Retired,
    /// Its words are taken out; wins over everything.
    Redacted,
}

/// The fields that an event sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paths: Option<Vec<RepoPath>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<Severity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Expiry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<ItemId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) acceptance: Option<Acceptance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visibility: Option<Visibility>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<Provenance>,
}

impl Change {
    /// The stored word.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Added(_) => "added",
            Self::Changed(_) => "changed",
            Self::Marked(_) => "marked",
            Self::Retired => "retired",
            Self::Redacted => "redacted",
        }
    }

    pub(crate) const fn fields(&self) -> Option<&Fields> {
        match self {
            Self::Added(fields) | Self::Changed(fields) => Some(fields),
            Self::Marked(_) | Self::Retired | Self::Redacted => None,
        }
    }

    const fn mark(&self) -> Option<Mark> {
        match self {
            Self::Marked(mark) => Some(*mark),
            Self::Added(_) | Self::Changed(_) | Self::Retired | Self::Redacted => None,
        }
    }
}

impl Fields {
    /// The first secret in any text of theirs, and that text without it. The same look at writing
    /// and at reading, so that what was written is never left out later.
    pub(crate) fn secret(&self, scrubber: &Scrubber) -> Option<(SecretKind, String)> {
        let tags = self.tags.iter().flatten().map(String::as_str);
        let paths = self.paths.iter().flatten().map(RepoPath::as_str);
        let words = [&self.title, &self.text].into_iter().flatten();
        let named = self.provenance.as_ref().and_then(Provenance::name);
        let texts = words.map(String::as_str).chain(named);
        let texts = texts.chain(tags).chain(paths);
        texts.map(|text| scrubber.scrub(text)).find_map(|scrubbed| {
            let kind = *scrubbed.found.first()?;
            Some((kind, scrubbed.text))
        })
    }
}

/// The stored form; the order of fields is the one that people read.
#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    id: Uuid,
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Speaker>,
    item: ItemId,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<Mark>,
    #[serde(flatten)]
    fields: Option<&'a Fields>,
}

impl Event {
    /// True when its words were taken out.
    pub(crate) fn is_emptied(&self) -> bool {
        let text = self
            .change
            .fields()
            .and_then(|fields| fields.text.as_deref());
        text == Some("")
    }

    /// Writes the stored form, without its line end.
    pub(crate) fn to_line(&self) -> serde_json::Result<String> {
        serde_json::to_string(&Line {
            event: self.change.word(),
            id: self.id.0,
            at: self.at,
            by: self.by,
            item: self.item,
            mark: self.change.mark(),
            fields: self.change.fields(),
        })
    }
}
