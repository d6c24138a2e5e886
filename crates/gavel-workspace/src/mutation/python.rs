//! Places for faults in Python.
//!
//! Only code inside of functions: what runs when a module is loaded fails every test that imports it,
//! which says nothing about the test. A fault that replaces a body needs a line of its own, so that
//! lines of a planted file may move down; places keep the numbers of the original.

mod bodies;

use tree_sitter::{Node, Tree};

use super::draft::{Draft, Drafts, Scope, children, contains, token};
use super::place::{FaultKind, SWITCH};

/// Nodes in which nothing is planted.
const CLOSED: [&str; 16] = [
    "assert_statement",
    "case_pattern",
    "comment",
    "concatenated_string",
    "decorator",
    "future_import_statement",
    "global_statement",
    "import_from_statement",
    "import_statement",
    "lambda_parameters",
    "nonlocal_statement",
    "parameters",
    "string",
    "type",
    "type_alias_statement",
    "type_parameter",
];

/// What arithmetic on it can only crash.
const NO_NUMBERS: [&str; 6] = [
    "concatenated_string",
    "dictionary",
    "list",
    "set",
    "string",
    "tuple",
];

/// Finds all places of a file.
pub(super) fn find(tree: &Tree, drafts: &mut Drafts<'_>) {
    let top = Scope::top(tree.root_node());
    find_functions(tree.root_node(), &top, drafts);
}

/// Goes through code outside of functions.
fn find_functions(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(scope) = scope.deeper() else {
        return;
    };
    match node.kind() {
        "function_definition" => bodies::function(node, &scope, drafts),
        "class_definition" => class(node, &scope, drafts, find_functions),
        kind if node.is_error() || CLOSED.contains(&kind) => {}
        _ => {
            for child in children(node) {
                find_functions(child, &scope, drafts);
            }
        }
    }
}

fn class(
    node: Node<'_>,
    scope: &Scope,
    drafts: &mut Drafts<'_>,
    visit: fn(Node<'_>, &Scope, &mut Drafts<'_>),
) {
    let name = node.child_by_field_name("name");
    let name = name.map_or("", |name| drafts.text(name));
    let within = scope.named(name, ".");
    if let Some(body) = node.child_by_field_name("body") {
        visit(body, &within, drafts);
    }
}

/// Goes through code inside of a function.
fn visit(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(scope) = scope.deeper() else {
        return;
    };
    if node.is_error() || CLOSED.contains(&node.kind()) {
        return;
    }
    match node.kind() {
        "function_definition" => return bodies::function(node, &scope, drafts),
        "class_definition" => return class(node, &scope, drafts, visit),
        "if_statement" | "elif_clause" => {
            negate(node.child_by_field_name("condition"), &scope, drafts);
        }
        "if_clause" => negate(node.named_child(0), &scope, drafts),
        "conditional_expression" => negate(node.named_child(1), &scope, drafts),
        "while_statement" => end_loop(node, &scope, drafts),
        "comparison_operator" => comparison(node, &scope, drafts),
        "binary_operator" | "boolean_operator" => binary(node, &scope, drafts),
        "not_operator" | "unary_operator" => unary(node, &scope, drafts),
        "true" => change(node, FaultKind::Logic, "False".to_owned(), &scope, drafts),
        "false" => change(node, FaultKind::Logic, "True".to_owned(), &scope, drafts),
        "augmented_assignment" => augmented(node, &scope, drafts),
        "expression_statement" | "raise_statement" | "continue_statement" => {
            drop_statement(node, &scope, drafts);
            if says_to_log(node, drafts) {
                return;
            }
        }
        _ => {}
    }
    for child in children(node) {
        visit(child, &scope, drafts);
    }
}

fn negate(condition: Option<Node<'_>>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(condition) = condition.filter(|condition| !condition.has_error()) else {
        return;
    };
    let before = drafts.text(condition).to_owned();
    if before.contains("__name__") || before.contains("TYPE_CHECKING") {
        return;
    }
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("({SWITCH}!=(not not("),
            close: ")))".to_owned(),
            after: format!("not ({before})"),
            before,
        },
    );
}

/// A condition of a loop only ever becomes false: turned around, it might never end.
fn end_loop(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let condition = node.child_by_field_name("condition");
    let Some(condition) = condition.filter(|condition| !condition.has_error()) else {
        return;
    };
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("(not {SWITCH} and ("),
            close: "))".to_owned(),
            before: format!("while {}", drafts.text(condition)),
            after: "while False".to_owned(),
        },
    );
}

/// True for the whole condition of an `if`: what turns it around is planted there already.
fn is_condition(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    match parent.kind() {
        "if_statement" | "elif_clause" => parent.child_by_field_name("condition") == Some(node),
        "if_clause" => true,
        "conditional_expression" => parent.named_child(1) == Some(node),
        _ => false,
    }
}

/// An expression that becomes another one when the fault is on.
fn change(node: Node<'_>, kind: FaultKind, after: String, scope: &Scope, drafts: &mut Drafts<'_>) {
    drafts.add(
        scope,
        Draft {
            kind,
            range: node.byte_range(),
            open: format!("(({after}) if {SWITCH} else ("),
            close: "))".to_owned(),
            before: drafts.text(node).to_owned(),
            after,
        },
    );
}

