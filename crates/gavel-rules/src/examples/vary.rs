//! Variation: the same example with other values, so that a program that learned the written ones
//! does not keep it.
//!
//! A value is free when it goes in first and must come out later. Everything that could make another
//! value mean something else is left as it is: whoever builds honestly must keep every variation.

mod derived;

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::Example;

use super::literals::{Part, Walk};
use super::meaning::{is_form_of, is_meaningful};
use super::numbers::{draw_days, draw_numbers, may_vary};
use super::random::Sequence;
use super::replace::{Replacement, draw_words};
use super::words::{Kind, pieces};

pub use derived::{DerivedNumbers, derive_numbers, takes_values};

/// How often values are drawn until they fit.
const ATTEMPTS: u64 = 80;
/// A value that did not fit so often is not free.
const PATIENCE: u32 = 10;
/// The shortest word that can be another one.
const SHORTEST: usize = 3;
/// The longest word that may be a code when it is written in capitals.
const CODE: usize = 4;

/// An example with other values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varied {
    /// The example.
    pub example: Example,
    /// What was written, and what stands in its place.
    pub changed: Vec<(String, String)>,
}

/// The example with other values; `None` when it has no value that is free.
///
/// `known_words` are the commands, options and paths that the contracts declare. The same seed gives
/// the same variation.
pub fn vary(example: &Example, known_words: &[String], seed: u64) -> Option<Varied> {
    let known = declared(known_words);
    let reading = Reading::of(example, &known);
    let mut free = reading.free();
    let mut unfit: BTreeMap<String, u32> = BTreeMap::new();
    for attempt in 0..ATTEMPTS {
        let replacement = reading.draw(&free, &mut Sequence::of(seed, attempt));
        if replacement == Replacement::default() {
            if free.is_empty() {
                return None;
            }
            continue;
        }
        let conflicts = reading.conflicts(&replacement);
        if conflicts.is_empty() {
            let mut walk = Walk {
                known: &known,
                change: |part, text: &str| match part {
                    Part::Interface => text.to_owned(),
                    Part::Input
                    | Part::FileText
                    | Part::Expected
                    | Part::Also
                    | Part::PathBefore
                    | Part::PathAfter => replacement.apply(text),
                },
            };
            let example = walk.example(example);
            let changed = reading.changed(&replacement);
            return Some(Varied { example, changed });
        }
        for value in conflicts {
            let times = unfit.entry(value.clone()).or_default();
            *times += 1;
            if *times >= PATIENCE {
                free.remove(&value);
            }
        }
    }
    None
}

