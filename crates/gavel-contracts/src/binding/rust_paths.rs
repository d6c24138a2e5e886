//! Paths of Rust code in full, whatever `use`, `super`, `self` and `as` make of them.
//!
//! `use std::{fs as f};` and `f::read` are `std::fs` and `std::fs::read`: a pattern that forbids
//! `std::fs` means both.

use std::collections::BTreeMap;

use super::code::{CodeLine, Token, TokenKind};
use super::entry::is_entry_point;
use super::tree::{folder_of, name_of};

/// The most paths of one file.
const MAX_PATHS: usize = 20_000;
/// The most globs of one file that names are looked for in.
const MAX_GLOBS: usize = 4;
/// The most braces inside each other in one `use`.
const MAX_NESTING: usize = 60;
/// How often an alias may stand for another one.
const MAX_ALIASES: usize = 4;

/// A path in the code: its words, where it stands, and in which module.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Path {
    words: Vec<String>,
    line: u32,
}

/// A path that a `use` line brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Import {
    path: Path,
    /// What it is called from here on; `*` for everything below it.
    name: String,
}

/// Every path of a file in full, as lines to search in.
pub(super) fn resolved_paths(file: &str, tokens: &[Token<'_>]) -> Vec<CodeLine> {
    let mut reader = Reader {
        root: module_of(file),
        inline: Vec::new(),
        imports: Vec::new(),
        paths: Vec::new(),
    };
    reader.read(tokens);
    let names: BTreeMap<&str, &[String]> = reader
        .imports
        .iter()
        .filter(|import| import.name != "*")
        .map(|import| (import.name.as_str(), import.path.words.as_slice()))
        .collect();
    let globs: Vec<&[String]> = reader
        .imports
        .iter()
        .filter(|import| import.name == "*")
        .map(|import| import.path.words.as_slice())
        .take(MAX_GLOBS)
        .collect();
    let mut lines = Vec::new();
    for import in &reader.imports {
        let path = in_full(&import.path.words, &names).join("::");
        let text = match import.name.as_str() {
            "*" => format!("use {path}::*"),
            name if import.path.words.last().is_some_and(|last| last == name) => {
                format!("use {path}")
            }
            name => format!("use {path} as {name}"),
        };
        lines.push(CodeLine::at(import.path.line, text));
    }
    for path in &reader.paths {
        let words = in_full(&path.words, &names);
        let is_known = path
            .words
            .first()
            .is_some_and(|first| names.contains_key(first.as_str()));
        if !is_known {
            for glob in &globs {
                let text = [glob, words.as_slice()].concat().join("::");
                lines.push(CodeLine::at(path.line, text));
            }
        }
        lines.push(CodeLine::at(path.line, words.join("::")));
    }
    lines
}

/// Puts what a name stands for in its place.
fn in_full(words: &[String], names: &BTreeMap<&str, &[String]>) -> Vec<String> {
    let mut words = words.to_vec();
    for _ in 0..MAX_ALIASES {
        let Some((first, rest)) = words.split_first() else {
            break;
        };
        match names.get(first.as_str()) {
            // `use fs::File` after `use std::fs`, and never `use log` for itself.
            Some(path) if path.first() != Some(first) || path.len() > 1 => {
                let stands_for_itself = path.first() == Some(first);
                words = [path, rest].concat();
                if stands_for_itself {
                    break;
                }
            }
            Some(_) | None => break,
        }
    }
    words
}

/// The module of a file from the root of its crate.
fn module_of(file: &str) -> Vec<String> {
    let stem = name_of(file).strip_suffix(".rs").unwrap_or_default();
    let folder = folder_of(file);
    let parts: Vec<&str> = folder.split('/').collect();
    let below = parts
        .iter()
        .rposition(|part| *part == "src")
        .map_or(parts.len(), |at| at + 1);
    let mut module: Vec<String> = vec!["crate".to_owned()];
    if is_entry_point(file) {
        return module;
    }
    module.extend(parts.iter().skip(below).map(|part| (*part).to_owned()));
    if stem != "mod" {
        module.push(stem.to_owned());
    }
    module
}

struct Reader {
    root: Vec<String>,
    /// The braces that are open, with the name of the module that one opens.
    inline: Vec<Option<String>>,
    imports: Vec<Import>,
    paths: Vec<Path>,
}

impl Reader {
    fn read(&mut self, tokens: &[Token<'_>]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if self.paths.len() + self.imports.len() > MAX_PATHS {
                return;
            }
            let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
            let rest = tokens.get(at..).unwrap_or_default();
            if token.is("{") {
                let opens = before(2).is_some_and(|token| token.is("mod"));
                let name = before(1)
                    .filter(|_| opens)
                    .map(|token| token.text.to_owned());
                self.inline.push(name);
            } else if token.is("}") {
                self.inline.pop();
            } else if token.is("use") {
                let end = rest.iter().position(|token| token.is(";"));
                let tree = end.and_then(|end| rest.get(1..end)).unwrap_or_default();
                self.import(tree);
                at += tree.len();
            } else if token.is("extern") && rest.get(1).is_some_and(|token| token.is("crate")) {
                let tree = rest.get(2..5).unwrap_or_default();
                let end = tree
                    .iter()
                    .position(|token| token.is(";"))
                    .unwrap_or(tree.len());
                self.import(tree.get(..end).unwrap_or_default());
            } else if token.kind == TokenKind::Word {
                let words = path_words(rest);
                if words.len() > 1 {
                    at += 3 * (words.len() - 1);
                    let words = self.absolute(&words);
                    let line = token.line;
                    self.paths.push(Path { words, line });
                }
            }
            at += 1;
        }
    }

    /// Takes the place of `self` and `super` from where the code stands.
    fn absolute(&self, words: &[&str]) -> Vec<String> {
        let mut base: Vec<String> = self.root.clone();
        base.extend(self.inline.iter().flatten().cloned());
        let mut rest = words;
        let mut is_relative = false;
        while let Some((first, after)) = rest.split_first() {
            match *first {
                "super" => {
                    is_relative = true;
                    if base.len() > 1 {
                        base.pop();
                    }
                }
                "self" => is_relative = true,
                _ => break,
            }
            rest = after;
        }
        let rest = rest
            .iter()
            .map(|word| word.trim_start_matches('$').to_owned());
        if is_relative {
            base.extend(rest);
            base
        } else {
            rest.collect()
        }
    }

    /// Reads what stands between `use` and its semicolon.
    fn import(&mut self, tree: &[Token<'_>]) {
        let mut prefixes: Vec<Vec<&str>> = vec![Vec::new()];
        let mut leaf: Vec<&str> = Vec::new();
        let mut alias = None;
        let mut line = 0;
        let mut tokens = tree.iter();
        while let Some(token) = tokens.next() {
            if self.imports.len() > MAX_PATHS || prefixes.len() > MAX_NESTING {
                return;
            }
            match token.text {
                ":" => {}
                "{" => {
                    let prefix = prefixes.last().cloned().unwrap_or_default();
                    prefixes.push([prefix, std::mem::take(&mut leaf)].concat());
                }
                "," | "}" => {
                    let prefix = prefixes.last().cloned().unwrap_or_default();
                    self.leaf(&prefix, (&std::mem::take(&mut leaf), alias.take()), line);
                    if token.text == "}" && prefixes.len() > 1 {
                        prefixes.pop();
                    }
                }
                "as" => alias = tokens.next().map(|token| token.text),
                text => {
                    if leaf.is_empty() {
                        line = token.line;
                    }
                    leaf.push(text);
                }
            }
        }
        let prefix = prefixes.first().cloned().unwrap_or_default();
        self.leaf(&prefix, (&leaf, alias), line);
    }

    fn leaf(&mut self, prefix: &[&str], (leaf, alias): (&[&str], Option<&str>), line: u32) {
        if leaf.is_empty() {
            return;
        }
        let mut words = [prefix, leaf].concat();
        let is_glob = words.last() == Some(&"*");
        let names_itself = words.len() > 1 && words.last() == Some(&"self");
        if is_glob || names_itself {
            words.pop();
        }
        let words = self.absolute(&words);
        let name = match (is_glob, alias) {
            (true, _) => "*".to_owned(),
            (false, Some(alias)) => alias.to_owned(),
            (false, None) => words.last().cloned().unwrap_or_default(),
        };
        let path = Path { words, line };
        self.imports.push(Import { path, name });
    }
}

/// The words of the path that begins here: names with `::` between them.
fn path_words<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let mut words = Vec::new();
    let mut rest = tokens;
    while let Some(word) = rest.first().filter(|token| token.kind == TokenKind::Word) {
        words.push(word.text);
        match rest.get(1..3) {
            Some([first, second]) if first.is(":") && second.is(":") => {
                rest = rest.get(3..).unwrap_or_default();
            }
            Some(_) | None => break,
        }
    }
    words
}

#[cfg(test)]
#[path = "rust_paths_tests.rs"]
mod tests;
