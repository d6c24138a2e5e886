//! Where events go: what is shared and accepted into one new file of the repository, all else to the
//! store. An item lies in one place: once it is in the repository, everything about it is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gavel_domain::Timestamp;
use uuid::Uuid;

use crate::event::{Change, Event, EventId};
use crate::fold::fold;
use crate::id::ItemId;
use crate::item::{Acceptance, Item, Visibility};
use crate::log::{Home, Kept};
use crate::memory::Memory;
use crate::stamp::Stamp;
use crate::write::{WriteError, write_file};

/// What was written, and what the store has to do about it. See [`crate::keep_written`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "what the store shall hold is lost unless it is handed over"]
pub struct Written {
    /// The items, in the order given.
    pub ids: Vec<ItemId>,
    /// The file that was made, from the root of the checkout.
    pub file: Option<PathBuf>,
    /// Lines for the store, by the ids of their events; one that is there is replaced.
    pub held: Vec<(Uuid, String)>,
    /// Events that the store may drop, since they lie in the repository now.
    pub settled: Vec<Uuid>,
}

impl Written {
    /// True when the store has nothing to do.
    pub const fn is_settled(&self) -> bool {
        self.held.is_empty() && self.settled.is_empty()
    }
}

/// What is to be written where.
#[derive(Default)]
struct Plan {
    tracked: Vec<(Event, String)>,
    held: Vec<(Event, String)>,
    settled: Vec<Uuid>,
}

impl Memory {
    /// Writes events, each to where its item belongs, then folds them in.
    pub(crate) fn record(
        &mut self,
        events: Vec<Event>,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, WriteError> {
        let of_repository = self.for_repository(&events);
        self.record_in(events, &of_repository, stamp)
    }

    /// The same, with a choice of the items whose events go into the repository.
    pub(crate) fn record_in(
        &mut self,
        events: Vec<Event>,
        of_repository: &BTreeSet<ItemId>,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, WriteError> {
        let ids = events.iter().map(|event| event.item).collect();
        let mut plan = self.plan(events, of_repository)?;
        plan.settled.extend(self.log.droppable().map(|id| id.0));
        let mut written = Written {
            ids,
            settled: plan.settled,
            ..Written::default()
        };
        if !plan.tracked.is_empty() {
            let lines: Vec<String> = plan.tracked.iter().map(|(_, line)| line.clone()).collect();
            written.file = Some(write_file(&self.root, &lines, stamp)?);
        }
        for (event, line) in &plan.held {
            written.held.push((event.id.0, line.clone()));
        }
        for (event, line) in plan.tracked {
            self.log.insert(event, line, Home::Tracked);
        }
        for (event, line) in plan.held {
            self.log.insert(event, line, Home::Held);
        }
        self.refold();
        Ok(written)
    }

    /// Puts new events beside the older ones that have to move with them.
    fn plan(
        &self,
        events: Vec<Event>,
        of_repository: &BTreeSet<ItemId>,
    ) -> Result<Plan, WriteError> {
        let mut plan = Plan::default();
        let ids: BTreeSet<ItemId> = events.iter().map(|event| event.item).collect();
        for kept in self
            .log
            .kept()
            .filter(|kept| ids.contains(&kept.event.item))
        {
            let pair = || (kept.event.clone(), kept.line.clone());
            match (kept.home, of_repository.contains(&kept.event.item)) {
                (Home::Held, true) => {
                    plan.settled.push(kept.event.id.0);
                    plan.tracked.push(pair());
                }
                (Home::Offered, true) => plan.tracked.push(pair()),
                (Home::Offered, false) => plan.held.push(pair()),
                (Home::Tracked, _) | (Home::Held, false) => {}
            }
        }
        for event in events {
            let line = event.to_line().map_err(WriteError::Form)?;
            if of_repository.contains(&event.item) {
                plan.tracked.push((event, line));
            } else {
                plan.held.push((event, line));
            }
        }
        Ok(plan)
    }

    /// The items that belong into the repository once these events have happened.
    fn for_repository(&self, events: &[Event]) -> BTreeSet<ItemId> {
        let ids: BTreeSet<ItemId> = events.iter().map(|event| event.item).collect();
        let kept = self.log.kept();
        let known: Vec<&Kept> = kept.filter(|kept| ids.contains(&kept.event.item)).collect();
        let tracked = known.iter().filter(|kept| kept.home == Home::Tracked);
        let tracked: BTreeSet<ItemId> = tracked.map(|kept| kept.event.item).collect();
        let folded = fold(known.iter().map(|kept| &kept.event).chain(events));
        let belongs =
            |id: &ItemId| tracked.contains(id) || folded.items.get(id).is_some_and(is_for_all);
        ids.into_iter().filter(belongs).collect()
    }
}

fn is_for_all(item: &Item) -> bool {
    item.visibility == Visibility::Shared && item.acceptance == Acceptance::Accepted
}

impl Memory {
    /// A further event of an item: later than all that is known of it, so that it counts even where
    /// somebody else's clock is ahead.
    pub(crate) fn next_event(&self, item: ItemId, change: Change, stamp: &mut Stamp<'_>) -> Event {
        let new = event(item, change, stamp);
        let last = self.log.of(item).map(|kept| kept.event.at).max();
        let after = last.and_then(|last| {
            let micros = last.as_microsecond().saturating_add(1);
            Timestamp::from_microsecond(micros).ok()
        });
        Event {
            at: after.map_or(new.at, |after| new.at.max(after)),
            ..new
        }
    }
}

/// The first event of an item.
pub(crate) fn event(item: ItemId, change: Change, stamp: &mut Stamp<'_>) -> Event {
    Event {
        id: EventId(stamp.draw()),
        at: stamp.at(),
        by: Some(stamp.by()),
        item,
        change,
    }
}
