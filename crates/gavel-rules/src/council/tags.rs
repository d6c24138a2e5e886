//! Tags of claims.
//!
//! A tag stands in square brackets: `[CONFIRMED via src/lib.rs:12]`, `[REFUTED via tool:3]`,
//! `[UNVERIFIED]`. How it looks proves nothing: whoever checks the sources says which tags are
//! broken, and those are rewritten before anybody else reads the text. What people would read as
//! a tag is read as one here, else it would pass unchecked: other brackets count as well, and a
//! word in capitals with `via` behind it counts without any.

use std::ops::Range;

use gavel_domain::TagCount;

use super::cites::{Cite, read_cite};
use super::lookalikes::visible;
use super::quotes::quote_end;
use super::tag_words::{Word, word_at, words};

/// The longest reason that a rewritten tag gives, in characters.
const REASON_MOST: usize = 120;

/// How many signs may stand between a bracket and its word, as in `[ **CONFIRMED** …`.
const MARKUP_MOST: usize = 8;

/// The longest tag, in bytes: a text that is nothing but quotation marks must not take for ever.
const TAG_MOST: usize = 2_000;

const NO_SOURCE: &str = "names no source";
const NO_BRACKETS: &str = "the word does not stand first in square brackets";

const BRACKETS: [(char, char); 13] = [
    ('[', ']'),
    ('(', ')'),
    ('{', '}'),
    ('<', '>'),
    ('（', '）'),
    ('［', '］'),
    ('【', '】'),
    ('〔', '〕'),
    ('〈', '〉'),
    ('《', '》'),
    ('⟨', '⟩'),
    ('⟦', '⟧'),
    ('｛', '｝'),
];

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
    pub(super) const ALL: [Self; 3] = [Self::Confirmed, Self::Refuted, Self::Unverified];

    pub(super) const fn word(self) -> &'static str {
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
    /// Where it stands in the text, brackets included; up to its word when it is not closed, and
    /// the word alone when it stands in no bracket.
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
    let bracketed = heads.iter().zip(ends);
    let mut tags: Vec<_> = bracketed
        .map(|(head, end)| whole_tag(text, head, end))
        .collect();
    let loose = words(text).filter(|word| word.shouted && via(rest(text, word.at.end)).is_some());
    let loose: Vec<_> = loose
        .filter(|word| !tags.iter().any(|tag| tag.at.contains(&word.at.start)))
        .collect();
    tags.extend(loose.into_iter().map(|word| Tag {
        word: word.word,
        source: None,
        at: word.at,
    }));
    tags.sort_by_key(|tag| tag.at.start);
    tags
}

/// Checks the tags of what somebody said, and counts them.
///
/// `broken` is asked about tags with a source only; a tag that confirms or refutes without one is
/// broken whatever it says. Broken tags become `[UNVERIFIED: reason]`. That form is kept for what
/// was checked: a speaker's own `[UNVERIFIED: …]` loses its reason. Brackets and line breaks of a
/// reason are dropped, so that the text cannot gain a tag by it. Signs that nobody sees are dropped,
/// and the words of tags are in lower case wherever they are no tag.
pub fn apply_checks(text: &str, mut broken: impl FnMut(&Tag<'_>) -> Option<String>) -> Checked {
    let text = visible(text);
    let mut checked = Checked::default();
    let mut copied = 0;
    for tag in tags(&text) {
        let count = &mut checked.tags;
        let (place, written) = match (tag.word, tag.source) {
            (TagWord::Unverified, _) => (&mut count.unverified, "[UNVERIFIED]".to_owned()),
            (TagWord::Confirmed | TagWord::Refuted, None) => {
                let loose = rest(&text, tag.at.start).starts_with(char::is_alphanumeric);
                let why = if loose { NO_BRACKETS } else { NO_SOURCE };
                (&mut count.broken, unverified(why))
            }
            (TagWord::Confirmed | TagWord::Refuted, Some(source)) => {
                let written = format!("[{} via {source}]", tag.word.word());
                let reason = broken(&tag);
                let reason = reason.or_else(|| (!is_tag(&written)).then(|| NO_SOURCE.to_owned()));
                match reason {
                    Some(reason) => (&mut count.broken, unverified(&tidy_reason(&reason))),
                    None if tag.word == TagWord::Confirmed => (&mut count.confirmed, written),
                    None => (&mut count.refuted, written),
                }
            }
        };
        *place = place.saturating_add(1);
        push_defused(&mut checked.text, text.get(copied..tag.at.start));
        checked.text.push_str(&written);
        copied = tag.at.end;
    }
    push_defused(&mut checked.text, text.get(copied..));
    checked
}

/// A text on one line that nobody takes for a tag, cut to a length.
pub fn untagged(text: &str, most: usize) -> String {
    let plain: String = visible(text)
        .chars()
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .filter(|sign| !matches!(sign, '[' | ']'))
        .collect();
    let mut shown = String::new();
    push_defused(&mut shown, Some(&plain));
    if !tags(&shown).is_empty() {
        shown.retain(|sign| !BRACKETS.iter().any(|(open, _)| *open == sign));
    }
    let words: Vec<_> = shown.split_whitespace().collect();
    let mut shown = words.join(" ");
    if let Some((cut, _)) = shown.char_indices().nth(most) {
        let last = shown
            .get(..cut)
            .and_then(|kept| kept.char_indices().next_back());
        shown.truncate(last.map_or(cut, |(last, _)| last));
        shown.push('…');
    }
    shown
}

/// The beginning of a tag: its bracket and its word.
struct Head {
    word: TagWord,
    at: Range<usize>,
    brackets: (char, char),
}

fn heads(text: &str) -> Vec<Head> {
    let mut heads: Vec<Head> = Vec::new();
    for (start, sign) in text.char_indices() {
        // Of `[(CONFIRMED` the outer bracket counts.
        let free = heads.last().is_none_or(|head| head.at.end <= start);
        let pair = BRACKETS.into_iter().find(|(open, _)| *open == sign && free);
        heads.extend(pair.and_then(|pair| head_at(text, start, pair)));
    }
    heads
}

fn head_at(text: &str, start: usize, brackets: (char, char)) -> Option<Head> {
    let (open, _) = brackets;
    let inner = rest(text, start).strip_prefix(open)?;
    let (offset, _) = inner
        .char_indices()
        .take(MARKUP_MOST + 1)
        .take_while(|(_, sign)| *sign != '[' && !BRACKETS.iter().any(|(_, close)| close == sign))
        .find(|(_, sign)| sign.is_alphanumeric())?;
    let Word { word, at, shouted } = word_at(text, start + open.len_utf8() + offset)?;
    // "(confirmed by the owner)" is a remark.
    let cited = via(rest(text, at.end));
    let cites = |said: &str| {
        let said = said.trim_start_matches(':').split_whitespace().next();
        said.is_some_and(|said| read_cite(said) != Cite::Unknown)
    };
    let meant = open == '[' || cited.is_some_and(|said| shouted || cites(said));
    meant.then_some(Head {
        word,
        at: start..at.end,
        brackets,
    })
}

/// A head with what follows it, which reaches to the next head at most.
fn whole_tag<'t>(text: &'t str, head: &Head, end: usize) -> Tag<'t> {
    let end = text.floor_char_boundary(end.min(head.at.end.saturating_add(TAG_MOST)));
    let body = text.get(head.at.end..end).unwrap_or_default();
    let body = body.split_once("\n\n").map_or(body, |(first, _)| first);
    // A quote that is never closed is no quote: the tag is read again without.
    let closed = closing(body, head.brackets, true);
    let closed = closed.or_else(|| closing(body, head.brackets, false));
    let said = closed.and_then(|closed| body.get(..closed));
    Tag {
        word: head.word,
        source: match head.word {
            TagWord::Confirmed | TagWord::Refuted => said.and_then(behind_via),
            TagWord::Unverified => None,
        },
        at: head.at.start..closed.map_or(head.at.end, |closed| {
            head.at.end + closed + head.brackets.1.len_utf8()
        }),
    }
}

