//! What is looked for, what is found, and why.
//!
//! A score is made of three things. *Evidence*: BM25 over title, text, tags and paths, where each
//! word weighs from 0 to 1 by how rare it is. *Fit*: the evidence, measured against what would be
//! enough: all words of a short query, or the worth of a few rare words of a long one; from 0 to 1,
//! so that it means the same for every query. *Standing*: how much the item still weighs, by its
//! life and its age. The floor is compared with the fit, the order follows the product, and ties
//! are broken by id.

mod fit;
mod profile;
mod rank;
mod why;

use gavel_domain::Timestamp;
use gavel_workspace::RepoPath;

use crate::id::Kind;
use crate::item::Item;

pub(crate) use self::fit::{QueryTerms, Sought};
pub(crate) use self::profile::{Profile, level};
pub(crate) use self::rank::{Chosen, MOST_OF_A_LIST, Weighed, choose, rank};
pub use self::why::{Field, Why, WordFound};

/// Which items may be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// What holds and somebody vouches for: the only ones for a prompt.
    Trusted,
    /// Everything that holds and nobody refused.
    Live,
    /// What waits for somebody to vouch for it.
    Proposed,
}

impl Standing {
    /// True when an item may be found at a moment.
    pub fn has(self, item: &Item, now: Timestamp) -> bool {
        match self {
            Self::Trusted => item.is_trusted(now),
            Self::Live => item.is_live(now),
            Self::Proposed => item.is_proposed(now),
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Words, or a whole text. Without any, and without paths, the newest items are found.
    pub text: &'a str,
    /// Kinds; none means all.
    pub kinds: &'a [Kind],
    /// Which items may be found.
    pub standing: Standing,
    /// At most so many.
    pub limit: usize,
    /// The least fit, from 0 to 1.
    pub floor: f64,
    /// Now.
    pub now: Timestamp,
    /// Files or folders that it is about: items about them, or about a folder above, fit better.
    pub paths: &'a [RepoPath],
}

/// An item that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The item.
    pub item: Item,
    /// How well it fits and how much it still weighs, from 0 to 1; comparable between queries.
    pub score: f64,
    /// Why.
    pub why: Why,
}

/// An item that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The item.
    pub item: Item,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// Which items, and how many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Kinds; none means all.
    pub(crate) kinds: &'a [Kind],
    /// At most so many.
    pub(crate) limit: usize,
}

#[cfg(test)]
#[path = "search_tests.rs"]
pub(crate) mod tests;
