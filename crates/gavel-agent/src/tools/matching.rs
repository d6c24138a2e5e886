//! Where an edit belongs: an exact place, else one unique block that differs in blanks alone.
//! Anything less certain is no match; then the nearest places are named.

use std::ops::Range;

/// The most work that a search for near places may take, in line comparisons.
const MAX_COMPARISONS: usize = 4_000_000;
/// A block less alike than this is not worth showing.
const ALIKE: f64 = 0.5;
const SHOWN_PLACES: usize = 3;

/// What looking for a text came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Match {
    /// It stands there, once: these bytes.
    Exact(Range<usize>),
    /// It stands there, once, with other blanks.
    Blanks(BlankMatch),
    /// It stands in several places, at these lines (counted from 1).
    Ambiguous(Vec<usize>),
    /// It stands nowhere for certain.
    Missing,
}

/// Whole lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Block {
    /// The block of so many lines behind the first `skipped` ones.
    const fn behind(skipped: usize, count: usize) -> Self {
        Self {
            first: skipped + 1,
            last: skipped + count,
        }
    }

    const fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A block that differs in blanks alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BlankMatch {
    /// Its bytes, without the end of its last line.
    pub(crate) bytes: Range<usize>,
    /// Its lines.
    pub(crate) lines: Block,
    /// How the replacement must be indented to fit.
    pub(crate) shift: Shift,
}

/// How the file's indentation differs from the given one, in every line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shift {
    None,
    Add(String),
    Remove(String),
}

impl Shift {
    /// Indents a text the same way; `None` when a line has less to remove.
    pub(crate) fn apply(&self, text: &str) -> Option<String> {
        let line = |line: &str| match self {
            Self::None => Some(line.to_owned()),
            _ if line.trim().is_empty() => Some(line.to_owned()),
            Self::Add(indent) => Some(format!("{indent}{line}")),
            Self::Remove(indent) => line.strip_prefix(indent.as_str()).map(str::to_owned),
        };
        text.split_inclusive('\n').map(line).collect()
    }
}

/// Looks for `wanted` in a text. `wanted` is not empty.
pub(crate) fn find(text: &str, wanted: &str) -> Match {
    let exact: Vec<usize> = text.match_indices(wanted).map(|(at, _)| at).collect();
    match exact.as_slice() {
        [at] => return Match::Exact(*at..at + wanted.len()),
        [] => {}
        several => {
            return Match::Ambiguous(several.iter().map(|at| line_of(text, *at)).collect());
        }
    }
    let lines = Lines::of(text);
    let block: Vec<&str> = trimmed_block(wanted);
    if block.is_empty() {
        return Match::Missing;
    }
    let starts: Vec<usize> = lines.starts_like(&block);
    match starts.as_slice() {
        [] => Match::Missing,
        [start] => match lines.shift_at(*start, &block) {
            Some(shift) => Match::Blanks(BlankMatch {
                bytes: lines.bytes(*start, block.len()),
                lines: Block::behind(*start, block.len()),
                shift,
            }),
            // The indentation differs from line to line: where the replacement's lines belong
            // would be a guess.
            None => Match::Missing,
        },
        several => Match::Ambiguous(several.iter().map(|start| start + 1).collect()),
    }
}

/// The places that are most like `wanted`, best first.
pub(crate) fn nearest(text: &str, wanted: &str) -> Vec<Block> {
    let block = trimmed_block(wanted);
    if block.is_empty() {
        return Vec::new();
    }
    Lines::of(text).nearest(&block)
}

/// The lines of a block, without empty ones at its ends.
fn trimmed_block(wanted: &str) -> Vec<&str> {
    let is_empty = |line: &&str| line.trim().is_empty();
    let mut lines: Vec<&str> = wanted.lines().skip_while(is_empty).collect();
    while lines.last().is_some_and(is_empty) {
        lines.pop();
    }
    lines
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text
        .get(..at)
        .map_or(0, |before| before.matches('\n').count())
}

fn indent_of(line: &str) -> &str {
    let end = line.len() - line.trim_start().len();
    line.get(..end).unwrap_or_default()
}