/// The single words of what contracts declare.
fn declared(known_words: &[String]) -> Vec<String> {
    known_words
        .iter()
        .flat_map(|word| word.split([' ', '/', '{', '}', ':']))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What an example says about each of its values. Words are kept in small letters.
#[derive(Debug, Default)]
struct Reading {
    /// All texts that are no interface, in order.
    texts: Vec<(Part, String)>,
    /// Values in the order of their first appearance, with their kind and as they were first written.
    values: Vec<(Kind, String, String)>,
    /// Went in before it came out.
    given: BTreeSet<String>,
    /// Must come out.
    expected: BTreeSet<String>,
    /// Part of the interface, of a form, or said to be fixed.
    reserved: BTreeSet<String>,
    /// Written in another way than in capitals.
    in_small: BTreeSet<String>,
    /// Where it stands.
    places: BTreeMap<Part, BTreeSet<String>>,
}

impl Reading {
    fn of(example: &Example, known: &[String]) -> Self {
        let mut reading = Self::default();
        for word in known
            .iter()
            .chain(example.fixed.iter().map(|fixed| &fixed.word))
        {
            reading.reserve(word);
        }
        let mut walk = Walk {
            known,
            change: |part, text: &str| {
                reading.look_at(part, text);
                text.to_owned()
            },
        };
        walk.example(example);
        reading.reserve_paths();
        reading
    }

    fn reserve(&mut self, text: &str) {
        self.reserved
            .extend(pieces(text).iter().map(|piece| key(piece.text)));
    }

    fn look_at(&mut self, part: Part, text: &str) {
        if part == Part::Interface {
            return self.reserve(text);
        }
        self.texts.push((part, text.to_owned()));
        for piece in pieces(text) {
            let value = key(piece.text);
            if piece.kind == Kind::Between {
                continue;
            }
            if piece.is_form && !matches!(part, Part::PathBefore | Part::PathAfter) {
                self.reserved.insert(value.clone());
            }
            if !self.values.iter().any(|(_, known, _)| *known == value) {
                self.values
                    .push((piece.kind, value.clone(), piece.text.to_owned()));
            }
            if piece.text.chars().any(char::is_lowercase) {
                self.in_small.insert(value.clone());
            }
            self.places.entry(part).or_default().insert(value.clone());
            match part {
                Part::Expected => {
                    self.expected.insert(value);
                }
                Part::Input | Part::FileText if !self.expected.contains(&value) => {
                    self.given.insert(value);
                }
                Part::Interface
                | Part::Also
                | Part::Input
                | Part::FileText
                | Part::PathBefore
                | Part::PathAfter => {}
            }
        }
    }

    /// A name that only the program can have chosen stays: of a file that it finds or writes by itself.
    fn reserve_paths(&mut self) {
        let mut reserved = self.standing_only_in(Part::PathBefore, &[Part::Input, Part::PathAfter]);
        let others = [Part::Input, Part::FileText, Part::PathBefore];
        reserved.extend(self.standing_only_in(Part::PathAfter, &others));
        self.reserved.extend(reserved);
    }

    fn standing_only_in(&self, part: Part, others: &[Part]) -> Vec<String> {
        let all = self.places.get(&part).into_iter().flatten();
        let elsewhere = |value: &str| others.iter().any(|other| self.stands_in(*other, value));
        all.filter(|value| !elsewhere(value)).cloned().collect()
    }

    fn stands_in(&self, part: Part, value: &str) -> bool {
        self.places
            .get(&part)
            .is_some_and(|all| all.contains(value))
    }

    fn free(&self) -> BTreeSet<String> {
        let plain = self.numbers_are_plain();
        let is_free = |(kind, value, written): &&(Kind, String, String)| {
            let comes_back = self.given.contains(value) && self.expected.contains(value);
            let fits = match kind {
                Kind::Word => self.may_vary(value, written),
                Kind::Number => plain && may_vary(value),
                Kind::Date => plain,
                Kind::Compound | Kind::Between => false,
            };
            comes_back && fits && !self.reserved.contains(value)
        };
        let free = self.values.iter().filter(is_free);
        free.map(|(_, value, _)| value.clone()).collect()
    }

    fn may_vary(&self, word: &str, written: &str) -> bool {
        let length = word.chars().count();
        let is_code = !self.in_small.contains(word) && length <= CODE;
        length >= SHORTEST
            // Capitals of another language may have another length.
            && written.to_lowercase() == word
            && !is_code
            && !is_meaningful(word)
            && !is_form_of(word, self.reserved.iter())
    }

    /// True when no number comes out that did not go in: none was computed.
    fn numbers_are_plain(&self) -> bool {
        let has_digits = |kind: Kind| matches!(kind, Kind::Number | Kind::Date | Kind::Compound);
        let went_in = |value: &str| {
            self.stands_in(Part::Input, value) || self.stands_in(Part::FileText, value)
        };
        !self.values.iter().any(|(kind, value, _)| {
            has_digits(*kind) && self.expected.contains(value) && !went_in(value)
        })
    }

    fn draw(&self, free: &BTreeSet<String>, random: &mut Sequence) -> Replacement {
        let of = |kind: Kind| {
            let all = self
                .values
                .iter()
                .filter(move |(other, _, _)| *other == kind);
            all.map(|(_, value, _)| value)
        };
        let words: BTreeSet<String> = of(Kind::Word)
            .filter(|word| free.contains(*word))
            .cloned()
            .collect();
        let pinned =
            of(Kind::Word).filter(|word| !free.contains(*word) && self.given.contains(*word));
        let pinned = pinned.cloned().collect();
        let is_free = |text: &str| free.contains(text);
        let given = |kind| -> Vec<&str> {
            let all = of(kind).filter(|value| self.given.contains(*value));
            all.map(String::as_str).collect()
        };
        let mut numbers = draw_numbers(&given(Kind::Number), is_free, random);
        numbers.extend(draw_days(&given(Kind::Date), is_free, random));
        Replacement {
            words: draw_words(&words, &pinned, random),
            numbers,
        }
    }

    /// The values that do not fit: a text is part of another one, or stands before it in the
    /// alphabet, either only before or only after.
    fn conflicts(&self, replacement: &Replacement) -> BTreeSet<String> {
        let texts: BTreeSet<(bool, &str)> = self
            .texts
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(part, text)| (*part == Part::Input, text.as_str()))
            .collect();
        let pairs: Vec<Pair<'_>> = texts
            .into_iter()
            .map(|(goes_in, text)| Pair::of(goes_in, text, replacement))
            .collect();
        let mut unfit = self.taken(replacement);
        for (at, left) in pairs.iter().enumerate() {
            for right in pairs.iter().skip(at + 1) {
                if (left.is_changed() || right.is_changed()) && !left.agrees(right) {
                    unfit.extend(replacement.values_in(left.written));
                    unfit.extend(replacement.values_in(right.written));
                }
            }
        }
        unfit
    }

    /// Values whose replacement is, or holds, or is part of another word of the example.
    fn taken(&self, replacement: &Replacement) -> BTreeSet<String> {
        let others = || replacement.words.iter().chain(&replacement.numbers);
        let mut unfit = BTreeSet::new();
        for (value, other) in others() {
            let is_near = |word: &String| {
                let long = word.chars().count() >= SHORTEST;
                word == other || (long && (word.contains(other) || other.contains(word.as_str())))
            };
            let words = self
                .values
                .iter()
                .map(|(_, word, _)| word)
                .chain(&self.reserved);
            let mut drawn = others().filter(|(first, second)| *first != value && *second == other);
            if is_meaningful(other) || words.into_iter().any(is_near) || drawn.next().is_some() {
                unfit.insert(value.clone());
            }
        }
        unfit
    }

    fn changed(&self, replacement: &Replacement) -> Vec<(String, String)> {
        let written = self.values.iter().map(|(_, _, written)| written);
        written
            .map(|written| (written.clone(), replacement.apply(written)))
            .filter(|(written, other)| written != other)
            .collect()
    }
}

