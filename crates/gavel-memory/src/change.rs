//! Writing: new items, and what becomes of those that are there.

use std::collections::BTreeSet;

use gavel_rules::memory::{Status, StatusProblem, check_status};
use gavel_workspace::RepoPath;

use crate::event::{Change, Fields};
use crate::id::{ItemId, Kind};
use crate::item::{Acceptance, Expiry, Item, Provenance, Severity, State};
use crate::log::Home;
use crate::marks::Mark;
use crate::memory::Memory;
use crate::new_item::{AddError, NewItem};
use crate::stamp::Stamp;
use crate::write::WriteError;
use crate::written::{Written, event};

/// What is to be changed about an item; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patch {
    /// What people call it.
    pub title: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// Words to find it by, all of them.
    pub tags: Option<Vec<String>>,
    /// Files and folders that it is about, all of them.
    pub paths: Option<Vec<RepoPath>>,
    /// How bad a trap is.
    pub severity: Option<Severity>,
    /// Where it is on its way.
    pub status: Option<Status>,
    /// When its time is over.
    pub expires: Option<Expiry>,
}

/// Why an item was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// There is no such item.
    #[error("there is no memory item {id}")]
    NoItem {
        /// Which.
        id: ItemId,
    },
    /// It was retired or redacted, and nothing leads back.
    #[error("{id} is {}: add a new item instead", state.word())]
    Over {
        /// Which.
        id: ItemId,
        /// What it is.
        state: State,
    },
    /// Nothing would change.
    #[error("there is nothing to change: say what")]
    Nothing,
    /// It cannot have that status.
    #[error("{id} cannot be changed: {problem}")]
    Status {
        /// Which.
        id: ItemId,
        /// Why.
        problem: StatusProblem,
    },
    /// A person said the opposite before.
    #[error("{id} was {} before: add a new item instead", was.word())]
    Decided {
        /// Which.
        id: ItemId,
        /// What was said.
        was: Acceptance,
    },
    /// An item cannot take the place of itself, nor of one that took its place.
    #[error(
        "{by} cannot take the place of {id}: it is the same item, or {id} took its place before"
    )]
    Circle {
        /// The item that should go.
        id: ItemId,
        /// The one that should take its place.
        by: ItemId,
    },
    /// The new words do not fit.
    #[error(transparent)]
    Unfit(#[from] AddError),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Memory {
    /// Writes an item.
    pub fn add(&mut self, new: NewItem, stamp: &mut Stamp<'_>) -> Result<Written, AddError> {
        self.add_all(vec![new], stamp)
    }

    /// Writes items of one command or run at once; all of them, or none.
    pub fn add_all(
        &mut self,
        new: Vec<NewItem>,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, AddError> {
        if new.is_empty() {
            return Err(AddError::Empty);
        }
        let mut events = Vec::new();
        for new in new {
            let item = ItemId::new(new.kind, stamp.draw());
            let fields = new.check(&self.scrubber)?;
            events.push(event(item, Change::Added(Box::new(fields)), stamp));
        }
        Ok(self.record(events, stamp)?)
    }

    /// Shows an item that is written nowhere yet, as a proposal; what is known already stays as it
    /// is. The first id that is drawn is the item's.
    pub fn offer(&mut self, new: NewItem, stamp: &mut Stamp<'_>) -> Result<ItemId, AddError> {
        let item = ItemId::new(new.kind, stamp.draw());
        if !self.knows(item) {
            let fields = new.proposed().check(&self.scrubber)?;
            let event = event(item, Change::Added(Box::new(fields)), stamp);
            let line = event.to_line().map_err(WriteError::Form)?;
            self.log.insert(event, line, Home::Offered);
            self.refold();
        }
        Ok(item)
    }

    /// Shows no longer what was only offered.
    pub fn withdraw(&mut self, id: ItemId) {
        self.log.withdraw(id);
        self.refold();
    }

    /// Changes an item.
    pub fn change(
        &mut self,
        id: ItemId,
        patch: Patch,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        let item = self.live(id)?;
        if patch == Patch::default() {
            return Err(ChangeError::Nothing);
        }
        if let Some(to) = patch.status {
            check_status(item.kind.course(), Some(item.status), to)
                .map_err(|problem| ChangeError::Status { id, problem })?;
        }
        let fields = Fields {
            title: patch.title,
            text: patch.text,
            tags: patch.tags,
            paths: patch.paths,
            severity: patch.severity,
            status: patch.status,
            expires_at: patch.expires,
            ..Fields::default()
        };
        let fields = fields.check(id.kind(), &self.scrubber)?;
        self.changed(id, fields, stamp)
    }

    /// Says how an item proved.
    pub fn mark(
        &mut self,
        id: ItemId,
        mark: Mark,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        self.live(id)?;
        let marked = self.next_event(id, Change::Marked(mark), stamp);
        Ok(self.record(vec![marked], stamp)?)
    }

    /// Vouches for a proposal as it is here: it becomes an item of the repository, with the same id
    /// and these words, whatever somebody else made of them meanwhile. One that was accepted before
    /// stays as it is.
    pub fn accept(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<Written, ChangeError> {
        self.decide(id, Acceptance::Accepted, stamp)
    }

    /// Says that nobody wants a proposal, for good. One that was rejected before stays as it is.
    pub fn reject(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<Written, ChangeError> {
        self.decide(id, Acceptance::Rejected, stamp)
    }

    /// Says that an item holds no longer; one that was retired before stays as it is.
    pub fn retire(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<Written, ChangeError> {
        let item = self.items.get(&id).ok_or(ChangeError::NoItem { id })?;
        match item.state {
            State::Retired | State::Redacted => Ok(Written::default()),
            State::Live => {
                let retired = event(id, Change::Retired, stamp);
                Ok(self.record(vec![retired], stamp)?)
            }
        }
    }

    /// Says that another item took the place of one.
    pub fn supersede(
        &mut self,
        id: ItemId,
        by: ItemId,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        self.live(id)?;
        self.live(by)?;
        let mut next = Some(by);
        let mut seen = BTreeSet::from([id]);
        while let Some(item) = next {
            if !seen.insert(item) {
                return Err(ChangeError::Circle { id, by });
            }
            next = self.items.get(&item).and_then(|item| item.superseded_by);
        }
        let fields = Fields {
            superseded_by: Some(by),
            ..Fields::default()
        };
        self.changed(id, fields, stamp)
    }

    /// Writes an item anew as another kind; the new one takes the place of the old one.
    pub fn promote(
        &mut self,
        id: ItemId,
        kind: Kind,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        let item = self.live(id)?;
        let provenance = Provenance::Item { item: id };
        let new = NewItem {
            title: item.title.clone(),
            tags: item.tags.clone(),
            paths: item.paths.clone(),
            expires_at: item.expires_at,
            visibility: item.visibility,
            ..NewItem::new(kind, item.text.clone(), provenance)
        };
        let made = ItemId::new(kind, stamp.draw());
        let fields = new.check(&self.scrubber)?;
        let superseded = Fields {
            superseded_by: Some(made),
            ..Fields::default()
        };
        let events = vec![
            event(made, Change::Added(Box::new(fields)), stamp),
            self.next_event(id, Change::Changed(Box::new(superseded)), stamp),
        ];
        Ok(self.record(events, stamp)?)
    }

    /// Says that nobody wants an item that was proposed and never written: without its words, and for
    /// good. One that is known stays as it is.
    pub fn refuse(&mut self, id: ItemId, stamp: &mut Stamp<'_>) -> Result<Written, WriteError> {
        if self.knows(id) {
            return Ok(Written::default());
        }
        self.withdraw(id);
        let retired = event(id, Change::Retired, stamp);
        self.record_in(vec![retired], &BTreeSet::from([id]), stamp)
    }

    fn decide(
        &mut self,
        id: ItemId,
        to: Acceptance,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        let item = self.live(id)?;
        let was = item.acceptance;
        if was == to {
            return Ok(Written::default());
        }
        match was {
            Acceptance::Proposed => {
                let seen = match to {
                    Acceptance::Accepted => as_seen(item),
                    Acceptance::Proposed | Acceptance::Rejected => Fields::default(),
                };
                let fields = Fields {
                    acceptance: Some(to),
                    ..seen
                };
                self.changed(id, fields, stamp)
            }
            Acceptance::Accepted | Acceptance::Rejected => Err(ChangeError::Decided { id, was }),
        }
    }

    fn changed(
        &mut self,
        id: ItemId,
        fields: Fields,
        stamp: &mut Stamp<'_>,
    ) -> Result<Written, ChangeError> {
        let changed = self.next_event(id, Change::Changed(Box::new(fields)), stamp);
        Ok(self.record(vec![changed], stamp)?)
    }

    /// An item that may still be changed.
    fn live(&self, id: ItemId) -> Result<&Item, ChangeError> {
        let item = self.items.get(&id).ok_or(ChangeError::NoItem { id })?;
        match item.state {
            State::Live => Ok(item),
            state @ (State::Retired | State::Redacted) => Err(ChangeError::Over { id, state }),
        }
    }
}

/// What somebody sees of an item when they vouch for it. Newer than every change that they do not know
/// of, it is what counts.
fn as_seen(item: &Item) -> Fields {
    Fields {
        // An empty title is none.
        title: Some(item.title.clone().unwrap_or_default()),
        text: Some(item.text.clone()),
        tags: Some(item.tags.clone()),
        paths: Some(item.paths.clone()),
        severity: item.severity,
        status: Some(item.status),
        expires_at: Some(item.expires_at.map_or(Expiry::Never, Expiry::At)),
        ..Fields::default()
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
