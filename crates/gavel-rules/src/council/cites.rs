//! What a citation names. Whether it is there, is for others to find out.

use super::quotes::{is_quotation_mark, whole_quote};

/// What a citation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cite {
    /// Lines of a file, counted from one: `src/lib.rs:12`, `src/lib.rs:12-20`.
    File {
        /// The path, as it was written, without a leading `./`.
        path: String,
        /// The first line.
        from: u32,
        /// The last line; the first, where only one is named.
        to: u32,
    },
    /// An item of project memory: `memory:ID`, or the id alone.
    Memory(String),
    /// A result of a tool, counted from one: `tool:3`.
    Tool(u32),
    /// The answer to a question: `answer:ID`.
    Answer(String),
    /// The topic itself: `idea`. It is what is asked and shows nothing.
    Idea,
    /// An address on the web.
    Url(String),
    /// None of these.
    Unknown,
}

/// What stands behind a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behind {
    /// Nothing that says anything.
    Nothing,
    /// Words in quotation marks, and nothing else: they are said to stand there.
    Quote(String),
    /// Other words, or a quote that is not closed.
    Words(String),
}

impl Cite {
    /// How it is written, whoever wrote it how; nothing for what is no citation.
    pub fn written(&self) -> Option<String> {
        match self {
            Self::File { path, from, to } if from == to => Some(format!("{path}:{from}")),
            Self::File { path, from, to } => Some(format!("{path}:{from}-{to}")),
            Self::Memory(id) => Some(format!("memory:{id}")),
            Self::Tool(number) => Some(format!("tool:{number}")),
            Self::Answer(id) => Some(format!("answer:{id}")),
            Self::Idea => Some("idea".to_owned()),
            Self::Url(url) => Some(url.clone()),
            Self::Unknown => None,
        }
    }
}

/// Reads what a citation names. Signs that wrap it do not matter.
pub fn read_cite(text: &str) -> Cite {
    read(text).0
}

/// Reads what stands behind what a citation names.
pub fn read_behind(text: &str) -> Behind {
    let (cite, behind) = read(text);
    match cite {
        Cite::Unknown => Behind::Nothing,
        Cite::File { .. }
        | Cite::Memory(_)
        | Cite::Tool(_)
        | Cite::Answer(_)
        | Cite::Idea
        | Cite::Url(_) => said_behind(behind),
    }
}

/// What a text names, and the rest of it.
fn read(text: &str) -> (Cite, &str) {
    let text = unwrapped(text);
    // `memory:x` "words": the ticks are no part of it.
    let bare = text.trim_start_matches('`');
    let (cite, behind) = read_bare(bare).unwrap_or((Cite::Unknown, ""));
    let ticked = bare.len() < text.len();
    (
        cite,
        if ticked {
            behind.trim_start_matches('`')
        } else {
            behind
        },
    )
}

fn read_bare(text: &str) -> Option<(Cite, &str)> {
    if let Some(id) = behind(text, "memory:") {
        let (id, rest) = first_word(id)?;
        return Some((Cite::Memory(id.to_owned()), rest));
    }
    if let Some(id) = behind(text, "answer:") {
        let (id, rest) = first_word(id)?;
        return Some((Cite::Answer(id.to_owned()), rest));
    }
    if let Some(number) = behind(text, "tool:") {
        let (number, rest) = first_word(number)?;
        let number = number.trim_start_matches('#').parse().ok();
        return Some((Cite::Tool(number.filter(|number| *number > 0)?), rest));
    }
    if ["https://", "http://"]
        .iter()
        .any(|scheme| behind(text, scheme).is_some())
    {
        let (url, rest) = first_word(text)?;
        return Some((Cite::Url(url.to_owned()), rest));
    }
    let (word, rest) = first_word(text)?;
    if word.eq_ignore_ascii_case("idea") {
        return Some((Cite::Idea, rest));
    }
    if is_bare_id(word) {
        return Some((Cite::Memory(word.to_owned()), rest));
    }
    read_file(behind(text, "file:").unwrap_or(text))
}

