//! Tests of Rust: functions with a test attribute, in modules of tests and in files of tests.

use gavel_rules::work::{Span, SupportItem, TestModule, Token};
use tree_sitter::Node;

use super::source::{Source, all_nodes, is_comment, line_of, span_of};
use super::{CodeRead, TestParts};

/// Last parts of attributes that make a function a test.
const TEST_ATTRIBUTES: [&str; 7] = [
    "test",
    "rstest",
    "test_case",
    "quickcheck",
    "wasm_bindgen_test",
    "parameterized",
    "proptest",
];

/// Whether the code around an item is compiled for tests alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Product,
    Tests,
}

/// An attribute and its tokens, without its brackets.
struct Attribute<'t> {
    node: Node<'t>,
    tokens: Vec<Token>,
}

/// What stands around items.
#[derive(Clone)]
struct Scope {
    path: String,
    around: Around,
    attributes: Vec<Vec<Token>>,
}

/// Reads the items of a file.
pub(super) fn read(source: Source<'_>, root: Node<'_>, around: Around, read: &mut CodeRead) {
    let scope = Scope {
        path: String::new(),
        around,
        attributes: Vec::new(),
    };
    read_items(source, root, scope, read);
}

fn read_items(source: Source<'_>, node: Node<'_>, mut scope: Scope, read: &mut CodeRead) {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let mut attributes: Vec<Attribute<'_>> = Vec::new();
    for child in children {
        match child.kind() {
            _ if is_comment(child) => {}
            "attribute_item" => attributes.push(Attribute {
                node: child,
                tokens: attribute_tokens(source, child),
            }),
            "inner_attribute_item" => {
                let tokens = attribute_tokens(source, child);
                if is_condition(&tokens) {
                    scope.attributes.push(tokens);
                } else if scope.around == Around::Tests {
                    read.support.push(support(source, child, &[], &scope));
                }
            }
            _ => {
                let own = std::mem::take(&mut attributes);
                read_item(source, child, &own, &scope, read);
            }
        }
    }
}

fn read_item(
    source: Source<'_>,
    node: Node<'_>,
    attributes: &[Attribute<'_>],
    scope: &Scope,
    read: &mut CodeRead,
) {
    let is_test = node.kind() == "function_item"
        && attributes.iter().any(|one| is_test_attribute(&one.tokens));
    if is_test {
        read.tests
            .push(test(source, node, attributes, scope).finish(source));
    } else if node.kind() == "mod_item" {
        read_module(source, node, attributes, scope, read);
    } else if scope.around == Around::Tests {
        let ours = attributes.iter().any(|one| is_for_tests(&one.tokens));
        // `#[cfg(test)]` says nothing in a file that is for tests.
        let kept: Vec<&Attribute<'_>> = attributes
            .iter()
            .filter(|one| !ours || !is_plain_cfg(&one.tokens))
            .collect();
        let start = attributes.first().map_or(node, |one| one.node);
        let mut item = support(source, node, &kept, scope);
        item.span.start = start.start_byte();
        read.support.push(item);
    }
}

fn read_module(
    source: Source<'_>,
    node: Node<'_>,
    attributes: &[Attribute<'_>],
    scope: &Scope,
    read: &mut CodeRead,
) {
    let name = source.field(node, "name");
    let for_tests = attributes.iter().any(|one| is_for_tests(&one.tokens));
    let start = attributes.first().map_or(node, |one| one.node).start_byte();
    let body = node.child_by_field_name("body");
    if scope.around == Around::Product && for_tests {
        read.modules.push(TestModule {
            name: name.to_owned(),
            span: Span {
                start,
                end: node.end_byte(),
            },
            body: body.map(span_of),
        });
    }
    let around = if for_tests {
        Around::Tests
    } else {
        scope.around
    };
    let Some(body) = body else {
        if scope.around == Around::Tests {
            let all: Vec<&Attribute<'_>> = attributes.iter().collect();
            let mut item = support(source, node, &all, scope);
            item.span.start = start;
            read.support.push(item);
        }
        return;
    };
    let mut inherited = scope.attributes.clone();
    let own = attributes.iter().map(|one| one.tokens.clone());
    inherited.extend(own.filter(|tokens| is_condition(tokens)));
    let inner = Scope {
        path: joined(&scope.path, name),
        around,
        attributes: inherited,
    };
    read_items(source, body, inner, read);
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}::{name}")
    }
}

