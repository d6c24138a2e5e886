//! The clauses of a sentence: what is said of one thing there, apart from what is said of another.
//!
//! `PostgreSQL took four writers; SQLite took one` has the words of `SQLite took four writers`, and says
//! otherwise: figures, names and denials count only where they are bound together.

use super::telling::{Token, is_filling, same_name, same_word, tokens};

/// Words with which something is said of another thing.
const TURNS: &str = "but|however|nhưng|though|although|whereas|while|whilst|yet";
/// Words that may bind a list or begin what is said of another thing.
const JOINS: &str = "and|or|plus|và|hoặc|where";
/// What stands before the name of something that another is compared with.
const CONTRASTS: &str = "than|unlike|instead|versus|vs";
/// Words for something that was named before.
const PRONOUNS: &str = "it|its|they|their|this|these|that|those|which|nó|chúng";
/// Words that begin a sentence with a capital and are no names.
const OPENERS: &str = "after|although|always|because|before|both|but|choose|choosing|drop|during|even|given|\
    he|hence|here|however|indeed|instead|keep|many|moreover|most|nobody|nothing|now|one|prefer|\
    running|several|she|since|still|take|therefore|thus|today|under|unlike|until|using|whereas|while|with|\
    without|yes|yet";

/// What is said of one thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clause {
    /// Every word, in lower case.
    pub(super) words: Vec<String>,
    /// What it is about by name; what the clause before is about where it names nothing itself.
    pub(super) names: Vec<String>,
    /// What it compares that with.
    pub(super) contrasted: Vec<String>,
}

/// The words that are names in some texts, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NamesKnown(Vec<String>);

impl NamesKnown {
    /// What is written as a name in these texts, and what is known as one. A word that only begins a
    /// sentence is none where another place writes it small.
    pub(super) fn of(texts: &[&str], known: &[String]) -> Self {
        let mut names = known.to_vec();
        for text in texts {
            for (place, token) in tokens(text).iter().enumerate() {
                let written = text.get(token.at.clone()).unwrap_or_default();
                let inner = written.chars().skip(1).any(char::is_uppercase);
                let capital = inner || written.starts_with(char::is_uppercase);
                let first = place == 0 || ends_sentence(before(text, token));
                let plain = is_filling(&token.word)
                    || figure(&token.word).is_some()
                    || first && !inner && (opens(&token.word) || is_small_in(texts, &token.word));
                if capital && !plain {
                    names.push(token.word.to_lowercase());
                }
            }
        }
        Self(names)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.0.iter().any(|name| same_name(name, &word))
    }
}

/// The clauses of a text. What it says first without a name is about `subject`, where it says so with a
/// pronoun.
pub(super) fn clauses(text: &str, known: &NamesKnown, subject: &[String]) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    for pieces in pieces(text) {
        for words in joined(pieces, known) {
            let mut clause = named(words, known);
            if clause.names.is_empty() {
                clause.names = match found.last() {
                    Some(before) => leading(before, known),
                    None if begins_with_pronoun(&clause.words) => subject.to_vec(),
                    None => Vec::new(),
                };
            }
            found.push(clause);
        }
    }
    found
}

/// What the last named thing of a text is, for the sentence behind it.
pub(super) fn subject_of(text: &str, known: &NamesKnown, before: &[String]) -> Vec<String> {
    let all = clauses(text, known, before);
    all.last().map_or_else(
        || before.to_vec(),
        |last| {
            let leading = leading(last, known);
            if leading.is_empty() {
                before.to_vec()
            } else {
                leading
            }
        },
    )
}

/// True for a sentence about something that was named before it.
pub(super) fn begins_with_pronoun(words: &[String]) -> bool {
    let plain = |word: &&String| !among(word, TURNS) && !among(word, JOINS);
    let first = words.iter().find(plain);
    first.is_some_and(|word| among(word, PRONOUNS))
}

