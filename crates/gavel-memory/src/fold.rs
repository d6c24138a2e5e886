//! From events to items: a set of events gives the same items in any order.
//!
//! Per field, the greatest `(at, id)` wins. `retired` wins over every change and `redacted` over
//! everything, whenever they were written.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Speaker, Timestamp};

use crate::event::{Change, Event, EventId, Fields};
use crate::id::ItemId;
use crate::item::{Acceptance, Item, State, Visibility};

/// What a fold gives.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) items: BTreeMap<ItemId, Item>,
    /// Items that were changed, but never added.
    pub(crate) incomplete: BTreeSet<ItemId>,
}

/// Folds events; each must have an id of its own.
pub(crate) fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Folded {
    let mut drafts: BTreeMap<ItemId, Draft> = BTreeMap::new();
    for event in events {
        drafts
            .entry(event.item)
            .or_insert_with(|| Draft::new(event.at))
            .take(event);
    }
    let mut folded = Folded::default();
    for (id, draft) in drafts {
        match draft.finish(id) {
            Finished::Item(item) => drop(folded.items.insert(id, *item)),
            Finished::Incomplete => drop(folded.incomplete.insert(id)),
            // A tombstone whose item is gone: nothing to show, nothing to miss.
            Finished::Tombstone => {}
        }
    }
    folded
}

enum Finished {
    Item(Box<Item>),
    Incomplete,
    Tombstone,
}

/// Which of two writes of a field counts.
type Order = (Timestamp, EventId);

/// The newest value of each field so far.
struct Draft {
    fields: Fields,
    set: BTreeMap<&'static str, Order>,
    first: Option<(Order, Option<Speaker>)>,
    created_at: Timestamp,
    updated_at: Timestamp,
    state: State,
}

impl Draft {
    const fn new(at: Timestamp) -> Self {
        Self {
            fields: Fields {
                text: None,
                tags: None,
                paths: None,
                severity: None,
                acceptance: None,
                visibility: None,
                provenance: None,
            },
            set: BTreeMap::new(),
            first: None,
            created_at: at,
            updated_at: at,
            state: State::Live,
        }
    }

    fn take(&mut self, event: &Event) {
        let order = (event.at, event.id);
        self.created_at = self.created_at.min(event.at);
        self.updated_at = self.updated_at.max(event.at);
        match &event.change {
            Change::Added(fields) | Change::Changed(fields) => {
                if self.first.as_ref().is_none_or(|(first, _)| order < *first) {
                    self.first = Some((order, event.by));
                }
                self.set(order, fields);
            }
            Change::Retired if self.state == State::Live => self.state = State::Retired,
            Change::Retired => {}
            Change::Redacted => self.state = State::Redacted,
        }
    }

    fn set(&mut self, order: Order, new: &Fields) {
        let set = &mut self.set;
        let mut newest = |name| {
            let known = set.entry(name).or_insert(order);
            *known = order.max(*known);
            *known == order
        };
        let old = &mut self.fields;
        replace(&mut old.text, &new.text, || newest("text"));
        replace(&mut old.tags, &new.tags, || newest("tags"));
        replace(&mut old.paths, &new.paths, || newest("paths"));
        replace(&mut old.severity, &new.severity, || newest("severity"));
        replace(&mut old.acceptance, &new.acceptance, || {
            newest("acceptance")
        });
        replace(&mut old.visibility, &new.visibility, || {
            newest("visibility")
        });
        replace(&mut old.provenance, &new.provenance, || {
            newest("provenance")
        });
    }

    fn finish(self, id: ItemId) -> Finished {
        let fields = match (self.state, self.fields.text.is_some()) {
            (State::Redacted, _) => Fields {
                acceptance: self.fields.acceptance,
                visibility: self.fields.visibility,
                ..Fields::default()
            },
            (State::Live | State::Retired, true) => self.fields,
            (State::Live, false) => return Finished::Incomplete,
            (State::Retired, false) => return Finished::Tombstone,
        };
        Finished::Item(Box::new(Item {
            id,
            kind: id.kind(),
            text: fields.text.unwrap_or_default(),
            tags: fields.tags.unwrap_or_default(),
            paths: fields.paths.unwrap_or_default(),
            severity: fields.severity,
            // Nobody is said to vouch for it, so nobody does.
            acceptance: fields.acceptance.unwrap_or(Acceptance::Proposed),
            visibility: fields.visibility.unwrap_or(Visibility::Shared),
            state: self.state,
            provenance: fields.provenance,
            by: self.first.and_then(|(_, by)| by),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }))
    }
}

/// Takes the new value if there is one and it is the newest.
fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>, newest: impl FnOnce() -> bool) {
    if new.is_some() && newest() {
        old.clone_from(new);
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
