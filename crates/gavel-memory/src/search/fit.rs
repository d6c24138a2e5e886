//! Which words of a query count, how much each is worth, and how far evidence goes.

use std::collections::{BTreeSet, HashMap};

use gavel_store::{INDEX_LEVELS, WordCount};

use super::Query;
use super::profile::Profile;
use crate::terms::{WordTerms, path_term, word_terms};

/// More words of a long text do not find anything else; the rarest count.
const MOST_WORDS: usize = 24;
/// The worth of so many of the rarest words is enough, however long the query.
const ENOUGH: f64 = 2.5;
/// How fast evidence convinces: what is enough gives a fit of 0.8.
const RATE: f64 = 1.6;
/// To be about the same path is worth almost as much as a rare word.
const PATH_WORTH: f64 = 0.8;
/// A word that more than one of so many items have tells nothing.
const COMMON_SHARE: u64 = 5;
/// In few items no word is common: chance rules.
const LEAST_ITEMS: u64 = 200;
/// A memory of few items is taken for one of so many, or no word in it would be rare.
const SUPPOSED_ITEMS: u64 = 1_000;
/// What a word is worth that no item has: it is rare, but memory may just lack it.
const UNKNOWN_WORTH: f64 = 0.8;

/// What is looked for, in the words of the index.
#[derive(Debug, Default)]
pub(crate) struct Sought {
    /// The words that count, the rarest first.
    pub(crate) words: Vec<SoughtWord>,
    /// The terms of the paths that the query is about, and of every folder above.
    pub(crate) paths: Vec<SoughtWord>,
    /// Words that too many items have.
    pub(crate) too_common: Vec<String>,
    /// Words that no item has.
    pub(crate) unknown: Vec<String>,
    /// The words of the query, each by the places of its terms in `words`.
    asked: Vec<AskedWord>,
    /// The evidence that is enough.
    pub(crate) enough: f64,
}

/// The terms that a query is read as.
#[derive(Debug, Default)]
pub(crate) struct QueryTerms {
    /// Every term of every word.
    pub(crate) words: BTreeSet<String>,
    /// Those of the paths.
    pub(crate) paths: BTreeSet<String>,
    each: Vec<WordTerms>,
}

/// A word of a query: it counts once, however many of its spellings and parts an item has.
#[derive(Debug, Default)]
struct AskedWord {
    spellings: Vec<usize>,
    parts: Vec<usize>,
    /// How many parts it has, known ones or not.
    all_parts: f64,
}

/// A word that counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SoughtWord {
    pub(crate) word: String,
    pub(crate) counts: [u32; INDEX_LEVELS],
    /// How rare it is, as BM25 has it.
    pub(crate) idf: f64,
    /// The same, from 0 to 1.
    pub(crate) worth: f64,
}

impl SoughtWord {
    /// `rarest` is the rarity of a word that one item has.
    fn new(count: WordCount, items: u64, rarest: f64) -> Self {
        let mut word = Self {
            word: count.word,
            counts: count.counts,
            idf: 0.0,
            worth: 0.0,
        };
        word.idf = idf(word.items(), items);
        word.worth = word.idf / rarest;
        word
    }

    /// How many items have it.
    pub(crate) fn items(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum()
    }
}

impl Sought {
    /// The distinct words of a query by their terms, and the terms of its paths.
    pub(crate) fn terms(query: &Query<'_>) -> QueryTerms {
        // Each word counts once: a long query must not be ruled by the words that it repeats.
        let mut terms = QueryTerms::default();
        let mut spelled = BTreeSet::new();
        word_terms(query.text, |word| {
            if word.spellings.iter().any(|term| !spelled.contains(term)) {
                spelled.extend(word.spellings.iter().cloned());
                let all = word.spellings.iter().chain(&word.parts).cloned();
                terms.words.extend(all);
                terms.each.push(word);
            }
        });
        for path in query.paths {
            let mut path = Some(path.as_str());
            while let Some(current) = path {
                terms.paths.insert(path_term(current));
                path = current.rsplit_once('/').map(|(folder, _)| folder);
            }
        }
        terms
    }

