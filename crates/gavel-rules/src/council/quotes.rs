//! Quoted words within a citation.

/// The signs that open and close quoted words. Several of them close with what opened.
const PAIRS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('`', '`'), ('«', '»'), ('\'', '\'')];

/// Where the quoted words end that begin at `at`, behind their closing sign; nothing when no
/// quote begins there, or when it is never closed.
///
/// Quoted words may hold the sign themselves, as code does (`"print("a, b")"`): a closing sign
/// that nothing or a space, comma, semicolon, full stop or bracket follows is preferred.
pub(super) fn quote_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let close = closing_sign(text.get(..at)?, rest.chars().next()?)?;
    let inner = rest.char_indices().skip(1);
    let mut ends = inner
        .filter(|(_, sign)| *sign == close)
        .map(|(offset, sign)| at + offset + sign.len_utf8())
        .filter(|end| close != '\'' || !followed_by(text, *end, char::is_alphanumeric));
    let mut looked = ends.clone();
    let clean = looked.find(|end| {
        text.len() == *end
            || followed_by(text, *end, |sign: char| {
                sign.is_whitespace() || matches!(sign, ',' | ';' | '.' | ']')
            })
    });
    clean.or_else(|| ends.next())
}

/// The words between the first opening sign of a text and the last sign that closes it.
pub(super) fn quoted(text: &str) -> Option<&str> {
    text.char_indices().find_map(|(at, sign)| {
        let close = closing_sign(text.get(..at)?, sign)?;
        let inner = text.get(at..)?.strip_prefix(sign)?;
        let (words, _) = inner.rsplit_once(close)?;
        Some(words)
    })
}

/// The sign that closes what this one opens. An apostrophe opens only behind a space.
fn closing_sign(before: &str, sign: char) -> Option<char> {
    let (_, close) = PAIRS.into_iter().find(|(open, _)| *open == sign)?;
    let opens = sign != '\'' || before.is_empty() || before.ends_with(char::is_whitespace);
    opens.then_some(close)
}

fn followed_by(text: &str, at: usize, sign: impl Fn(char) -> bool) -> bool {
    text.get(at..)
        .is_some_and(|rest| rest.starts_with(|next: char| sign(next)))
}
