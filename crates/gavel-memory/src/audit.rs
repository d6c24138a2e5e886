//! A look at memory as a whole: what is doubled, stale, never used, or should not be there.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::Timestamp;
use gavel_rules::memory::{Stale, overlap};

use crate::hints::item_terms;
use crate::id::ItemId;
use crate::item::Item;
use crate::memory::Memory;
use crate::problem::{Problem, Trouble};

/// Two items that share so much of their words say the same.
const DOUBLED: f64 = 0.8;
/// A term that so many items have tells nothing about which are doubled.
const MOST_WITH_TERM: usize = 200;
/// So many of its rarest terms are looked at to find an item's doubles.
const TERMS_LOOKED_AT: usize = 4;

/// How often items were used, as journals tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uses {
    /// How often each was given to a prompt or a brief.
    pub given: BTreeMap<ItemId, u32>,
    /// How often each was cited by an answer.
    pub cited: BTreeMap<ItemId, u32>,
}

/// What a look at memory found.
#[derive(Debug)]
pub struct Audit<'a> {
    /// How many items hold and are vouched for.
    pub trusted: usize,
    /// How many wait for a decision.
    pub proposed: usize,
    /// Pairs that say the same, with the share of words that both have.
    pub duplicates: Vec<(ItemId, ItemId, f64)>,
    /// What should be looked at again, and why.
    pub stale: Vec<(ItemId, Stale)>,
    /// Items that hold and were never given to any prompt.
    pub never_used: Vec<ItemId>,
    /// How many items that hold were cited at least once.
    pub cited: usize,
    /// Lines that hold a secret.
    pub secrets: Vec<&'a Problem>,
    /// Everything else that is wrong with files and lines.
    pub problems: Vec<&'a Problem>,
}

impl Memory {
    /// Looks at everything.
    pub fn audit(&self, uses: &Uses, now: Timestamp) -> Audit<'_> {
        let live: Vec<&Item> = self.items().filter(|item| item.is_live(now)).collect();
        let trusted: Vec<&Item> = live
            .iter()
            .copied()
            .filter(|item| item.is_trusted(now))
            .collect();
        let stale = self
            .items()
            .filter_map(|item| Some((item.id, item.staleness(now)?)));
        let unused = trusted.iter().filter(|item| {
            !uses.given.contains_key(&item.id) && !uses.cited.contains_key(&item.id)
        });
        let cited = trusted
            .iter()
            .filter(|item| uses.cited.contains_key(&item.id));
        let (secrets, problems) = self
            .problems()
            .iter()
            .partition(|problem| matches!(problem.trouble, Trouble::Secret { .. }));
        Audit {
            trusted: trusted.len(),
            proposed: live.len() - trusted.len(),
            duplicates: doubles(&live),
            stale: stale.collect(),
            never_used: unused.map(|item| item.id).collect(),
            cited: cited.count(),
            secrets,
            problems,
        }
    }
}

/// Pairs that say the same. Only items that share a rare term are compared.
fn doubles(items: &[&Item]) -> Vec<(ItemId, ItemId, f64)> {
    let terms: Vec<BTreeSet<String>> = items.iter().map(|item| item_terms(item)).collect();
    let mut with: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, terms) in terms.iter().enumerate() {
        for term in terms {
            with.entry(term).or_default().push(place);
        }
    }
    let mut pairs: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (place, own) in terms.iter().enumerate() {
        let mut rarest: Vec<&Vec<usize>> = own
            .iter()
            .filter_map(|term| with.get(term.as_str()))
            .collect();
        rarest.sort_by_key(|places| places.len());
        let rare = rarest.into_iter().take(TERMS_LOOKED_AT);
        let rare = rare.filter(|places| places.len() <= MOST_WITH_TERM);
        for other in rare.flatten().copied().filter(|other| *other > place) {
            let share = terms.get(other).map_or(0.0, |terms| overlap(own, terms));
            if share >= DOUBLED {
                pairs.insert((place, other), share);
            }
        }
    }
    let named = |((one, other), share): ((usize, usize), f64)| {
        Some((items.get(one)?.id, items.get(other)?.id, share))
    };
    pairs.into_iter().filter_map(named).collect()
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