fn support(
    source: Source<'_>,
    node: Node<'_>,
    attributes: &[&Attribute<'_>],
    scope: &Scope,
) -> SupportItem {
    let mut statement = source.statement(node);
    let mut tokens: Vec<Token> = attributes
        .iter()
        .flat_map(|one| one.tokens.iter().cloned())
        .collect();
    tokens.append(&mut statement.tokens);
    statement.tokens = tokens;
    SupportItem {
        scope: scope.path.clone(),
        span: span_of(node),
        statement,
    }
}

fn test<'t>(
    source: Source<'_>,
    node: Node<'t>,
    attributes: &[Attribute<'_>],
    scope: &Scope,
) -> TestParts<'t> {
    let name = source.field(node, "name");
    let body = node.child_by_field_name("body");
    let own = attributes.iter().map(|one| one.tokens.clone());
    let own = own.filter(|tokens| !is_plain_cfg(tokens));
    let mut all: Vec<Vec<Token>> = own.chain(scope.attributes.iter().cloned()).collect();
    let says = |word: &str| all.iter().flatten().any(|token| token.is_word(word));
    let skipped = says("ignore").then(|| "#[ignore]".to_owned());
    let panics = says("should_panic").then(|| "should_panic".to_owned());
    let parameters = node.child_by_field_name("parameters");
    let parameters = parameters.map(|node| source.tokens(node));
    all.extend(parameters.filter(|tokens| tokens.len() > 2));
    all.extend(
        node.child_by_field_name("return_type")
            .map(|node| source.tokens(node)),
    );
    TestParts {
        name: name.to_owned(),
        full_name: joined(&scope.path, name),
        line: line_of(node),
        span: Span {
            start: attributes.first().map_or(node, |one| one.node).start_byte(),
            end: node.end_byte(),
        },
        attributes: all,
        skipped,
        catches: panics.into_iter().collect(),
        body: body.into_iter().collect(),
    }
}

fn attribute_tokens(source: Source<'_>, node: Node<'_>) -> Vec<Token> {
    let inner = node.named_child(0).unwrap_or(node);
    source.tokens(inner)
}

/// The path of an attribute ends with a word that makes a test.
fn is_test_attribute(tokens: &[Token]) -> bool {
    let path = tokens
        .iter()
        .take_while(|token| !token.is_sign("(") && !token.is_sign("="));
    path.last()
        .is_some_and(|last| TEST_ATTRIBUTES.contains(&last.text.as_str()))
}

fn says(tokens: &[Token], word: &str) -> bool {
    tokens.iter().any(|token| token.text == word)
}

/// `#[cfg(test)]` and conditions that ask for `test` among other things.
fn is_for_tests(tokens: &[Token]) -> bool {
    says(tokens, "cfg") && says(tokens, "test") && !says(tokens, "not") && !says(tokens, "any")
}

fn is_plain_cfg(tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words == ["cfg", "(", "test", ")"]
}

/// An attribute that decides whether what it stands at is compiled or run.
fn is_condition(tokens: &[Token]) -> bool {
    let first = tokens.first().map_or("", |token| token.text.as_str());
    matches!(first, "cfg" | "cfg_attr" | "ignore") && !is_plain_cfg(tokens)
}

/// Attributes of product code that make it another one under test, with what gives them away.
pub(super) fn conditions(source: Source<'_>, root: Node<'_>) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for node in all_nodes(root) {
        let sign = match node.kind() {
            "attribute_item" | "inner_attribute_item" => {
                condition_sign(&attribute_tokens(source, node), node)
            }
            "macro_invocation" if source.field(node, "macro") == "cfg" => {
                let tokens = source.tokens(node);
                says(&tokens, "test").then_some("cfg!(test)")
            }
            _ => None,
        };
        found.extend(sign.map(|sign| (line_of(node), sign.to_owned())));
    }
    found
}

fn condition_sign(tokens: &[Token], node: Node<'_>) -> Option<&'static str> {
    let first = tokens.first().map_or("", |token| token.text.as_str());
    if !says(tokens, "test") {
        return None;
    }
    match first {
        "cfg" if says(tokens, "not") => Some("#[cfg(not(test))]"),
        "cfg_attr" if says(tokens, "path") || says(tokens, "not") => Some("#[cfg_attr(test, …)]"),
        "cfg" => {
            let inside = [
                "block",
                "match_block",
                "field_initializer_list",
                "arguments",
            ];
            let parent = node.parent().map_or("", |parent| parent.kind());
            let replaces = inside.contains(&parent) || imports_for_tests(node);
            replaces.then_some("#[cfg(test)] on product code")
        }
        _ => None,
    }
}

/// `use` for tests alone, outside a module of tests: it may take the place of what a glob imports.
fn imports_for_tests(attribute: Node<'_>) -> bool {
    let mut next = attribute.next_named_sibling();
    while next.is_some_and(|node| node.kind() == "attribute_item" || is_comment(node)) {
        next = next.and_then(|node| node.next_named_sibling());
    }
    let Some(item) = next.filter(|node| node.kind() == "use_declaration") else {
        return false;
    };
    let mut first = item.child_by_field_name("argument");
    while let Some(path) = first.and_then(|node| node.child_by_field_name("path")) {
        first = Some(path);
    }
    // The name of a node says nothing about its text; paths of `super` and `crate` are nodes of
    // their own kind, those of packages are identifiers.
    first.is_some_and(|node| matches!(node.kind(), "super" | "crate" | "self"))
}
