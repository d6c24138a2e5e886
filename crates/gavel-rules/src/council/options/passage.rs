//! A passage taken apart: its words, its parts, the names and the cues in it.

use std::ops::Range;

use super::super::telling::{Token, tokens};
use super::cues::{Cue, Sign, cue_at, denies, hedges, is_bygone, turns};
use super::names::{Names, Naming};

/// How far a negation reaches.
const TURN_REACH: usize = 3;
/// And how far one that says who does not: `nobody at a customer can run X`.
const NOBODY_REACH: usize = 6;
/// Words that begin a new part of a sentence.
const PARTS: [&str; 13] = [
    "but", "however", "while", "whereas", "although", "though", "because", "since", "so", "yet",
    "nhưng", "vì", "nên",
];
/// What joins names in a list.
const JOINERS: [&str; 10] = [
    "and", "or", "nor", "both", "a", "an", "the", "và", "hay", "hoặc",
];

/// A passage, taken apart.
pub(super) struct Passage<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<String>,
    pub(super) tokens: Vec<Token>,
    /// The part that each word belongs to, once it is divided.
    parts: Vec<usize>,
    pub(super) namings: Vec<Naming>,
}

/// A cue in a passage.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) cue: Cue,
    pub(super) sign: Sign,
    /// The words of the cue.
    pub(super) at: Range<usize>,
    /// The words of the cue with its negation.
    pub(super) whole: Range<usize>,
}

impl<'t> Passage<'t> {
    pub(super) fn of(text: &'t str, names: &Names) -> Self {
        let tokens = tokens(text);
        let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
        let namings = names.find(&words);
        Self {
            text,
            words,
            tokens,
            parts: Vec::new(),
            namings,
        }
    }

    /// Divides at marks and at words that begin a new part. A part that only lists names belongs to
    /// the one before it; an `and` divides where both sides have something to say.
    pub(super) fn divide(&mut self) {
        let marked = |at: usize| {
            let gap = at.checked_sub(1).and_then(|before| {
                let from = self.tokens.get(before)?.at.end;
                self.text.get(from..self.tokens.get(at)?.at.start)
            });
            let gap = gap.unwrap_or_default();
            gap.contains([',', ':', ';', '(', ')', '–', '—', '.', '!', '\n']) || gap.contains(" - ")
        };
        let mut parts = Vec::with_capacity(self.words.len());
        let mut part = 0;
        for (at, word) in self.words.iter().enumerate() {
            let lists = || (at..self.words.len()).take_while(|next| *next == at || !marked(*next));
            let only_names = lists().all(|at| self.named_at(at) || self.is_joiner(at));
            // `không nên` is one denial, and no part begins in the middle of it.
            let denied = at.checked_sub(1).and_then(|before| self.words.get(before));
            let begins = PARTS.contains(&word.as_str()) && !denied.is_some_and(|word| denies(word));
            if marked(at) && !only_names || begins || self.splits(at) {
                part += 1;
            }
            parts.push(part);
        }
        self.parts = parts;
    }

    fn splits(&self, at: usize) -> bool {
        let joins = self
            .words
            .get(at)
            .is_some_and(|word| word == "and" || word == "và");
        let says = |range: Range<usize>| {
            let tells = |at: usize| self.cue(at).is_some_and(|(_, cue, _)| cue != Cue::Act);
            let cued = range.clone().any(tells);
            cued && range.clone().any(|at| self.named_at(at))
        };
        joins && says(0..at) && says(at + 1..self.words.len())
    }

    fn cue(&self, at: usize) -> Option<(usize, Cue, Sign)> {
        cue_at(self.words.get(at..)?)
    }

    pub(super) fn named_at(&self, at: usize) -> bool {
        self.namings.iter().any(|n| (n.from..n.to).contains(&at))
    }

    /// True for what joins names in a list: `SQLite, and with PostgreSQL`.
    pub(super) fn is_joiner(&self, at: usize) -> bool {
        let again = at.checked_sub(1).is_some_and(|before| {
            self.is(before, &["and", "or", "nor"]) && self.is(at, &["with", "for", "on", "in"])
        });
        again || self.is(at, &JOINERS)
    }

