//! Syntax checks: does a file parse, and if not, where?
//!
//! The grammars recover from errors, so one mistake does not hide the next. They know nothing of
//! types or names; that is the compiler's work.

use std::ops::ControlFlow;

use tree_sitter::{LanguageError, Node, ParseOptions, Parser, Tree};

use crate::RepoPath;

/// Longer files are not checked: generated code, mostly.
pub(crate) const MAX_BYTES: usize = 2 * 1024 * 1024;

/// The most problems that are listed.
const MAX_PROBLEMS: usize = 50;

/// How often the parser may ask to go on. It asks about a hundred times for each thousand lines of
/// sound code; only error recovery in senseless text comes near this.
const MAX_STEPS: u32 = 2_000_000;

/// Code that is nested deeper is not compared: a question about each node's parent takes as long as the node
/// is deep, and ten kilobytes of parentheses would keep a reader busy for hours.
const MOST_DEPTH: u32 = 500;

/// A language whose syntax can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceLanguage {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

/// One place where a file does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxProblem {
    /// The line, from 1.
    pub line: usize,
    /// The column in letters, from 1.
    pub column: usize,
    /// What is wrong, as far as a grammar can tell.
    pub message: String,
}

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyntaxReport {
    /// The first problems, in the order of the file; empty when it parses.
    pub problems: Vec<SyntaxProblem>,
    /// How many more there are.
    pub left_out: usize,
}

/// A file that could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum SyntaxCheckError {
    /// The file is too long to be checked; compile it instead.
    #[error("the file has {bytes} bytes, and more than {MAX_BYTES} are not checked; compile it")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// The text keeps the parser busy beyond reason; compile it instead.
    #[error("the text is too tangled to be checked; compile it")]
    TooTangled,
    /// The grammar does not fit the parser: this program is built wrongly.
    #[error("the {language:?} grammar cannot be used")]
    Grammar {
        /// The language.
        language: SourceLanguage,
        /// What the parser said.
        #[source]
        source: LanguageError,
    },
}

impl SourceLanguage {
    /// The language of a file by its name; `None` when its syntax cannot be checked.
    pub fn of_path(path: &RepoPath) -> Option<Self> {
        Self::of_name(path.name())
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "rs" => Some(Self::Rust),
            "py" | "pyi" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "jsx" => Some(Self::JavaScript),
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            _ => None,
        }
    }

    fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

/// Parses a text and lists what does not parse.
pub fn check_syntax(
    language: SourceLanguage,
    source: &str,
) -> Result<SyntaxReport, SyntaxCheckError> {
    let tree = parse(language, source)?;
    let mut report = SyntaxReport::default();
    for node in broken_nodes(&tree) {
        if report.problems.len() < MAX_PROBLEMS {
            report.problems.push(problem(node, source));
        } else {
            report.left_out += 1;
        }
    }
    Ok(report)
}

/// Parses a text; a tangled or overlong one is refused.
pub(crate) fn parse(language: SourceLanguage, source: &str) -> Result<Tree, SyntaxCheckError> {
    if source.len() > MAX_BYTES {
        return Err(SyntaxCheckError::TooLong {
            bytes: source.len(),
        });
    }
    let mut parser = Parser::new();
    parser
        .set_language(&language.grammar())
        .map_err(|source| SyntaxCheckError::Grammar { language, source })?;
    let mut steps = 0;
    // Counted and not timed, so that the same text always gets the same answer.
    let mut bounded = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > MAX_STEPS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut bounded);
    let mut text = |at: usize, _| source.as_bytes().get(at..).unwrap_or_default();
    parser
        .parse_with_options(&mut text, None, Some(options))
        .ok_or(SyntaxCheckError::TooTangled)
}

/// True for code that is nested deeper than whoever asks about each node's parent can read in time.
pub(crate) fn is_too_deep(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    loop {
        if cursor.depth() > MOST_DEPTH {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// The innermost broken nodes: an outer one often spans the whole file and says nothing.
fn broken_nodes(tree: &Tree) -> Vec<Node<'_>> {
    let mut broken = Vec::new();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if node.is_missing() {
            broken.push(node);
            continue;
        }
        if !node.has_error() {
            continue;
        }
        let mut cursor = node.walk();
        let inner: Vec<_> = node
            .children(&mut cursor)
            .filter(|child| child.has_error() || child.is_missing())
            .collect();
        if inner.is_empty() {
            broken.push(node);
        } else {
            waiting.extend(inner.into_iter().rev());
        }
    }
    broken
}

fn problem(node: Node<'_>, source: &str) -> SyntaxProblem {
    let start = node.start_position();
    let line_start = node.start_byte().saturating_sub(start.column);
    let before = source.get(line_start..node.start_byte());
    SyntaxProblem {
        line: start.row + 1,
        column: before.map_or(start.column, |text| text.chars().count()) + 1,
        message: message(node, source),
    }
}

fn message(node: Node<'_>, source: &str) -> String {
    const SHOWN: usize = 40;
    if node.is_missing() {
        return format!("`{}` is missing", node.kind());
    }
    let text = source.get(node.byte_range()).unwrap_or_default().trim();
    let first = text.lines().next().unwrap_or_default();
    match first.char_indices().nth(SHOWN) {
        _ if first.is_empty() => "something is missing".to_owned(),
        Some((cut, _)) => format!(
            "cannot be read: `{}…`",
            first.get(..cut).unwrap_or_default()
        ),
        None => format!("cannot be read: `{first}`"),
    }
}

#[cfg(test)]
#[path = "syntax_tests.rs"]
mod tests;
