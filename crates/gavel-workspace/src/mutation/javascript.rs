//! Places for faults in JavaScript and TypeScript, with or without JSX.
//!
//! Only code inside of functions: what runs when a module is loaded fails every test that imports it,
//! which says nothing about the test. Everything is planted on the line where it stands.

mod bodies;

use tree_sitter::{Node, Tree};

use super::draft::{Draft, Drafts, Scope, children, contains};
use super::place::{FaultKind, SWITCH};

/// Nodes in which nothing is planted: texts, types, and what is not there at run time.
const CLOSED: [&str; 24] = [
    "abstract_method_signature",
    "ambient_declaration",
    "comment",
    "decorator",
    "enum_declaration",
    "formal_parameters",
    "function_signature",
    "hash_bang_line",
    "implements_clause",
    "import_alias",
    "import_statement",
    "index_signature",
    "interface_declaration",
    "jsx_text",
    "literal_type",
    "method_signature",
    "object_type",
    "string",
    "template_string",
    "type_alias_declaration",
    "type_annotation",
    "type_arguments",
    "type_parameters",
    "type_query",
];

/// What arithmetic on it makes no sense.
const NO_NUMBERS: [&str; 5] = ["array", "object", "regex", "string", "template_string"];

/// What stands for itself in an expression, whatever is inside.
const OPAQUE: [&str; 5] = [
    "arguments",
    "arrow_function",
    "function_expression",
    "member_expression",
    "subscript_expression",
];

/// Finds all places of a file.
pub(super) fn find(tree: &Tree, drafts: &mut Drafts<'_>) {
    visit(tree.root_node(), &Scope::top(tree.root_node()), drafts);
}

fn visit(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(scope) = scope.deeper() else {
        return;
    };
    if node.is_error() || CLOSED.contains(&node.kind()) {
        return;
    }
    match node.kind() {
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "arrow_function"
        | "method_definition" => return bodies::function(node, &scope, drafts),
        "class_declaration" | "class" | "abstract_class_declaration" => {
            let name = node.child_by_field_name("name");
            let name = name.map_or("", |name| drafts.text(name));
            if let Some(body) = node.child_by_field_name("body") {
                visit(body, &scope.named(name, "."), drafts);
            }
            return;
        }
        kind if bodies::is_in_function(&scope) => {
            plant(kind, node, &scope, drafts);
            if is_log(node, drafts) {
                return;
            }
        }
        _ => {}
    }
    for child in children(node) {
        visit(child, &scope, drafts);
    }
}

fn plant(kind: &str, node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    match kind {
        "if_statement" | "ternary_expression" => negate(node, scope, drafts),
        "while_statement" | "do_statement" | "for_statement" => end_loop(node, scope, drafts),
        "binary_expression" => binary(node, scope, drafts),
        "unary_expression" => unary(node, scope, drafts),
        "true" => change(node, FaultKind::Logic, "false".to_owned(), scope, drafts),
        "false" => change(node, FaultKind::Logic, "true".to_owned(), scope, drafts),
        "augmented_assignment_expression" => augmented(node, scope, drafts),
        "expression_statement" | "throw_statement" => drop_statement(node, scope, drafts),
        _ => {}
    }
}

/// The condition of a statement or expression, without the parentheses that belong to a statement.
fn condition(node: Node<'_>) -> Option<Node<'_>> {
    let condition = node.child_by_field_name("condition")?;
    let condition = match condition.kind() {
        "parenthesized_expression" => condition.named_child(0)?,
        ";" | "empty_statement" => return None,
        _ => condition,
    };
    (condition.is_named() && !condition.has_error() && !condition.kind().contains("comment"))
        .then_some(condition)
}

fn negate(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(condition) = condition(node) else {
        return;
    };
    let before = drafts.text(condition).to_owned();
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("({SWITCH}!==!!("),
            close: "))".to_owned(),
            after: format!("!({before})"),
            before,
        },
    );
}

/// A condition of a loop only ever becomes false: turned around, it might never end.
fn end_loop(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(condition) = condition(node) else {
        return;
    };
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("(!{SWITCH}&&("),
            close: "))".to_owned(),
            before: format!("while ({})", drafts.text(condition)),
            after: "while (false)".to_owned(),
        },
    );
}

/// True for the whole condition of an `if`: what turns it around is planted there already.
fn is_condition(node: Node<'_>) -> bool {
    let mut parent = node.parent();
    if parent.is_some_and(|around| around.kind() == "parenthesized_expression") {
        parent = parent.and_then(|around| around.parent());
    }
    parent.is_some_and(|parent| {
        matches!(parent.kind(), "if_statement" | "ternary_expression")
            && condition(parent) == Some(node)
    })
}

