//! Tests of Python: functions and methods whose names begin with `test`, in modules, in classes that
//! pytest collects, and in classes of unittest.

use gavel_rules::work::{Span, Statement, StatementKind, SupportItem, Token};
use tree_sitter::Node;

use super::source::{Source, is_comment, line_of, span_of};
use super::{CodeRead, TestParts};

/// Words of decorators and marks by which a test does not run, or may fail.
const SKIPS: [&str; 9] = [
    "skip",
    "skipIf",
    "skipUnless",
    "skipif",
    "xfail",
    "expectedFailure",
    "disabled",
    "flaky",
    "SkipTest",
];

/// What stands around statements.
#[derive(Clone, Default)]
struct Scope {
    path: String,
    attributes: Vec<Vec<Token>>,
    skipped: Option<String>,
}

/// A definition with its decorators.
struct Decorated<'t> {
    definition: Node<'t>,
    whole: Node<'t>,
    decorators: Vec<Node<'t>>,
}

/// Reads the statements of a file of tests.
pub(super) fn read(source: Source<'_>, root: Node<'_>, read: &mut CodeRead) {
    read_statements(source, root, Scope::default(), read);
    // The last definition of a name is the one that runs.
    let names: Vec<String> = read
        .tests
        .iter()
        .map(|test| test.full_name.clone())
        .collect();
    for (at, test) in read.tests.iter_mut().enumerate() {
        let is_replaced = names
            .iter()
            .skip(at + 1)
            .any(|later| *later == test.full_name);
        if is_replaced && test.skipped.is_none() {
            test.skipped = Some("another test of its name follows".to_owned());
        }
    }
}

fn read_statements(source: Source<'_>, node: Node<'_>, mut scope: Scope, read: &mut CodeRead) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let children: Vec<Node<'_>> = children
        .into_iter()
        .filter(|one| !is_comment(*one))
        .collect();
    // What is said for all of them counts wherever it stands.
    for child in &children {
        scope.skipped = scope.skipped.or_else(|| skips_all(source, *child));
    }
    for child in children {
        let decorated = undecorated(child);
        let name = source.field(decorated.definition, "name");
        match decorated.definition.kind() {
            "function_definition" if name.starts_with("test") => {
                let test = test(source, &decorated, &scope);
                read.tests.push(test.finish(source));
            }
            "class_definition" if is_test_class(source, decorated.definition) => {
                read_class(source, &decorated, &scope, read);
            }
            _ => read.support.push(SupportItem {
                scope: scope.path.clone(),
                span: span_of(child),
                statement: source.statement(child),
            }),
        }
    }
}

fn undecorated(node: Node<'_>) -> Decorated<'_> {
    let mut cursor = node.walk();
    let decorators = node
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "decorator")
        .collect();
    Decorated {
        definition: node.child_by_field_name("definition").unwrap_or(node),
        whole: node,
        decorators,
    }
}

fn is_test_class(source: Source<'_>, class: Node<'_>) -> bool {
    let bases = source.field(class, "superclasses");
    source.field(class, "name").starts_with("Test") || bases.contains("Test")
}

fn read_class(source: Source<'_>, class: &Decorated<'_>, scope: &Scope, read: &mut CodeRead) {
    let definition = class.definition;
    let name = source.field(definition, "name");
    let Some(body) = definition.child_by_field_name("body") else {
        return;
    };
    let head = source.head(class.whole, body.start_byte());
    read.support.push(SupportItem {
        scope: scope.path.clone(),
        span: Span {
            start: class.whole.start_byte(),
            end: body.start_byte(),
        },
        statement: Statement {
            kind: StatementKind::Head,
            line: line_of(definition),
            tokens: head,
            blocks: Vec::new(),
        },
    });
    let decorators = decorator_tokens(source, class);
    let mut inner = scope.clone();
    inner.path = joined(&scope.path, name);
    inner.skipped = inner.skipped.or_else(|| skip_of(&decorators));
    inner.attributes.extend(decorators);
    read_statements(source, body, inner, read);
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}::{name}")
    }
}

fn test<'t>(source: Source<'_>, test: &Decorated<'t>, scope: &Scope) -> TestParts<'t> {
    let definition = test.definition;
    let name = source.field(definition, "name");
    let mut attributes = decorator_tokens(source, test);
    let skipped = scope.skipped.clone().or_else(|| skip_of(&attributes));
    attributes.extend(scope.attributes.iter().cloned());
    // Without a plugin for it, nobody runs what is behind `async`.
    let first = definition.child(0).filter(|node| node.kind() == "async");
    attributes.extend(first.map(|node| source.tokens(node)));
    let parameters = definition.child_by_field_name("parameters");
    let parameters = parameters.map(|node| source.tokens(node));
    attributes.extend(parameters.filter(|tokens| tokens.len() > 2));
    TestParts {
        name: name.to_owned(),
        full_name: joined(&scope.path, name),
        line: line_of(definition),
        span: span_of(test.whole),
        attributes,
        skipped,
        catches: Vec::new(),
        body: definition.child_by_field_name("body").into_iter().collect(),
    }
}

fn decorator_tokens(source: Source<'_>, of: &Decorated<'_>) -> Vec<Vec<Token>> {
    let inner = of.decorators.iter().filter_map(|node| node.named_child(0));
    inner.map(|node| source.tokens(node)).collect()
}

fn skip_of(attributes: &[Vec<Token>]) -> Option<String> {
    let mut words = attributes.iter().flatten();
    let found = words.find(|token| SKIPS.contains(&token.text.as_str()))?;
    Some(format!("@{}", found.text))
}

/// `pytestmark = pytest.mark.skip`, `__test__ = False`, and a skip of the whole module.
fn skips_all(source: Source<'_>, node: Node<'_>) -> Option<String> {
    if node.kind() != "expression_statement" {
        return None;
    }
    let tokens = source.tokens(node);
    let first = tokens.first().map_or("", |token| token.text.as_str());
    let says = |words: &[&str]| {
        tokens
            .iter()
            .any(|token| words.contains(&token.text.as_str()))
    };
    match first {
        "pytestmark" if says(&SKIPS) => Some("pytestmark skips all of them".to_owned()),
        "__test__" if says(&["False"]) => Some("__test__ is False".to_owned()),
        "pytest" if says(&["skip", "importorskip", "exit"]) => {
            Some("the whole module is skipped".to_owned())
        }
        _ => None,
    }
}
