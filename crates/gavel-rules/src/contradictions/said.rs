//! What an answer says: its words, and which of them it says no to.

/// Says no to the words behind it, as far as the clause goes.
const NEGATORS: [&str; 8] = [
    "no", "not", "non", "none", "without", "never", "nothing", "neither",
];
/// Ends what a negator reaches.
const TURNS: [&str; 7] = ["but", "only", "just", "except", "beyond", "besides", "than"];
/// How far a negator reaches inside its clause.
const REACH: usize = 4;
/// What joins words inside a name, so `self-host` is two words and `c++` one.
const NAME_PARTS: [char; 3] = ['+', '#', '_'];

/// An answer, read once.
#[derive(Debug)]
pub(crate) struct Said {
    clauses: Vec<Vec<Word>>,
}

#[derive(Debug)]
struct Word {
    lower: String,
    denied: bool,
}

impl Said {
    pub(crate) fn read(text: &str) -> Self {
        let lower = text.to_lowercase();
        let ends = |c: char| matches!(c, ',' | ';' | '.' | ':' | '(' | ')' | '\n' | '/');
        let clauses = lower.split(ends).map(clause);
        Self {
            clauses: clauses.filter(|clause| !clause.is_empty()).collect(),
        }
    }

    /// True when it says one of these and does not say no to it. A phrase is words with spaces
    /// between them; a `*` stands for any ending.
    pub(crate) fn says(&self, phrases: &str) -> bool {
        let phrases = phrases.split('|').map(str::trim);
        let mut phrases = phrases.filter(|phrase| !phrase.is_empty());
        phrases.any(|phrase| {
            let parts: Vec<&str> = phrase.split(' ').collect();
            let mut windows = self
                .clauses
                .iter()
                .flat_map(|clause| clause.windows(parts.len()));
            windows.any(|window| {
                let mut pairs = window.iter().zip(&parts);
                pairs.all(|(word, part)| !word.denied && matches_part(&word.lower, part))
            })
        })
    }

    /// True when it begins with a no.
    pub(crate) fn denies(&self) -> bool {
        let first = self.clauses.first().and_then(|clause| clause.first());
        first.is_some_and(|word| NEGATORS.contains(&word.lower.as_str()))
    }
}

fn clause(text: &str) -> Vec<Word> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !NAME_PARTS.contains(&c));
    let mut reach = 0;
    let mut read = Vec::new();
    for lower in words.filter(|word| !word.is_empty()) {
        if TURNS.contains(&lower) {
            reach = 0;
        }
        read.push(Word {
            lower: lower.to_owned(),
            denied: reach > 0,
        });
        reach = if NEGATORS.contains(&lower) {
            REACH
        } else {
            reach.saturating_sub(1)
        };
    }
    read
}

fn matches_part(word: &str, part: &str) -> bool {
    match part.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == part,
    }
}
