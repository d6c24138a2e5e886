//! The words of a text that tell something, and whether two words are the same one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::short_forms::is_short_form;

/// Words that say nothing about a matter, English and Vietnamese.
const FILLING: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "dont", "each", "every", "for", "from", "had", "has",
    "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "more", "must", "my",
    "need", "needs", "new", "no", "not", "of", "on", "one", "only", "or", "our", "over", "shall",
    "should", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "to", "too", "up", "us", "use", "used", "uses", "using", "versus",
    "vs", "want", "was", "we", "were", "what", "when", "where", "which", "who", "why", "will",
    "with", "would", "you", "your", "các", "cho", "có", "của", "dùng", "hay", "hoặc", "không",
    "là", "một", "nên", "những", "ta", "thì", "trong", "và", "với",
];

/// Endings that make no other name of a name: `postgres` and `postgresql`, `mongo` and `mongodb`.
const ENDINGS: [&str; 5] = ["s", "db", "ql", "js", "lang"];
/// A shorter beginning is a name of its own.
const LEAST_STEM: usize = 3;
/// By how much two forms of a word may differ.
const MOST_ENDING: usize = 3;

/// A word with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The word in lower case, without the marks inside it.
    pub(super) word: String,
    /// Where it stands.
    pub(super) at: Range<usize>,
}

/// All words of a text with their places. `c++`, `c#` and `node.js` are one word each, `async-std`
/// and `store.open` two. A capital that stands alone stays one: `C` is a name, `c` may be a letter.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let quote = |c: char| matches!(c, '\'' | '’');
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#') || quote(c);
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    for part in text.split(|c: char| !inside(c)) {
        let trimmed = part.trim_start_matches(quote);
        let from = at + part.len() - trimmed.len();
        let trimmed = trimmed.trim_end_matches(quote);
        let kept = trimmed.chars().filter(|c| !quote(*c));
        let word: String = match kept.clone().collect::<String>() {
            alone if is_lone_capital(&alone) => alone,
            _ => kept.flat_map(char::to_lowercase).collect(),
        };
        let token = Token {
            at: from..from + trimmed.len(),
            word,
        };
        match found.last_mut() {
            Some(last) if belongs(text, last, &token) => {
                last.word.push_str(&token.word);
                last.at.end = token.at.end;
            }
            _ if token.word.chars().any(char::is_alphanumeric) => found.push(token),
            _ => {}
        }
        let next = text.get(at + part.len()..);
        let gap = next.and_then(|rest| rest.chars().next());
        at += part.len() + gap.map_or(0, char::len_utf8);
    }
    found
}

/// True for one capital that is no English word: `C`, `R`.
fn is_lone_capital(word: &str) -> bool {
    let one = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    one && !matches!(word, "A" | "I")
}

/// True when a dot binds two words into one: `node.js`, `3.45`; or an ampersand two capitals: `R&D`.
fn belongs(text: &str, last: &Token, next: &Token) -> bool {
    if text.get(last.at.end..next.at.start) == Some("&") {
        return is_lone_capital(&last.word) && is_lone_capital(&next.word);
    }
    let number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let bound = matches!(next.word.as_str(), "js" | "net" | "io");
    let numbers = !next.word.is_empty() && number(&next.word) && number(&last.word);
    text.get(last.at.end..next.at.start) == Some(".") && (bound || numbers)
}

/// All words of a text in lower case.
pub(crate) fn words(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.word).collect()
}

/// True for a word that says nothing by itself.
pub(crate) fn is_filling(word: &str) -> bool {
    FILLING.contains(&word)
}

/// The telling words of a text.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    let words = words(text).into_iter();
    words.filter(|word| !is_filling(word)).collect()
}

/// How many of these words stand in a text, in one of their forms.
pub(super) fn shared(wanted: &BTreeSet<String>, text: &str) -> usize {
    let there = telling(text);
    let found = |word: &&String| there.iter().any(|other| same_word(word, other));
    wanted.iter().filter(found).count()
}

/// True for two forms of a word: `lock` and `locked`, `queue` and `queues`.
pub(crate) fn same_word(left: &str, right: &str) -> bool {
    let (short, long) = by_length(left, right);
    let Some(ending) = long.strip_prefix(short) else {
        return false;
    };
    let grown = short.chars().count() > LEAST_STEM && ending.chars().count() <= MOST_ENDING;
    ending.is_empty() || grown
}

