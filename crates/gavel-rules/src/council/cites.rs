//! What a citation names. Whether it is there, is for others to find out.

use super::quotes::quoted;

/// What a citation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cite {
    /// Lines of a file, counted from one: `src/lib.rs:12`, `src/lib.rs:12-20 "fn main"`.
    File {
        /// The path, as it was written, without a leading `./`.
        path: String,
        /// The first line.
        from: u32,
        /// The last line; the first, where only one is named.
        to: u32,
        /// The words that are said to stand there.
        quote: Option<String>,
    },
    /// An item of project memory: `memory:ID`, or the id alone.
    Memory(String),
    /// A result of a tool, counted from one: `tool:3`.
    Tool(u32),
    /// The answer to a question: `answer:ID`.
    Answer(String),
    /// The topic itself: `idea`.
    Idea,
    /// An address on the web.
    Url(String),
    /// None of these.
    Unknown,
}

/// Reads a citation. Signs that wrap it and remarks behind it do not matter.
pub fn read_cite(text: &str) -> Cite {
    let text = unwrapped(text);
    if text.eq_ignore_ascii_case("idea") {
        return Cite::Idea;
    }
    if let Some(id) = behind(text, "memory:") {
        return first_word(id).map_or(Cite::Unknown, |id| Cite::Memory(id.to_owned()));
    }
    if let Some(id) = behind(text, "answer:") {
        return first_word(id).map_or(Cite::Unknown, |id| Cite::Answer(id.to_owned()));
    }
    if let Some(number) = behind(text, "tool:") {
        let number = first_word(number).and_then(|word| word.trim_start_matches('#').parse().ok());
        return number
            .filter(|number| *number > 0)
            .map_or(Cite::Unknown, Cite::Tool);
    }
    if behind(text, "https://")
        .or_else(|| behind(text, "http://"))
        .is_some()
    {
        return first_word(text).map_or(Cite::Unknown, |url| Cite::Url(url.to_owned()));
    }
    if is_bare_id(text) {
        return Cite::Memory(text.to_owned());
    }
    read_file(behind(text, "file:").unwrap_or(text)).unwrap_or(Cite::Unknown)
}

/// The words that a citation of any form puts in quotation marks.
pub fn quoted_words(text: &str) -> Option<&str> {
    let words = quoted(text.trim())?.trim();
    let words = words.trim_matches('…').trim();
    let words = words.strip_prefix("...").unwrap_or(words);
    let words = words.strip_suffix("...").unwrap_or(words).trim();
    (!words.is_empty()).then_some(words)
}

fn read_file(text: &str) -> Option<Cite> {
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
    let (lines, behind) = read_lines(rest)?;
    Some(Cite::File {
        path: path.to_owned(),
        from: lines.0,
        to: lines.1,
        quote: quoted_words(behind).map(str::to_owned),
    })
}

/// The first and the last of the lines that a text begins with, and what follows them.
fn read_lines(text: &str) -> Option<((u32, u32), &str)> {
    let lines = |sign: char| {
        sign.is_ascii_digit() || matches!(sign, 'L' | 'l' | '-' | '–' | ',' | ':' | ' ')
    };
    let end = text.find(|sign| !lines(sign)).unwrap_or(text.len());
    let (list, behind) = text.split_at_checked(end)?;
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
    (last > 0).then_some(((first, last), behind.trim_start_matches('`')))
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

fn first_word(text: &str) -> Option<&str> {
    let ends = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '“' | '`' | '(' | '<');
    let word = text.split(ends).next()?;
    let word = word.trim_end_matches(['.', ',', ';', ')', '>']);
    (!word.is_empty()).then_some(word)
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
