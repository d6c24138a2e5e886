//! What words look like: names, holders, many of something.

use crate::design::Kind;
use crate::understand::dictionary;
use crate::understand::words::{Link, Words, is_plural, singular};

const MOST_NAME_WORDS: usize = 3;

pub(super) fn is(list: &'static str, word: &str) -> bool {
    Words(list).contains(word)
}

pub(super) fn is_telling(holder: &str) -> bool {
    Words("telling").pair(holder).is_some()
}

/// True for "my neighbours" or "friends", but not for something to do.
pub(super) fn is_somebody(words: &[&str]) -> bool {
    matches!(words, [first, ..] if is("fillers", first))
        || matches!(words, [only] if is_plural(only))
}

/// True for a link after which it is said what is kept.
pub(super) fn explains(link: Link) -> bool {
    matches!(link, Link::With | Link::Colon | Link::Of | Link::By)
}

/// True if the word stands behind an article: "a log".
pub(super) fn articled(said: &[&str], word: &str) -> bool {
    let mut pairs = said.windows(2);
    pairs.any(|pair| matches!(pair, [article, own] if is("articles", article) && *own == word))
}

/// True for many of something that is no field.
pub(super) fn names_entity(word: &str) -> bool {
    let one = singular(word);
    let field =
        dictionary::field(&one).kind != Kind::Text || is("tags", word) || is("totals", word);
    is_plural(word) && (dictionary::known(&one).is_some() || !field)
}

pub(super) fn without<'a>(words: &[&'a str], dropped: &'static str) -> Vec<&'a str> {
    words
        .iter()
        .copied()
        .filter(|word| !is(dropped, word))
        .collect()
}

pub(super) fn is_name(words: &[&str]) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits = |word: &&str| {
        let letter = word.starts_with(|c: char| c.is_ascii_lowercase());
        letter && !is("no-names", word) && word.chars().all(plain)
    };
    (1..=MOST_NAME_WORDS).contains(&words.len()) && words.iter().all(fits)
}

/// `due dates` → `due-date`.
pub(super) fn kebab(words: &[&str]) -> String {
    let Some((last, before)) = words.split_last() else {
        return String::new();
    };
    let before: String = before.iter().map(|word| format!("{word}-")).collect();
    before + &singular(last)
}
