//! What an item is about: its words, and how much it is about each.

use std::collections::BTreeMap;

use super::fit::Sought;
use super::why::Field;
use crate::item::Item;
use crate::terms::{each_term, path_term};

/// An item that says a word twice is hardly more about it than one that says it once.
const K1: f64 = 0.4;
const B: f64 = 0.6;
/// How many terms an item has as a rule. Not counted anew: scores must not move with every item.
const USUAL_LENGTH: f64 = 24.0;

/// From which presence on an item is in a level, and what the items of a level count as.
const LEVELS: [(f64, f64); gavel_store::INDEX_LEVELS] =
    [(0.0, 0.5), (0.62, 0.67), (0.73, 0.78), (0.83, 0.88)];

/// The words of an item.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    words: BTreeMap<String, Place>,
    length: u32,
}

#[derive(Debug, Default)]
struct Place {
    weight: f64,
    /// Each once.
    fields: Vec<Field>,
}

impl Profile {
    /// Reads an item.
    pub(crate) fn of(item: &Item) -> Self {
        Self::with(item, |_| true)
    }

    /// Reads an item, and keeps the words that are sought: most of it is none of them.
    pub(super) fn of_sought(item: &Item, sought: &Sought) -> Self {
        Self::with(item, |term| sought.has(term))
    }

    fn with(item: &Item, is_kept: impl Fn(&str) -> bool) -> Self {
        let mut profile = Self::default();
        let (title, text) = match &item.title {
            Some(title) => (title.as_str(), item.text.as_str()),
            None => item.text.split_once('\n').unwrap_or(("", &item.text)),
        };
        profile.take(title, Field::Title, &is_kept);
        profile.take(text, Field::Text, &is_kept);
        for tag in &item.tags {
            profile.take(tag, Field::Tag, &is_kept);
        }
        for path in &item.paths {
            profile.take(path.as_str(), Field::Path, &is_kept);
            // Found by whoever asks for the path itself; no word of the text.
            let term = path_term(path.as_str());
            if is_kept(&term) {
                profile.words.entry(term).or_default().weight = Field::Path.weight();
            }
        }
        profile
    }

    fn take(&mut self, text: &str, field: Field, is_kept: impl Fn(&str) -> bool) {
        each_term(text, |term| {
            self.length = self.length.saturating_add(1);
            if !is_kept(term) {
                return;
            }
            let place = match self.words.get_mut(term) {
                Some(place) => place,
                None => self.words.entry(term.to_owned()).or_default(),
            };
            place.weight += field.weight();
            if !place.fields.contains(&field) {
                place.fields.push(field);
            }
        });
    }

    /// How much the item is about a word: 0 when it lacks it, below 1 always.
    pub(crate) fn presence(&self, word: &str) -> f64 {
        self.words
            .get(word)
            .map_or(0.0, |place| self.of_place(place))
    }

    /// Where it has a word.
    pub(crate) fn fields(&self, word: &str) -> &[Field] {
        self.words.get(word).map_or(&[], |place| &place.fields)
    }

    /// Every word, with how much the item is about it.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&String, f64)> {
        let words = self.words.iter();
        words.map(|(word, place)| (word, self.of_place(place)))
    }

    fn of_place(&self, place: &Place) -> f64 {
        let length = f64::from(self.length) / USUAL_LENGTH;
        place.weight / (place.weight + K1 * (1.0 - B + B * length))
    }
}

/// The level of a presence.
pub(crate) fn level(presence: f64) -> usize {
    let reached = LEVELS.iter().filter(|(least, _)| presence >= *least);
    reached.count().saturating_sub(1)
}

/// What a level stands for, as long as the item itself is not read.
pub(crate) fn level_presence(level: usize) -> f64 {
    LEVELS.get(level).map_or(0.0, |(_, middle)| *middle)
}
