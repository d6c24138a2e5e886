//! What is beyond reach: words that ask for more than a program which keeps lists in a text file.

use std::fmt;

use super::words::{Words, data_lines, singular};

/// What an idea would need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// More than these rules have: `needs a network`.
    Beyond(&'static str),
    /// The words say how good it is to be.
    Praise,
    /// The rules do not know what the words ask for.
    NotUnderstood,
    /// The words are of a language that the rules do not read.
    OtherLanguage,
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Beyond(why) => why,
            Self::Praise => "says how good it is to be, which these rules can neither build nor show",
            Self::NotUnderstood => "is not understood by these rules",
            Self::OtherLanguage => {
                "is not English, and these rules read English alone: say it in English, or connect a model"
            }
        })
    }
}

/// The words of another language, if it is more of that than of English.
pub(super) fn foreign(words: &[String]) -> Option<String> {
    let letters = |word: &&String| {
        Words("foreign").contains(word) || word.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
    };
    let english = |word: &&String| {
        ["english", "holders", "tools", "keeping"]
            .iter()
            .any(|list| Words(list).contains(word))
    };
    let foreign: Vec<&String> = words.iter().filter(letters).collect();
    let own = words
        .iter()
        .filter(english)
        .filter(|word| !letters(word))
        .count();
    let other = !foreign.is_empty() && foreign.len() >= 2 * own;
    other.then(|| words.join(" "))
}

/// Every barrier in the words, with the words that name it. `things` and `fields` are the words of
/// what the program would keep: there, soft words are names.
pub(super) fn barriers(
    words: &[String],
    things: &[String],
    fields: &[String],
) -> Vec<(Barrier, String)> {
    let mut found: Vec<(Barrier, String)> = Vec::new();
    let ones: Vec<String> = words.iter().map(|word| singular(word)).collect();
    for level in [' ', '?', '!'] {
        for (why, phrases) in
            data_lines(include_str!("barriers.txt")).filter_map(|line| line.split_once(": "))
        {
            for phrase in at_level(phrases, level) {
                let named = |kept: &[String]| kept.iter().any(|word| word == phrase);
                let is_name = match level {
                    '?' => named(things) || named(fields),
                    '!' => named(things),
                    _ => false,
                };
                if let Some(said) = phrase_in((words, &ones), phrase).filter(|_| !is_name) {
                    push_unless_inside(&mut found, Barrier::Beyond(why), said);
                }
            }
        }
    }
    found
}

/// The phrases behind a mark, or before any.
fn at_level(phrases: &'static str, level: char) -> impl Iterator<Item = &'static str> {
    let (always, softly) = phrases.split_once(" ? ").unwrap_or((phrases, ""));
    let (always, of_things) = always.split_once(" ! ").unwrap_or((always, ""));
    let part = match level {
        '?' => softly,
        '!' => of_things,
        _ => always,
    };
    part.split('|')
}

/// `web shop` says all that `web` says.
fn push_unless_inside(found: &mut Vec<(Barrier, String)>, barrier: Barrier, said: String) {
    if !found
        .iter()
        .any(|(other, text)| *other == barrier && text.contains(&said))
    {
        found.retain(|(other, text)| *other != barrier || !said.contains(text.as_str()));
        found.push((barrier, said));
    }
}

/// Where the phrase stands among words, of which the singulars are given, too.
fn phrase_in((words, ones): (&[String], &[String]), phrase: &str) -> Option<String> {
    let wanted: Vec<&str> = phrase.split_whitespace().collect();
    let same = |place: usize, wanted: &str| match (words.get(place), ones.get(place)) {
        (Some(word), Some(one)) => match wanted.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == wanted || one == wanted,
        },
        (Some(_), None) | (None, _) => false,
    };
    let here = |start: &usize| {
        (*start..)
            .zip(&wanted)
            .all(|(place, wanted)| same(place, wanted))
    };
    let start = (0..words.len()).filter(|_| !wanted.is_empty()).find(here)?;
    Some(words.get(start..start + wanted.len())?.join(" "))
}
