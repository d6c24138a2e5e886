//! Tests that stand in documentation: Rust's examples and Python's prompts. Runners start them with the
//! suite and name them by lines, if at all, so that one which is gone is missed by nobody else.

use super::files::{Token, TokenKind, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::renames::Renames;
use super::{WorkFinding, WorkFindingKind};

/// What a block of Rust may be called and still be compiled.
const COMPILED: [&str; 4] = ["rust", "should_panic", "no_run", "compile_fail"];
const PROMPT: &str = ">>>";
const GOES_ON: &str = "...";

/// A test in documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DocTest {
    /// The line where it begins, from 1.
    line: u32,
    /// What it documents: the first line of code after it, or before it in Python.
    item: String,
    text: String,
}

impl DocTest {
    fn tokens(&self) -> Vec<Token> {
        tokens(&self.text)
    }
}

/// Tests of the base's documentation that are gone or say something else.
pub(super) fn compare_doc_tests(
    before: &WorkFiles,
    after: &WorkFiles,
    renames: &Renames,
) -> Vec<WorkFinding> {
    let mut left = all_of(after);
    let mut missing = Vec::new();
    for old in all_of(before) {
        match position(&left, |new| new.1.text == old.1.text) {
            Some(at) => drop(left.swap_remove(at)),
            None => missing.push(old),
        }
    }
    let mut findings = Vec::new();
    for (file, old) in missing {
        let words = old.tokens();
        if let Some(at) = position(&left, |new| renames.explain(&words, &new.1.tokens())) {
            left.swap_remove(at);
            continue;
        }
        let same = |new: &(&WorkFile, DocTest)| new.0.path == file.path && new.1.item == old.item;
        findings.push(match position(&left, same) {
            Some(at) => {
                let (_, new) = left.swap_remove(at);
                finding(WorkFindingKind::DocTestChanged, (file, &old), Some(&new))
            }
            None => finding(WorkFindingKind::DocTestDeleted, (file, &old), None),
        });
    }
    findings
}

fn position<T>(all: &[T], is_it: impl Fn(&T) -> bool) -> Option<usize> {
    all.iter().position(is_it)
}

fn finding(
    kind: WorkFindingKind,
    (file, old): (&WorkFile, &DocTest),
    new: Option<&DocTest>,
) -> WorkFinding {
    let why = match new {
        Some(_) => "it says something else",
        None => "it is gone",
    };
    let name = format!("{}\n{}", old.item, old.text);
    let about = &old.item;
    WorkFinding::new(kind, &file.path, &name)
        .at(new.map_or(old.line, |new| new.line))
        .saying(format!(
            "the example in the documentation of `{about}`: {why}"
        ))
        .changed(&old.text, new.map_or("", |new| &new.text))
}

fn all_of(files: &WorkFiles) -> Vec<(&WorkFile, DocTest)> {
    let all = files.iter().flat_map(|file| {
        let found = doc_tests(file).into_iter();
        found.map(move |one| (file, one))
    });
    all.collect()
}

fn doc_tests(file: &WorkFile) -> Vec<DocTest> {
    let Ok(text) = std::str::from_utf8(&file.content) else {
        return Vec::new();
    };
    match (file.role(), file.path.rsplit_once('.')) {
        (FileRole::Product, Some((_, "rs"))) => of_rust(text),
        (FileRole::Product, Some((_, "py"))) => of_python(text),
        (_, _) => Vec::new(),
    }
}

/// Fenced blocks of `///` and `//!` that rustdoc compiles.
fn of_rust(text: &str) -> Vec<DocTest> {
    let mut found = Vec::new();
    // The tests above an item, which is known once its documentation ends.
    let mut waiting: Vec<DocTest> = Vec::new();
    let mut open: Option<(DocTest, bool)> = None;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = line.trim();
        let said = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let Some(said) = said.filter(|said| !said.starts_with('/')) else {
            waiting.extend(open.take().filter(|(_, runs)| *runs).map(|(one, _)| one));
            if !line.is_empty() && !line.starts_with("#[") && !line.starts_with("//") {
                let item = head(line);
                found.extend(waiting.drain(..).map(|one| DocTest {
                    item: item.clone(),
                    ..one
                }));
            }
            continue;
        };
        let said = said.strip_prefix(' ').unwrap_or(said);
        let fence = said.trim().strip_prefix("```");
        open = match (open, fence) {
            (None, None) => None,
            (None, Some(info)) => {
                let one = DocTest {
                    line: number,
                    item: String::new(),
                    text: format!("{}\n", info.trim()),
                };
                Some((one, is_compiled(info)))
            }
            (Some((mut one, runs)), None) => {
                one.text.push_str(said);
                one.text.push('\n');
                Some((one, runs))
            }
            (Some((one, runs)), Some(_)) => {
                waiting.extend(runs.then_some(one));
                None
            }
        };
    }
    found.extend(waiting);
    found
}

fn is_compiled(info: &str) -> bool {
    let mut words = info.split([',', ' ']).filter(|word| !word.is_empty());
    words.all(|word| {
        let is_code = word.len() == 5 && word.starts_with('E');
        COMPILED.contains(&word) || word.starts_with("edition") || is_code
    })
}

/// Prompts with what they are to answer, one test for each group without an empty line.
fn of_python(text: &str) -> Vec<DocTest> {
    let mut found: Vec<DocTest> = Vec::new();
    let mut item = String::new();
    let mut open = false;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = unquoted(line.trim());
        let is_prompt = line == PROMPT || line.starts_with(">>> ");
        let ends = line.is_empty();
        if is_prompt && !open {
            open = true;
            found.push(DocTest {
                line: number,
                item: item.clone(),
                text: String::new(),
            });
        } else if ends {
            open = false;
        } else if !open && !line.starts_with(GOES_ON) {
            let words = ["def ", "class ", "async def "];
            if words.iter().any(|word| line.starts_with(word)) {
                item = head(line);
            }
        }
        if let (true, Some(last)) = (open, found.last_mut()) {
            last.text.push_str(line);
            last.text.push('\n');
        }
    }
    found
}

/// A line without the quotes that begin or end a docstring.
fn unquoted(line: &str) -> &str {
    let mut inside = line;
    for quotes in ["r\"\"\"", "\"\"\"", "'''"] {
        inside = inside.strip_prefix(quotes).unwrap_or(inside);
        inside = inside.strip_suffix(quotes).unwrap_or(inside);
    }
    inside.trim()
}

/// The beginning of an item, up to what may change about it.
fn head(line: &str) -> String {
    let end = line.find(['(', '{', ':', '=', ';', '<']);
    let head = end.and_then(|end| line.get(..end)).unwrap_or(line);
    head.trim().to_owned()
}

/// Words, texts, numbers and signs; space does not count.
fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (kind, end) = if first == '"' {
            let end = rest.get(1..).and_then(|inside| inside.find('"'));
            (TokenKind::Text, end.map_or(rest.len(), |end| end + 2))
        } else if is_word(first) {
            let kind = if first.is_ascii_digit() {
                TokenKind::Number
            } else {
                TokenKind::Word
            };
            let end = rest.find(|c: char| !is_word(c));
            (kind, end.unwrap_or(rest.len()))
        } else {
            (TokenKind::Sign, first.len_utf8())
        };
        let (token, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        all.push(Token {
            kind,
            text: token.to_owned(),
        });
        rest = after.trim_start();
    }
    all
}

#[cfg(test)]
#[path = "doc_tests_tests.rs"]
mod tests;
