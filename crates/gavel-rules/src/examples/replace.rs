//! Other words of the same shape: vowels stay vowels, length and capitals stay, and so does the
//! alphabetical order of all words.

use std::collections::{BTreeMap, BTreeSet};

use super::random::Sequence;
use super::words::{Kind, pieces};

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
/// Rare ones more often: the word should be in no text that a program prints by itself.
const CONSONANTS: [char; 22] = [
    'b', 'd', 'f', 'g', 'j', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'w', 'z', 'j', 'k', 'v',
    'w', 'z', 'k',
];
/// At least one of these is in a short word.
const RARE: [char; 5] = ['j', 'k', 'v', 'w', 'z'];
const SHORT: usize = 5;
/// How often letters in the right order are drawn.
const TRIES: u32 = 200;
/// How often all words are drawn, until each is another one and rare enough.
const DRAWS: u32 = 20;

/// What stands in the place of each free value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Replacement {
    /// By the word in small letters.
    pub(super) words: BTreeMap<String, String>,
    /// By the number or date as it is written.
    pub(super) numbers: BTreeMap<String, String>,
}

impl Replacement {
    /// A text with everything in it replaced.
    pub(super) fn apply(&self, text: &str) -> String {
        let pieces = pieces(text).into_iter();
        let other = |kind, text: &str| match kind {
            Kind::Word => {
                let other = self.words.get(&text.to_lowercase());
                other.map(|other| in_case_of(text, other))
            }
            Kind::Number | Kind::Date => self.numbers.get(text).cloned(),
            Kind::Compound | Kind::Between => None,
        };
        pieces
            .map(|piece| other(piece.kind, piece.text).unwrap_or_else(|| piece.text.to_owned()))
            .collect()
    }
}

/// A word with capitals where another has them.
fn in_case_of(pattern: &str, word: &str) -> String {
    let mut out = String::new();
    for (model, letter) in pattern.chars().zip(word.chars()) {
        match model.is_uppercase() {
            true => out.extend(letter.to_uppercase()),
            false => out.push(letter),
        }
    }
    out
}

/// Draws another word for each free one, as far as there is one. Words that are not free stay, and keep their place in the
/// alphabet among the others.
pub(super) fn draw_words(
    free: &BTreeSet<String>,
    pinned: &BTreeSet<String>,
    random: &mut Sequence,
) -> BTreeMap<String, String> {
    let mut best = BTreeMap::new();
    for _ in 0..DRAWS {
        let words = draw_once(free, pinned, random);
        if words.len() > best.len() {
            best = words;
        }
        if best.len() == free.len() {
            break;
        }
    }
    best
}

fn draw_once(
    free: &BTreeSet<String>,
    pinned: &BTreeSet<String>,
    random: &mut Sequence,
) -> BTreeMap<String, String> {
    let mut letters = Letters {
        free,
        pinned,
        drawn: BTreeMap::new(),
    };
    let mut words = BTreeMap::new();
    for word in free {
        let mut other = String::new();
        for (at, letter) in word.char_indices() {
            let before = word.get(..at).unwrap_or_default();
            other.push(letters.after(before, letter, random));
        }
        if other != *word && is_rare_enough(&other) {
            words.insert(word.clone(), other);
        }
    }
    words
}

fn is_rare_enough(word: &str) -> bool {
    word.chars().count() > SHORT || word.contains(RARE)
}

/// The letters that follow each beginning of a word. Equal beginnings become equal beginnings, and the
/// letters after one keep their order: so the words do.
struct Letters<'a> {
    free: &'a BTreeSet<String>,
    pinned: &'a BTreeSet<String>,
    drawn: BTreeMap<String, BTreeMap<char, char>>,
}

impl Letters<'_> {
    fn after(&mut self, before: &str, letter: char, random: &mut Sequence) -> char {
        if !self.drawn.contains_key(before) {
            let drawn = self.draw(before, random);
            self.drawn.insert(before.to_owned(), drawn);
        }
        let drawn = self.drawn.get(before).and_then(|all| all.get(&letter));
        drawn.copied().unwrap_or(letter)
    }

    fn draw(&self, before: &str, random: &mut Sequence) -> BTreeMap<char, char> {
        let next = |word: &String| word.strip_prefix(before)?.chars().next();
        let pinned: BTreeSet<char> = self.pinned.iter().filter_map(next).collect();
        let mut all: BTreeSet<char> = self.free.iter().filter_map(next).collect();
        all.extend(&pinned);
        for _ in 0..TRIES {
            let other = |letter: &char| match pinned.contains(letter) {
                true => *letter,
                false => like(*letter, random),
            };
            let others: Vec<char> = all.iter().map(other).collect();
            if others.is_sorted_by(|left, right| left < right) {
                return all.iter().copied().zip(others).collect();
            }
        }
        all.iter().map(|letter| (*letter, *letter)).collect()
    }
}

/// Another letter of the same kind; what is no plain small letter stays.
fn like(letter: char, random: &mut Sequence) -> char {
    let other = if VOWELS.contains(&letter) {
        random.pick(&VOWELS)
    } else if letter.is_ascii_lowercase() {
        random.pick(&CONSONANTS)
    } else {
        None
    };
    other.unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn words_keep_their_shape_and_the_alphabet() {
        let free = set(&["amber", "amberly", "birch", "crimson", "navy", "ünder"]);
        let pinned = set(&["brass", "nowhere"]);
        for seed in 0..300 {
            let words = draw_words(&free, &pinned, &mut Sequence::of(seed, 0));
            let mut all: Vec<(String, String)> = free
                .iter()
                .map(|word| {
                    let other = words.get(word).unwrap_or(word);
                    assert_eq!(other.chars().count(), word.chars().count());
                    for (a, b) in word.chars().zip(other.chars()) {
                        assert_eq!(VOWELS.contains(&a), VOWELS.contains(&b), "{word} {other}");
                    }
                    (word.clone(), other.clone())
                })
                .collect();
            all.extend(pinned.iter().map(|word| (word.clone(), word.clone())));
            all.sort();
            // A word that is too common to be used stays, which may cost its place.
            if words.len() == free.len() {
                assert!(all.is_sorted_by(|left, right| left.1 < right.1), "{all:?}");
            }
        }
    }

    #[test]
    fn capitals_lists_and_addresses_keep_their_form() {
        let replacement = Replacement {
            words: [
                ("amber", "okvez"),
                ("crimson", "vraxjon"),
                ("round", "zeukt"),
            ]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .into(),
            numbers: [("42".to_owned(), "37".to_owned())].into(),
        };
        for (text, wanted) in [
            ("Amber AMBER amber", "Okvez OKVEZ okvez"),
            ("crimson,round", "vraxjon,zeukt"),
            ("crimson, round", "vraxjon, zeukt"),
            ("https://example.org/amber", "https://example.org/okvez"),
            ("42 of 420, 42nd", "37 of 420, 42nd"),
            ("ambers", "ambers"),
        ] {
            assert_eq!(replacement.apply(text), wanted);
        }
    }
}