/// A text of the example, before and after.
struct Pair<'a> {
    written: &'a str,
    /// It is a whole value that goes in.
    goes_in: bool,
    before: String,
    after: String,
}

impl<'a> Pair<'a> {
    fn of(goes_in: bool, written: &'a str, replacement: &Replacement) -> Self {
        Self {
            written,
            goes_in,
            before: written.to_lowercase(),
            after: replacement.apply(written).to_lowercase(),
        }
    }

    fn is_changed(&self) -> bool {
        self.before != self.after
    }

    fn agrees(&self, other: &Self) -> bool {
        let holds = self.before.contains(&other.before) == self.after.contains(&other.after);
        let is_held = other.before.contains(&self.before) == other.after.contains(&self.after);
        let sorted = !(self.goes_in && other.goes_in)
            || self.before.cmp(&other.before) == self.after.cmp(&other.after);
        holds && is_held && sorted
    }
}

impl Replacement {
    /// The free values that are in a text.
    fn values_in(&self, text: &str) -> Vec<String> {
        let pieces = pieces(text).into_iter().map(|piece| key(piece.text));
        let is_free =
            |value: &String| self.words.contains_key(value) || self.numbers.contains_key(value);
        pieces.filter(is_free).collect()
    }
}

fn key(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
#[path = "vary_tests.rs"]
mod tests;
