//! What one speaker put forward, each thing once.
//!
//! To say the same twice proves it no better: a claim with its sources counts once, and so does a
//! citation. What broke counts every time, since it was tried every time.
//!
//! That a source is there is half of a proof: any claim can name a line. Quoted words that stand there,
//! share a telling word with the claim and have its figures, names and denials in one clause are the other
//! half.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Choice, OpenDecision, TagCount};

use super::carried::{Claimed, carries};
use super::cites::{Behind, Cite, read_behind, read_cite};
use super::clauses::{NamesKnown, subject_of};
use super::option_names::OptionNames;
use super::sources::sources;
use super::tags::{Tag, TagWord, tags};
use super::telling::{shared, telling};

/// How a tag begins that did not hold.
const BROKEN: &str = "[UNVERIFIED: ";

/// What one speaker put forward, in texts and choices that were checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// What is chosen between, by name.
    options: OptionNames,
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
    /// Claims whose sources show more than that they are there.
    whole_claims: BTreeSet<Claim>,
    /// The citations that do, as they are written.
    whole_cites: BTreeSet<String>,
}

/// What evidence comes to: whole, half because it only exists, and none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worth {
    /// Quoted words that stand there and carry what is particular about the claim.
    pub whole: u32,
    /// Sources that are there, and no more.
    pub half: u32,
    /// Claims that nobody looked into.
    pub open: u32,
    /// Sources that are not there.
    pub broken: u32,
}

impl Worth {
    /// The share of everything that was shown, in thousandths; half for what only exists. Nothing
    /// where nothing was put forward.
    pub fn share(self) -> Option<u32> {
        let (whole, half) = (u64::from(self.whole), u64::from(self.half));
        let all = whole + half + u64::from(self.open) + u64::from(self.broken);
        let share = (whole * 1_000 + half * 500).checked_div(all)?;
        u32::try_from(share).ok()
    }

    /// The same of whole evidence alone.
    pub fn whole_share(self) -> Option<u32> {
        Self {
            half: 0,
            open: self.open + self.half,
            ..self
        }
        .share()
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            whole: self.whole.saturating_add(other.whole),
            half: self.half.saturating_add(other.half),
            open: self.open.saturating_add(other.open),
            broken: self.broken.saturating_add(other.broken),
        }
    }
}

/// True for a citation that quotes words, of which one tells something and stands in the claim. Whether
/// they stand in the source is for others to find out.
pub fn touches(cite: &str, claim: &str) -> bool {
    match read_behind(cite) {
        Behind::Quote(words) => shared(&telling(&words), claim) > 0,
        Behind::Nothing | Behind::Words(_) => false,
    }
}

/// The same, where the quoted words also have every figure and name of the claim, and deny where it
/// does, bound together: a line about the same matter shares words with a claim that is false.
fn shows(cite: &str, claim: Claimed<'_>) -> bool {
    match read_behind(cite) {
        Behind::Quote(words) => touches(cite, claim.words) && carries(&words, claim),
        Behind::Nothing | Behind::Words(_) => false,
    }
}

/// A claim with its sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    words: String,
    sources: Vec<String>,
}

impl Tally {
    /// An empty one for a debate about these decisions.
    pub fn of(decisions: &[OpenDecision]) -> Self {
        Self {
            options: OptionNames::of(decisions),
            ..Self::default()
        }
    }

    /// Takes in what was said, after it was checked.
    pub fn add_text(&mut self, checked: &str) {
        let mut from = 0;
        let options = self.options.all().to_vec();
        let mut subject = Vec::new();
        for tag in tags(checked) {
            let before = checked.get(from..tag.at.start).unwrap_or_default();
            let sentence = sentence(before);
            let earlier = before.get(..before.len() - sentence.len());
            let known = NamesKnown::of(&[before], &options);
            subject = subject_of(earlier.unwrap_or_default(), &known, &subject);
            let claimed = Claimed {
                words: sentence,
                subject: &subject,
                options: &options,
            };
            let words = claim(sentence);
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
                    let shown = super::sources::sources(&tag);
                    let whole: Vec<&str> = shown
                        .into_iter()
                        .filter(|cite| shows(cite, claimed))
                        .collect();
                    self.whole_cites
                        .extend(whole.iter().map(|cite| self::written(cite)));
                    let side = match tag.word == TagWord::Confirmed {
                        true => &mut self.confirmed,
                        false => &mut self.refuted,
                    };
                    let claim = Claim { words, sources };
                    if !whole.is_empty() {
                        self.whole_claims.insert(claim.clone());
                    }
                    side.insert(claim);
                }
            }
            subject = subject_of(sentence, &known, &subject);
        }
    }

    /// Takes in what a choice stands on.
    pub fn add_choice(&mut self, choice: &Choice) {
        choice.cites.iter().for_each(|cite| self.add_cite(cite));
        // A choice keeps the quote of a citation only where it shows something of what was chosen.
        // One that names another option shows it only where a claim says of which option it speaks.
        let shown = |cite: &&String| match read_behind(cite) {
            Behind::Quote(words) => !self.options.names_rival(choice, &words),
            Behind::Nothing | Behind::Words(_) => false,
        };
        let whole: Vec<&String> = choice.cites.iter().filter(shown).collect();
        self.whole_cites
            .extend(whole.into_iter().map(|cite| written(cite)));
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

    /// What the claims are worth, for how much of what was said was shown.
    pub fn claims_worth(&self) -> Worth {
        let all = self.claims();
        let whole = size(self.whole_claims.len());
        Worth {
            whole,
            half: (all.confirmed + all.refuted).saturating_sub(whole),
            open: all.unverified,
            broken: all.broken,
        }
    }

    /// What the citations are worth, for what the speaker's word weighs.
    pub fn citations_worth(&self) -> Worth {
        let all = self.citations();
        let whole = size(self.whole_cites.len()).min(all.confirmed);
        Worth {
            whole,
            half: all.confirmed.saturating_sub(whole),
            open: all.unverified,
            broken: all.broken,
        }
    }

    /// True when every claim that was checked is whole, and nothing broke.
    pub fn is_whole(&self) -> bool {
        let worth = self.claims_worth();
        worth.half == 0 && worth.broken == 0 && self.broken_cites == 0
    }

    /// True for a choice that stands on quoted words which show it, by themselves or beside a claim.
    pub fn shows_choice(&self, choice: &Choice) -> bool {
        let quoted = |cite: &&String| matches!(read_behind(cite), Behind::Quote(_));
        let mut quotes = choice.cites.iter().filter(quoted);
        quotes.any(|cite| self.whole_cites.contains(&written(cite)))
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

/// The sentence before a tag.
fn sentence(before: &str) -> &str {
    let ended = |(at, sign): &(usize, char)| {
        let next = before.get(at + sign.len_utf8()..).unwrap_or_default();
        matches!(sign, '.' | '!' | '?')
            && next.starts_with(char::is_whitespace)
            && next.contains(char::is_alphanumeric)
    };
    let start = before.char_indices().rfind(ended);
    let sentence = start.map_or(before, |(at, sign)| {
        before.get(at + sign.len_utf8()..).unwrap_or_default()
    });
    sentence.trim_start_matches(|sign: char| !sign.is_alphanumeric())
}

/// A claim by its letters and digits.
fn claim(sentence: &str) -> String {
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