/// What a text behind a citation says.
fn said_behind(text: &str) -> Behind {
    let joins = |sign: char| sign.is_whitespace() || ":,-–—=".contains(sign);
    let text = text.trim_start_matches(joins);
    let text = text.trim_end_matches(|sign: char| sign.is_whitespace() || ".,;".contains(sign));
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let text = inner.unwrap_or(text).trim();
    match whole_quote(text).map(without_dots) {
        Some("") => Behind::Nothing,
        Some(words) => Behind::Quote(words.to_owned()),
        None if text.contains(char::is_alphanumeric) => Behind::Words(text.to_owned()),
        None => Behind::Nothing,
    }
}

/// Quoted words without the dots that say that more stands there.
fn without_dots(words: &str) -> &str {
    let words = words.trim().trim_matches('…').trim();
    let words = words.strip_prefix("...").unwrap_or(words);
    words.strip_suffix("...").unwrap_or(words).trim()
}

fn read_file(text: &str) -> Option<(Cite, &str)> {
    let (path, rest) = text.match_indices([':', '#']).find_map(|(at, sign)| {
        let rest = text.get(at + sign.len()..)?;
        let lines = rest.strip_prefix(['L', 'l']).unwrap_or(rest);
        let starts = lines.starts_with(|sign: char| sign.is_ascii_digit());
        starts.then_some((text.get(..at)?, rest))
    })?;
    let path = path.trim_matches(|sign| matches!(sign, '`' | '"'));
    let path = path.strip_prefix("./").unwrap_or(path);
    let spaced = path.contains(char::is_whitespace);
    if path.is_empty() || spaced || path.contains("://") {
        return None;
    }
    let ((from, to), behind) = read_lines(rest)?;
    let path = path.to_owned();
    Some((Cite::File { path, from, to }, behind))
}

/// The first and the last of the lines that a text begins with, and what follows them.
fn read_lines(text: &str) -> Option<((u32, u32), &str)> {
    let lines = |sign: char| {
        sign.is_ascii_digit() || matches!(sign, 'L' | 'l' | '-' | '–' | ',' | ':' | ' ')
    };
    let end = text.find(|sign| !lines(sign)).unwrap_or(text.len());
    let (list, behind) = text.split_at_checked(end)?;
    let list = list.trim_end_matches([' ', '-', '–', ',', ':']);
    let (mut first, mut last) = (u32::MAX, 0);
    for part in list.split([',', ' ']).filter(|part| !part.is_empty()) {
        // What follows a second colon is a column.
        let part = part.split(':').next().unwrap_or(part);
        let (from, to) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (from, to) = (line(from)?, line(to)?);
        if from > to {
            return None;
        }
        (first, last) = (first.min(from), last.max(to));
    }
    (last > 0).then_some(((first, last), behind))
}

fn line(text: &str) -> Option<u32> {
    let digits = text.trim_start_matches(['L', 'l']);
    digits.parse().ok().filter(|line| *line > 0)
}

/// A citation without the signs that wrap it.
fn unwrapped(text: &str) -> &str {
    let mut text = text.trim().trim_end_matches('.');
    for (open, close) in [('`', '`'), ('(', ')'), ('<', '>'), ('"', '"'), ('“', '”')] {
        let inner = text
            .strip_prefix(open)
            .and_then(|text| text.strip_suffix(close));
        let inner = inner.filter(|inner| !inner.contains([open, close]));
        text = inner.unwrap_or(text).trim();
    }
    text.trim_end_matches('.').trim_end()
}

fn behind<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix)
        .then(|| rest.trim_start())
}

/// The first word of a text without the signs that end a sentence, and what follows it.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let ends =
        |sign: char| sign.is_whitespace() || matches!(sign, '(' | '<') || is_quotation_mark(sign);
    let end = text.find(ends).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    let word = word.trim_end_matches(['.', ',', ';', ')', '>']);
    (!word.is_empty()).then_some((word, rest))
}

/// Ids have letters and digits in them; a word that has not is a word.
fn is_bare_id(text: &str) -> bool {
    let signs = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    text.chars().all(signs)
        && text.contains(|sign: char| sign.is_ascii_digit())
        && text.contains(|sign: char| sign.is_ascii_alphabetic())
}

#[cfg(test)]
#[path = "cites_tests.rs"]
mod tests;