/// A text cut where something else may begin: first by what surely divides, then by what may.
fn pieces(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut found: Vec<Vec<Vec<String>>> = vec![vec![Vec::new()]];
    for token in tokens(text) {
        let gap = before(text, &token);
        let turns =
            gap.contains([';', '—', '–', '\n']) || ends_sentence(gap) || among(&token.word, TURNS);
        let joins = gap.contains([',', '(', ')', '/']) || among(&token.word, JOINS);
        if turns {
            found.push(vec![Vec::new()]);
        }
        let Some(part) = found.last_mut() else {
            continue;
        };
        if joins && !turns {
            part.push(Vec::new());
        }
        if let Some(piece) = part.last_mut() {
            piece.push(token.word);
        }
    }
    found
}

/// Puts together what a comma or an `and` does not divide: lists of names, and what names nothing.
fn joined(pieces: Vec<Vec<String>>, known: &NamesKnown) -> Vec<Vec<String>> {
    let is_whole = |piece: &[String]| {
        let named = piece.iter().any(|word| known.has(word));
        named && piece.iter().any(|word| tells(word) && !known.has(word))
    };
    let is_named = |piece: &[String]| piece.iter().any(|word| known.has(word));
    let last_whole = pieces.iter().rposition(|piece| is_whole(piece));
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut waiting: Vec<String> = Vec::new();
    for (place, piece) in pieces.into_iter().enumerate() {
        let later = last_whole.is_some_and(|last| place < last);
        match found.last_mut() {
            // What names nothing goes on about what was named.
            Some(before) if waiting.is_empty() && !is_named(&piece) => before.extend(piece),
            _ if is_whole(&piece) => {
                waiting.extend(piece);
                found.push(std::mem::take(&mut waiting));
            }
            Some(before) if !later => before.extend(piece),
            // A name alone is the beginning of a list that something is said of further on; a list of names
            // with something said of it is whole.
            _ => {
                waiting.extend(piece);
                if is_whole(&waiting) {
                    found.push(std::mem::take(&mut waiting));
                }
            }
        }
    }
    if !waiting.is_empty() {
        found.push(waiting);
    }
    found
}

fn named(words: Vec<String>, known: &NamesKnown) -> Clause {
    let (mut names, mut contrasted) = (Vec::new(), Vec::new());
    let mut compares = false;
    for word in &words {
        if among(word, CONTRASTS) {
            compares = true;
        } else if known.has(word) {
            let side = if compares {
                &mut contrasted
            } else {
                &mut names
            };
            side.push(word.to_lowercase());
        } else if !is_filling(word) {
            compares = false;
        }
    }
    Clause {
        words,
        names,
        contrasted,
    }
}

/// The names that a clause begins with; else its first one.
fn leading(clause: &Clause, known: &NamesKnown) -> Vec<String> {
    let begins = clause
        .words
        .iter()
        .take_while(|word| known.has(word) || is_filling(word));
    let names: Vec<String> = begins
        .map(|word| word.to_lowercase())
        .filter(|word| clause.names.contains(word))
        .collect();
    if names.is_empty() {
        clause.names.iter().take(1).cloned().collect()
    } else {
        names
    }
}

/// True for a word that says something: a figure, or no filling.
fn tells(word: &str) -> bool {
    word == "one" || !is_filling(word) && !among(word, TURNS) && !opens(word)
}

/// A figure as digits, however it is written.
pub(super) fn figure(word: &str) -> Option<String> {
    if word.chars().any(|c| c.is_ascii_digit()) {
        let digits: String = word.chars().filter(char::is_ascii_digit).collect();
        return Some(digits);
    }
    let known = FIGURES.iter().find(|(written, _)| *written == word);
    known.map(|(_, digits)| (*digits).to_owned())
}

fn opens(word: &str) -> bool {
    let form = ["ing", "ly"].iter().any(|end| word.ends_with(end));
    form || among(word, OPENERS)
}

