//! What the contract `stack` says, as far as a rule can read it: languages and packages.

use std::collections::BTreeSet;

use super::language::Language;
use crate::check::sections::section;
use crate::markdown::{Bullet, Document, bullets};

/// Words that take back what follows them.
const NEGATIVE: [&str; 12] = [
    "no",
    "not",
    "none",
    "never",
    "without",
    "nothing",
    "avoid",
    "zero",
    "don't",
    "neither",
    "nor",
    "forbidden",
];
/// Words that make an exception to that.
const EXCEPT: [&str; 7] = [
    "but", "except", "besides", "beside", "beyond", "unless", "than",
];
/// Words beside a package's name that are no name.
const ABOUT: [&str; 22] = [
    "crate",
    "crates",
    "package",
    "packages",
    "library",
    "libraries",
    "module",
    "modules",
    "latest",
    "version",
    "runtime",
    "dev",
    "development",
    "test",
    "tests",
    "only",
    "the",
    "and",
    "dependency",
    "dependencies",
    "stable",
    "or",
];
/// What ends the names at the beginning of a bullet.
const ENDS_NAMES: [&str; 12] = [
    " for ", " to ", " so that", " because", " - ", " – ", " — ", " which ", " as ", " with ",
    " when ", " via ",
];

/// What a stack says about packages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Packages {
    /// Names that may be depended on, as [`normal`] writes them.
    pub(super) named: BTreeSet<String>,
    /// Names that only tests and tools may depend on.
    pub(super) for_tests: BTreeSet<String>,
    /// Names whose source the contract speaks of.
    pub(super) with_source: BTreeSet<String>,
    /// True when every bullet was read, or one of them says that there is nothing else.
    pub(super) whole: bool,
    /// Bullets that no rule understands.
    pub(super) unread: Vec<String>,
}

/// A stack that was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StackText {
    pub(super) languages: BTreeSet<Language>,
    /// True when scripts for a shell may stand below `scripts/`.
    pub(super) shell_scripts: bool,
    /// None when there is no section with a bullet.
    pub(super) packages: Option<Packages>,
}

impl StackText {
    pub(super) fn read(text: &str) -> Self {
        let document = Document::parse(text);
        let words_of = |title: &str| -> Vec<String> {
            let section = section(&document, title);
            let bullets = section.map_or_else(Vec::new, |section| bullets(&section.body));
            bullets.iter().map(Bullet::words).collect()
        };
        let [language, storage, tests, dependencies] =
            ["Language", "Storage", "Tests", "Dependencies"].map(words_of);
        let lower = text.to_lowercase();
        let packages = (!dependencies.is_empty()).then(|| {
            let mut packages = read_packages(&dependencies);
            for bullet in language.iter().chain(&storage) {
                packages
                    .named
                    .extend(quoted(bullet).map(|name| normal(&name)));
            }
            // A tool that the tests or the language need is named there, in whatever words.
            let words = language.iter().chain(&tests).flat_map(|bullet| {
                let parts = bullet.split(|c: char| c.is_whitespace() || "`,;()".contains(c));
                parts.map(normal).collect::<Vec<_>>()
            });
            packages.for_tests = words.filter(|word| !word.is_empty()).collect();
            packages
        });
        Self {
            languages: language
                .iter()
                .flat_map(|bullet| named_languages(bullet))
                .collect(),
            shell_scripts: lower.contains("scripts/") || lower.contains("shell script"),
            packages,
        }
    }
}

/// The languages that a bullet allows.
fn named_languages(bullet: &str) -> Vec<Language> {
    let mut named = Vec::new();
    for clause in bullet.split([',', ';', '(', ')', '\n']) {
        let mut is_negative = false;
        for word in clause.split(|c: char| c.is_whitespace() || "/\"'&".contains(c)) {
            let lower = word.trim_matches('.').to_lowercase();
            if NEGATIVE.contains(&lower.as_str()) {
                is_negative = true;
            } else if EXCEPT.contains(&lower.as_str()) || lower == "only" {
                is_negative = false;
            } else if !is_negative {
                let whole = Language::named_by(word);
                let parts = word.split('-').flat_map(Language::named_by);
                let found = if whole.is_empty() {
                    parts.collect()
                } else {
                    whole
                };
                named.extend(found);
            }
            // What a sentence denies, the next one may allow.
            is_negative &= !word.ends_with('.');
        }
    }
    named
}

fn read_packages(bullets: &[String]) -> Packages {
    let mut packages = Packages::default();
    let mut says_none = false;
    for bullet in bullets {
        let names = match read_bullet(bullet) {
            BulletSays::None { except } => {
                says_none = true;
                except
            }
            BulletSays::Names(names) => names,
            BulletSays::Refused => Vec::new(),
            BulletSays::Unread => {
                packages.unread.push(bullet.clone());
                quoted(bullet).collect()
            }
        };
        let speaks_of_source = ["git", "http", "path", "local", "fork"]
            .iter()
            .any(|word| bullet.to_lowercase().contains(word));
        for name in names.iter().map(|name| normal(name)) {
            if speaks_of_source {
                packages.with_source.insert(name.clone());
            }
            packages.named.insert(name);
        }
    }
    packages.whole = says_none || packages.unread.is_empty();
    packages
}

/// What one bullet says about packages.
#[derive(Debug, PartialEq, Eq)]
enum BulletSays {
    /// There are none, but for these.
    None { except: Vec<String> },
    /// These.
    Names(Vec<String>),
    /// These not.
    Refused,
    /// Something else.
    Unread,
}

