//! A prompt as the rules see it: its length, its words, and the files that it names.
//!
//! A word is a run of letters, digits, `_` and combining marks, in any script; lists of words are
//! compared in lower case and whole, so `test` is not found in `latest`.

use std::collections::BTreeMap;
use std::ops::Range;

/// Endings that make a path-like token a file.
const FILE_ENDINGS: [&str; 10] = [
    "ts", "tsx", "js", "jsx", "json", "md", "py", "rs", "go", "cs",
];

/// What joins the words of a phrase.
const JOINTS: [char; 2] = [' ', '-'];

/// A prompt, read once.
#[derive(Debug)]
pub(super) struct Prompt<'a> {
    text: &'a str,
    length: usize,
    words: Vec<Word>,
    /// How often each word occurs: lists of words are looked up here, not compared one by one.
    counts: BTreeMap<String, usize>,
    files: Vec<String>,
}

#[derive(Debug)]
struct Word {
    lower: String,
    place: Range<usize>,
}

impl<'a> Prompt<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let text = text.trim();
        let words = runs(text, is_word_part).map(|place| Word {
            lower: slice(text, &place).to_lowercase(),
            place,
        });
        let words: Vec<Word> = words.collect();
        let mut counts = BTreeMap::new();
        for word in &words {
            *counts.entry(word.lower.clone()).or_default() += 1;
        }
        let files = runs(text, is_path_part).filter_map(|place| file_in(slice(text, &place)));
        Self {
            text,
            length: letters(text),
            words,
            counts,
            files: files.collect(),
        }
    }

    /// The text without white space around it.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// How many characters it has; a letter and the marks on it are one.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The words in lower case.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.lower.as_str())
    }

    /// The files that it names, as often as it names them.
    pub(super) fn files(&self) -> &[String] {
        &self.files
    }

    pub(super) const fn names_a_file(&self) -> bool {
        !self.files.is_empty()
    }

    /// How often the phrases of a list occur.
    pub(super) fn count(&self, phrases: &[&str]) -> usize {
        phrases.iter().map(|phrase| self.count_one(phrase)).sum()
    }

    /// True when a phrase of the list occurs.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.count_one(phrase) > 0)
    }

    fn count_one(&self, phrase: &str) -> usize {
        let first = phrase.split(JOINTS).next().unwrap_or(phrase);
        let count = self.count_word(first);
        if count == 0 || first == phrase {
            return count;
        }
        let places = 0..self.words.len();
        places.filter(|place| self.matches(*place, phrase)).count()
    }

    /// How often a single word occurs.
    pub(super) fn count_word(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or_default()
    }

    /// True when the phrase stands at the place of a word. Words of a phrase are joined as in the
    /// phrase: by white space where it has a space, else by the very same sign.
    fn matches(&self, place: usize, phrase: &str) -> bool {
        let mut joint = "";
        for (at, part) in (place..).zip(phrase.split_inclusive(JOINTS)) {
            let word = part.trim_end_matches(JOINTS);
            let fits = self.words.get(at).is_some_and(|here| here.lower == word)
                && (at == place || self.joined_by(at, joint));
            if !fits {
                return false;
            }
            joint = if part.ends_with(' ') { " " } else { "-" };
        }
        true
    }

    fn joined_by(&self, at: usize, joint: &str) -> bool {
        let between = self.before(at);
        if joint == " " {
            !between.is_empty() && between.chars().all(char::is_whitespace)
        } else {
            between == joint
        }
    }

    /// What stands between a word and the one before it.
    pub(super) fn before(&self, at: usize) -> &'a str {
        let previous = at.checked_sub(1).and_then(|at| self.words.get(at));
        let start = previous.map_or(0, |word| word.place.end);
        let end = self
            .words
            .get(at)
            .map_or(self.text.len(), |word| word.place.start);
        slice(self.text, &(start..end))
    }

    /// A word by its number.
    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(|word| word.lower.as_str())
    }
}

/// How many characters a text has, marks not counted.
pub(super) fn letters(text: &str) -> usize {
    text.chars().filter(|c| !is_mark(*c)).count()
}

/// The places of the longest runs of characters that belong together.
fn runs(text: &str, belongs: fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.find(|(_, c)| belongs(*c))?;
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = rest.next_if(|(_, c)| belongs(*c)) {
            end = at + c.len_utf8();
        }
        Some(start..end)
    })
}

/// The file that a path-like token names: up to its last ending, in lower case.
fn file_in(token: &str) -> Option<String> {
    let mut ends = token
        .char_indices()
        .filter(|(at, c)| *c == '.' && *at > 0)
        .filter_map(|(dot, _)| {
            let after = slice(token, &(dot + 1..token.len()));
            let ending = after.split(|c| !is_word_part(c)).next()?;
            let known = FILE_ENDINGS
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known));
            known.then_some(dot + 1 + ending.len())
        });
    let end = ends.next_back()?;
    Some(slice(token, &(0..end)).to_lowercase())
}

/// Places come from the text itself, so the fallback is never seen.
fn slice<'a>(text: &'a str, place: &Range<usize>) -> &'a str {
    text.get(place.clone()).unwrap_or_default()
}

fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_mark(c)
}

fn is_path_part(c: char) -> bool {
    is_word_part(c) || matches!(c, '.' | '/' | '-')
}

/// Combining diacritical marks: what a decomposed `é` carries.
pub(super) const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}
