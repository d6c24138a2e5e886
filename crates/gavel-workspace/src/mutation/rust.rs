//! Places for faults in Rust.
//!
//! Everything is planted as an expression on the line where it stands. What the types do not allow is
//! found by the compiler and taken out again; here only what can never work is left out: constants,
//! patterns, macros, tests.

mod attributes;
mod defaults;
mod test_modules;

use tree_sitter::{Node, Tree};

use super::draft::{Draft, Drafts, Scope, children, token};
use super::place::{FaultKind, SWITCH};

pub(super) use attributes::without_denied_lints;
pub(super) use test_modules::DeclaredModules;

/// Nodes in which nothing is planted: they hold no code that runs, or code that runs in the compiler.
const CLOSED: [&str; 20] = [
    "attribute_item",
    "const_block",
    "const_item",
    "enum_item",
    "extern_crate_declaration",
    "foreign_mod_item",
    "generic_pattern",
    "inner_attribute_item",
    "macro_definition",
    "macro_invocation",
    "static_item",
    "string_literal",
    "struct_item",
    "trait_bounds",
    "type_arguments",
    "type_item",
    "type_parameters",
    "union_item",
    "use_declaration",
    "where_clause",
];

/// Finds all places of a file.
pub(super) fn find(tree: &Tree, drafts: &mut Drafts<'_>) {
    visit(tree.root_node(), &Scope::top(tree.root_node()), drafts);
}

fn visit(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(scope) = scope.deeper() else {
        return;
    };
    if node.is_error() || CLOSED.contains(&node.kind()) || attributes::is_test(node, drafts) {
        return;
    }
    match node.kind() {
        "function_item" => return function(node, &scope, drafts),
        "mod_item" => return module(node, &scope, drafts),
        "impl_item" => return implementation(node, &scope, drafts),
        "trait_item" => {
            let name = node.child_by_field_name("name");
            let name = name.map_or("", |name| drafts.text(name));
            return inside(node, &scope.named(name, "::"), drafts);
        }
        "if_expression" => negate_condition(node, &scope, drafts),
        "while_expression" => end_loop(node, &scope, drafts),
        "match_pattern" => {
            negate_condition(node, &scope, drafts);
            if let Some(guard) = node.child_by_field_name("condition") {
                visit(guard, &scope, drafts);
            }
            return;
        }
        "binary_expression" => binary(node, &scope, drafts),
        "compound_assignment_expr" => compound_assignment(node, &scope, drafts),
        "unary_expression" => unary(node, &scope, drafts),
        "range_expression" => range(node, &scope, drafts),
        "boolean_literal" => boolean(node, &scope, drafts),
        "expression_statement" => drop_statement(node, &scope, drafts),
        _ => {}
    }
    for field in runs_in(node) {
        visit(field, &scope, drafts);
    }
}

/// The parts of a node that hold code: not patterns, types, lengths.
fn runs_in(node: Node<'_>) -> Vec<Node<'_>> {
    let fields: &[&str] = match node.kind() {
        "let_declaration" => &["value", "alternative"],
        "let_condition" => &["value"],
        "for_expression" => &["value", "body"],
        "closure_expression" => &["body"],
        "type_cast_expression" => &["value"],
        "array_expression" if node.child_by_field_name("length").is_some() => {
            return children(node).into_iter().take(1).collect();
        }
        _ => return children(node),
    };
    let found = fields
        .iter()
        .filter_map(|field| node.child_by_field_name(field));
    found.collect()
}

fn inside(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    if let Some(body) = node.child_by_field_name("body") {
        for child in children(body) {
            visit(child, scope, drafts);
        }
    }
}

fn module(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let name = node.child_by_field_name("name");
    let name = name.map_or("", |name| drafts.text(name));
    let mut below = scope.named(name, "::");
    below.modules += 1;
    inside(node, &below, drafts);
}

fn implementation(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let last_name = |field: &str| {
        let text = node
            .child_by_field_name(field)
            .map(|part| drafts.text(part));
        let text = text.unwrap_or_default();
        let text = text.split('<').next().unwrap_or_default();
        text.rsplit("::").next().unwrap_or_default().trim()
    };
    // What `{:?}` prints is for people, and no test should hang on it.
    if last_name("trait") == "Debug" {
        return;
    }
    let name = last_name("type").to_owned();
    inside(node, &scope.named(&name, "::"), drafts);
}

fn function(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(name), Some(body)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("body"),
    ) else {
        return;
    };
    let modifiers = children(node)
        .into_iter()
        .find(|child| child.kind() == "function_modifiers");
    if modifiers.is_some_and(|words| drafts.text(words).split_whitespace().any(|w| w == "const")) {
        return;
    }
    let mut within = scope.function(drafts.text(name), node);
    if attributes::marks_skip(node, drafts) {
        within = within.marked_skip();
    }
    within.prefix = format!("{}::", within.function.name).into();
    let statements: Vec<_> = children(body)
        .into_iter()
        .filter(|child| !child.kind().contains("comment"))
        .collect();
    if !statements.is_empty() && !body.has_error() {
        defaults::replace_body(node, body, &within, drafts);
    }
    inside(node, &within, drafts);
}

/// `if x` becomes `if !x`; conditions with `let` stay, for what they bind is needed.
fn negate_condition(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(condition) = plain_condition(node) else {
        return;
    };
    let before = drafts.text(condition).to_owned();
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("({SWITCH})!=("),
            close: ")".to_owned(),
            after: format!("!({before})"),
            before,
        },
    );
}

