//! In how many items each word is, kept as long as nothing changes: one text has many words of the
//! next.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use gavel_store::{INDEX_LEVELS, IndexError, TextIndex, WordCount, WordCounts};

use super::{Shelf, lock};
use crate::search::QueryTerms;

/// With more words than this the next question begins anew.
const MOST_KEPT: usize = 50_000;

/// What was counted, all in one generation of the index.
#[derive(Debug, Default)]
pub(super) struct Counted {
    generation: u64,
    documents: u64,
    /// `None` for a word that no item has.
    words: HashMap<String, Option<[u32; INDEX_LEVELS]>>,
}

impl Counted {
    /// What is known of these words; `None` where the index has to be asked for any.
    fn of(&self, words: &[&String], generation: u64) -> Option<WordCounts> {
        if self.generation != generation || self.words.is_empty() {
            return None;
        }
        let mut known = Vec::with_capacity(words.len());
        for &word in words {
            if let Some(counts) = *self.words.get(word)? {
                let word = word.clone();
                known.push(WordCount { word, counts });
            }
        }
        Some(WordCounts {
            generation,
            documents: self.documents,
            words: known,
        })
    }

    fn lacks(&self, word: &str, generation: u64) -> bool {
        self.generation != generation || !self.words.contains_key(word)
    }

    fn keep(&mut self, asked: &[&String], told: &WordCounts) {
        let is_full = self.words.len() + asked.len() > MOST_KEPT;
        if self.generation != told.generation || is_full {
            *self = Self {
                generation: told.generation,
                documents: told.documents,
                words: HashMap::new(),
            };
        }
        let words = asked.iter().map(|word| ((*word).clone(), None));
        self.words.extend(words);
        let words = told.words.iter();
        let words = words.map(|count| (count.word.clone(), Some(count.counts)));
        self.words.extend(words);
    }
}

impl Shelf {
    /// In how many items each of these words is; only those are asked for that were not before.
    pub(super) async fn counts(
        &self,
        index: &TextIndex,
        terms: &QueryTerms,
    ) -> Result<WordCounts, IndexError> {
        let words: Vec<&String> = terms.words.iter().chain(&terms.paths).collect();
        let generation = self.generation.load(Ordering::Acquire);
        let new: Vec<&String> = {
            let counted = lock(&self.counted);
            if let Some(known) = counted.of(&words, generation) {
                return Ok(known);
            }
            let new = words.iter().copied();
            new.filter(|word| counted.lacks(word, generation)).collect()
        };
        let told = index.words(&new).await?;
        if new.len() == words.len() {
            lock(&self.counted).keep(&new, &told);
            return Ok(told);
        }
        let known = {
            let mut counted = lock(&self.counted);
            counted.keep(&new, &told);
            counted.of(&words, told.generation)
        };
        match known {
            Some(known) => Ok(known),
            // The index changed meanwhile, so what was known before no longer counts.
            None => index.words(&words).await,
        }
    }
}
