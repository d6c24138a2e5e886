//! From texts to the terms that search compares: the same for what is looked for and for what is
//! found.
//!
//! Words of any script in lower case, without the most common ones. A word of several parts
//! (`http_client`, `HttpClient`) gives itself and its parts; one with accents gives itself and its
//! plain form; an English one loses its ending. A name with an ending or a version (`PostgreSQL`,
//! `sqlite3`) gives itself and the name without it, and one capital that stands alone is a name (`C`).
//! Scripts without spaces give pairs of neighbours.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use gavel_rules::council::short_forms;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Nobody looks for longer words; what is longer is data.
const MAX_WORD_CHARS: usize = 48;

const STOP_WORDS: &str = "a about after all also an and any are as at be because been before but by \
    can could did do does for from had has have how i if in into is it its just may more most must \
    my no not of on only or our out over should so some such than that the their them then there \
    these they this to too up use used was we were what when where which while who why will with \
    would you your \
    và của là cho các những một được trong với không này đó \
    der die das und ein eine ist mit für von zu \
    le la les un une des et est pour dans avec du \
    el los las una y es para con en del que";

/// Endings of names that are often left out: `postgres` for `postgresql`, `mongo` for `mongodb`.
const NAME_ENDINGS: [&str; 3] = ["ql", "db", "js"];
/// A shorter beginning is a name of its own.
const LEAST_NAME: usize = 3;

/// The terms of a text, in its order, repeated as they are.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_term(text, |term| found.push(term.to_owned()));
    found
}

/// Gives each term of a text away, in its order, repeated as they are. Most terms are parts of the
/// text as it stands, and cost nothing.
pub(crate) fn each_term(text: &str, mut take: impl FnMut(&str)) {
    if text.is_ascii() {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| !word.is_empty()) {
            take_word(word, &mut take);
        }
        return;
    }
    // One spelling of each letter, however it was typed.
    let text: String = text.nfkc().collect();
    for word in text.split(|c: char| !is_part(c)) {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let dense = is_dense(first);
            let end = rest.find(|c| is_dense(c) != dense).unwrap_or(rest.len());
            let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if dense {
                pairs(run).iter().for_each(|pair| take(pair));
            } else {
                take_word(run, &mut take);
            }
            rest = after;
        }
    }
}

/// The terms of one word of a query: any of the spellings alone stands for the word, and of its parts
/// all of them together.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct WordTerms {
    pub(crate) spellings: Vec<String>,
    pub(crate) parts: Vec<String>,
}

/// The terms of each word of a text, with the common short forms of names.
pub(crate) fn word_terms(text: &str, mut take: impl FnMut(WordTerms)) {
    let text: Cow<'_, str> = match text.is_ascii() {
        true => text.into(),
        false => text.nfkc().collect::<String>().into(),
    };
    let words = text.split(|c: char| !is_part(c));
    for word in words.filter(|word| !word.is_empty()) {
        if !word.is_ascii() {
            each_term(word, |term| {
                take(WordTerms {
                    spellings: vec![term.to_owned()],
                    parts: Vec::new(),
                });
            });
            continue;
        }
        let mut terms = WordTerms::default();
        let whole = word.trim_matches('_');
        if parts(whole).len() > 1 {
            let lower = whole.to_lowercase();
            terms.parts = parts(whole).into_iter().flat_map(self::terms).collect();
            terms.spellings = vec![lower.clone()];
            terms
                .spellings
                .extend(bare_name(&lower).map(|name| stem(name).into_owned()));
        } else {
            terms.spellings = self::terms(word);
        }
        if terms.spellings.is_empty() {
            continue;
        }
        for form in short_forms(&whole.to_lowercase()) {
            for spelled in self::terms(form) {
                if !terms.spellings.contains(&spelled) {
                    terms.spellings.push(spelled);
                }
            }
        }
        take(terms);
    }
}

/// The term of a path as a whole, with which nothing else is mistaken for it.
pub(crate) fn path_term(path: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let path: String = path
        .nfkc()
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect();
    format!("p__{path}")
}

