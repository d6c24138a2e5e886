//! Quoted words within a citation.

/// Quotation marks by family. Languages open with what others close with, so any sign of a family
/// closes what another of it opened.
const FAMILIES: [&str; 5] = ["\"“”„‟″＂", "'‘’‚‛′＇", "«»‹›", "「」『』〝〞〟", "`"];

/// The family that also writes apostrophes.
const APOSTROPHES: &str = FAMILIES[1];

/// Where the quoted words end that begin at `at`, behind their closing sign; nothing when no
/// quote begins there, or when it is never closed.
///
/// Quoted words may hold the sign themselves, as code does (`"print("a, b")"`): a closing sign
/// that nothing or a space, comma, semicolon, full stop or bracket follows is preferred.
pub(super) fn quote_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let family = opened(text.get(..at)?, rest.chars().next()?)?;
    let inner = rest.char_indices().skip(1);
    let mut ends = inner
        .filter(|(_, sign)| family.contains(*sign))
        .map(|(offset, sign)| at + offset + sign.len_utf8())
        .filter(|end| family != APOSTROPHES || !followed_by(text, *end, char::is_alphanumeric));
    let mut looked = ends.clone();
    let clean = looked.find(|end| {
        text.len() == *end
            || followed_by(text, *end, |sign: char| {
                sign.is_whitespace() || matches!(sign, ',' | ';' | '.' | ']')
            })
    });
    clean.or_else(|| ends.next())
}

/// The words of a text that is one quote from its first sign to its last.
pub(super) fn whole_quote(text: &str) -> Option<&str> {
    let family = family(text.chars().next()?)?;
    let closed = text.strip_suffix(|sign| family.contains(sign))?;
    closed.strip_prefix(|sign| family.contains(sign))
}

/// True for a sign that opens or closes a quote wherever it stands.
pub(super) fn is_quotation_mark(sign: char) -> bool {
    family(sign).is_some_and(|family| family != APOSTROPHES)
}

fn family(sign: char) -> Option<&'static str> {
    FAMILIES.into_iter().find(|family| family.contains(sign))
}

/// The family of a sign that opens a quote. An apostrophe opens only behind a space.
fn opened(before: &str, sign: char) -> Option<&'static str> {
    let apart =
        before.is_empty() || before.ends_with(|sign: char| sign.is_whitespace() || sign == '(');
    family(sign).filter(|family| *family != APOSTROPHES || apart)
}

fn followed_by(text: &str, at: usize, sign: impl Fn(char) -> bool) -> bool {
    text.get(at..)
        .is_some_and(|rest| rest.starts_with(|next: char| sign(next)))
}