/// A condition of a loop only ever becomes false: turned around, it might never end.
fn end_loop(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(condition) = plain_condition(node) else {
        return;
    };
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::NegatedCondition,
            range: condition.byte_range(),
            open: format!("!({SWITCH})&&("),
            close: ")".to_owned(),
            before: format!("while {}", drafts.text(condition)),
            after: "while false".to_owned(),
        },
    );
}

fn plain_condition(node: Node<'_>) -> Option<Node<'_>> {
    let condition = node.child_by_field_name("condition")?;
    let binds = matches!(condition.kind(), "let_condition" | "let_chain");
    (!binds && !condition.has_error()).then_some(condition)
}

/// True for the whole condition of an `if`: what turns it around is planted there already.
fn is_condition(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    matches!(parent.kind(), "if_expression" | "match_pattern")
        && plain_condition(parent) == Some(node)
}

fn binary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(left), Some(operator), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("operator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let (Some(left), Some(right)) = (drafts.copy(left), drafts.copy(right)) else {
        return;
    };
    for (kind, other) in other_operators(drafts.text(operator)) {
        if *kind == FaultKind::Equality && is_condition(node) {
            continue;
        }
        let after = format!("{left} {other} {right}");
        drafts.add(scope, instead(node, *kind, after, drafts));
    }
}

/// An expression that becomes another one when the fault is on.
fn instead(node: Node<'_>, kind: FaultKind, after: String, drafts: &Drafts<'_>) -> Draft {
    Draft {
        kind,
        range: node.byte_range(),
        open: format!("(if {SWITCH}{{{after}}}else{{"),
        close: "})".to_owned(),
        before: drafts.text(node).to_owned(),
        after,
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
        ">>" => &[(K::Arithmetic, "<<")],
        "<" => &[(K::Boundary, "<="), (K::Boundary, ">")],
        "<=" => &[(K::Boundary, "<"), (K::Boundary, ">")],
        ">" => &[(K::Boundary, ">="), (K::Boundary, "<")],
        ">=" => &[(K::Boundary, ">"), (K::Boundary, "<")],
        "==" => &[(K::Equality, "!=")],
        "!=" => &[(K::Equality, "==")],
        "&&" => &[(K::Logic, "||")],
        "||" => &[(K::Logic, "&&")],
        _ => &[],
    }
}

fn compound_assignment(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(left), Some(operator), Some(right)) = (
        node.child_by_field_name("left"),
        node.child_by_field_name("operator"),
        node.child_by_field_name("right"),
    ) else {
        return;
    };
    let plain = drafts.text(operator).trim_end_matches('=');
    let (Some(left), Some(right)) = (drafts.copy(left), drafts.copy(right)) else {
        return;
    };
    for (kind, other) in other_operators(plain) {
        let after = format!("{left} {other}= {right}");
        drafts.add(scope, instead(node, *kind, after, drafts));
    }
}

fn unary(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let kind = if token(node, "!").is_some() && !is_condition(node) {
        FaultKind::Logic
    } else if token(node, "-").is_some() {
        FaultKind::Arithmetic
    } else {
        return;
    };
    let inner = children(node).pop();
    if let Some(after) = inner.and_then(|inner| drafts.copy(inner)) {
        drafts.add(scope, instead(node, kind, after, drafts));
    }
}

/// `a..b` becomes `a..b + 1`; what is no number does not compile.
fn range(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(dots) = token(node, "..").or_else(|| token(node, "..=")) else {
        return;
    };
    let end = children(node)
        .into_iter()
        .find(|part| part.start_byte() >= dots.end_byte());
    let Some(end) = end else {
        return;
    };
    if let Some(copy) = drafts.copy(end) {
        let after = format!("({copy})+1");
        let before = drafts.text(node).to_owned();
        let draft = instead(end, FaultKind::Boundary, after, drafts);
        let after = format!("{before}+1");
        drafts.add(
            scope,
            Draft {
                before,
                after,
                ..draft
            },
        );
    }
}

fn boolean(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    if is_condition(node) {
        return;
    }
    let before = drafts.text(node);
    let after = if before == "true" { "false" } else { "true" };
    drafts.add(
        scope,
        instead(node, FaultKind::Logic, after.to_owned(), drafts),
    );
}

fn drop_statement(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let text = drafts.text(node);
    let Some(expression) = node.named_child(0) else {
        return;
    };
    let attributed = node
        .prev_named_sibling()
        .is_some_and(|before| before.kind() == "attribute_item");
    if attributed || node.has_error() || !text.ends_with(';') || !may_be_dropped(expression, drafts)
    {
        return;
    }
    drafts.add(
        scope,
        Draft {
            kind: FaultKind::DroppedStatement,
            range: node.byte_range(),
            open: format!("if {SWITCH}{{}}else{{"),
            close: "}".to_owned(),
            before: text.to_owned(),
            after: "nothing".to_owned(),
        },
    );
}

/// Calls and assignments; what only speaks to people or frees something makes no difference to a test.
fn may_be_dropped(expression: Node<'_>, drafts: &Drafts<'_>) -> bool {
    let text = drafts.text(expression);
    match expression.kind() {
        "assignment_expression" => !text.starts_with('_'),
        "compound_assignment_expr" => true,
        "call_expression" => {
            !text.starts_with("drop(") && !text.starts_with("log::") && !text.contains(".flush()")
        }
        "try_expression" | "await_expression" => expression
            .named_child(0)
            .is_some_and(|inner| may_be_dropped(inner, drafts)),
        "macro_invocation" => {
            let name = expression.child_by_field_name("macro");
            let name = name.map_or("", |name| drafts.text(name));
            matches!(name, "write" | "writeln") && !text.contains("stderr")
        }
        _ => false,
    }
}
