//! Faults that replace the body of a JavaScript or TypeScript function.

use tree_sitter::Node;

use super::super::draft::{Draft, Drafts, Scope, children, token};
use super::super::place::{FaultKind, SWITCH};
use super::visit;

/// What belongs to another function.
const OTHER_FUNCTIONS: [&str; 7] = [
    "arrow_function",
    "class_body",
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "method_definition",
];

/// True when the search is inside of a function.
pub(super) fn is_in_function(scope: &Scope) -> bool {
    scope.function.name != "<top>"
}

/// Adds the faults of a function, its body first.
pub(super) fn function(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    let name = name_of(node, drafts);
    let mut within = scope.function(&name, node);
    within.prefix = format!("{}.", within.function.name).into();
    let constructs = node.kind() == "method_definition" && name == "constructor";
    if !body.has_error() && !constructs {
        if body.kind() == "statement_block" {
            replace_block(node, body, &within, drafts);
        } else {
            replace_expression(node, body, &within, drafts);
        }
    }
    visit(body, &within, drafts);
}

/// The name of a function, or of what it is the value of.
fn name_of(node: Node<'_>, drafts: &Drafts<'_>) -> String {
    let own = node.child_by_field_name("name");
    let given = || {
        let parent = node.parent()?;
        let field = match parent.kind() {
            "variable_declarator" | "public_field_definition" => "name",
            "pair" => "key",
            "field_definition" => "property",
            "assignment_expression" => "left",
            _ => return None,
        };
        parent.child_by_field_name(field)
    };
    match own.or_else(given) {
        Some(name) => drafts.text(name).to_owned(),
        None => "<function>".to_owned(),
    }
}

fn replace_block(node: Node<'_>, body: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let statements = children(body);
    let directives = statements.iter().take_while(|statement| {
        statement.kind() == "expression_statement"
            && statement
                .named_child(0)
                .is_some_and(|inner| inner.kind() == "string")
    });
    let at = directives
        .last()
        .map_or(body.start_byte() + 1, Node::end_byte);
    let work = statements
        .iter()
        .any(|one| one.kind() != "comment" && one.start_byte() >= at);
    if !work {
        return;
    }
    let before = drafts.text(body).to_owned();
    for (kind, value) in values(node, body, drafts) {
        let inner = before.trim_start_matches('{').trim_end_matches('}');
        let inner = inner.trim().trim_end_matches(';');
        let statement = format!("return {value}");
        if inner == statement.trim() {
            continue;
        }
        drafts.add(
            scope,
            Draft {
                kind,
                range: at..at,
                open: format!("if({SWITCH}){};", statement.trim()),
                close: String::new(),
                before: before.clone(),
                after: format!("{{ {} }}", statement.trim()),
            },
        );
    }
}

/// `(x) => y` becomes `(x) => undefined` and the like.
fn replace_expression(node: Node<'_>, body: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let before = drafts.text(body).to_owned();
    for (kind, value) in values(node, body, drafts) {
        let value = if value.is_empty() { "undefined" } else { value };
        if before == value {
            continue;
        }
        drafts.add(
            scope,
            Draft {
                kind,
                range: body.byte_range(),
                open: format!("({SWITCH}?{value}:("),
                close: "))".to_owned(),
                before: before.clone(),
                after: value.to_owned(),
            },
        );
    }
}

/// What a function returns instead of doing its work; nothing is the empty text.
fn values(node: Node<'_>, body: Node<'_>, drafts: &Drafts<'_>) -> Vec<(FaultKind, &'static str)> {
    let generates = node.kind().starts_with("generator") || token(node, "*").is_some();
    let kinds = match body.kind() {
        "statement_block" => returned_kinds(body),
        kind => vec![kind],
    };
    if generates || kinds.is_empty() {
        return vec![(FaultKind::EmptyBody, "")];
    }
    let annotation = node.child_by_field_name("return_type");
    let mut found: Vec<&'static str> = match annotation {
        Some(annotation) => of_annotation(drafts.text(annotation)).to_vec(),
        None => kinds
            .iter()
            .flat_map(|kind| of_kind(kind))
            .copied()
            .collect(),
    };
    if annotation.is_none() || found.is_empty() {
        found.push("");
    }
    let mut values: Vec<(FaultKind, &'static str)> = Vec::new();
    for value in found {
        if !values.iter().any(|(_, other)| *other == value) {
            values.push((FaultKind::DefaultValue, value));
        }
    }
    values
}

/// The kinds of what the `return` statements of a function return.
fn returned_kinds<'t>(body: Node<'t>) -> Vec<&'t str> {
    let mut kinds = Vec::new();
    let mut waiting = vec![body];
    while let Some(node) = waiting.pop() {
        if node.kind() == "return_statement" {
            kinds.extend(node.named_child(0).map(|value| value.kind()));
        } else if !OTHER_FUNCTIONS.contains(&node.kind()) {
            waiting.extend(children(node));
        }
    }
    kinds
}

fn of_kind(kind: &str) -> &'static [&'static str] {
    match kind {
        "true" | "false" => &["true", "false"],
        "number" => &["0"],
        "string" | "template_string" => &["\"\""],
        "array" => &["[]"],
        "object" => &["{}"],
        _ => &[],
    }
}

fn of_annotation(annotation: &str) -> &'static [&'static str] {
    let plain = annotation.trim_start_matches(':').trim();
    let plain = match plain.strip_prefix("Promise<") {
        Some(inner) => inner.strip_suffix('>').unwrap_or(inner).trim(),
        None => plain,
    };
    match plain {
        "boolean" => &["true", "false"],
        "number" => &["0", "1"],
        "string" => &["\"\""],
        "void" | "undefined" => &[""],
        _ if plain.contains(" is ") => &["true", "false"],
        _ if plain.contains("null") => &["null"],
        _ if plain.ends_with("[]") || plain.starts_with("Array<") => &["[]"],
        _ => &[],
    }
}