    /// Decides which words count, from what the index says about the terms of a query.
    pub(crate) fn new(terms: &QueryTerms, counts: Vec<WordCount>, items: u64) -> Self {
        let rarest = idf(1, items);
        let mut known: HashMap<String, SoughtWord> = counts
            .into_iter()
            .map(|count| (count.word.clone(), SoughtWord::new(count, items, rarest)))
            .collect();
        // A text may have the term of a path as a word: both count.
        let paths = terms
            .paths
            .iter()
            .filter_map(|path| known.get(path).cloned());
        let mut sought = Self {
            paths: paths.collect(),
            ..Self::default()
        };
        let words = terms.words.iter();
        sought.words = words.filter_map(|word| known.remove(word)).collect();
        sought.drop_common(items);
        sought.words.sort_by(|one, other| {
            let by_items = one.items().cmp(&other.items());
            by_items.then_with(|| one.word.cmp(&other.word))
        });
        let worth: f64 = terms.each.iter().map(|word| sought.worth_of(word)).sum();
        sought.enough = if worth > 0.0 { worth.min(ENOUGH) } else { 1.0 };
        let lacks = |word: &&WordTerms| sought.places(&word.spellings).is_empty();
        let unknown = terms.each.iter().filter(lacks);
        let unknown = unknown.filter_map(|word| word.spellings.first().cloned());
        let unknown: Vec<String> = unknown
            .filter(|word| !sought.too_common.contains(word))
            .collect();
        sought.unknown = unknown;
        sought.words.truncate(MOST_WORDS);
        let asked = |word: &WordTerms| AskedWord {
            spellings: sought.places(&word.spellings),
            parts: sought.places(&word.parts),
            all_parts: float(u64::try_from(word.parts.len().max(1)).unwrap_or(1)),
        };
        sought.asked = terms.each.iter().map(asked).collect();
        sought
    }

    /// What a word of the query is worth: as much as the rarest of its terms that items have. One
    /// that no item has counts as well, one that too many have does not.
    fn worth_of(&self, word: &WordTerms) -> f64 {
        let all = || word.spellings.iter().chain(&word.parts);
        let known = all().filter_map(|term| self.words.iter().find(|word| word.word == *term));
        match known.map(|word| word.worth).max_by(f64::total_cmp) {
            Some(worth) => worth,
            None if all().any(|term| self.too_common.contains(term)) => 0.0,
            None => UNKNOWN_WORTH,
        }
    }

    /// Where terms stand among the words that count.
    fn places(&self, terms: &[String]) -> Vec<usize> {
        let place = |term: &String| self.words.iter().position(|word| word.word == *term);
        terms.iter().filter_map(place).collect()
    }

    /// Drops the words that too many have, unless nothing else is left.
    fn drop_common(&mut self, items: u64) {
        let is_common =
            |word: &SoughtWord| items >= LEAST_ITEMS && word.items() * COMMON_SHARE > items;
        let telling = self.words.iter().any(|word| !is_common(word));
        if telling || !self.paths.is_empty() {
            let common = self.words.extract_if(.., |word| is_common(word));
            self.too_common = common.map(|word| word.word).collect();
        }
    }

    /// True when there is nothing to look for, not even something that nobody has.
    pub(crate) fn is_empty(&self) -> bool {
        let none = self.words.is_empty() && self.unknown.is_empty();
        none && self.paths.is_empty() && self.too_common.is_empty()
    }

    /// True for a word, or the term of a path, that is looked for.
    pub(super) fn has(&self, term: &str) -> bool {
        let mut sought = self.words.iter().chain(&self.paths);
        sought.any(|word| word.word == term)
    }

    /// What speaks for an item: of each word the spelling that it is most about, or all its parts.
    pub(crate) fn evidence(&self, profile: &Profile) -> f64 {
        let of = |place: &usize| {
            let word = self.words.get(*place);
            word.map_or(0.0, |word| word.worth * profile.presence(&word.word))
        };
        let each = self.asked.iter().map(|asked| {
            let spelled = asked.spellings.iter().map(of).fold(0.0, f64::max);
            let parts: f64 = asked.parts.iter().map(of).sum();
            spelled.max(parts / asked.all_parts)
        });
        let words: f64 = each.sum();
        words
            + if self.shares_path(profile) {
                PATH_WORTH
            } else {
                0.0
            }
    }

    /// True when an item is about a path of the query, or a folder above it.
    pub(crate) fn shares_path(&self, profile: &Profile) -> bool {
        let mut paths = self.paths.iter();
        paths.any(|path| profile.presence(&path.word) > 0.0)
    }

    /// How well evidence fits, from 0 to 1.
    pub(crate) fn fit(&self, evidence: f64) -> f64 {
        1.0 - (-RATE * evidence / self.enough).exp()
    }

    /// What a word is worth when candidates are chosen; a path counts as its own worth.
    pub(crate) const fn path_worth() -> f64 {
        PATH_WORTH
    }
}

/// How rare a word is.
fn idf(with: u64, items: u64) -> f64 {
    let (with, items) = (float(with), float(items.max(SUPPOSED_ITEMS).max(with)));
    ((items - with + 0.5) / (with + 0.5) + 1.0).ln()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and items are far below 2^52"
)]
pub(super) const fn float(count: u64) -> f64 {
    count as f64
}
