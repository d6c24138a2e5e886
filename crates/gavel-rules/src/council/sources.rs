//! The citations of a tag that names several.

use super::cites::{Cite, read_cite};
use super::quotes::quote_end;
use super::tags::Tag;

/// The sources of a tag, which may name several: `a.rs:1; memory:x and tool:2`.
///
/// A tag holds only if every one of them holds. Separators within quoted words separate nothing,
/// and neither does the comma of `a.rs:1, 5-7`.
pub fn sources<'t>(tag: &Tag<'t>) -> Vec<&'t str> {
    tag.source.map(cited).unwrap_or_default()
}

/// The citations of a text that names several, as a tag does behind `via`.
pub fn cited(source: &str) -> Vec<&str> {
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
///
/// A semicolon always separates. A comma and an `and` may begin a remark: they separate what
/// looks like a citation from what stands before it.
fn separator(source: &str, at: usize) -> Option<usize> {
    let rest = source.get(at..)?;
    let spaced = source.get(..at)?.rsplit(char::is_whitespace).next();
    let in_address = spaced.is_some_and(|word| word.contains("://"));
    if let Some(behind) = rest.strip_prefix([';', ',']) {
        let ends = !in_address || behind.starts_with(char::is_whitespace);
        let behind = after_and(behind).unwrap_or(behind);
        let separates = ends && (rest.starts_with(';') || begins_citation(behind));
        return separates.then(|| rest.len() - behind.len());
    }
    let behind = after_and(rest)?;
    begins_citation(behind).then(|| rest.len() - behind.len())
}

fn after_and(text: &str) -> Option<&str> {
    const AND: &str = " and ";
    let (word, rest) = text.split_at_checked(AND.len())?;
    word.eq_ignore_ascii_case(AND).then_some(rest)
}

/// Whether the next word looks like a citation, well made or not. Lines alone belong to the file
/// before them.
fn begins_citation(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches(['.', ',', ';', ':', ')']);
    word.contains(['/', ':', '.']) || read_cite(word) != Cite::Unknown
}

#[cfg(test)]
#[path = "sources_tests.rs"]
mod tests;
