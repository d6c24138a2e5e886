//! Values that stand together in code of the product: entries of tables, arms, conditions with what follows
//! from them.

use std::collections::BTreeSet;

use gavel_rules::work::{Entry, Span, TokenKind};
use tree_sitter::Node;

use super::source::{Source, all_nodes, line_of};

/// The most values of one entry: what has more is a table of them.
const MOST: usize = 8;

/// Those of a file, outside its tests; of entries inside each other, the outer one.
pub(super) fn of_code(source: Source<'_>, root: Node<'_>, tests: &[Span]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for node in all_nodes(root) {
        let at = node.start_byte();
        let is_inside = tests.iter().any(|span| span.start <= at && at < span.end);
        // Parents come first.
        let last = found.last().map_or(0, |entry| entry.span.end);
        if is_inside || at < last {
            continue;
        }
        found.extend(entry(source, node));
    }
    found
}

fn entry(source: Source<'_>, node: Node<'_>) -> Option<Entry> {
    let parts = match node.kind() {
        "pair" | "match_arm" | "switch_case" | "case_clause" => vec![node],
        kind if is_row(kind) && !is_table(node) => vec![node],
        "if_statement" | "if_expression" | "elif_clause" | "ternary_expression" => {
            let fields = ["condition", "consequence"];
            let parts = fields.iter();
            parts
                .filter_map(|field| node.child_by_field_name(field))
                .collect()
        }
        _ => return None,
    };
    let tokens = parts.iter().flat_map(|part| source.tokens(*part));
    let values = tokens.filter(|token| match token.kind {
        TokenKind::Text | TokenKind::Number => true,
        TokenKind::Word | TokenKind::Sign => false,
    });
    let values: BTreeSet<String> = values.map(|token| token.text).collect();
    (values.len() > 1 && values.len() <= MOST).then(|| Entry {
        line: line_of(node),
        span: Span {
            start: node.start_byte(),
            end: parts.last().map_or(node.end_byte(), Node::end_byte),
        },
        text: first_line(source.of(node)),
        values,
    })
}

fn is_row(kind: &str) -> bool {
    matches!(
        kind,
        "tuple" | "tuple_expression" | "array" | "list" | "array_expression"
    )
}

/// True for what holds several rows.
fn is_table(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let inner = node.named_children(&mut cursor);
    inner.filter(|inner| is_row(inner.kind())).count() > 1
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}
