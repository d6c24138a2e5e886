//! Honest renames: what a test may say differently because the product does, and nothing else.
//!
//! A name may be replaced by another one where the first was defined by the product before the work
//! and is not any more, and the second is defined by the product now and was not before, as the same
//! kind of thing. A word of a string may be replaced by another one where both stand in the person's
//! own request, and the product says the first less often and the second more often than before.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{Definition, DefinitionKind, Statement, Token, TokenKind, WorkFile, WorkFiles};
use super::pairs::{ItemPair, item_pairs};
use super::paths::FileRole;

/// The most words of a text that is replaced by another one.
const MOST_WORDS: usize = 12;
/// Words that say how something ended: one in place of another is no typo.
const OUTCOMES: [&str; 22] = [
    "true", "false", "yes", "no", "ok", "okay", "pass", "passed", "fail", "failed", "error",
    "errors", "none", "null", "nil", "not", "success", "failure", "valid", "invalid", "allowed",
    "denied",
];

/// Replacements that the work and the request account for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    names: BTreeMap<String, String>,
    texts: BTreeMap<String, String>,
}

/// What a piece of text became.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Replaced {
    old: String,
    new: String,
}

/// Finds the replacements by which tests differ and that are honest. A name that became two names,
/// and two names that became one, are none.
pub fn renames(before: &WorkFiles, after: &WorkFiles, request: &str) -> Renames {
    let pairs = item_pairs(before, after);
    let (was, is) = (Product::of(before), Product::of(after));
    let mut names = BTreeSet::new();
    let mut texts = BTreeSet::new();
    for pair in &pairs {
        for (old, new) in differing_tokens(pair) {
            match old.kind {
                TokenKind::Word => {
                    let replaced = Replaced::new(&old.text, &new.text);
                    if is.took_over(&was, &replaced) && !pair.before_says(&replaced.new) {
                        names.insert(replaced);
                    }
                }
                TokenKind::Text => texts.extend(differing_words(&old.text, &new.text)),
                TokenKind::Number | TokenKind::Sign => {}
            }
        }
    }
    let request = Request::new(request);
    let asked = |one: &Replaced| {
        let moved = is.took_over(&was, one);
        moved || request.asks_for(one) && is.says_instead(&was, one)
    };
    let texts = texts.into_iter().filter(asked).collect();
    Renames {
        names: one_to_one(&names),
        texts: one_to_one(&texts),
    }
}

impl Renames {
    /// True when the second text is the first with these replacements, all of them made.
    pub fn explain(&self, before: &[Token], after: &[Token]) -> bool {
        if before == after {
            return true;
        }
        before.len() == after.len()
            && before
                .iter()
                .zip(after)
                .all(|(old, new)| self.explain_token(old, new))
            && !self.merges(before)
    }

    fn explain_token(&self, old: &Token, new: &Token) -> bool {
        if old.kind != new.kind {
            return false;
        }
        match old.kind {
            TokenKind::Word => match self.names.get(&old.text) {
                Some(renamed) => *renamed == new.text,
                None => old.text == new.text,
            },
            TokenKind::Text => {
                let replaced = differing_words(&old.text, &new.text);
                let known = |one: &Replaced| {
                    let maps = [&self.texts, &self.names];
                    maps.iter().any(|map| map.get(&one.old) == Some(&one.new))
                };
                old.text == new.text || !replaced.is_empty() && replaced.iter().all(known)
            }
            TokenKind::Number | TokenKind::Sign => old.text == new.text,
        }
    }

    /// True when a name would become one that stands beside it: `a == b` would be `b == b`.
    fn merges(&self, before: &[Token]) -> bool {
        let says = |word: &str| before.iter().any(|token| token.is_word(word));
        self.names.iter().any(|(old, new)| says(old) && says(new))
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.texts.is_empty()
    }
}

impl Replaced {
    fn new(old: &str, new: &str) -> Self {
        Self {
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }
}

fn one_to_one(found: &BTreeSet<Replaced>) -> BTreeMap<String, String> {
    let count = |of: &dyn Fn(&Replaced) -> bool| found.iter().filter(|one| of(one)).count();
    let unique = found.iter().filter(|one| {
        let from = count(&|other| other.old == one.old);
        let to = count(&|other| other.new == one.new);
        from == 1 && to == 1
    });
    unique
        .map(|one| (one.old.clone(), one.new.clone()))
        .collect()
}

/// The product code of a tree, as far as names and texts go.
struct Product<'a> {
    definitions: BTreeSet<&'a Definition>,
    names: BTreeSet<&'a str>,
    files: Vec<&'a WorkFile>,
}

impl<'a> Product<'a> {
    fn of(tree: &'a WorkFiles) -> Self {
        let product = tree.iter().filter(|file| match file.role() {
            FileRole::Product | FileRole::Other | FileRole::Settings => true,
            FileRole::Test
            | FileRole::Snapshot
            | FileRole::Fixture
            | FileRole::Ci
            | FileRole::Lock
            | FileRole::Document => false,
        });
        let files: Vec<&WorkFile> = product.collect();
        let definitions: BTreeSet<&Definition> =
            files.iter().flat_map(|file| &file.definitions).collect();
        Self {
            names: definitions.iter().map(|one| one.name.as_str()).collect(),
            definitions,
            files,
        }
    }

    fn kinds(&self, name: &str) -> BTreeSet<DefinitionKind> {
        let named = self.definitions.iter().filter(|one| one.name == name);
        named.map(|one| one.kind).collect()
    }

    /// True when the new name is defined here in place of the old one.
    fn took_over(&self, was: &Self, one: &Replaced) -> bool {
        let (old, new) = (one.old.as_str(), one.new.as_str());
        was.names.contains(old)
            && !self.names.contains(old)
            && !was.names.contains(new)
            && self.names.contains(new)
            && was.kinds(old) == self.kinds(new)
    }

