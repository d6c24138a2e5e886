//! Hints about an item: which ones look alike, and which seem to say the opposite.

use std::collections::BTreeSet;

use gavel_domain::Timestamp;
use gavel_rules::memory::{Opposed, Statement, most_alike, opposition};
use gavel_workspace::RepoPath;

use crate::id::ItemId;
use crate::item::Item;
use crate::memory::Memory;
use crate::terms::terms;

/// How many items are named as opposed.
const MOST_OPPOSED: usize = 3;

/// What an item reminds of. Words alone say so: whoever reads it decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Items that look alike, the most alike first, with the share of words that both have.
    pub similar: Vec<(ItemId, f64)>,
    /// Items that seem to say the opposite, the most opposed first.
    pub contradicts: Vec<(ItemId, Opposed)>,
}

impl Memory {
    /// What an item reminds of, among all others that hold.
    pub fn hints(&self, item: &Item, now: Timestamp) -> Hints {
        let others: Vec<Words<'_>> = self
            .items()
            .filter(|other| other.id != item.id && other.is_live(now))
            .map(Words::of)
            .collect();
        let new = Words::of(item);
        let similar = most_alike(&new.terms, others.iter().map(|other| &other.terms));
        let similar = similar.into_iter().filter_map(|(place, share)| {
            let other = others.get(place)?;
            Some((other.item.id, share))
        });
        let mut contradicts: Vec<(ItemId, Opposed)> = others
            .iter()
            .filter_map(|other| Some((other.item.id, opposition(&new.said(), &other.said())?)))
            .collect();
        contradicts.sort_by_key(|(id, opposed)| (std::cmp::Reverse(opposed.how), *id));
        contradicts.truncate(MOST_OPPOSED);
        Hints {
            similar: similar.collect(),
            contradicts,
        }
    }
}

/// An item with its terms.
struct Words<'a> {
    item: &'a Item,
    terms: BTreeSet<String>,
    paths: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(item: &'a Item) -> Self {
        Self {
            item,
            terms: item_terms(item),
            paths: item.paths.iter().map(RepoPath::as_str).collect(),
        }
    }

    fn said(&self) -> Statement<'_> {
        Statement {
            text: &self.item.text,
            terms: &self.terms,
            tags: &self.item.tags,
            paths: &self.paths,
        }
    }
}

/// The terms of what an item says.
pub(crate) fn item_terms(item: &Item) -> BTreeSet<String> {
    let title = item.title.as_deref().unwrap_or_default();
    terms(title).into_iter().chain(terms(&item.text)).collect()
}
