//! What Rust code takes in from other files, and what of it is only there for tests.

use super::code::Token;

/// The most tokens of an attribute before what it is asked for.
const MAX_ATTRIBUTE: usize = 200;

/// A file that another one makes its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    /// `mod name;`
    Module { name: String, line: u32 },
    /// `#[path = "…"]` or `include!("…")`.
    File { path: String, line: u32 },
    /// `include!` of something that is put together when it is compiled.
    Unclear { line: u32 },
}

/// Which files these tokens take in.
pub(super) fn taken_files(tokens: &[Token<'_>]) -> Vec<Taken> {
    let mut taken = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead);
        let next_is = |ahead: usize, text: &str| next(ahead).is_some_and(|token| token.is(text));
        let line = token.line;
        if token.is("mod") && next_is(2, ";") {
            taken.extend(next(1).map(|name| Taken::Module {
                name: name.text.trim_start_matches("r#").to_owned(),
                line,
            }));
        } else if token.is("path") && next_is(1, "=") && is_attribute(tokens, at) {
            let file = next(2).and_then(Token::said);
            taken.push(file.map_or(Taken::Unclear { line }, |path| Taken::File {
                path: path.to_owned(),
                line,
            }));
        } else if token.is("include") && next_is(1, "!") {
            let alone = next(4).is_none_or(|token| token.is(")") || token.is("]") || token.is("}"));
            let file = next(3).and_then(Token::said).filter(|_| alone);
            taken.push(file.map_or(Taken::Unclear { line }, |path| Taken::File {
                path: path.to_owned(),
                line,
            }));
        }
    }
    taken
}

/// True inside the brackets of `#[…]`, also below `cfg_attr`.
fn is_attribute(tokens: &[Token<'_>], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    let mut closed = 0_u32;
    for (place, token) in before.iter().enumerate().rev().take(MAX_ATTRIBUTE) {
        if token.is("]") {
            closed += 1;
        } else if token.is("[") && closed > 0 {
            closed -= 1;
        } else if token.is("[") {
            let mark = place.checked_sub(1).and_then(|place| before.get(place));
            return mark.is_some_and(|mark| mark.is("#") || mark.is("!"));
        }
    }
    false
}

/// The tokens without the items that are only compiled for tests.
pub(super) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let ahead = tokens.get(at..at + MARK.len()).unwrap_or_default();
        let is_mark = ahead.len() == MARK.len() && ahead.iter().zip(MARK).all(|(a, b)| a.is(b));
        if is_mark {
            at = end_of_item(tokens, at + MARK.len());
        } else {
            kept.push(*token);
            at += 1;
        }
    }
    kept
}

/// The place after the item that begins here.
fn end_of_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0_u32;
    for (ahead, token) in tokens.iter().enumerate().skip(start) {
        if token.is("{") || token.is("(") || token.is("[") {
            depth += 1;
        } else if token.is("}") || token.is(")") || token.is("]") {
            depth = depth.saturating_sub(1);
            if depth == 0 && token.is("}") {
                return ahead + 1;
            }
        } else if depth == 0 && token.is(";") {
            return ahead + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
#[path = "rust_items_tests.rs"]
mod tests;
