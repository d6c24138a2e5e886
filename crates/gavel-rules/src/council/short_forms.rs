//! Short forms of names: a few that everybody writes, one rule that many follow, and those that a
//! text says itself.

use super::telling::Token;

/// Names that are commonly written shorter; each line is one thing.
const KNOWN: &[&[&str]] = &[
    &["c#", "csharp"],
    &["c++", "cpp"],
    &["javascript", "js"],
    &["typescript", "ts"],
    &["python", "py"],
    &["kubernetes", "kube", "k8s"],
    &["mongodb", "mongo"],
    &["postgresql", "postgres", "pg", "psql"],
    &["rabbitmq", "rabbit"],
];
/// What stands between two names of one thing where a text says so.
const SAYS_SO: [&str; 6] = [
    "aka",
    "also called",
    "also known as",
    "i e",
    "short for",
    "short form of",
];
/// A shorter word is no name that stands for another one.
const LEAST: usize = 2;

/// The other common spellings of a word in lower case.
pub fn short_forms(word: &str) -> Vec<&'static str> {
    let known = KNOWN.iter().find(|forms| forms.contains(&word));
    let forms = known.into_iter().flat_map(|forms| forms.iter());
    forms.filter(|form| **form != word).copied().collect()
}

/// True when the first word is a short form of the second: `pg` of `postgresql`, `k8s` of
/// `kubernetes`.
pub(super) fn is_short_form(short: &str, long: &str) -> bool {
    let both = |forms: &&&[&str]| forms.contains(&short) && forms.contains(&long);
    KNOWN.iter().any(|forms| both(&forms)) || is_numbered(short, long)
}

/// `i18n`: the first letter, how many are left out, and the last one.
fn is_numbered(short: &str, long: &str) -> bool {
    let mut letters = short.chars();
    let (Some(first), Some(last)) = (letters.next(), letters.next_back()) else {
        return false;
    };
    let left_out: Result<usize, _> = letters.as_str().parse();
    let same_ends = long.starts_with(first) && long.ends_with(last);
    let letters = long.chars().count();
    left_out.is_ok_and(|left_out| left_out > 1 && left_out + 2 == letters) && same_ends
}

/// What else a text calls something, where it says so: `PostgreSQL (PG)`, `MQ (message queue)`,
/// `Mongo, aka the lake`. The words of the text come with it, since a text may name a thing often; `from`
/// and `to` are the place of the name.
pub(super) fn called_too(
    (text, tokens): (&str, &[Token]),
    from: usize,
    to: usize,
) -> Option<String> {
    let name: Vec<&str> = tokens
        .get(from..to)?
        .iter()
        .map(|t| t.word.as_str())
        .collect();
    behind(text, (tokens, to), &name)
        .or_else(|| before(text, (tokens, from), &name))
        .or_else(|| said(text, (tokens, to)))
}

/// In brackets behind the name, and an abbreviation of it: `PostgreSQL (PG)`.
fn behind(text: &str, (tokens, to): (&[Token], usize), name: &[&str]) -> Option<String> {
    let (last, next) = (tokens.get(to.checked_sub(1)?)?, tokens.get(to)?);
    let opened = text.get(last.at.end..next.at.start)?.trim() == "(";
    let closed = text.get(next.at.end..)?.starts_with(')');
    (opened && closed && abbreviate(&next.word, name)).then(|| next.word.clone())
}

/// Before the name, which stands in brackets: `PG (PostgreSQL)`.
fn before(text: &str, (tokens, from): (&[Token], usize), name: &[&str]) -> Option<String> {
    let (before, first) = (tokens.get(from.checked_sub(1)?)?, tokens.get(from)?);
    let last = tokens.get((from + name.len()).checked_sub(1)?)?;
    let opened = text.get(before.at.end..first.at.start)?.trim() == "(";
    let closed = text.get(last.at.end..)?.starts_with(')');
    (opened && closed && abbreviate(&before.word, name)).then(|| before.word.clone())
}

/// With words that say so: `Mongo, aka the lake`.
fn said(text: &str, (tokens, to): (&[Token], usize)) -> Option<String> {
    SAYS_SO.iter().find_map(|phrase| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let there = tokens.get(to..to + words.len())?;
        if !there
            .iter()
            .map(|token| token.word.as_str())
            .eq(words.iter().copied())
        {
            return None;
        }
        let rest = tokens.get(to + words.len()..)?;
        let mut rest = rest
            .iter()
            .skip_while(|token| matches!(token.word.as_str(), "a" | "an" | "the" | "our"));
        let named = rest.next()?;
        let whole = named.word.chars().count() >= LEAST;
        // One word, and then an end: more would be a sentence.
        let after = text
            .get(named.at.end..)?
            .trim_start_matches(['"', '\'', '`', '”']);
        let ends = after.trim_start().is_empty() || after.starts_with([',', '.', ';', ':', ')']);
        (whole && ends).then(|| named.word.clone())
    })
}

/// True where one of both is short for the other.
fn abbreviate(word: &str, name: &[&str]) -> bool {
    abbreviates(word, name) || matches!(name, [short] if abbreviates(short, &[word]))
}

/// True for the letters of a name in their order, beginning with its first: `pg` of `postgresql`,
/// `mq` of `message queue`.
fn abbreviates(short: &str, name: &[&str]) -> bool {
    let long = name.concat();
    let fits = (LEAST..long.chars().count()).contains(&short.chars().count());
    let mut letters = long.chars();
    let in_order = short
        .chars()
        .all(|letter| letters.any(|other| other == letter));
    let first = short.chars().next() == long.chars().next();
    fits && first && in_order && short.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::super::telling::tokens;
    use super::*;

    #[test]
    fn common_short_forms_and_numbered_ones_are_known() {
        assert_eq!(short_forms("pg"), ["postgresql", "postgres", "psql"]);
        assert_eq!(short_forms("k8s"), ["kubernetes", "kube"]);
        assert!(short_forms("sqlite").is_empty());
        assert!(is_short_form("pg", "postgresql") && is_short_form("js", "javascript"));
        assert!(is_short_form("k8s", "kubernetes"));
        assert!(is_short_form("i18n", "internationalization"));
        for (short, long) in [
            ("k8s", "kubectl"),
            ("pg", "page"),
            ("2024", "year"),
            ("", "x"),
        ] {
            assert!(!is_short_form(short, long), "{short} {long}");
        }
    }

    #[test]
    fn a_text_says_what_else_it_calls_something() {
        let called = |text: &str, from, to| called_too((text, &tokens(text)), from, to);
        assert_eq!(
            called("PostgreSQL (PSQL) is here", 0, 1).as_deref(),
            Some("psql")
        );
        assert_eq!(
            called("PSQL (PostgreSQL) is here", 1, 2).as_deref(),
            Some("psql")
        );
        // Whoever knows the short form alone is told the long one.
        assert_eq!(
            called("PostgreSQL (PSQL) is here", 1, 2).as_deref(),
            Some("postgresql")
        );
        let text = "the MQ (message queue) lost jobs";
        assert_eq!(called(text, 2, 4).as_deref(), Some("mq"));
        assert_eq!(
            called("Mongo, aka the lake.", 0, 1).as_deref(),
            Some("lake")
        );
        // A remark in brackets is no name, and neither is the beginning of a sentence.
        assert_eq!(called("PostgreSQL (managed) is dear", 0, 1), None);
        assert_eq!(called("SQLite (WAL mode)", 0, 1), None);
        assert_eq!(called("Mongo, aka the worst choice by many", 0, 1), None);
        assert_eq!(called("PostgreSQL", 0, 1), None);
    }
}
