//! Files put together from two versions, by places in their texts.

use std::collections::BTreeSet;

use gavel_rules::work::{
    ItemComparison, Span, Statement, StatementKind, SupportItem, TestModule, TokenKind, WorkFile,
};

/// A text in place of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    span: Span,
    text: String,
}

/// A part of a file that is the work's, or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Taken(Edit),
    Removed(Edit),
}

impl Piece {
    pub(super) fn taken(span: Span, text: &str) -> Self {
        Self::Taken(Edit {
            span,
            text: text.to_owned(),
        })
    }

    pub(super) fn removed(span: Span, text: &str) -> Self {
        Self::Removed(Edit {
            span,
            text: text.to_owned(),
        })
    }

    pub(super) fn into_edit(self) -> Edit {
        match self {
            Self::Taken(edit) | Self::Removed(edit) => edit,
        }
    }
}

impl Edit {
    /// A module in place of the one of its name, else at the end of the file.
    pub(super) fn over(file: &WorkFile, module: &TestModule, text: &str) -> Self {
        let there = file.modules.iter().find(|one| one.name == module.name);
        Self::at(there.map(|one| one.span), file.content.len(), text)
    }

    /// A text at a place, else behind everything else.
    pub(super) fn at(place: Option<Span>, end: usize, text: &str) -> Self {
        match place {
            Some(span) => Self {
                span,
                text: text.to_owned(),
            },
            None => Self {
                span: Span { start: end, end },
                text: format!("\n{text}\n"),
            },
        }
    }

    pub(super) const fn moved_back(mut self, by: usize) -> Self {
        self.span.start = self.span.start.saturating_sub(by);
        self.span.end = self.span.end.saturating_sub(by);
        self
    }
}

/// A text with its edits made. Of two that overlap, the later one in the text is not made.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        if edit.span.start < at {
            continue;
        }
        made.push_str(text.get(at..edit.span.start).unwrap_or_default());
        made.push_str(&edit.text);
        at = edit.span.end;
    }
    made.push_str(text.get(at..).unwrap_or_default());
    made
}

/// Imports and helpers that the work added and that code of it needs which stays, as long as none of
/// their names was known to the base's tests.
pub(super) fn additions(
    file: &WorkFile,
    now: &WorkFile,
    needed: &BTreeSet<&str>,
    items: &[&ItemComparison],
) -> Vec<Edit> {
    let known = words_of(file);
    let places: BTreeSet<usize> = items
        .iter()
        .filter_map(|item| item.after.as_ref())
        .map(|place| place.span.start)
        .collect();
    let new = now.support.iter().filter(|item| {
        let names = bound_names(&item.statement);
        !places.contains(&item.span.start)
            && !names.is_empty()
            && names.iter().all(|name| !known.contains(name.as_str()))
    });
    let text = now.text().unwrap_or_default();
    let edits = needed_items(new.collect(), needed)
        .into_iter()
        .filter_map(|item| {
            let put = text.get(item.span.start..item.span.end)?;
            let start = insertion_point(file, item)?;
            let indent = indentation(file.text()?, start);
            Some(Edit {
                span: Span { start, end: start },
                text: format!("{put}\n{indent}"),
            })
        });
    edits.collect()
}

/// The items whose names are needed, or needed by one of them; in their order.
fn needed_items<'a>(
    mut left: Vec<&'a SupportItem>,
    needed: &BTreeSet<&str>,
) -> Vec<&'a SupportItem> {
    let mut needed: BTreeSet<String> = needed.iter().map(|&word| word.to_owned()).collect();
    let mut found: Vec<&SupportItem> = Vec::new();
    loop {
        let (more, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|item| {
            let names = bound_names(&item.statement);
            names.iter().any(|name| needed.contains(name))
        });
        if more.is_empty() {
            break;
        }
        for item in &more {
            needed.extend(words_in(&item.statement).map(str::to_owned));
        }
        found.extend(more);
        left = rest;
    }
    found.sort_by_key(|item| item.span.start);
    found
}

fn words_in(statement: &Statement) -> impl Iterator<Item = &str> {
    let tokens = statement.flat().into_iter().flat_map(|one| &one.tokens);
    let words = tokens.filter(|token| token.kind == TokenKind::Word);
    words.map(|token| token.text.as_str())
}

/// The names that the test code at a place speaks of.
pub(super) fn words_at(file: &WorkFile, span: Span) -> BTreeSet<&str> {
    let tests = file.tests.iter().filter(|test| test.span == span);
    let support = file.support.iter().filter(|item| item.span == span);
    let statements = tests.flat_map(|test| &test.body);
    let statements = statements.chain(support.map(|item| &item.statement));
    statements.flat_map(words_in).collect()
}

/// Before the first thing in the same scope that is no import.
fn insertion_point(file: &WorkFile, item: &SupportItem) -> Option<usize> {
    let tests = file.tests.iter().filter(|test| test.scope() == item.scope);
    let tests = tests.map(|test| test.span.start);
    let support = file.support.iter().filter(|one| one.scope == item.scope);
    let support = support.filter(|one| one.statement.kind != StatementKind::Import);
    tests.chain(support.map(|one| one.span.start)).min()
}

fn indentation(text: &str, at: usize) -> String {
    let head = text.get(..at).unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let is_space = line.chars().all(char::is_whitespace);
    if is_space {
        line.to_owned()
    } else {
        String::new()
    }
}

/// The names that the test code of a file speaks of.
pub(super) fn words_of(file: &WorkFile) -> BTreeSet<&str> {
    let tests = file.tests.iter().flat_map(|test| &test.body);
    let support = file.support.iter().map(|item| &item.statement);
    let all = tests.chain(support).flat_map(Statement::flat);
    let tokens = all.flat_map(|one| &one.tokens);
    let attributes = file
        .tests
        .iter()
        .flat_map(|test| &test.attributes)
        .flatten();
    let words = tokens.chain(attributes);
    let words = words.filter(|token| token.kind == TokenKind::Word);
    words.map(|token| token.text.as_str()).collect()
}

/// The names that a statement makes known to what follows.
fn bound_names(statement: &Statement) -> Vec<String> {
    match &statement.kind {
        StatementKind::Definition(name) => vec![name.clone()],
        StatementKind::Binding(names) => names.clone(),
        StatementKind::Import => imported(statement),
        StatementKind::Assertion
        | StatementKind::Head
        | StatementKind::Leave
        | StatementKind::Other => Vec::new(),
    }
}

/// Names at the end of a path or a list: what stands before a comma, a bracket or the end, and not
/// before `as`, `from` or a dot.
fn imported(statement: &Statement) -> Vec<String> {
    let tokens = &statement.tokens;
    let binds = |at: usize| {
        let next = tokens.get(at + 1).map_or("", |next| next.text.as_str());
        matches!(next, "" | "," | "}" | ")" | ";" | "from" | "=")
    };
    let is_module = |at: usize| {
        let from = tokens.first().is_some_and(|first| first.is_sign("from"));
        let import = tokens.iter().position(|token| token.is_sign("import"));
        from && import.is_some_and(|import| at < import)
    };
    let words = tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| token.kind == TokenKind::Word && binds(*at) && !is_module(*at));
    words
        .map(|(_, token)| token.text.clone())
        .filter(|name| name != "require")
        .collect()
}
