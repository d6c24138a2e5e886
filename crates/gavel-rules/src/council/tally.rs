//! What one speaker put forward, each thing once.
//!
//! To say the same twice proves it no better: a claim with its sources counts once, and so does a
//! citation. What broke counts every time, since it was tried every time.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Choice, TagCount};

use super::cites::{Cite, read_cite};
use super::sources::sources;
use super::tags::{Tag, TagWord, tags};

/// How a tag begins that did not hold.
const BROKEN: &str = "[UNVERIFIED: ";

/// What one speaker put forward, in texts and choices that were checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    confirmed: BTreeSet<Claim>,
    refuted: BTreeSet<Claim>,
    /// Claims that nobody looked into.
    open: BTreeSet<String>,
    broken: u32,
    /// Citations that held, as they are written, apart from lines of files.
    cites: BTreeSet<String>,
    /// Lines that held, by file.
    lines: BTreeMap<String, BTreeSet<(u32, u32)>>,
    /// Citations of choices that did not hold.
    broken_cites: u32,
}

/// A claim with its sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    words: String,
    sources: Vec<String>,
}

impl Tally {
    /// Takes in what was said, after it was checked.
    pub fn add_text(&mut self, checked: &str) {
        let mut from = 0;
        for tag in tags(checked) {
            let words = claim(checked.get(from..tag.at.start).unwrap_or_default());
            from = tag.at.end;
            let written = checked.get(tag.at.clone()).unwrap_or_default();
            match tag.word {
                TagWord::Unverified if written.starts_with(BROKEN) => self.broken += 1,
                TagWord::Unverified => {
                    self.open.insert(words);
                }
                TagWord::Confirmed | TagWord::Refuted => {
                    let sources = named(&tag);
                    sources.iter().for_each(|cite| self.add_cite(cite));
                    let side = match tag.word == TagWord::Confirmed {
                        true => &mut self.confirmed,
                        false => &mut self.refuted,
                    };
                    side.insert(Claim { words, sources });
                }
            }
        }
    }

    /// Takes in what a choice stands on.
    pub fn add_choice(&mut self, choice: &Choice) {
        choice.cites.iter().for_each(|cite| self.add_cite(cite));
        self.broken_cites = self.broken_cites.saturating_add(size(choice.broken.len()));
    }

    fn add_cite(&mut self, cite: &str) {
        match read_cite(cite) {
            Cite::File { path, from, to } => {
                self.lines.entry(path).or_default().insert((from, to));
            }
            Cite::Memory(_)
            | Cite::Tool(_)
            | Cite::Answer(_)
            | Cite::Idea
            | Cite::Url(_)
            | Cite::Unknown => {
                self.cites.insert(written(cite));
            }
        }
    }

    /// The claims, for how much of what was said was checked.
    pub fn claims(&self) -> TagCount {
        TagCount {
            confirmed: size(self.confirmed.len()),
            refuted: size(self.refuted.len()),
            unverified: size(self.open.len()),
            broken: self.broken,
        }
    }

    /// The citations, for what the speaker's word weighs; claims without one beside them.
    pub fn citations(&self) -> TagCount {
        TagCount {
            confirmed: size(self.cites.len() + self.lines.values().map(apart).sum::<usize>()),
            refuted: 0,
            unverified: size(self.open.len()),
            broken: self.broken.saturating_add(self.broken_cites),
        }
    }
}

/// How many ranges there are when those that overlap are one: a line is no better evidence for being
/// cited with one more below it.
fn apart(ranges: &BTreeSet<(u32, u32)>) -> usize {
    let (mut count, mut end) = (0, 0);
    for (from, to) in ranges {
        count += usize::from(*from > end);
        end = end.max(*to);
    }
    count
}

/// The claim before a tag: its sentence, by its letters and digits.
fn claim(before: &str) -> String {
    let ended = |(at, sign): &(usize, char)| {
        let next = before.get(at + sign.len_utf8()..).unwrap_or_default();
        matches!(sign, '.' | '!' | '?')
            && next.starts_with(char::is_whitespace)
            && next.contains(char::is_alphanumeric)
    };
    let start = before.char_indices().rfind(ended);
    let sentence = start.map_or(before, |(at, _)| before.get(at..).unwrap_or_default());
    let words = sentence.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

fn named(tag: &Tag<'_>) -> Vec<String> {
    let named: BTreeSet<_> = sources(tag).into_iter().map(written).collect();
    named.into_iter().collect()
}

fn written(cite: &str) -> String {
    read_cite(cite).written().unwrap_or_else(|| cite.to_owned())
}

fn size(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