/// Every term of a word: itself, and its parts where it has some.
fn take_word(word: &str, take: &mut impl FnMut(&str)) {
    let word = word.trim_matches('_');
    if word.is_empty() || word.chars().count() > MAX_WORD_CHARS {
        return;
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if word.bytes().all(plain) {
        return take_simple(word, take);
    }
    let parts = parts(word);
    if parts.len() > 1 {
        let whole = word.to_lowercase();
        take(&whole);
        if let Some(name) = bare_name(&whole) {
            take_simple(name, take);
        }
        for part in parts {
            take_simple(&part.to_lowercase(), take);
        }
    } else if let [letter @ b'A'..=b'Z'] = word.as_bytes() {
        take_capital(*letter, take);
    } else {
        take_simple(&word.to_lowercase(), take);
    }
}

/// A capital that stands alone, but for those that are words.
fn take_capital(letter: u8, take: &mut impl FnMut(&str)) {
    if !matches!(letter, b'A' | b'I') {
        take(&char::from(letter).to_ascii_lowercase().to_string());
    }
}

/// A name without its ending or its version: `postgres` of `postgresql`, `sqlite` of `sqlite3`.
fn bare_name(word: &str) -> Option<&str> {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let cut = match bare.len() == word.len() {
        true => NAME_ENDINGS
            .iter()
            .find_map(|ending| word.strip_suffix(ending)),
        false => Some(bare.strip_suffix('v').unwrap_or(bare)),
    };
    let is_name = |name: &&str| {
        name.len() >= LEAST_NAME && name.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    cut.filter(is_name)
}

fn take_simple(word: &str, take: &mut impl FnMut(&str)) {
    if word.len() <= 1 || is_common(word) {
        return;
    }
    if word.is_ascii() {
        take(&stem(word));
        if let Some(name) = bare_name(word) {
            take(&stem(name));
        }
        return;
    }
    let plain = plain(word);
    if plain != word {
        take(&if plain.is_ascii() {
            stem(&plain)
        } else {
            plain.as_str().into()
        });
    }
    take(word);
}

/// The parts of a name as programs have them: at underscores, and where a capital begins.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (place, c) in word.char_indices() {
        let begins = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if (begins || c == '_') && start < place {
            parts.extend(word.get(start..place));
            start = place;
        }
        if c == '_' {
            start = place + 1;
        }
        before = Some(c);
    }
    parts.extend(word.get(start..).filter(|rest| !rest.is_empty()));
    parts
}

/// Without accents. Other signs than accents belong to their letters and stay.
fn plain(word: &str) -> String {
    let letters = word.nfd().filter(|c| !matches!(c, '\u{300}'..='\u{36f}'));
    let letters = letters.map(|c| match c {
        'đ' => 'd',
        'ł' => 'l',
        'ø' => 'o',
        'ı' => 'i',
        other => other,
    });
    let plain: String = letters.nfc().collect();
    plain
        .replace('ß', "ss")
        .replace('æ', "ae")
        .replace('œ', "oe")
}

fn is_common(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    let words = WORDS.get_or_init(|| STOP_WORDS.split_ascii_whitespace().collect());
    words.contains(word)
}

/// What the forms of an English word have in common: `caches`, `cached` and `caching` are `cach`.
/// A word of another language loses as little as it has such endings, and does so everywhere.
fn stem(word: &str) -> Cow<'_, str> {
    // What is made anew ends in `y`, and has no ending to lose.
    let base = match singular(word) {
        Cow::Borrowed(singular) => without_ending(singular).unwrap_or(Cow::Borrowed(singular)),
        made => made,
    };
    match base {
        Cow::Borrowed(base) => match base.strip_suffix('e') {
            Some(stem) if stem.len() > 3 => stem.into(),
            _ => base.into(),
        },
        made => made,
    }
}

/// Takes a plural back, where it is most likely one.
fn singular(word: &str) -> Cow<'_, str> {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let hissing = ["sses", "xes", "ches", "shes"]
        .iter()
        .any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix("es")) {
        (Some(stem), _) if word.len() > 4 => format!("{stem}y").into(),
        (None, Some(stem)) if hissing && word.len() > 4 => stem.into(),
        _ => match word.strip_suffix('s') {
            Some(stem) if word.len() > 3 && !kept => stem.into(),
            _ => word.into(),
        },
    }
}

/// Takes `ing`, `ed` and `ied` back, where a word is left.
fn without_ending(word: &str) -> Option<Cow<'_, str>> {
    if word.ends_with("eed") {
        return None;
    }
    if let Some(stem) = word.strip_suffix("ied").filter(|stem| stem.len() > 1) {
        return Some(format!("{stem}y").into());
    }
    let stem = word
        .strip_suffix("ing")
        .or_else(|| word.strip_suffix("ed"))?;
    let spoken = stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if stem.len() < 3 || !spoken {
        return None;
    }
    let mut ends = stem.chars().rev();
    let (last, before) = (ends.next(), ends.next());
    let doubled = last == before && !matches!(last, Some('l' | 's' | 'z'));
    let end = stem.len() - usize::from(doubled);
    stem.get(..end).map(Cow::Borrowed)
}

fn pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    if letters.len() == 1 {
        return vec![run.to_owned()];
    }
    letters
        .windows(2)
        .map(|pair| pair.iter().collect())
        .collect()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Scripts that put no spaces between words.
const fn is_dense(c: char) -> bool {
    matches!(
        c,
        '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
#[path = "terms_tests.rs"]
mod tests;