/// Equal but for blanks: the same words in the same order.
fn same_words(left: &str, right: &str) -> bool {
    left.split_whitespace().eq(right.split_whitespace())
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut starts = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            starts.push(at);
            at += line.len();
            lines.push(line.trim_end_matches(['\n', '\r']));
        }
        Self { lines, starts }
    }

    fn starts_like(&self, block: &[&str]) -> Vec<usize> {
        self.lines
            .windows(block.len())
            .enumerate()
            .filter(|(_, window)| {
                window
                    .iter()
                    .zip(block)
                    .all(|(line, wanted)| same_words(line, wanted))
            })
            .map(|(start, _)| start)
            .collect()
    }

    fn shift_at(&self, start: usize, block: &[&str]) -> Option<Shift> {
        let mut shift = None;
        let window = self.lines.get(start..start + block.len())?;
        for (line, wanted) in window.iter().zip(block) {
            if wanted.trim().is_empty() {
                continue;
            }
            let (here, given) = (indent_of(line), indent_of(wanted));
            let this = if here == given {
                Shift::None
            } else if let Some(more) = here.strip_suffix(given) {
                Shift::Add(more.to_owned())
            } else if let Some(less) = given.strip_suffix(here) {
                Shift::Remove(less.to_owned())
            } else {
                return None;
            };
            if shift.get_or_insert_with(|| this.clone()) != &this {
                return None;
            }
        }
        shift
    }

    fn bytes(&self, start: usize, count: usize) -> Range<usize> {
        let last = start + count - 1;
        let from = self.starts.get(start).copied().unwrap_or_default();
        let to = self.starts.get(last).copied().unwrap_or_default();
        from..to + self.lines.get(last).map_or(0, |line| line.len())
    }

    /// The blocks that are most alike, best first, without overlaps.
    fn nearest(&self, block: &[&str]) -> Vec<Block> {
        let size = block.len().min(self.lines.len());
        if size == 0 || self.lines.len().saturating_mul(size) > MAX_COMPARISONS {
            return Vec::new();
        }
        let block: Vec<Vec<&str>> = block.iter().map(|line| words(line)).collect();
        let lines: Vec<Vec<&str>> = self.lines.iter().map(|line| words(line)).collect();
        let mut scored: Vec<(f64, usize)> = lines
            .windows(size)
            .enumerate()
            .map(|(start, window)| (alike_block(window, &block), start))
            .filter(|(score, _)| *score >= ALIKE)
            .collect();
        scored.sort_by(|(left, a), (right, b)| right.total_cmp(left).then(a.cmp(b)));
        let mut places: Vec<Block> = Vec::new();
        for (_, start) in scored {
            let place = Block::behind(start, size);
            if !places.iter().any(|other| place.overlaps(*other)) {
                places.push(place);
            }
            if places.len() == SHOWN_PLACES {
                break;
            }
        }
        places
    }
}

/// The words of a line, where every punctuation mark is a word of its own.
fn words(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    for piece in line.split_inclusive(|c: char| !is_word(c)) {
        let word = piece.trim_end_matches(|c: char| !is_word(c));
        let mark = piece.get(word.len()..).unwrap_or_default().trim();
        words.extend([word, mark].into_iter().filter(|part| !part.is_empty()));
    }
    words
}

#[expect(
    clippy::cast_precision_loss,
    reason = "shares of small counts need no precision"
)]
fn alike_block(window: &[Vec<&str>], block: &[Vec<&str>]) -> f64 {
    let total: f64 = window
        .iter()
        .zip(block)
        .map(|(line, wanted)| alike(line, wanted))
        .sum();
    total / window.len().max(1) as f64
}

/// The share of words that two lines have in common.
#[expect(
    clippy::cast_precision_loss,
    reason = "shares of small counts need no precision"
)]
fn alike(left: &[&str], right: &[&str]) -> f64 {
    if left == right {
        return 1.0;
    }
    let longest = left.len().max(right.len());
    let mut rest = right.to_vec();
    let mut common = 0;
    for word in left {
        if let Some(place) = rest.iter().position(|other| other == word) {
            rest.swap_remove(place);
            common += 1;
        }
    }
    f64::from(u32::try_from(common).unwrap_or(u32::MAX)) / longest.max(1) as f64
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
