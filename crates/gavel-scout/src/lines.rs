//! Small readings of lines that all parsers share: numbers of lines, what stands in quotes, keys.

use std::collections::HashMap;

/// A number of things; more than fit are as many as fit.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The lines of a text with their numbers, from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1_u32..).zip(text.lines())
}

/// The line in which an offset lies, from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    count(before.iter().filter(|byte| **byte == b'\n').count() + 1)
}

/// The content of the first string at or behind an offset, if nothing but spaces stands before it.
pub(crate) fn string_at(text: &str, offset: usize) -> Option<&str> {
    let rest = text.get(offset..)?.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inside = rest.get(1..)?;
    let end = inside.find([quote, '\n'])?;
    inside.get(end..)?.starts_with(quote).then_some(())?;
    inside.get(..end)
}

/// All strings of a line, in quotes of both kinds.
pub(crate) fn strings_of(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let Some(text) = string_at(rest, at) else {
            break;
        };
        found.push(text);
        rest = rest.get(at + text.len() + 2..).unwrap_or_default();
    }
    found
}

/// The word at the beginning of a text: letters, digits, underscores.
pub(crate) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

/// Where each key of a JSON text stands first, by the key; and behind an offset of lines.
#[derive(Debug)]
pub(crate) struct JsonKeys<'a>(HashMap<&'a str, Vec<u32>>);

impl<'a> JsonKeys<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let mut keys: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, line) in numbered(text) {
            let mut rest = line;
            // Several keys may stand in one line.
            while let Some(at) = rest.find('"') {
                let Some(key) = string_at(rest, at) else {
                    break;
                };
                rest = rest.get(at + key.len() + 2..).unwrap_or_default();
                if rest.trim_start().starts_with(':') {
                    keys.entry(key).or_default().push(number);
                }
            }
        }
        Self(keys)
    }

    /// The first line with the key.
    pub(crate) fn first(&self, key: &str) -> u32 {
        self.after(key, 0)
    }

    /// The first line with the key behind a line; line 1 where none is known.
    pub(crate) fn after(&self, key: &str, line: u32) -> u32 {
        let lines = self.0.get(key).map(Vec::as_slice).unwrap_or_default();
        let behind = lines.iter().find(|found| **found >= line);
        behind.or(lines.first()).copied().unwrap_or(1)
    }
}

/// `1`, `1.2`, `1.2.3-beta`: the numbers at the beginning.
pub(crate) fn version_numbers(version: &str) -> Vec<u64> {
    let version = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let parts = version.split(['.', '-', '+', ' ', ',']);
    let numbers = parts.map_while(|part| part.parse::<u64>().ok());
    numbers.take(4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_words_are_read() {
        assert_eq!(string_at("f( \"a\")", 2), Some("a"));
        assert_eq!(string_at("f(a)", 2), None);
        assert_eq!(string_at("\"open\n\"", 0), None);
        assert_eq!(strings_of("x 'a', \"b\" c"), ["a", "b"]);
        assert_eq!(word("abc_1(x)"), "abc_1");
        assert_eq!(line_at("a\nb\nc", 4), 3);
        assert_eq!(version_numbers("^1.20.3-beta"), [1, 20, 3]);
        let keys = JsonKeys::of("{\n\"a\": {\"b\": 1},\n\"b\": \"a\"\n}");
        assert_eq!((keys.first("a"), keys.first("b")), (2, 2));
        assert_eq!(keys.after("b", 3), 3);
    }
}
