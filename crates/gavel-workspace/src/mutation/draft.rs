//! What the finders of all languages share: the text under a node, copies of it, and the list of places.

use std::ops::Range;
use std::rc::Rc;

use tree_sitter::Node;

use crate::path::RepoPath;

use super::place::{FaultKind, FaultPlace, Wrap};

/// Deeper code is not looked at: nobody writes it by hand, and the search must end.
const MAX_DEPTH: usize = 300;

/// Longer expressions are not copied.
const MAX_COPY: usize = 400;

/// How much of a place is shown.
const EXCERPT_CHARS: usize = 80;

/// The function around a place.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) range: Range<usize>,
    first_line: u32,
    last_line: u32,
    marked_skip: bool,
}

/// Where in the code the search is.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) function: Rc<Function>,
    /// What names of functions begin with: `Parser::`.
    pub(super) prefix: Rc<str>,
    /// How many inline modules stand around.
    pub(super) modules: usize,
    depth: usize,
}

impl Scope {
    /// The whole file, outside of any function.
    pub(super) fn top(root: Node<'_>) -> Self {
        Self {
            function: Rc::new(Function::of("<top>".to_owned(), root)),
            prefix: "".into(),
            modules: 0,
            depth: 0,
        }
    }

    /// One level further down; `None` when that is too deep.
    pub(super) fn deeper(&self) -> Option<Self> {
        (self.depth < MAX_DEPTH).then(|| Self {
            depth: self.depth + 1,
            ..self.clone()
        })
    }

    /// Inside of a type, class, trait or module of this name.
    pub(super) fn named(&self, name: &str, separator: &str) -> Self {
        Self {
            prefix: format!("{}{name}{separator}", self.prefix).into(),
            ..self.clone()
        }
    }

    /// Inside of a function.
    pub(super) fn function(&self, name: &str, node: Node<'_>) -> Self {
        let name = format!("{}{name}", self.prefix);
        Self {
            function: Rc::new(Function::of(name, node)),
            ..self.clone()
        }
    }

    /// The same with the function marked to be left alone.
    pub(super) fn marked_skip(&self) -> Self {
        Self {
            function: Rc::new(Function {
                name: self.function.name.clone(),
                range: self.function.range.clone(),
                marked_skip: true,
                ..*self.function
            }),
            ..self.clone()
        }
    }
}

impl Function {
    fn of(name: String, node: Node<'_>) -> Self {
        Self {
            name,
            range: node.byte_range(),
            first_line: line_of(node.start_position().row),
            last_line: line_of(node.end_position().row),
            marked_skip: false,
        }
    }
}

/// A place, as a finder describes it.
pub(super) struct Draft {
    pub(super) kind: FaultKind,
    /// What the wrap stands around.
    pub(super) range: Range<usize>,
    pub(super) open: String,
    pub(super) close: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The places found so far in one file.
pub(super) struct Drafts<'a> {
    file: &'a RepoPath,
    source: &'a str,
    /// Where lines end.
    line_ends: Vec<usize>,
    places: Vec<FaultPlace>,
}

impl<'a> Drafts<'a> {
    pub(super) fn new(file: &'a RepoPath, source: &'a str) -> Self {
        Self {
            file,
            source,
            line_ends: source.match_indices('\n').map(|(at, _)| at).collect(),
            places: Vec::new(),
        }
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The text between two places.
    pub(super) fn between(&self, range: Range<usize>) -> &'a str {
        self.source.get(range).unwrap_or_default()
    }

    /// The text of the line before this place.
    pub(super) fn line_before(&self, at: usize) -> &'a str {
        let before = self.between(0..at);
        before.rsplit('\n').next().unwrap_or_default()
    }

    /// The rest of the line after this place.
    pub(super) fn line_after(&self, at: usize) -> &'a str {
        let after = self.between(at..self.source.len());
        after.split('\n').next().unwrap_or_default()
    }

    /// The text of an expression on one line, to be written a second time; `None` when it cannot be
    /// without changing its meaning.
    pub(super) fn copy(&self, node: Node<'_>) -> Option<String> {
        let text = self.text(node);
        if text.len() > MAX_COPY || node.has_error() {
            return None;
        }
        if !text.contains(['\n', '\r']) {
            return Some(text.to_owned());
        }
        let joins = !text.contains('\\') && !holds_lines(node);
        joins.then(|| {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            lines.join(" ")
        })
    }

    /// Adds a place.
    pub(super) fn add(&mut self, scope: &Scope, draft: Draft) {
        let row = self
            .line_ends
            .partition_point(|end| *end < draft.range.start);
        self.places.push(FaultPlace {
            file: self.file.clone(),
            line: line_of(row),
            function: scope.function.name.clone(),
            function_lines: scope.function.first_line..=scope.function.last_line,
            kind: draft.kind,
            before: excerpt(&draft.before),
            after: excerpt(&draft.after),
            marked_skip: scope.function.marked_skip,
            wrap: Wrap {
                range: draft.range,
                open: draft.open,
                close: draft.close,
                modules: scope.modules,
                function: scope.function.range.clone(),
            },
        });
    }

    /// All places, in the order of the file, outer ones first.
    pub(super) fn into_places(mut self) -> Vec<FaultPlace> {
        self.places.sort_by_key(|place| {
            let range = &place.wrap.range;
            // What is written before a statement stands before everything that begins there.
            (range.start, !range.is_empty(), usize::MAX - range.end)
        });
        self.places
    }
}

/// The named children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first unnamed child of a kind: an operator, a keyword.
pub(super) fn token<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|child| !child.is_named() && child.kind() == kind)
}

/// True when a node or one below it is of one of these kinds; nodes of the kinds in `closed` are not
/// looked into.
pub(super) fn contains(node: Node<'_>, kinds: &[&str], closed: &[&str]) -> bool {
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        if kinds.contains(&next.kind()) {
            return true;
        }
        if next == node || !closed.contains(&next.kind()) {
            waiting.extend(children(next));
        }
    }
    false
}

/// True when lines mean something inside of a node: comments, long strings, statements.
fn holds_lines(node: Node<'_>) -> bool {
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        let kind = next.kind();
        let long = next.start_position().row != next.end_position().row;
        if kind.contains("comment") || kind == "statement_block" || kind == "class_body" {
            return true;
        }
        if long && (kind.contains("string") || kind.contains("jsx")) {
            return true;
        }
        waiting.extend(children(next));
    }
    false
}

fn line_of(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT_CHARS) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or_default()),
        None => line,
    }
}
