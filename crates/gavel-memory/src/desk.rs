//! What tests write with: stamps with a moment of their own and ids from a counter.

use gavel_domain::{Speaker, Timestamp};
use uuid::Uuid;

use crate::memory::Memory;
use crate::new_item::{AddError, NewItem};
use crate::stamp::Stamp;
use crate::written::Written;

/// Somebody who writes; each moment is a second after the one before.
pub(crate) struct Desk {
    pub(crate) seconds: i64,
    pub(crate) next: u128,
}

impl Desk {
    /// Ids of different desks differ. The first moment lies in November 2026.
    pub(crate) fn new(number: u128) -> Self {
        Self {
            seconds: 1_794_744_000,
            next: number << 64,
        }
    }

    pub(crate) fn stamped<T>(&mut self, act: impl FnOnce(&mut Stamp<'_>) -> T) -> T {
        self.seconds += 1;
        let at = Timestamp::from_second(self.seconds).unwrap();
        let mut draw = || {
            self.next += 1;
            Uuid::from_u128(self.next)
        };
        act(&mut Stamp::new(at, Speaker::PERSON, &mut draw))
    }

    pub(crate) fn add(&mut self, memory: &mut Memory, new: NewItem) -> Result<Written, AddError> {
        self.stamped(|stamp| memory.add(new, stamp))
    }
}