    /// True when the new text is said more often and the old one less often than before.
    fn says_instead(&self, was: &Self, one: &Replaced) -> bool {
        self.count(&one.old) < was.count(&one.old) && self.count(&one.new) > was.count(&one.new)
    }

    fn count(&self, text: &str) -> usize {
        let texts = self.files.iter().filter_map(|file| product_text(file));
        texts.map(|all| whole_words(&all, text)).sum()
    }
}

/// The text of a file without the tests inside it: they must not vouch for themselves.
fn product_text(file: &WorkFile) -> Option<String> {
    let text = file.text()?;
    let tests = file.modules.iter().map(|module| module.span);
    let tests = tests.chain(file.tests.iter().map(|test| test.span));
    let mut kept = String::new();
    let mut at = 0;
    for span in tests {
        kept.push_str(text.get(at..span.start.max(at)).unwrap_or_default());
        at = at.max(span.end);
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    Some(kept)
}

fn whole_words(all: &str, text: &str) -> usize {
    let places = all.match_indices(text).filter(|(at, found)| {
        let before = all.get(..*at).and_then(|head| head.chars().next_back());
        let after = all
            .get(at + found.len()..)
            .and_then(|tail| tail.chars().next());
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !inside(before) && !inside(after)
    });
    places.count()
}

/// The words of what a person asked for.
struct Request {
    words: Vec<String>,
}

impl Request {
    fn new(text: &str) -> Self {
        Self {
            words: words_of(text).iter().map(|&word| word.to_owned()).collect(),
        }
    }

    /// True when both texts stand in the request, and neither is a number or an outcome.
    fn asks_for(&self, one: &Replaced) -> bool {
        let is_case = one.old.to_lowercase() == one.new.to_lowercase();
        let fold = |word: &str| {
            if is_case {
                word.to_owned()
            } else {
                word.to_lowercase()
            }
        };
        let request: Vec<String> = self.words.iter().map(|word| fold(word)).collect();
        [&one.old, &one.new].into_iter().all(|text| {
            let words: Vec<String> = words_of(text).iter().map(|word| fold(word)).collect();
            let has_letters = words
                .iter()
                .any(|word| word.chars().any(char::is_alphabetic));
            let is_outcome = |word: &String| OUTCOMES.contains(&word.to_lowercase().as_str());
            has_letters
                && words.len() <= MOST_WORDS
                && !words.iter().any(is_outcome)
                && request
                    .windows(words.len())
                    .any(|part| part == words.as_slice())
        })
    }
}

fn words_of(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).collect()
}

/// The tokens at which the statements of two items of the same shape differ.
fn differing_tokens<'a>(pair: &ItemPair<'a>) -> Vec<(&'a Token, &'a Token)> {
    let mut differing = Vec::new();
    let lists = pair.before_attributes().iter().zip(pair.after_attributes());
    for (old, new) in lists {
        differing.extend(differing_in(old, new));
    }
    let mut rest = pair.after_statements().into_iter();
    for old in pair.before_statements() {
        let mut ahead = rest.clone();
        if let Some(new) = ahead.find(|new| has_shape_of(old, new)) {
            differing.extend(differing_in(&old.tokens, &new.tokens));
            rest = ahead;
        }
    }
    differing
}

fn differing_in<'a>(old: &'a [Token], new: &'a [Token]) -> Vec<(&'a Token, &'a Token)> {
    if old.len() != new.len() {
        return Vec::new();
    }
    let pairs = old.iter().zip(new);
    pairs
        .filter(|(old, new)| old != new && old.kind == new.kind)
        .collect()
}

/// True when two statements differ in names and strings at most.
fn has_shape_of(old: &Statement, new: &Statement) -> bool {
    let free = |kind: TokenKind| matches!(kind, TokenKind::Word | TokenKind::Text);
    old.tokens.len() == new.tokens.len()
        && old
            .tokens
            .iter()
            .zip(&new.tokens)
            .all(|(old, new)| old.kind == new.kind && (free(old.kind) || old.text == new.text))
}

/// The parts of two texts that differ: word by word where the same stands between them, else what is
/// left once the same beginning and end are taken away. Empty when it is not words that differ.
fn differing_words(old: &str, new: &str) -> Vec<Replaced> {
    let (was, is) = (parts(old), parts(new));
    let is_word = |part: &str| part.chars().any(char::is_alphanumeric);
    if was.len() == is.len() {
        let pairs: Vec<_> = was
            .iter()
            .zip(&is)
            .filter(|(old, new)| old != new)
            .collect();
        if pairs.iter().all(|(old, new)| is_word(old) && is_word(new)) {
            let replaced = pairs.iter().map(|(old, new)| Replaced::new(old, new));
            return replaced.collect();
        }
    }
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let ahead = was.iter().zip(&is).take_while(same).count();
    let left = was.len().min(is.len()) - ahead;
    let behind = was.iter().rev().zip(is.iter().rev()).take_while(same);
    let behind = behind.count().min(left);
    let middle = |parts: &[&str]| -> String {
        let inner = parts.get(ahead..parts.len() - behind);
        inner.unwrap_or_default().concat()
    };
    let (old, new) = (middle(&was), middle(&is));
    if is_word(&old) && is_word(&new) {
        vec![Replaced::new(&old, &new)]
    } else {
        Vec::new()
    }
}

/// A text as words and what stands between them.
fn parts(text: &str) -> Vec<&str> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = inside(first);
        let end = rest.find(|c: char| inside(c) != kind).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        parts.push(part);
        rest = tail;
    }
    parts
}

#[cfg(test)]
#[path = "renames_tests.rs"]
mod tests;
