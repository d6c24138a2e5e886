//! Decoys: places that look like planted faults and change nothing, since what a fault would put there is
//! a copy of what stands there.
//!
//! In Python and JavaScript planted sources stay where tests can read them. A test that reads from them
//! which number turns a fault on, and fails then, fails for a decoy, too.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::syntax::SourceLanguage;

use super::draft::children;
use super::place::{SWITCH, Wrap};

/// How many each function gets.
const OF_A_FUNCTION: usize = 3;
/// Longer texts are not copied.
const MAX_COPY: usize = 400;

/// What is written twice.
enum Twice {
    Expression,
    /// A statement, where an expression in parentheses could become part of the line before.
    Statement,
}

/// Where decoys of a file go.
pub(super) fn find_decoys(language: SourceLanguage, tree: &Tree, source: &str) -> Vec<Wrap> {
    match language {
        // What is compiled is tested without its planted sources.
        SourceLanguage::Rust => return Vec::new(),
        SourceLanguage::Python
        | SourceLanguage::JavaScript
        | SourceLanguage::TypeScript
        | SourceLanguage::Tsx => {}
    }
    let mut found = Vec::<Wrap>::new();
    let mut waiting = vec![(tree.root_node(), None::<Range<usize>>)];
    while let Some((node, function)) = waiting.pop() {
        if node.is_error() {
            continue;
        }
        let place = function.clone().zip(repeatable(language, node));
        if let Some((function, (node, twice))) = place
            && found.iter().filter(|one| one.function == function).count() < OF_A_FUNCTION
            && let Some(wrap) = wrap(language, source, (node, twice), function)
        {
            found.push(wrap);
        }
        let within = match is_function(node) {
            true => Some(node.byte_range()),
            false => function,
        };
        let below = children(node).into_iter().rev();
        waiting.extend(below.map(|child| (child, within.clone())));
    }
    found
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
    )
}

/// What of a statement can be written a second time.
fn repeatable(language: SourceLanguage, node: Node<'_>) -> Option<(Node<'_>, Twice)> {
    let is_python = language == SourceLanguage::Python;
    match node.kind() {
        "return_statement" => Some((node.named_child(0)?, Twice::Expression)),
        "if_statement" => {
            let condition = node.child_by_field_name("condition")?;
            let inner = match condition.kind() {
                "parenthesized_expression" => condition.named_child(0)?,
                _ => condition,
            };
            Some((inner, Twice::Expression))
        }
        "expression_statement" => {
            let call = node.named_child(0)?;
            match (call.kind(), is_python) {
                ("call", true) => Some((call, Twice::Expression)),
                ("call_expression", false) => Some((node, Twice::Statement)),
                _ => None,
            }
        }
        _ if is_body_of_arrow(node) => Some((node, Twice::Expression)),
        _ => None,
    }
}

/// True for the whole body of `(a, b) => a * b`.
fn is_body_of_arrow(node: Node<'_>) -> bool {
    let around = node.parent().filter(|one| one.kind() == "arrow_function");
    let body = around.and_then(|arrow| arrow.child_by_field_name("body"));
    body == Some(node) && node.kind() != "statement_block"
}

fn wrap(
    language: SourceLanguage,
    source: &str,
    (node, twice): (Node<'_>, Twice),
    function: Range<usize>,
) -> Option<Wrap> {
    let copy = source.get(node.byte_range())?;
    let repeats = copy.len() <= MAX_COPY
        && !copy.contains(['\n', '\r', SWITCH])
        && !copy.starts_with("super")
        && !node.kind().contains("comment")
        && !node.has_error();
    let (open, close) = match (language, twice) {
        (SourceLanguage::Python, _) => (format!("(({copy}) if {SWITCH} else ("), "))"),
        (_, Twice::Expression) => (format!("({SWITCH}?({copy}):("), "))"),
        (_, Twice::Statement) => (format!("{{if({SWITCH}){{{copy}}}else{{"), "}}"),
    };
    repeats.then(|| Wrap {
        range: node.byte_range(),
        open,
        close: close.to_owned(),
        modules: 0,
        function,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn texts(language: SourceLanguage, source: &str) -> Vec<String> {
        let tree = parse(language, source).unwrap();
        let found = find_decoys(language, &tree, source);
        let texts = found
            .into_iter()
            .map(|wrap| source.get(wrap.range).unwrap().to_owned());
        texts.collect()
    }

    #[test]
    fn what_can_be_written_twice_is_found_in_functions() {
        let python = "print(1)\n\n\ndef price(a, b):\n    \"\"\"Text.\"\"\"\n    log(a)\n    if a > b:\n        \
                      return a, b\n    return (\n        a\n    )\n";
        let found = texts(SourceLanguage::Python, python);
        assert_eq!(found, ["log(a)", "a > b", "a, b"]);
        let javascript = "go();\nfunction price(a, b) {\n  if (a > b) return a;\n  log(a)\n  return b\n}\n\
                          class Shop extends Base { constructor() { super(1); this.open(); } }\n\
                          const twice = (a) => a * 2;\n";
        let found = texts(SourceLanguage::JavaScript, javascript);
        assert_eq!(found, ["a > b", "a", "log(a)", "this.open();", "a * 2"]);
        assert!(texts(SourceLanguage::Rust, "fn price() -> u8 { return 1; }").is_empty());
    }
}
