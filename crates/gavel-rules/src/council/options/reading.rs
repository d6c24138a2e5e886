//! Which way a passage speaks about the options that it names.

use std::ops::Range;

use super::super::telling::{Token, tokens};
use super::cues::{Cue, Sign, cue_at, hedges, turns};
use super::names::{Names, Naming};

/// How many words may stand between a choice and what is chosen.
const CHOICE_REACH: usize = 3;
/// How many words may stand between what happened and what it happened to, where that comes later.
const EVENT_REACH: usize = 6;
/// How far a negation reaches.
const TURN_REACH: usize = 3;
/// Words that begin a new part of a sentence.
const PARTS: [&str; 13] = [
    "but", "however", "while", "whereas", "although", "though", "because", "since", "so", "yet",
    "nhưng", "vì", "nên",
];
/// What joins names in a list.
const JOINERS: [&str; 10] = [
    "and", "or", "nor", "both", "a", "an", "the", "và", "hay", "hoặc",
];
/// Words that say nothing about what follows them.
const ARTICLES: [&str; 8] = ["a", "an", "the", "our", "plain", "only", "just", "một"];
/// Between a choice and a name, these make something else the chosen thing: `use a pool with X`.
const PREPOSITIONS: [&str; 17] = [
    "with", "in", "of", "on", "for", "before", "behind", "from", "to", "by", "when", "if", "after",
    "through", "and", "or", "trong",
];

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
}

/// A passage, taken apart.
struct Passage<'t> {
    text: &'t str,
    words: Vec<String>,
    tokens: Vec<Token>,
    /// The part that each word belongs to.
    parts: Vec<usize>,
    namings: Vec<Naming>,
}

/// A cue in a passage.
#[derive(Debug, Clone)]
struct Hit {
    cue: Cue,
    sign: Sign,
    /// The words of the cue.
    at: Range<usize>,
    /// The words of the cue with its negation.
    whole: Range<usize>,
}

/// Reads what a passage says about each naming of an option.
pub(super) fn read_passage(text: &str, names: &Names) -> Vec<Spoken> {
    let passage = Passage::of(text, names);
    if passage.namings.is_empty() {
        return Vec::new();
    }
    let hits = passage.hits();
    let mut spoken = passage.pairs();
    spoken.extend(passage.denials(&hits));
    for naming in &passage.namings {
        let told = spoken.iter().any(|known| known.option == naming.option);
        if !told || passage.namings.len() > 1 {
            spoken.extend(passage.about(naming, &hits));
        }
    }
    spoken
}

/// True when a text names no option and goes on about what came before it.
pub(super) fn goes_on(text: &str, names: &Names) -> bool {
    let words: Vec<String> = tokens(text).into_iter().map(|token| token.word).collect();
    let first = words.first().map_or("", String::as_str);
    let pronoun = matches!(first, "it" | "this" | "that" | "they" | "nó");
    pronoun && names.find(&words).is_empty()
}

impl<'t> Passage<'t> {
    fn of(text: &'t str, names: &Names) -> Self {
        let tokens = tokens(text);
        let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
        let namings = names.find(&words);
        let mut passage = Self {
            text,
            words,
            tokens,
            parts: Vec::new(),
            namings,
        };
        passage.parts = passage.divide();
        passage
    }

    /// Divides at marks and at words that begin a new part. A part that only lists names belongs to
    /// the one before it; an `and` divides where both sides have something to say.
    fn divide(&self) -> Vec<usize> {
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
            if marked(at) && !only_names || PARTS.contains(&word.as_str()) || self.splits(at) {
                part += 1;
            }
            parts.push(part);
        }
        parts
    }

    fn splits(&self, at: usize) -> bool {
        let joins = self
            .words
            .get(at)
            .is_some_and(|word| word == "and" || word == "và");
        let says = |range: Range<usize>| {
            let cued = range.clone().any(|at| self.cue(at).is_some());
            cued && range.clone().any(|at| self.named_at(at))
        };
        joins && says(0..at) && says(at + 1..self.words.len())
    }

    fn cue(&self, at: usize) -> Option<(usize, Cue, Sign)> {
        cue_at(self.words.get(at..)?)
    }

    fn named_at(&self, at: usize) -> bool {
        self.namings.iter().any(|n| (n.from..n.to).contains(&at))
    }

    fn is_joiner(&self, at: usize) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| JOINERS.contains(&word.as_str()))
    }

    fn is(&self, at: usize, any_of: &[&str]) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| any_of.contains(&word.as_str()))
    }

    fn part(&self, at: usize) -> usize {
        self.parts.get(at).copied().unwrap_or_default()
    }

    /// Every cue that is no name itself.
    fn hits(&self) -> Vec<Hit> {
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
        hits
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
        let turn = near
            .iter()
            .find(|before| turns(word(before), cue) && !only(before));
        let hedged = near.iter().any(|before| hedges(word(before)));
        let firm = turn.is_some() && !near.iter().any(|at| self.is(*at, &["if", "unless", "nếu"]));
        if cue.is_outright() && hedged && !firm {
            return None;
        }
        let good = cue == Cue::Quality && sign == Sign::For;
        let too = near
            .first()
            .copied()
            .filter(|at| good && self.is(*at, &["too"]));
        let turned = turn.copied().or(too);
        Some(Hit {
            cue,
            sign: if turned.is_some() {
                sign.turned()
            } else {
                sign
            },
            whole: turned.unwrap_or(at.start)..at.end,
            at,
        })
    }

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
            return vec![Spoken {
                option: naming.option,
                sign: None,
                outright: false,
                words: None,
            }];
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
    fn before(&self, naming: &Naming) -> Option<usize> {
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
        let listed = between
            .clone()
            .all(|at| self.named_at(at) || self.is_joiner(at));
        if !listed && between.clone().any(other) {
            return false;
        }
        let same_part = self.part(hit.at.start) == self.part(naming.from);
        let distance = between.len();
        match hit.cue {
            Cue::Choice => {
                let free = listed || !between.clone().any(|at| self.is(at, &PREPOSITIONS));
                !behind && same_part && free && (listed || distance <= CHOICE_REACH)
            }
            Cue::Chosen => behind,
            Cue::Quality => behind || !same_part || distance <= EVENT_REACH,
        }
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

    /// Names right behind a negation: `no X`, `not the X`. `No X errors` is none: it says that
    /// there are no errors.
    fn denials(&self, hits: &[Hit]) -> Vec<Spoken> {
        let denied = self.namings.iter().filter_map(|naming| {
            let at = self.before(naming)?;
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
        }
    }
}