fn among(word: &str, list: &str) -> bool {
    list.split('|').any(|other| other == word)
}

/// What stands between a word and the one before it.
fn before<'t>(text: &'t str, token: &Token) -> &'t str {
    let head = text.get(..token.at.start).unwrap_or_default();
    let end = head
        .char_indices()
        .rev()
        .find(|(_, sign)| sign.is_alphanumeric())
        .map_or(0, |(at, sign)| at + sign.len_utf8());
    head.get(end..).unwrap_or_default()
}

fn ends_sentence(gap: &str) -> bool {
    let mut signs = gap.chars().peekable();
    while let Some(sign) = signs.next() {
        if matches!(sign, '.' | '!' | '?') && signs.peek().is_some_and(|next| next.is_whitespace())
        {
            return true;
        }
    }
    false
}

/// True where one of these texts writes a word without a capital.
fn is_small_in(texts: &[&str], word: &str) -> bool {
    texts.iter().any(|text| {
        tokens(text).iter().any(|token| {
            let written = text.get(token.at.clone()).unwrap_or_default();
            let small = !written.chars().any(char::is_uppercase);
            small && same_word(&token.word, word)
        })
    })
}

/// Figures that are written as words, with what they stand for.
const FIGURES: [(&str, &str); 24] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
    ("twice", "2"),
    ("double", "2"),
    ("half", "half"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Words, what they are about, what that is compared with.
    type Cut<T> = (T, T, T);

    /// The clauses of a text.
    fn cut(text: &str) -> Vec<Cut<String>> {
        let known = NamesKnown::of(&[text], &[]);
        let all = clauses(text, &known, &[]).into_iter();
        let parts = |clause: Clause| {
            (
                clause.words.join(" "),
                clause.names.join(" "),
                clause.contrasted.join(" "),
            )
        };
        all.map(parts).collect()
    }

    #[test]
    fn a_sentence_is_cut_where_something_is_said_of_another_thing() {
        let table: [(&str, &[Cut<&str>]); 9] = [
            (
                "PostgreSQL took four writers; SQLite took one.",
                &[
                    ("postgresql took four writers", "postgresql", ""),
                    ("sqlite took one", "sqlite", ""),
                ],
            ),
            (
                "PostgreSQL took four writers, SQLite one",
                &[
                    ("postgresql took four writers", "postgresql", ""),
                    ("sqlite one", "sqlite", ""),
                ],
            ),
            (
                "PostgreSQL took four writers and SQLite took one",
                &[
                    ("postgresql took four writers", "postgresql", ""),
                    ("and sqlite took one", "sqlite", ""),
                ],
            ),
            (
                "PostgreSQL took four writers but lost none",
                &[
                    ("postgresql took four writers", "postgresql", ""),
                    ("but lost none", "postgresql", ""),
                ],
            ),
            (
                "Redis, Valkey and KeyDB held four writers",
                &[(
                    "redis valkey and keydb held four writers",
                    "redis valkey keydb",
                    "",
                )],
            ),
            (
                "Redis beats Valkey, KeyDB and Garnet",
                &[(
                    "redis beats valkey keydb and garnet",
                    "redis valkey keydb garnet",
                    "",
                )],
            ),
            (
                "In the spring, Redis held four writers and two readers",
                &[(
                    "in the spring redis held four writers and two readers",
                    "redis",
                    "",
                )],
            ),
            (
                "Redis took more writers than Valkey",
                &[("redis took more writers than valkey", "redis", "valkey")],
            ),
            (
                "Redis held four, Valkey and KeyDB held one",
                &[
                    ("redis held four", "redis", ""),
                    ("valkey and keydb held one", "valkey keydb", ""),
                ],
            ),
        ];
        for (text, clauses) in table {
            let clauses = clauses
                .iter()
                .map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned()));
            assert_eq!(cut(text), clauses.collect::<Vec<_>>(), "{text}");
        }
    }
}
