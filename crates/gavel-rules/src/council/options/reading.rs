//! Which way a passage speaks about the options that it names.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::telling::words;
use super::cues::{Cue, Sign};
use super::names::{Names, Naming};
use super::passage::{Hit, Passage};

/// How many words may stand between a choice and what is chosen.
const CHOICE_REACH: usize = 3;
/// How many words may stand between what happened and what it happened to, where that comes later.
const EVENT_REACH: usize = 6;
/// Words that say nothing about what follows them.
pub(super) const ARTICLES: [&str; 8] = ["a", "an", "the", "our", "plain", "only", "just", "một"];
/// Between a choice and a name, these make something else the chosen thing: `use a pool with X`.
const PREPOSITIONS: [&str; 17] = [
    "with", "in", "of", "on", "for", "before", "behind", "from", "to", "by", "when", "if", "after",
    "through", "and", "or", "trong",
];

/// What stands between something and what was done to it.
pub(super) const AUXILIARIES: [&str; 13] = [
    "is",
    "was",
    "were",
    "are",
    "be",
    "been",
    "has",
    "have",
    "had",
    "got",
    "already",
    "finally",
    "therefore",
];
/// What is longer than this many words is no sentence, and its words decide nothing.
const LONGEST: usize = 300;

/// How a passage speaks about one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    /// Which option.
    pub(super) option: usize,
    /// Which way; nothing when it only names it.
    pub(super) sign: Option<Sign>,
    /// True when it says outright what to do.
    pub(super) outright: bool,
    /// The words that say so, and whether the option comes after them.
    pub(super) words: Option<(String, bool)>,
    /// True when something else is spoken of, whose subject it is.
    pub(super) in_passing: bool,
}

impl Spoken {
    /// It only names it.
    const fn naming(option: usize) -> Self {
        Self {
            option,
            sign: None,
            outright: false,
            words: None,
            in_passing: false,
        }
    }

    /// Something else is spoken of, whose subject it is.
    fn in_passing(option: usize) -> Self {
        Self {
            in_passing: true,
            ..Self::naming(option)
        }
    }
}

/// Reads what a passage says about each naming of an option.
pub(super) fn read_passage(text: &str, names: &Names) -> Vec<Spoken> {
    let mut passage = Passage::of(text, names);
    if passage.namings.is_empty() {
        return Vec::new();
    }
    if passage.words.len() > LONGEST {
        let named: BTreeSet<usize> = passage.namings.iter().map(|n| n.option).collect();
        return named.into_iter().map(Spoken::naming).collect();
    }
    passage.divide();
    let hits = passage.hits();
    let mut spoken = passage.pairs();
    spoken.extend(passage.denials(&hits));
    for naming in &passage.namings {
        if passage.is_in_passing(naming, &hits) {
            spoken.push(Spoken::in_passing(naming.option));
            continue;
        }
        let told = spoken.iter().any(|known| known.option == naming.option);
        if !told || passage.namings.len() > 1 {
            spoken.extend(passage.about(naming, &hits));
        }
    }
    spoken
}

/// True when a text names no option and goes on about what came before it.
pub(super) fn goes_on(text: &str, names: &Names) -> bool {
    let words = words(text);
    let first = words.first().map_or("", String::as_str);
    let pronoun = matches!(first, "it" | "this" | "that" | "they" | "nó");
    pronoun && names.find(&words).is_empty()
}