/// Where the bracket is that closes a tag.
fn closing(body: &str, (opens, closes): (char, char), quotes: bool) -> Option<usize> {
    let (mut open, mut from) = (1_u32, 0);
    for (at, sign) in body
        .char_indices()
        .filter(|(_, sign)| !sign.is_alphanumeric())
    {
        if at < from {
            continue;
        }
        if sign == opens {
            open = open.saturating_add(1);
        } else if sign == closes {
            open = open.saturating_sub(1);
        } else if quotes {
            from = quote_end(body, at).unwrap_or(from);
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

fn behind_via(said: &str) -> Option<&str> {
    let source = via(said)?.trim_start_matches(':').trim();
    source.contains(char::is_alphanumeric).then_some(source)
}

/// What follows the word `via`, if that is the next.
fn via(said: &str) -> Option<&str> {
    let said = said.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let (word, rest) = said.split_at_checked("via".len())?;
    let via = word.eq_ignore_ascii_case("via") && !rest.starts_with(char::is_alphanumeric);
    via.then_some(rest)
}

/// A reason that is short, one line, holds no tag and is no citation.
fn tidy_reason(reason: &str) -> String {
    let mut reason = untagged(reason, REASON_MOST);
    if reason.is_empty() {
        "not found".clone_into(&mut reason);
    } else if read_cite(&reason) != Cite::Unknown {
        reason.insert_str(0, "not found: ");
    }
    let mut reason = untagged(&reason, REASON_MOST);
    // The word of a tag behind any bracket would be a tag's beginning, closed by the bracket of ours.
    if words(&reason).next().is_some() {
        reason.retain(|sign| !BRACKETS.iter().any(|(open, _)| *open == sign));
    }
    reason
}

fn unverified(reason: &str) -> String {
    format!("[UNVERIFIED: {reason}]")
}

/// True for a text that is one tag with its source and nothing else.
fn is_tag(text: &str) -> bool {
    match tags(text).as_slice() {
        [tag] => tag.source.is_some() && tag.at == (0..text.len()),
        _ => false,
    }
}

/// Copies what is no tag, with the words of tags in lower case where they are shouted.
fn push_defused(target: &mut String, text: Option<&str>) {
    let text = text.unwrap_or_default();
    let mut copied = 0;
    for word in words(text).filter(|word| word.shouted) {
        target.push_str(text.get(copied..word.at.start).unwrap_or_default());
        target.push_str(&word.word.word().to_lowercase());
        copied = word.at.end;
    }
    target.push_str(rest(text, copied));
}

fn rest(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
#[path = "tags_tests.rs"]
mod tests;
