//! Ranking: BM25 over text, tags and paths of all items, the same for the same items.

use std::collections::{BTreeMap, BTreeSet};

use crate::id::Kind;
use crate::item::Item;
use crate::terms::terms;

const K1: f64 = 1.5;
const B: f64 = 0.75;
/// A tag says what an item is about; a word of its text only that it occurs.
const TAG_WEIGHT: u32 = 2;

/// An item that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The item.
    pub item: Item,
    /// How well it fits; greater is better, and only comparable within one query.
    pub score: f64,
}

/// Which items, and how many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Kinds; none means all.
    pub(crate) kinds: &'a [Kind],
    pub(crate) limit: usize,
}

struct Document<'a> {
    item: &'a Item,
    length: u32,
    /// How often each term of the query occurs.
    counts: BTreeMap<String, u32>,
}

/// Ranks the items that share a term with the query; ties by id.
///
/// Rarity is counted over all items that are given, so that scores of different kinds compare.
pub(crate) fn rank<'a>(
    items: impl Iterator<Item = &'a Item>,
    query: &str,
    wanted: Wanted<'_>,
) -> Vec<Recalled> {
    // Each term counts once: a long query must not be ruled by the words that it repeats.
    let query: BTreeSet<String> = terms(query).into_iter().collect();
    let documents: Vec<Document<'_>> = items.map(|item| Document::new(item, &query)).collect();
    let rarities = rarities(&documents, &query);
    let total: u64 = documents.iter().map(|doc| u64::from(doc.length)).sum();
    let average = float(total) / float(documents.len().max(1) as u64);
    let fits = |kind| wanted.kinds.is_empty() || wanted.kinds.contains(&kind);
    let mut ranked: Vec<(f64, &Item)> = documents
        .iter()
        .filter(|document| fits(document.item.kind) && !document.counts.is_empty())
        .map(|document| (document.score(&rarities, average), document.item))
        .collect();
    ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.id.cmp(&other.id)));
    ranked.truncate(wanted.limit);
    let recalled = ranked.into_iter().map(|(score, item)| Recalled {
        item: item.clone(),
        score,
    });
    recalled.collect()
}

impl<'a> Document<'a> {
    fn new(item: &'a Item, query: &BTreeSet<String>) -> Self {
        let mut document = Self {
            item,
            length: 0,
            counts: BTreeMap::new(),
        };
        document.take(&item.text, 1, query);
        for tag in &item.tags {
            document.take(tag, TAG_WEIGHT, query);
        }
        for path in &item.paths {
            document.take(path.as_str(), 1, query);
        }
        document
    }

    fn take(&mut self, text: &str, weight: u32, query: &BTreeSet<String>) {
        for term in terms(text) {
            self.length = self.length.saturating_add(weight);
            if query.contains(&term) {
                let count = self.counts.entry(term).or_default();
                *count = count.saturating_add(weight);
            }
        }
    }

    fn score(&self, rarities: &BTreeMap<&String, f64>, average: f64) -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(self.length) / average.max(1.0));
        let of_term = |(term, count): (&String, &u32)| {
            let count = f64::from(*count);
            let rarity = rarities.get(term).copied().unwrap_or_default();
            rarity * count * (K1 + 1.0) / (count + norm)
        };
        self.counts.iter().map(of_term).sum()
    }
}

fn rarities<'q>(
    documents: &[Document<'_>],
    query: &'q BTreeSet<String>,
) -> BTreeMap<&'q String, f64> {
    let all = float(documents.len() as u64);
    let rarity = |term: &'q String| {
        let with = documents.iter().filter(|doc| doc.counts.contains_key(term));
        let with = float(with.count() as u64);
        (term, ((all - with + 0.5) / (with + 0.5) + 1.0).ln())
    };
    query.iter().map(rarity).collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and items are far below 2^52"
)]
const fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