/// True for two spellings of a name: `postgres` and `postgresql`, `sqlite` and `sqlite3`, `go` and
/// `golang`, `k8s` and `kubernetes`. Stricter than forms of a word: `java` is not `javac`.
pub(super) fn same_name(left: &str, right: &str) -> bool {
    let (short, long) = by_length(left, right);
    if is_short_form(short, long)
        || left.len() == 1 && left.eq_ignore_ascii_case(right) && is_small(left)
    {
        return true;
    }
    let Some(ending) = long.strip_prefix(short) else {
        return false;
    };
    let version = ending.trim_start_matches('v');
    let numbered = !version.is_empty() && version.chars().all(|c| c.is_ascii_digit());
    let stem = short.chars().count() >= LEAST_STEM && short.chars().any(char::is_alphabetic);
    ending.is_empty() || ending == "lang" || stem && (numbered || ENDINGS.contains(&ending))
}

/// The part of a name that all its spellings share: `postgres` of `postgresql`.
pub(super) fn stem_of_name(word: &str) -> &str {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = bare
        .strip_suffix('v')
        .filter(|_| bare != word)
        .unwrap_or(bare);
    let cut = ENDINGS.iter().find_map(|ending| bare.strip_suffix(ending));
    let enough = |stem: &&str| stem.chars().count() >= LEAST_STEM;
    let stem = cut.filter(enough).unwrap_or(bare);
    if enough(&stem) { stem } else { word }
}

/// True for two forms of a plain word: `rewrite` and `rewriting`, `patch` and `patches`.
pub(crate) fn same_form(left: &str, right: &str) -> bool {
    let stem = |word: &str| {
        let endings = ["ing", "ed", "es", "s", "e"];
        let cut = endings.iter().find_map(|ending| word.strip_suffix(ending));
        cut.unwrap_or(word).to_owned()
    };
    stem(left).chars().count() > LEAST_STEM && stem(left) == stem(right)
}

/// True for a word without capitals: whoever types `c` may mean the name `C`.
fn is_small(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn by_length<'a>(left: &'a str, right: &'a str) -> (&'a str, &'a str) {
    if left.len() <= right.len() {
        (left, right)
    } else {
        (right, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_signs_and_lose_their_marks() {
        assert_eq!(
            words("Don't use C++, C# or Node.js 22.1 (async-std)."),
            [
                "dont", "use", "c++", "c#", "or", "nodejs", "221", "async", "std"
            ]
        );
        assert_eq!(
            words("sqlite.open() SQLITE_BUSY"),
            ["sqlite", "open", "sqlite", "busy"]
        );
        assert_eq!(words(" … — "), Vec::<String>::new());
        assert_eq!(
            words("A C program, R&D: c"),
            ["a", "C", "program", "RD", "c"]
        );
        let text = "Đừng dùng ‘SQLite’ (don’t).";
        let raw = tokens(text)
            .into_iter()
            .map(|token| text.get(token.at).unwrap().to_owned());
        assert_eq!(raw.collect::<Vec<_>>(), ["Đừng", "dùng", "SQLite", "don’t"]);
    }

    #[test]
    fn names_have_spellings_and_words_have_forms() {
        for (left, right) in [
            ("postgres", "postgresql"),
            ("sqlite3", "sqlite"),
            ("mongo", "mongodb"),
            ("go", "golang"),
            ("node", "nodejs"),
            ("vue", "vue3"),
            ("pg", "postgresql"),
            ("pg", "postgres"),
            ("k8s", "kubernetes"),
            ("js", "javascript"),
            ("c", "C"),
        ] {
            assert!(same_name(left, right), "{left} {right}");
        }
        for (left, right) in [
            ("java", "javascript"),
            ("java", "javac"),
            ("react", "reactor"),
            ("c", "c++"),
            ("go", "gos"),
            ("12", "123"),
            ("redis", "rabbit"),
            ("C", "c"),
            ("pg", "pages"),
            ("k9s", "kubernetes"),
        ] {
            assert!(!same_name(left, right), "{left} {right}");
        }
        for (name, stem) in [
            ("postgresql", "postgres"),
            ("sqlite3", "sqlite"),
            ("golang", "golang"),
            ("redis", "redi"),
            ("vue3", "vue"),
            ("go", "go"),
        ] {
            assert_eq!(stem_of_name(name), stem);
        }
        assert!(same_word("lock", "locked") && same_word("queues", "queue"));
        assert!(!same_word("job", "jobless") && !same_word("port", "portable"));
    }
}
