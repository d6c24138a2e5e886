//! Small changes that can be made by rules: what a sentence asks for, and what a file is afterwards.
//!
//! Only what leaves no choice is understood: one text for another in a named file, misspellings that
//! are certain, a line at the end of a file, a file that goes. Everything else needs a model.

mod typos;

use self::typos::corrected;

/// What the rules can change, for whoever asked for something else.
pub(crate) const CAN_CHANGE: &str = "rename A to B in FILE; replace \"A\" with \"B\" in FILE; fix the \
    typo A -> B in FILE; fix the typos in FILE; add the line \"…\" to FILE; remove the file FILE";

/// Words before a name that say what kind of thing it is.
const KINDS: [&str; 12] = [
    "the", "function", "method", "class", "struct", "type", "variable", "constant", "field",
    "module", "enum", "trait",
];
/// What stands between the old and the new text.
const ARROWS: [&str; 5] = ["->", "=>", "→", "with", "to"];
/// Marks of quotation, opening and closing.
const QUOTES: [(char, char); 6] = [
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('‘', '’'),
    ('«', '»'),
];

/// A change that leaves no choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file, as it was named.
    pub(crate) file: String,
    /// What happens to it.
    pub(crate) kind: ChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// Every whole word or quoted text becomes another.
    Replace { old: String, new: String },
    /// Every misspelling that is certain is corrected.
    Typos,
    /// A line at the end.
    AddLine(String),
    /// The file goes.
    Remove,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    text: String,
    quoted: bool,
}

/// Reads a sentence; `None` when it asks for anything that leaves a choice.
pub(crate) fn read_change(sentence: &str) -> Option<Change> {
    let tokens = tokens(sentence)?;
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let (first, rest) = tokens.split_first()?;
    // `rename a to b` names `a`; elsewhere an article says nothing.
    let (whole, rest) = (rest, after(rest, &["the", "a", "all"]));
    match first.text.to_lowercase().as_str() {
        "please" => read_change(sentence.trim_start().get("please".len()..)?),
        "rename" | "replace" | "change" => {
            let (change, file) = split(whole, "in")?;
            let (old, new) = exchange(change).or_else(|| exchange(after(change, &KINDS)))?;
            Some(Change {
                file,
                kind: ChangeKind::Replace { old, new },
            })
        }
        "fix" | "correct" => {
            let (kind, rest) = rest.split_first()?;
            let kind = kind.text.to_lowercase();
            if !["typo", "typos", "spelling", "misspelling", "misspellings"].contains(&&*kind) {
                return None;
            }
            let (what, file) = split(rest, "in")?;
            let kind = match what {
                [] => ChangeKind::Typos,
                [mistakes] if mistakes.text.eq_ignore_ascii_case("mistakes") => ChangeKind::Typos,
                [word] => ChangeKind::Replace {
                    old: word.text.clone(),
                    new: corrected(&word.text)?,
                },
                what => {
                    let (old, new) = exchange(what)?;
                    ChangeKind::Replace { old, new }
                }
            };
            Some(Change { file, kind })
        }
        "remove" | "delete" => {
            let [file] = after(rest, &["file"]) else {
                return None;
            };
            // Without the word `file` only a path can be meant.
            let told = words.iter().any(|word| word.eq_ignore_ascii_case("file"));
            (told || is_path(&file.text)).then(|| Change {
                file: file.text.clone(),
                kind: ChangeKind::Remove,
            })
        }
        "add" | "append" => {
            let [line, quoted, rest @ ..] = rest else {
                return None;
            };
            let (said, file) = split_first(rest, "to")?;
            let known = line.text.eq_ignore_ascii_case("line") && quoted.quoted && said.is_empty();
            known.then(|| Change {
                file,
                kind: ChangeKind::AddLine(quoted.text.clone()),
            })
        }
        _ => None,
    }
}

impl ChangeKind {
    /// A line of the file after the change; the same when nothing of it changes.
    pub(crate) fn line(&self, line: &str) -> String {
        match self {
            Self::Replace { old, new } => replaced(line, old, new),
            Self::Typos => typos::corrected_line(line),
            Self::AddLine(_) | Self::Remove => line.to_owned(),
        }
    }
}

/// `A to B`, `"A" with "B"`, `A -> B`.
fn exchange(tokens: &[Token]) -> Option<(String, String)> {
    match tokens {
        [old, arrow, new]
            if !arrow.quoted && ARROWS.contains(&arrow.text.to_lowercase().as_str()) =>
        {
            let good = !old.text.is_empty() && !new.text.is_empty() && old.text != new.text;
            good.then(|| (old.text.clone(), new.text.clone()))
        }
        _ => None,
    }
}

/// What stands before the last `in FILE`, and the file.
fn split<'a>(tokens: &'a [Token], word: &str) -> Option<(&'a [Token], String)> {
    let (file, before) = tokens.split_last()?;
    let (joint, before) = before.split_last()?;
    let is_joint = !joint.quoted && joint.text.eq_ignore_ascii_case(word);
    (is_joint && is_path(&file.text)).then(|| (before, file.text.clone()))
}

/// The same, with other words allowed between the joint and the file: `to the file x.md`.
fn split_first<'a>(tokens: &'a [Token], word: &str) -> Option<(&'a [Token], String)> {
    let at = tokens
        .iter()
        .position(|token| !token.quoted && token.text.eq_ignore_ascii_case(word))?;
    let (before, behind) = (tokens.get(..at)?, tokens.get(at + 1..)?);
    match after(behind, &["the", "end", "of", "file"]) {
        [file] if is_path(&file.text) => Some((before, file.text.clone())),
        _ => None,
    }
}

/// The tokens behind words that say nothing.
fn after<'a>(tokens: &'a [Token], idle: &[&str]) -> &'a [Token] {
    let is_idle =
        |token: &&Token| !token.quoted && idle.contains(&token.text.to_lowercase().as_str());
    let skipped = tokens.iter().take_while(is_idle).count();
    tokens.get(skipped..).unwrap_or_default()
}

/// A name of a file has an ending or a folder, and stays inside of the tree.
fn is_path(text: &str) -> bool {
    let named = text.contains('/') || text.trim_start_matches('.').contains('.');
    named && !text.starts_with('/') && !text.split('/').any(|part| part == "..")
}

/// Words, parted by blanks; quoted texts are one. `None` when a quotation is not closed.
fn tokens(sentence: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = sentence.trim().trim_end_matches(['.', '!']).trim_end();
    while let Some(first) = rest.chars().next() {
        let quote = QUOTES.iter().find(|(open, _)| *open == first);
        let end;
        if let Some((open, close)) = quote {
            let inside = rest.get(open.len_utf8()..)?;
            let (text, behind) = inside.split_once(*close)?;
            tokens.push(Token {
                text: text.to_owned(),
                quoted: true,
            });
            end = behind;
        } else {
            let at = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (text, behind) = rest.split_at_checked(at)?;
            tokens.push(Token {
                text: text.trim_end_matches([',', ':']).to_owned(),
                quoted: false,
            });
            end = behind;
        }
        rest = end.trim_start();
    }
    Some(tokens)
}

/// Replaces a text where it stands by itself: `user` is not found in `username`.
fn replaced(line: &str, old: &str, new: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (starts, ends) = (old.starts_with(is_part), old.ends_with(is_part));
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(old) {
        out.push_str(before);
        let glued = (starts && out.ends_with(is_part)) || (ends && behind.starts_with(is_part));
        out.push_str(if glued { old } else { new });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
