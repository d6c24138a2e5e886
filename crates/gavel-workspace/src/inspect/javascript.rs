//! Tests of JavaScript and TypeScript: calls of `test` and `it`, inside `describe` and the like.

use gavel_rules::work::{Span, Statement, StatementKind, SupportItem, Token, TokenKind};
use tree_sitter::Node;

use super::source::{Source, is_comment, line_of, span_of};
use super::{CodeRead, TestParts};

const TESTS: [&str; 8] = [
    "test", "it", "specify", "xit", "xtest", "xspecify", "fit", "ftest",
];
const SUITES: [&str; 6] = [
    "describe",
    "suite",
    "context",
    "xdescribe",
    "xcontext",
    "fdescribe",
];
/// Modifiers and options by which a test does not run, or may fail.
const SKIPS: [&str; 7] = [
    "skip", "todo", "failing", "fails", "fixme", "skipIf", "runIf",
];

/// What stands around calls.
#[derive(Clone, Default)]
struct Scope {
    path: String,
    attributes: Vec<Vec<Token>>,
    skipped: Option<String>,
    focus: Focus,
}

/// Whether a call says that it alone should run.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    None,
    Only,
}

/// A call of a runner's function.
struct Call<'t> {
    name: String,
    modifiers: Vec<Token>,
    arguments: Vec<Node<'t>>,
}

/// Reads the statements of a file of tests.
pub(super) fn read(source: Source<'_>, root: Node<'_>, read: &mut CodeRead) {
    let mut focused = Vec::new();
    read_statements(source, root, &Scope::default(), read, &mut focused);
    if focused.contains(&Focus::Only) {
        for (test, focus) in read.tests.iter_mut().zip(focused) {
            if focus == Focus::None && test.skipped.is_none() {
                test.skipped = Some("another test of the file is marked `only`".to_owned());
            }
        }
    }
}

fn read_statements(
    source: Source<'_>,
    node: Node<'_>,
    scope: &Scope,
    read: &mut CodeRead,
    focused: &mut Vec<Focus>,
) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    for child in children.into_iter().filter(|one| !is_comment(*one)) {
        let call = call_of(source, child);
        let body = call.as_ref().and_then(|call| callback(&call.arguments));
        match (call, body) {
            (Some(call), body) if TESTS.contains(&call.name.as_str()) => {
                let inner = inside(source, &call, scope);
                focused.push(inner.focus);
                read.tests.push(test(source, child, &call, &inner, body));
            }
            (Some(call), Some(body)) if SUITES.contains(&call.name.as_str()) => {
                let inner = inside(source, &call, scope);
                read.support.push(SupportItem {
                    scope: scope.path.clone(),
                    span: Span {
                        start: child.start_byte(),
                        end: body.start_byte(),
                    },
                    statement: Statement {
                        kind: StatementKind::Head,
                        line: line_of(child),
                        tokens: source.head(child, body.start_byte()),
                        blocks: Vec::new(),
                    },
                });
                let suite = Scope {
                    path: joined(&scope.path, &title(source, &call)),
                    ..inner
                };
                read_statements(source, body, &suite, read, focused);
            }
            (_, _) => read.support.push(SupportItem {
                scope: scope.path.clone(),
                span: span_of(child),
                statement: source.statement(child),
            }),
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path} > {name}")
    }
}

/// The call that a statement is, with its modifiers: `test.skip(…)`, `it.each(table)(…)`.
fn call_of<'t>(source: Source<'_>, statement: Node<'t>) -> Option<Call<'t>> {
    if statement.kind() != "expression_statement" {
        return None;
    }
    let mut call = statement.named_child(0)?;
    if call.kind() == "await_expression" {
        call = call.named_child(0)?;
    }
    if call.kind() != "call_expression" {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    let tokens = source.tokens(function);
    let (name, modifiers) = tokens.split_first()?;
    let list = call.child_by_field_name("arguments")?;
    let mut cursor = list.walk();
    let arguments = list.named_children(&mut cursor);
    let arguments = arguments.filter(|one| !is_comment(*one)).collect();
    (name.kind == TokenKind::Word).then(|| Call {
        name: name.text.clone(),
        modifiers: modifiers.to_vec(),
        arguments,
    })
}

/// The body of the function among the arguments.
fn callback<'t>(arguments: &[Node<'t>]) -> Option<Node<'t>> {
    let functions = ["arrow_function", "function_expression", "function"];
    let function = arguments
        .iter()
        .find(|one| functions.contains(&one.kind()))?;
    function.child_by_field_name("body")
}

fn title(source: Source<'_>, call: &Call<'_>) -> String {
    let first = call.arguments.first().map(|node| source.of(*node));
    let first = first.unwrap_or_default();
    first.trim_matches(['"', '\'', '`']).to_owned()
}

/// What holds inside a call: its modifiers, options and those around it.
fn inside(source: Source<'_>, call: &Call<'_>, scope: &Scope) -> Scope {
    let mut inner = scope.clone();
    if !call.modifiers.is_empty() {
        inner.attributes.push(call.modifiers.clone());
    }
    let options = call.arguments.iter().filter(|one| one.kind() == "object");
    for option in options {
        inner.attributes.push(source.tokens(*option));
    }
    let own = inner
        .attributes
        .iter()
        .skip(scope.attributes.len())
        .flatten();
    let modified: Vec<&str> = own.map(|token| token.text.as_str()).collect();
    let skip = SKIPS.iter().find(|word| modified.contains(*word));
    let name = call.name.as_str();
    let excluded = name.starts_with('x');
    if inner.skipped.is_none() {
        inner.skipped = match skip {
            Some(word) => Some(format!("`{word}`")),
            None => excluded.then(|| format!("`{name}`")),
        };
    }
    let focused = matches!(name, "fit" | "ftest" | "fdescribe") || modified.contains(&"only");
    if focused {
        inner.focus = Focus::Only;
    }
    inner
}

fn test(
    source: Source<'_>,
    statement: Node<'_>,
    call: &Call<'_>,
    scope: &Scope,
    body: Option<Node<'_>>,
) -> gavel_rules::work::TestFunction {
    let name = title(source, call);
    let skipped = scope.skipped.clone();
    let mut attributes = scope.attributes.clone();
    // What runs is named and not written here.
    let named = call.arguments.iter().skip(1).filter(|_| body.is_none());
    let named: Vec<Vec<Token>> = named.map(|node| source.tokens(*node)).collect();
    let is_empty = body.is_none() && named.is_empty();
    attributes.extend(named);
    let parts = TestParts {
        full_name: joined(&scope.path, &name),
        name,
        line: line_of(statement),
        span: span_of(statement),
        attributes,
        skipped: skipped.or_else(|| is_empty.then(|| "it has no body".to_owned())),
        catches: Vec::new(),
        body: body.into_iter().collect(),
    };
    parts.finish(source)
}