fn comparison(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let parts = children(node);
    let ([left, right], Some(operator)) = (parts.as_slice(), node.child_by_field_name("operators"))
    else {
        return;
    };
    if drafts.text(node).contains("__name__") {
        return;
    }
    let (Some(left), Some(right)) = (drafts.copy(*left), drafts.copy(*right)) else {
        return;
    };
    for (kind, other) in other_operators(operator.kind()) {
        if *kind != FaultKind::Equality || !is_condition(node) {
            change(
                node,
                *kind,
                format!("{left} {other} {right}"),
                scope,
                drafts,
            );
        }
    }
}

fn binary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(left), Some(operator), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("operator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let arithmetic = node.kind() == "binary_operator";
    if arithmetic && contains(node, &NO_NUMBERS, &["call", "subscript", "lambda"]) {
        return;
    }
    let (Some(left), Some(right)) = (drafts.copy(left), drafts.copy(right)) else {
        return;
    };
    for (kind, other) in other_operators(operator.kind()) {
        change(
            node,
            *kind,
            format!("{left} {other} {right}"),
            scope,
            drafts,
        );
    }
}

fn other_operators(operator: &str) -> &'static [(FaultKind, &'static str)] {
    use FaultKind as K;
    match operator {
        "+" => &[(K::Arithmetic, "-")],
        "-" => &[(K::Arithmetic, "+")],
        "*" => &[(K::Arithmetic, "+")],
        "/" | "//" | "%" | "**" => &[(K::Arithmetic, "*")],
        "&" | "^" => &[(K::Arithmetic, "|")],
        "|" => &[(K::Arithmetic, "&")],
        "<<" => &[(K::Arithmetic, ">>")],
        ">>" => &[(K::Arithmetic, "<<")],
        "<" => &[(K::Boundary, "<="), (K::Boundary, ">")],
        "<=" => &[(K::Boundary, "<"), (K::Boundary, ">")],
        ">" => &[(K::Boundary, ">="), (K::Boundary, "<")],
        ">=" => &[(K::Boundary, ">"), (K::Boundary, "<")],
        "==" => &[(K::Equality, "!=")],
        "!=" => &[(K::Equality, "==")],
        "in" => &[(K::Equality, "not in")],
        "not in" => &[(K::Equality, "in")],
        "is" => &[(K::Equality, "is not")],
        "is not" => &[(K::Equality, "is")],
        "and" => &[(K::Logic, "or")],
        "or" => &[(K::Logic, "and")],
        _ => &[],
    }
}

fn unary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let kind = match node.kind() {
        "not_operator" if is_condition(node) => return,
        "not_operator" => FaultKind::Logic,
        _ if token(node, "-").is_some() => FaultKind::Arithmetic,
        _ => return,
    };
    let inner = node.child_by_field_name("argument");
    if let Some(after) = inner.and_then(|inner| drafts.copy(inner)) {
        change(node, kind, after, scope, drafts);
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
    let listed = ["expression_list", "yield", "assignment"];
    if !matches!(operator.kind(), "+=" | "-=")
        || listed.contains(&right.kind())
        || contains(right, &NO_NUMBERS, &["call", "subscript", "lambda"])
    {
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
    let alone = drafts.line_before(node.start_byte()).trim().is_empty()
        && is_end_of_line(drafts.line_after(node.end_byte()));
    if !alone || node.has_error() || !may_be_dropped(node, scope, drafts) {
        return;
    }
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::DroppedStatement,
            range: node.byte_range(),
            open: format!("if not {SWITCH}: "),
            close: String::new(),
            before: drafts.text(node).to_owned(),
            after: "nothing".to_owned(),
        },
    );
}

fn is_end_of_line(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with('#')
}

/// Calls, and assignments to what lives longer than the function; a name without its value only crashes.
fn may_be_dropped(node: Node<'_>, scope: &Scope, drafts: &Drafts<'_>) -> bool {
    let Some(inner) = node.named_child(0) else {
        return node.kind() == "continue_statement";
    };
    let text = drafts.text(inner);
    match inner.kind() {
        _ if node.kind() == "raise_statement" => !text.contains("NotImplementedError"),
        "call" | "await" => {
            !says_to_log(node, drafts) && !text.starts_with("print(") && !text.starts_with("super(")
        }
        "augmented_assignment" => true,
        "assignment" => {
            let target = inner.child_by_field_name("left").map(|left| left.kind());
            let has_value = inner.child_by_field_name("right").is_some();
            let makes = scope.function.name.ends_with("__init__");
            has_value && !makes && matches!(target, Some("attribute" | "subscript"))
        }
        _ => false,
    }
}

/// True for a statement that only writes to a log.
fn says_to_log(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    let text = drafts.text(node).trim_start_matches("self.");
    let text = text.trim_start_matches('_');
    [
        "logger.",
        "logging.",
        "log.",
        "warnings.warn(",
        "LOG.",
        "LOGGER.",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}