impl Passage<'_> {
    /// What stands in the part of one naming, or in parts behind it that name nothing; and, where
    /// nothing else is named, anywhere.
    fn about(&self, naming: &Naming, hits: &[Hit]) -> Vec<Spoken> {
        let alone = self
            .namings
            .iter()
            .all(|other| other.option == naming.option);
        let own = self.part(naming.from);
        let later = self.namings.iter().map(|other| self.part(other.from));
        let until = later.filter(|part| *part > own).min().unwrap_or(usize::MAX);
        let fits = |hit: &&Hit| self.applies(hit, naming);
        let near: Vec<&Hit> = hits
            .iter()
            .filter(|hit| (own..until).contains(&self.part(hit.at.start)))
            .filter(fits)
            .collect();
        let in_part: Vec<&Hit> = near
            .iter()
            .filter(|hit| hit.cue.is_outright() && self.part(hit.at.start) == own)
            .copied()
            .collect();
        let taken = if !in_part.is_empty() {
            in_part
        } else if near.is_empty() && alone {
            hits.iter().filter(fits).collect()
        } else {
            near
        };
        if taken.is_empty() {
            return vec![Spoken::naming(naming.option)];
        }
        let taken = taken.into_iter().map(|hit| {
            let sign = self.compared(naming, hit);
            self.spoken(
                naming.option,
                sign,
                hit.cue.is_outright(),
                hit.whole.clone(),
            )
        });
        taken.collect()
    }

    /// The sign of a hit for a naming: what is better than X speaks against X.
    fn compared(&self, naming: &Naming, hit: &Hit) -> Sign {
        let behind_than = self
            .before(naming)
            .is_some_and(|at| self.is(at, &["than", "hơn"]));
        if behind_than && hit.at.end <= naming.from && !hit.cue.is_outright() {
            hit.sign.turned()
        } else {
            hit.sign
        }
    }

    /// The word before a name and its articles.
    pub(super) fn before(&self, naming: &Naming) -> Option<usize> {
        (0..naming.from).rev().find(|at| !self.is(*at, &ARTICLES))
    }

    fn applies(&self, hit: &Hit, naming: &Naming) -> bool {
        let behind = hit.at.start >= naming.to;
        let between = if behind {
            naming.to..hit.whole.start.max(naming.to)
        } else {
            hit.at.end..naming.from.max(hit.at.end)
        };
        let other = |at: usize| {
            let mut others = self
                .namings
                .iter()
                .filter(|other| other.option != naming.option);
            others.any(|other| (other.from..other.to).contains(&at))
        };
        let leads = |at: &usize| hit.cue == Cue::Quality && self.is(*at, &PREPOSITIONS);
        let mut list = between.clone().skip_while(leads);
        let listed = list.all(|at| self.named_at(at) || self.is_joiner(at));
        if !listed && between.clone().any(other) {
            return false;
        }
        let same_part = self.part(hit.at.start) == self.part(naming.from);
        let distance = between.len();
        match hit.cue {
            Cue::Choice if behind => self.is_passive(hit, between),
            Cue::Choice | Cue::Act => {
                let free = listed || !between.clone().any(|at| self.is(at, &PREPOSITIONS));
                !behind && same_part && free && (listed || distance <= CHOICE_REACH)
            }
            Cue::Chosen | Cue::Demand => behind,
            Cue::Fit => behind && same_part && distance <= CHOICE_REACH,
            Cue::Ended => distance == 0 || same_part && distance <= CHOICE_REACH,
            Cue::Quality => behind || !same_part || distance <= EVENT_REACH,
        }
    }

    /// True for a choice that was made of what stands before it: `X was finally dropped`.
    fn is_passive(&self, hit: &Hit, mut between: Range<usize>) -> bool {
        let last = hit.at.end.saturating_sub(1);
        let word = self.words.get(last).map_or("", String::as_str);
        let done = word.ends_with("ed") || matches!(word, "chosen" | "kept" | "out");
        let reach = hit.at.end..=hit.at.end + CHOICE_REACH;
        let object = self
            .namings
            .iter()
            .any(|other| reach.contains(&other.from) && self.part(other.from) == self.part(last));
        done && !object && between.all(|at| self.is(at, &AUXILIARIES))
    }

    /// What two names say by standing beside each other: `X instead of Y`, `from Y to X`.
    fn pairs(&self) -> Vec<Spoken> {
        let mut spoken = Vec::new();
        for pair in self.namings.windows(2) {
            let [first, second] = pair else { continue };
            if first.option == second.option {
                continue;
            }
            let all = first.to..second.from;
            let words: Vec<&str> = all
                .clone()
                .filter(|at| !self.is(*at, &ARTICLES))
                .filter_map(|at| self.words.get(at).map(String::as_str))
                .collect();
            let led = first.from.checked_sub(1);
            let led_by = |word: &str| {
                let from = led.unwrap_or(0).saturating_sub(1);
                let led = led.is_some().then_some(from..first.from);
                led.is_some_and(|mut led| {
                    led.any(|at| self.words.get(at).is_some_and(|w| w.starts_with(word)))
                })
            };
            let sign = match words.as_slice() {
                ["instead", "of"]
                | ["rather", "than"]
                | ["over"]
                | ["not"]
                | ["beats"]
                | ["beat"]
                | ["outperforms"]
                | ["thay", "vì"] => Sign::For,
                ["to"] if led_by("prefer") => Sign::For,
                ["to"] | ["sang"] if led_by("from") || led_by("từ") => Sign::Against,
                ["with" | "by"] | ["bằng"] if led_by("replac") || led_by("thay") => Sign::Against,
                _ => continue,
            };
            spoken.push(self.spoken(first.option, sign, true, all.clone()));
            let mut second = self.spoken(second.option, sign.turned(), true, all);
            second.words = second.words.map(|(words, _)| (words, true));
            spoken.push(second);
        }
        spoken
    }

    /// Names right behind a negation: `no X`, `not the X`, `rules X out`. `No X errors` is none: it says that
    /// there are no errors.
    fn denials(&self, hits: &[Hit]) -> Vec<Spoken> {
        let denied = self.namings.iter().filter_map(|naming| {
            let at = self.before(naming)?;
            let rules = self.is(at, &["rule", "rules", "ruled"]);
            if rules && self.is(naming.to, &["out"]) {
                let whole = at..naming.to + 1;
                return Some(self.spoken(naming.option, Sign::Against, true, whole));
            }
            let only = self.is(at + 1, &["only", "just"]);
            if only || !self.is(at, &["no", "not", "neither", "nor", "không"]) {
                return None;
            }
            let next = hits.iter().find(|hit| hit.at.start == naming.to);
            let event = next.filter(|hit| hit.cue == Cue::Quality && self.is(at, &["no"]));
            Some(match event {
                Some(hit) => {
                    let whole = at..hit.at.end;
                    self.spoken(naming.option, hit.sign.turned(), true, whole)
                }
                None => self.spoken(naming.option, Sign::Against, true, at..naming.from),
            })
        });
        denied.collect()
    }

    /// One reading, with the words as they are written.
    fn spoken(&self, option: usize, sign: Sign, outright: bool, at: Range<usize>) -> Spoken {
        let from = self.tokens.get(at.start).map(|token| token.at.start);
        let to = at.end.checked_sub(1).and_then(|last| self.tokens.get(last));
        let to = to.map(|token| token.at.end);
        let words = from.zip(to).and_then(|(from, to)| self.text.get(from..to));
        let words = words.unwrap_or_default().split_whitespace();
        let words = words.collect::<Vec<_>>().join(" ");
        let mut namings = self.namings.iter().filter(|naming| naming.option == option);
        let after = !namings.any(|naming| naming.to <= at.start);
        Spoken {
            option,
            sign: Some(sign),
            outright,
            words: Some((words, after)),
            in_passing: false,
        }
    }
}
