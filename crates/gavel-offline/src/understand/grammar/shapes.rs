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

/// True for "counts words": something that is done, and is not keeping.
pub(super) fn is_doing(words: &[&str]) -> bool {
    let words = without(words, "fillers");
    let keeps = |word: &str| {
        ["keeping", "enabling", "able", "holders"]
            .iter()
            .any(|list| is(list, word))
    };
    matches!(words.as_slice(), [first, _, ..] if first.ends_with('s') && !keeps(first) && !is("we", first))
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
pub(crate) fn names_entity(word: &str) -> bool {
    let one = singular(word);
    let field =
        dictionary::field(&one).kind != Kind::Text || is("tags", word) || is("totals", word);
    is_plural(word) && (dictionary::known(&one).is_some() || !field)
}

/// Words in -ing with fewer letters are things.
const SHORTEST_DOING: usize = 6;

/// True for "checking", not for "rating".
pub(super) fn is_gerund(word: &str) -> bool {
    word.ends_with("ing") && word.len() >= SHORTEST_DOING && !is("things-in-ing", word)
}

/// True for something to do: "printing on paper", "show unpaid".
pub(super) fn is_acting(words: &[&str]) -> bool {
    let first = words.first().copied().unwrap_or_default();
    is_gerund(first) || is("verbs", first)
}

/// True where words behind `for` name a place or a thing. Something to do, or other people, ask for more.
pub(crate) fn is_purpose(words: &[&str]) -> bool {
    let plain = without(words, "fillers");
    let people = plain.iter().any(|word| is("people", &singular(word)));
    plain.is_empty() || !people && is_name(&plain) && !is_acting(&plain)
}

/// True for "one entry": so many, and no more.
pub(super) fn is_counted(words: &[&str]) -> bool {
    let words: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !is("articles", word))
        .collect();
    matches!(words.as_slice(), [first, _, ..] if is("numbers", first))
}

/// True for words that no field has as its name: an order, a limit, a condition, something to do.
pub(super) fn is_no_field(words: &[&str]) -> bool {
    let (first, last) = (words.first().copied(), words.last().copied());
    let begins = |list| words.len() > 1 && first.is_some_and(|word| is(list, word));
    let ends = last.is_some_and(|word| {
        let closes = words.len() > 1 && ["first", "last"].contains(&word);
        is("limits", &singular(word)) || is("values", word) || closes
    });
    let acts = first.is_some_and(|word| is("verbs", word));
    let ordered = words.iter().any(|word| is("orders", word));
    // "tell" is nothing to know, either; "shows" and "work" may be.
    let alone = |word: &str| !is("verbs-as-names", word) && !is_plural(word);
    let acts = acts && (words.len() > 1 || last.is_some_and(alone));
    ends || ordered || begins("conditions") || begins("numbers") || acts || is_timing(words)
}

/// True for "stop work", not for "start date".
fn is_timing(words: &[&str]) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return false;
    };
    let moment = dictionary::field(&singular(last)).kind != Kind::Text || is("moments", last);
    words.len() > 1 && is("timing", first) && !moment
}

/// The same for a thing, whose name ends in a noun.
pub(super) fn is_no_thing(words: &[&str]) -> bool {
    let last = words.last().copied().unwrap_or_default();
    let said_of = last.ends_with("ed") && last.len() > 4 && !is("things-in-ed", last)
        || last.ends_with("ly") && !is("things-in-ly", last);
    let known = dictionary::known(&singular(last)).is_some();
    // "hours worked"
    let measured = words
        .first()
        .is_some_and(|word| dictionary::field(word).kind != Kind::Text);
    is_no_field(words) || words.len() > 1 && said_of && !known && !measured
}

/// True for "a rating" beside what is kept: one of it, or something that only a field holds.
pub(super) fn is_one_field(words: &[&str]) -> bool {
    let last = words.last().copied().unwrap_or_default();
    let named = without(words, "fillers");
    let holds = named
        .iter()
        .any(|word| is("holders", word) || is("keeping", word));
    let one = words.first().is_some_and(|word| ["a", "an"].contains(word)) && !is_plural(last);
    let typed = dictionary::field(&kebab(&named)).kind != Kind::Text;
    let known = dictionary::known(&singular(last)).is_some() && !one;
    !named.is_empty() && !holds && !known && (one || typed)
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