    pub(super) fn is(&self, at: usize, any_of: &[&str]) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| any_of.contains(&word.as_str()))
    }

    pub(super) fn part(&self, at: usize) -> usize {
        self.parts.get(at).copied().unwrap_or_default()
    }

    /// Every cue that is no name itself.
    pub(super) fn hits(&self) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let Some((length, cue, sign)) = self.cue(at) else {
                at += 1;
                continue;
            };
            if !(at..at + length).any(|at| self.named_at(at)) {
                hits.extend(self.hit(at..at + length, cue, sign));
            }
            at += length;
        }
        // `No longer` may be what turns another cue: `X no longer fails`.
        let turning = |hit: &Hit| {
            let at = hit.at.start;
            let mut others = hits.iter().filter(|other| other.at.start != at);
            hit.cue == Cue::Ended && others.any(|other| other.whole.contains(&at))
        };
        let kept = hits.iter().filter(|hit| !turning(hit));
        kept.cloned().collect()
    }

    /// A cue with what turns it; nothing for a choice that nobody has made.
    fn hit(&self, at: Range<usize>, cue: Cue, sign: Sign) -> Option<Hit> {
        let near = (at.start.saturating_sub(TURN_REACH)..at.start).rev();
        let near = near.take_while(|before| {
            self.part(*before) == self.part(at.start) && !self.named_at(*before)
        });
        let near: Vec<usize> = near.collect();
        let word = |at: &usize| self.words.get(*at).map_or("", String::as_str);
        let only = |at: &usize| self.is(*at + 1, &["only"]);
        let nobody = || {
            let far = (at.start.saturating_sub(NOBODY_REACH)..at.start).rev();
            far.take_while(|before| self.part(*before) == self.part(at.start))
                .find(|before| cue == Cue::Act && self.is(*before, &["nobody"]))
        };
        let turn = near
            .iter()
            .find(|before| turns(word(before), cue) && !only(before))
            .copied()
            .or_else(nobody);
        let hedged = near.iter().any(|before| hedges(word(before)));
        let firm = turn.is_some() && !near.iter().any(|at| self.is(*at, &["if", "unless", "nếu"]));
        let only_denied = matches!(cue, Cue::Act | Cue::Fit);
        if cue.is_outright() && hedged && !firm || only_denied && turn.is_none() {
            return None;
        }
        let good = cue == Cue::Quality && sign == Sign::For;
        let too = near
            .first()
            .copied()
            .filter(|at| good && self.is(*at, &["too"]));
        let turned = turn.or(too);
        // What was good until something happened is so no more.
        if good && (at.end..at.end + 2).any(|next| self.is(next, &["until"])) {
            return None;
        }
        let sign = if turned.is_some() {
            sign.turned()
        } else {
            sign
        };
        if self.is_past(&at, sign) {
            return None;
        }
        Some(Hit {
            cue,
            sign,
            whole: turned.unwrap_or(at.start)..at.end,
            at,
        })
    }

    /// True for what held once and need not hold now: `until May we preferred X`, `X used to fail`,
    /// `we chose X until May`.
    fn is_past(&self, at: &Range<usize>, sign: Sign) -> bool {
        let ends = |at: usize| self.is(at, &["until", "till"]);
        let part = self.part(at.start);
        let fronted = |at: usize| {
            let before = at.checked_sub(1);
            ends(at) && before.is_none_or(|before| self.part(before) != self.part(at))
        };
        let until = (0..at.start).rev().find(|before| fronted(*before));
        let over =
            until.is_some_and(|from| !(from..at.start).any(|at| self.is(at, &["now", "then"])));
        let used_to = (0..at.start).any(|before| {
            let now = before
                .checked_sub(1)
                .is_some_and(|at| self.is(at, &["is", "are", "be", "being"]));
            let to = self.is(before, &["used"]) && self.is(before + 1, &["to"]);
            to && !now && self.part(before) == part
        });
        let last = at.end.checked_sub(1).and_then(|last| self.words.get(last));
        let done = self
            .words
            .get(at.start)
            .into_iter()
            .chain(last)
            .any(|word| {
                word.ends_with("ed")
                    || matches!(word.as_str(), "chose" | "chosen" | "kept" | "went")
            });
        let left = done && (at.end..self.words.len()).any(ends);
        let bygone = (0..self.words.len()).any(|at| {
            let word = self.words.get(at).map_or("", String::as_str);
            is_bygone(word) && self.part(at) == part
        });
        over || used_to || sign == Sign::For && (left || bygone)
    }
}
