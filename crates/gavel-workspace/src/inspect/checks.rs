//! Functions that do nothing but assert, in code of the product.

use gavel_rules::work::{Check, Span, Statement, StatementKind, Token};
use tree_sitter::Node;

use super::assertions;
use super::source::{Source, all_nodes, line_of, span_of};
use crate::syntax::SourceLanguage;

/// Those of a file, outside its tests.
pub(super) fn of_code(source: Source<'_>, root: Node<'_>, tests: &[Span]) -> Vec<Check> {
    let outside = |node: &Node<'_>| {
        let at = node.start_byte();
        !tests.iter().any(|span| span.start <= at && at < span.end)
    };
    let all = all_nodes(root).into_iter().filter(outside);
    all.filter_map(|node| check(source, node)).collect()
}

fn check(source: Source<'_>, node: Node<'_>) -> Option<Check> {
    let function = match node.kind() {
        "function_definition" | "function_declaration" | "method_definition" | "function_item" => {
            node
        }
        "variable_declarator" => node
            .child_by_field_name("value")
            .filter(|value| matches!(value.kind(), "arrow_function" | "function_expression"))?,
        _ => return None,
    };
    if source.language == SourceLanguage::Rust
        && function.child_by_field_name("return_type").is_some()
    {
        return None;
    }
    let name = source.field(node, "name");
    let body = source.body(function.child_by_field_name("body")?);
    let flat: Vec<&Statement> = body.iter().flat_map(Statement::flat).collect();
    let asserts = |one: &&Statement| is_assertion(source.language, &one.tokens);
    let only_asserts = flat.iter().all(|one| is_harmless(source.language, one));
    (!name.is_empty() && only_asserts && flat.iter().any(asserts)).then(|| Check {
        name: name.to_owned(),
        line: line_of(node),
        span: span_of(node),
        code: body
            .iter()
            .map(Statement::code)
            .fold(head(source, function), |all, one| format!("{all}; {one}")),
    })
}

/// Its parameters: one that was given another default, or another name, says something else.
fn head(source: Source<'_>, function: Node<'_>) -> String {
    let parameters = function.child_by_field_name("parameters");
    let tokens = parameters.map(|node| source.tokens(node));
    let words = tokens.iter().flatten().map(|token| token.text.as_str());
    words.collect::<Vec<_>>().join(" ")
}

/// What it does besides asserting leaves nothing behind.
fn is_harmless(language: SourceLanguage, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Assertion => is_assertion(language, &statement.tokens),
        StatementKind::Binding(_) | StatementKind::Import => true,
        StatementKind::Leave => statement.tokens.len() < 2,
        StatementKind::Definition(_) | StatementKind::Head => false,
        StatementKind::Other => !statement.blocks.is_empty(),
    }
}

/// True for an assertion, and not for an error that a product raises as well.
fn is_assertion(language: SourceLanguage, tokens: &[Token]) -> bool {
    let says = |word: &str| tokens.iter().any(|token| token.text == word);
    let raises = says("raise") || says("throw") || says("?");
    assertions::count(language, tokens) > 0 && (!raises || says("AssertionError"))
}