fn read_bullet(bullet: &str) -> BulletSays {
    let lower = bullet.to_lowercase().replace("standard library", "std");
    let words: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || ",;:()".contains(c))
        .map(|word| word.trim_matches(['.', '*', '_']))
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first().copied().unwrap_or_default();
    if is_only_std(&words) {
        return BulletSays::None { except: Vec::new() };
    }
    if NEGATIVE.contains(&first) || (first == "do" && words.get(1) == Some(&"not")) {
        let about_all = ["none", "nothing", "zero"].contains(&first)
            || words.iter().take(4).any(|word| ABOUT.contains(word));
        if !about_all {
            return BulletSays::Refused;
        }
        let after = EXCEPT.iter().filter_map(|word| split_at_word(bullet, word));
        let except = after.flat_map(names_in).filter(|name| !is_std(name));
        return BulletSays::None {
            except: except.collect(),
        };
    }
    let quoted: Vec<String> = quoted(bullet).collect();
    if !quoted.is_empty() {
        return BulletSays::Names(quoted);
    }
    match plain_names(bullet) {
        Some(names) => BulletSays::Names(names),
        None => BulletSays::Unread,
    }
}

/// `only the standard library`, `std only`, `standard library`.
fn is_only_std(words: &[&str]) -> bool {
    let meant = words.iter().take(5).filter(|word| !ABOUT.contains(*word));
    let meant: Vec<_> = meant.collect();
    matches!(meant.as_slice(), [first, ..] if is_std(first))
        && (words.contains(&"only") || meant.len() == 1)
}

fn is_std(word: &str) -> bool {
    let word = normal(word);
    [
        "std",
        "stdlib",
        "standard",
        "built-in",
        "builtin",
        "builtins",
        "built-ins",
    ]
    .contains(&word.as_str())
}

/// What stands after a word of a sentence.
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let lower = text.to_lowercase();
    let at = lower.find(&format!(" {word} "))?;
    text.get(at + word.len() + 2..)
}

/// The names after an exception: those in backticks, else the words up to the next stop.
fn names_in(text: &str) -> Vec<String> {
    let quoted: Vec<String> = quoted(text).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let end = text.find([',', ';', '.', '(']).unwrap_or(text.len());
    let text = text
        .get(..end)
        .unwrap_or(text)
        .replace("standard library", "std");
    let words = text.split_whitespace().map(str::to_owned);
    words
        .filter(|word| !ABOUT.contains(&word.to_lowercase().as_str()))
        .collect()
}

/// The names of a bullet without backticks: `serde, serde_json 1 for JSON` or `web: axum`.
fn plain_names(bullet: &str) -> Option<Vec<String>> {
    let mut head = bullet.replace("**", "");
    // What stands in parentheses explains.
    while let (Some(open), Some(close)) = (head.find('('), head.find(')')) {
        if open > close {
            break;
        }
        head.replace_range(open..=close, "");
    }
    for end in ENDS_NAMES {
        head.truncate(head.find(end).unwrap_or(head.len()));
    }
    let head = head.trim_end_matches('.');
    let parts: Vec<&str> = head.split(": ").collect();
    let lists = match parts.as_slice() {
        [names] => vec![*names],
        // Either side may be the name: `axum: serves pages`, `web: axum`.
        [left, right, ..] => vec![*left, *right],
        [] => Vec::new(),
    };
    let read: Vec<_> = lists.iter().map(|list| names_of_list(list)).collect();
    let names: Vec<String> = read.iter().flatten().flatten().cloned().collect();
    (!names.is_empty()).then_some(names)
}

/// The names of a list, if each entry is one name, perhaps with a version.
fn names_of_list(list: &str) -> Option<Vec<String>> {
    let list = list
        .replace(" and ", ",")
        .replace(" & ", ",")
        .replace(" + ", ",");
    let mut names = Vec::new();
    for entry in list.split(',').filter(|entry| !entry.trim().is_empty()) {
        let words = entry
            .split_whitespace()
            .map(|word| word.trim_matches(['*', '_', '"']));
        let is_about =
            |word: &&str| ABOUT.contains(&word.to_lowercase().as_str()) || is_version(word);
        let words: Vec<&str> = words.filter(|word| !is_about(word)).collect();
        match words.as_slice() {
            [] => {}
            [name] if is_name(name) => names.push((*name).to_owned()),
            _ => return None,
        }
    }
    Some(names)
}

fn is_version(word: &str) -> bool {
    let word = word.trim_start_matches(['v', '^', '~', '=', '>', '<']);
    word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".+-*".contains(c))
}

fn is_name(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '@') && word.chars().all(plain)
}

/// The names in backticks: the first word of each, without its version.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    let inside = text.split('`').skip(1).step_by(2);
    let names = inside.flat_map(|text| text.split([',', ' ']));
    names
        .map(|name| {
            let scoped = name.starts_with('@');
            let bare = name.trim_start_matches('@');
            let bare = bare.split(['@', '=', '>', '<', '^', '~', '[', '{']).next();
            let bare = bare.unwrap_or_default().trim();
            format!("{}{bare}", if scoped { "@" } else { "" })
        })
        .filter(|name| is_name(name))
}

/// A name as names are compared: case, dashes and underscores make no difference to registries.
pub(super) fn normal(name: &str) -> String {
    let name = name
        .trim()
        .trim_matches(['.', ':', '*', '"', '\''])
        .to_lowercase();
    name.replace(['_', '.'], "-")
}

#[cfg(test)]
#[path = "stack_text_tests.rs"]
mod tests;
