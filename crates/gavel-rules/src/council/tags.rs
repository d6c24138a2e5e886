//! Tags of claims, and how much of a debate was checked.
//!
//! A tag stands in square brackets: `[CONFIRMED via src/lib.rs:12]`, `[REFUTED via tool:3]`,
//! `[UNVERIFIED]`. How it looks proves nothing: whoever checks the sources says which tags are
//! broken, and those are rewritten before anybody else reads the text.

use std::ops::Range;

use gavel_domain::{Badge, TagCount};

use super::cites::{Cite, read_cite};
use super::quotes::quote_end;

/// The longest reason that a rewritten tag gives, in characters.
const REASON_MOST: usize = 120;

/// How many signs may stand between a bracket and its word, as in `[ **CONFIRMED** …`.
const MARKUP_MOST: usize = 8;

const NO_SOURCE: &str = "names no source";

/// What a tag says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagWord {
    /// The speaker found it so.
    Confirmed,
    /// The speaker found it otherwise.
    Refuted,
    /// The speaker did not look.
    Unverified,
}

impl TagWord {
    const ALL: [Self; 3] = [Self::Confirmed, Self::Refuted, Self::Unverified];

    const fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "CONFIRMED",
            Self::Refuted => "REFUTED",
            Self::Unverified => "UNVERIFIED",
        }
    }
}

/// A tag in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag<'t> {
    /// What it says.
    pub word: TagWord,
    /// Everything behind `via`; nothing for a tag that names no source, that is not closed, or
    /// that says [`TagWord::Unverified`].
    pub source: Option<&'t str>,
    /// Where it stands in the text, brackets included; up to its word when it is not closed.
    pub at: Range<usize>,
}

/// A text after its tags were checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// The text as everybody may read it.
    pub text: String,
    /// Its tags.
    pub tags: TagCount,
}

/// Finds the tags of a text, in order.
///
/// No tag holds another one: a tag that is not closed before the next begins, or before its
/// paragraph ends, has no source. Brackets within quoted words do not end a tag.
pub fn tags(text: &str) -> Vec<Tag<'_>> {
    let heads = heads(text);
    let nexts = heads.iter().skip(1).map(|head| head.at.start);
    let ends = nexts.chain([text.len()]);
    heads
        .iter()
        .zip(ends)
        .map(|(head, end)| whole_tag(text, head, end))
        .collect()
}

/// The sources of a tag, which may name several: `a.rs:1; memory:x and tool:2`.
///
/// A tag holds only if every one of them holds. Separators within quoted words separate nothing,
/// and neither does the comma of `a.rs:1, 5-7`.
pub fn sources<'t>(tag: &Tag<'t>) -> Vec<&'t str> {
    tag.source.map(split_sources).unwrap_or_default()
}

/// Rewrites the tags that `broken` gives a reason for to `[UNVERIFIED: reason]`, and counts.
///
/// `broken` is asked about tags with a source only; a tag that confirms or refutes without one is
/// broken whatever it says. Brackets and line breaks of a reason are dropped, so that the text
/// cannot gain a tag by it.
pub fn apply_checks(text: &str, mut broken: impl FnMut(&Tag<'_>) -> Option<String>) -> Checked {
    let mut checked = Checked::default();
    let mut copied = 0;
    for tag in tags(text) {
        let count = &mut checked.tags;
        let (place, reason) = match (tag.word, tag.source) {
            (TagWord::Unverified, _) => (&mut count.unverified, None),
            (TagWord::Confirmed | TagWord::Refuted, None) => {
                (&mut count.broken, Some(NO_SOURCE.to_owned()))
            }
            (TagWord::Confirmed | TagWord::Refuted, Some(_)) => match broken(&tag) {
                Some(reason) => (&mut count.broken, Some(tidy_reason(&reason))),
                None if tag.word == TagWord::Confirmed => (&mut count.confirmed, None),
                None => (&mut count.refuted, None),
            },
        };
        *place = place.saturating_add(1);
        if let Some(reason) = reason {
            push_part(&mut checked.text, text, copied..tag.at.start);
            checked.text.push_str("[UNVERIFIED: ");
            checked.text.push_str(&reason);
            checked.text.push(']');
            copied = tag.at.end;
        }
    }
    push_part(&mut checked.text, text, copied..text.len());
    checked
}

/// How much of what was tagged was checked, in hundredths; nothing when nobody tagged.
pub fn density(counts: impl IntoIterator<Item = TagCount>) -> Option<u32> {
    let (mut held, mut all) = (0_u64, 0_u64);
    for count in counts {
        let checked = u64::from(count.confirmed) + u64::from(count.refuted);
        let open = u64::from(count.unverified) + u64::from(count.broken);
        held = held.saturating_add(checked);
        all = all.saturating_add(checked).saturating_add(open);
    }
    let share = held.saturating_mul(100).checked_div(all)?;
    u32::try_from(share).ok()
}

/// The density that stands in the end: the better of the whole debate and its last round, since
/// what was open may have been checked on the way.
pub fn final_density(cumulative: Option<u32>, last_round: Option<u32>) -> Option<u32> {
    cumulative.max(last_round)
}

/// How much a result can be relied on; without a synthesis there is little to rely on.
pub fn badge(density: Option<u32>, synthesised: bool) -> Badge {
    match density {
        _ if !synthesised => Badge::Low,
        None => Badge::NotMeasured,
        Some(60..) => Badge::High,
        Some(30..) => Badge::Medium,
        Some(_) => Badge::Low,
    }
}

/// The beginning of a tag: its bracket and its word.
struct Head {
    word: TagWord,
    at: Range<usize>,
}

fn heads(text: &str) -> Vec<Head> {
    text.match_indices('[')
        .filter_map(|(start, _)| head_at(text, start))
        .collect()
}

/// Reads generously what begins a tag: a form that people would read as one and the program would
/// not, would pass unchecked.
fn head_at(text: &str, start: usize) -> Option<Head> {
    let inner = text.get(start..)?.strip_prefix('[')?;
    let (offset, _) = inner
        .char_indices()
        .take(MARKUP_MOST + 1)
        .take_while(|(_, sign)| *sign != '[' && *sign != ']')
        .find(|(_, sign)| sign.is_alphanumeric())?;
    let rest = inner.get(offset..)?;
    TagWord::ALL.into_iter().find_map(|word| {
        let length = word.word().len();
        let same = rest.get(..length)?.eq_ignore_ascii_case(word.word());
        let ends = !rest.get(length..)?.starts_with(char::is_alphanumeric);
        let end = start + 1 + offset + length;
        (same && ends).then_some(Head {
            word,
            at: start..end,
        })
    })
}

/// A head with what follows it, which reaches to the next head at most.
fn whole_tag<'t>(text: &'t str, head: &Head, end: usize) -> Tag<'t> {
    let body = text.get(head.at.end..end).unwrap_or_default();
    let body = body.split_once("\n\n").map_or(body, |(first, _)| first);
    // A quote that is never closed is no quote: the tag is read again without.
    let closed = closing(body, true).or_else(|| closing(body, false));
    let said = closed.and_then(|closed| body.get(..closed));
    Tag {
        word: head.word,
        source: match head.word {
            TagWord::Confirmed | TagWord::Refuted => said.and_then(behind_via),
            TagWord::Unverified => None,
        },
        at: head.at.start..closed.map_or(head.at.end, |closed| head.at.end + closed + 1),
    }
}

