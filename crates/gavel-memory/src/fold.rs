//! From events to items: a set of events gives the same items in any order.
//!
//! Per field, the greatest `(at, id)` wins; marks are counted. `retired` wins over every change and `redacted` over
//! everything, whenever they were written. Once a person vouched for an item, only people change or retire it: what
//! an agent wrote in the same moment, not knowing of it, does not count.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Role, Speaker, Timestamp};

use crate::event::{Change, Event, EventId, Fields};
use crate::id::ItemId;
use crate::item::{Acceptance, Expiry, Item, State, Visibility};
use crate::marks::Marks;

/// What a fold gives.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) items: BTreeMap<ItemId, Item>,
    /// Items that were changed, but never added.
    pub(crate) incomplete: BTreeSet<ItemId>,
}

/// Folds events; each must have an id of its own.
pub(crate) fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Folded {
    let mut of_items: BTreeMap<ItemId, Vec<&Event>> = BTreeMap::new();
    for event in events {
        of_items.entry(event.item).or_default().push(event);
    }
    let mut folded = Folded::default();
    for (id, events) in of_items {
        let vouched = events.iter().filter_map(|event| vouches(event)).min();
        let mut draft = Draft::new();
        for event in events {
            if !is_too_late(event, vouched) {
                draft.take(event);
            }
        }
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

fn order(event: &Event) -> Order {
    (event.at, event.id)
}

/// When a person vouched for the item, if they did it by this event.
fn vouches(event: &Event) -> Option<Order> {
    let accepted = event.change.fields()?.acceptance == Some(Acceptance::Accepted);
    let by_person = event.by.is_some_and(|by| by.role == Role::Person);
    (accepted && by_person).then(|| order(event))
}

/// True for what somebody else than a person changed after a person had vouched.
fn is_too_late(event: &Event, vouched: Option<Order>) -> bool {
    let by_person = event.by.is_none_or(|by| by.role == Role::Person);
    let after = vouched.is_some_and(|vouched| vouched < order(event));
    match event.change {
        Change::Changed(_) | Change::Retired => after && !by_person,
        Change::Added(_) | Change::Marked(_) | Change::Redacted => false,
    }
}

/// The newest value of each field so far.
struct Draft {
    fields: Fields,
    set: BTreeMap<&'static str, Order>,
    first: Option<(Order, Option<Speaker>)>,
    /// Who set the title or the text last.
    words: Option<(Order, Option<Speaker>)>,
    created_at: Timestamp,
    updated_at: Timestamp,
    state: State,
    marks: Marks,
}

impl Draft {
    fn new() -> Self {
        Self {
            fields: Fields::default(),
            set: BTreeMap::new(),
            first: None,
            words: None,
            created_at: Timestamp::MAX,
            updated_at: Timestamp::MIN,
            state: State::Live,
            marks: Marks::default(),
        }
    }

    fn take(&mut self, event: &Event) {
        let order = order(event);
        if let Change::Marked(mark) = event.change {
            // A mark says how it proved; it is neither made nor changed by that.
            return self.marks.take(mark, event.at);
        }
        self.created_at = self.created_at.min(event.at);
        self.updated_at = self.updated_at.max(event.at);
        match &event.change {
            Change::Added(fields) | Change::Changed(fields) => {
                if self.first.as_ref().is_none_or(|(first, _)| order < *first) {
                    self.first = Some((order, event.by));
                }
                // Whoever vouches repeats the words, and does not change them.
                let words =
                    (fields.text.is_some() || fields.title.is_some()) && vouches(event).is_none();
                if words && self.words.as_ref().is_none_or(|(last, _)| order > *last) {
                    self.words = Some((order, event.by));
                }
                self.set(order, fields);
            }
            Change::Retired if self.state == State::Live => self.state = State::Retired,
            Change::Retired | Change::Marked(_) => {}
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
        replace(&mut old.title, &new.title, || newest("title"));
        replace(&mut old.text, &new.text, || newest("text"));
        replace(&mut old.tags, &new.tags, || newest("tags"));
        replace(&mut old.paths, &new.paths, || newest("paths"));
        replace(&mut old.severity, &new.severity, || newest("severity"));
        replace(&mut old.status, &new.status, || newest("status"));
        replace(&mut old.expires_at, &new.expires_at, || {
            newest("expires_at")
        });
        replace(&mut old.superseded_by, &new.superseded_by, || {
            newest("superseded_by")
        });
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
                superseded_by: self.fields.superseded_by,
                ..Fields::default()
            },
            (State::Live | State::Retired, true) => self.fields,
            (State::Live, false) => return Finished::Incomplete,
            (State::Retired, false) => return Finished::Tombstone,
        };
        let first = self.first.map(|(order, _)| order);
        let changed = self.words.filter(|(last, _)| Some(*last) > first);
        Finished::Item(Box::new(Item {
            id,
            kind: id.kind(),
            title: fields.title.filter(|title| !title.is_empty()),
            text: fields.text.unwrap_or_default(),
            tags: fields.tags.unwrap_or_default(),
            paths: fields.paths.unwrap_or_default(),
            severity: fields.severity,
            // Nobody is said to vouch for it, so nobody does.
            acceptance: fields.acceptance.unwrap_or(Acceptance::Proposed),
            visibility: fields.visibility.unwrap_or(Visibility::Shared),
            state: self.state,
            status: fields
                .status
                .filter(|status| id.kind().course().statuses().contains(status))
                .unwrap_or_else(|| id.kind().course().first()),
            expires_at: fields.expires_at.and_then(Expiry::at),
            superseded_by: fields.superseded_by,
            marks: self.marks,
            provenance: fields.provenance,
            by: self.first.and_then(|(_, by)| by),
            changed_by: changed.and_then(|(_, by)| by),
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