/// An expression that becomes another one when the fault is on.
fn change(node: Node<'_>, kind: FaultKind, after: String, scope: &Scope, drafts: &mut Drafts<'_>) {
    drafts.add(
        scope,
        Draft {
            kind,
            range: node.byte_range(),
            open: format!("({SWITCH}?({after}):("),
            close: "))".to_owned(),
            before: drafts.text(node).to_owned(),
            after,
        },
    );
}

fn binary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(left), Some(operator), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("operator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let joins_texts = operator.kind() == "+" && contains(node, &NO_NUMBERS, &OPAQUE);
    let (Some(left), Some(right)) = (drafts.copy(left), drafts.copy(right)) else {
        return;
    };
    for (kind, other) in other_operators(operator.kind()) {
        if joins_texts || (*kind == FaultKind::Equality && is_condition(node)) {
            continue;
        }
        // `??` does not stand beside `&&` without parentheses.
        let after = match operator.kind() {
            "??" => format!("({left}) {other} ({right})"),
            _ => format!("{left} {other} {right}"),
        };
        change(node, *kind, after, scope, drafts);
    }
}

fn other_operators(operator: &str) -> &'static [(FaultKind, &'static str)] {
    use FaultKind as K;
    match operator {
        "+" => &[(K::Arithmetic, "-")],
        "-" => &[(K::Arithmetic, "+")],
        "*" => &[(K::Arithmetic, "/")],
        "/" | "%" => &[(K::Arithmetic, "*")],
        "&" | "^" => &[(K::Arithmetic, "|")],
        "|" => &[(K::Arithmetic, "&")],
        "<<" => &[(K::Arithmetic, ">>")],
        ">>" | ">>>" => &[(K::Arithmetic, "<<")],
        "<" => &[(K::Boundary, "<="), (K::Boundary, ">")],
        "<=" => &[(K::Boundary, "<"), (K::Boundary, ">")],
        ">" => &[(K::Boundary, ">="), (K::Boundary, "<")],
        ">=" => &[(K::Boundary, ">"), (K::Boundary, "<")],
        "==" => &[(K::Equality, "!=")],
        "!=" => &[(K::Equality, "==")],
        "===" => &[(K::Equality, "!==")],
        "!==" => &[(K::Equality, "===")],
        "&&" => &[(K::Logic, "||")],
        "||" => &[(K::Logic, "&&")],
        "??" => &[(K::Logic, "&&")],
        _ => &[],
    }
}

fn unary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let operator = node.child_by_field_name("operator");
    let inner = node.child_by_field_name("argument");
    let (Some(operator), Some(inner)) = (operator, inner) else {
        return;
    };
    let Some(copy) = drafts.copy(inner) else {
        return;
    };
    match operator.kind() {
        "!" if !is_condition(node) => {
            change(node, FaultKind::Logic, format!("!!{copy}"), scope, drafts);
        }
        "-" => change(node, FaultKind::Arithmetic, copy, scope, drafts),
        _ => {}
    }
}

/// `x += y` becomes `x += -y`.
fn augmented(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(operator), Some(right)) = (
        node.child_by_field_name("operator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    if !matches!(operator.kind(), "+=" | "-=") || contains(right, &NO_NUMBERS, &OPAQUE) {
        return;
    }
    if let Some(copy) = drafts.copy(right) {
        change(
            right,
            FaultKind::Arithmetic,
            format!("-({copy})"),
            scope,
            drafts,
        );
    }
}

fn drop_statement(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    if node.has_error() || !may_be_dropped(node, drafts) {
        return;
    }
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::DroppedStatement,
            range: node.byte_range(),
            // Braces, so that an `else` stays with its `if`.
            open: format!("{{if(!{SWITCH}){{"),
            close: "}}".to_owned(),
            before: drafts.text(node).to_owned(),
            after: "nothing".to_owned(),
        },
    );
}

fn may_be_dropped(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    if node.kind() == "throw_statement" {
        return true;
    }
    let Some(inner) = node.named_child(0) else {
        return false;
    };
    let text = drafts.text(inner);
    match inner.kind() {
        "call_expression" | "await_expression" => {
            !is_log(node, drafts) && !text.starts_with("console.") && !text.starts_with("super(")
        }
        "assignment_expression" => {
            let target = inner.child_by_field_name("left").map(|left| left.kind());
            matches!(target, Some("member_expression" | "subscript_expression"))
        }
        "augmented_assignment_expression" | "update_expression" => true,
        _ => false,
    }
}

/// True for a statement that only writes to a log.
fn is_log(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    node.kind() == "expression_statement"
        && [
            "console.debug",
            "console.error",
            "console.warn",
            "debug(",
            "log.",
            "logger.",
            "this.log.",
            "this.logger.",
        ]
        .iter()
        .any(|start| drafts.text(node).starts_with(start))
}