/// Where the bracket is that closes a tag.
fn closing(body: &str, quotes: bool) -> Option<usize> {
    let (mut open, mut from) = (1_u32, 0);
    for (at, sign) in body.char_indices() {
        if at < from {
            continue;
        }
        match sign {
            '[' => open = open.saturating_add(1),
            ']' if open == 1 => return Some(at),
            ']' => open = open.saturating_sub(1),
            _ if quotes => from = quote_end(body, at).unwrap_or(from),
            _ => {}
        }
    }
    None
}

fn behind_via(said: &str) -> Option<&str> {
    let said = said.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let (word, rest) = (said.get(..3)?, said.get(3..)?);
    let via = word.eq_ignore_ascii_case("via") && !rest.starts_with(char::is_alphanumeric);
    let source = rest.trim_start_matches(':').trim();
    (via && source.contains(char::is_alphanumeric)).then_some(source)
}

fn split_sources(source: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut from) = (Vec::new(), 0, 0);
    for (at, _) in source.char_indices() {
        if at < from {
            continue;
        }
        if let Some(end) = quote_end(source, at) {
            from = end;
        } else if let Some(length) = separator(source, at) {
            parts.push(source.get(begin..at).unwrap_or_default());
            (begin, from) = (at + length, at + length);
        }
    }
    parts.push(source.get(begin..).unwrap_or_default());
    parts.retain(|part| part.contains(char::is_alphanumeric));
    parts.into_iter().map(str::trim).collect()
}

/// How long the separator is that begins here.
fn separator(source: &str, at: usize) -> Option<usize> {
    const AND: &str = " and ";
    let rest = source.get(at..)?;
    let is_and = |text: &str| {
        text.get(..AND.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(AND))
    };
    if is_and(rest) {
        return Some(AND.len());
    }
    let behind = rest.strip_prefix([';', ','])?;
    // An address may hold such signs; a separator has a space behind it or another citation.
    let in_address = source
        .get(..at)?
        .rsplit(char::is_whitespace)
        .next()
        .is_some_and(|word| word.contains("://"));
    let more_lines = behind.trim_start().split(',').next().is_some_and(is_lines);
    match (
        in_address && !behind.starts_with(char::is_whitespace),
        more_lines,
    ) {
        (false, false) if is_and(behind) => Some(1 + AND.len()),
        (false, false) => Some(1),
        (true, _) | (_, true) => None,
    }
}

/// Whether this is nothing but lines: `15`, `15-20`.
fn is_lines(text: &str) -> bool {
    let text = text.split_whitespace().next().unwrap_or_default();
    text.starts_with(|sign: char| sign.is_ascii_digit())
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || matches!(sign, '-' | '–' | ';'))
}

/// A reason that is short, one line, holds no tag and is no citation.
fn tidy_reason(reason: &str) -> String {
    let plain: String = reason
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .filter(|sign| !matches!(sign, '[' | ']'))
        .collect();
    let words: Vec<_> = plain.split_whitespace().collect();
    let mut reason = words.join(" ");
    if reason.is_empty() {
        "not found".clone_into(&mut reason);
    } else if read_cite(&reason) != Cite::Unknown {
        reason.insert_str(0, "not found: ");
    }
    if let Some((cut, _)) = reason.char_indices().nth(REASON_MOST) {
        let last = reason
            .get(..cut)
            .and_then(|kept| kept.char_indices().next_back());
        reason.truncate(last.map_or(cut, |(last, _)| last));
        reason.push('…');
    }
    reason
}

fn push_part(target: &mut String, text: &str, part: Range<usize>) {
    target.push_str(text.get(part).unwrap_or_default());
}

#[cfg(test)]
#[path = "tags_tests.rs"]
mod tests;
