//! Time, author and ids of what is written, as values.

use std::fmt;

use gavel_domain::{Speaker, Timestamp};
use uuid::Uuid;

/// When something is written, by whom, and where its ids come from.
pub struct Stamp<'a> {
    at: Timestamp,
    by: Speaker,
    ids: &'a mut (dyn FnMut() -> Uuid + Send),
}

impl<'a> Stamp<'a> {
    /// A stamp; `ids` gives a new UUIDv7 at each call.
    pub fn new(at: Timestamp, by: Speaker, ids: &'a mut (dyn FnMut() -> Uuid + Send)) -> Self {
        Self { at, by, ids }
    }

    pub(crate) const fn at(&self) -> Timestamp {
        self.at
    }

    pub(crate) const fn by(&self) -> Speaker {
        self.by
    }

    pub(crate) fn draw(&mut self) -> Uuid {
        (self.ids)()
    }
}

impl fmt::Debug for Stamp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stamp")
            .field("at", &self.at)
            .field("by", &self.by)
            .finish_non_exhaustive()
    }
}
