//! Product code in which no fault can be planted: texts and files that are run as code, and macros that hold
//! functions.

use std::collections::BTreeSet;

use gavel_rules::work::NoticeKind;
use tree_sitter::Node;

use super::source::{Source, all_nodes, line_of};
use crate::syntax::SourceLanguage;

/// Builtins of Python that run a text.
const PYTHON: [&str; 3] = ["exec", "eval", "compile"];
/// Names by which Python's builtins, or functions made of their parts, are had.
const PYTHON_PARTS: [&str; 5] = [
    "__builtins__",
    "builtins",
    "FunctionType",
    "CodeType",
    "LambdaType",
];
/// Methods of scripts that run a text.
const SCRIPT: [&str; 5] = [
    "runInThisContext",
    "runInNewContext",
    "runInContext",
    "compileFunction",
    "_compile",
];
/// Calls of scripts that take code, and take it as a text too.
const LATER: [&str; 3] = ["setTimeout", "setInterval", "setImmediate"];

/// A line, what gives it away, and what that means.
pub(super) type Found = (u32, String, NoticeKind);

/// Places that run a text as code, and names of functions that stand in macros.
pub(super) fn of_code(
    source: Source<'_>,
    root: Node<'_>,
    is_inside_tests: &dyn Fn(usize) -> bool,
) -> Vec<Found> {
    let nodes = all_nodes(root);
    let own = own_names(source, &nodes);
    let mut found = Vec::new();
    for node in nodes {
        if is_inside_tests(node.start_byte()) {
            continue;
        }
        match source.language {
            SourceLanguage::Python => {
                found.extend(python(source, node, &own).map(|sign| runs(node, sign)));
            }
            SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx => {
                found.extend(script(source, node, &own).map(|sign| runs(node, sign)));
            }
            SourceLanguage::Rust => rust(source, node, &mut found),
        }
    }
    found
}

fn runs(node: Node<'_>, sign: String) -> Found {
    (line_of(node), sign, NoticeKind::RunsText)
}

/// Builtins whose name means something else in this file: it defines or imports one of that name.
fn own_names<'a>(source: Source<'a>, nodes: &[Node<'_>]) -> BTreeSet<&'a str> {
    let mut own = BTreeSet::new();
    for node in nodes {
        match node.kind() {
            "function_definition" | "function_declaration" => {
                own.insert(source.field(*node, "name"));
            }
            "import_from_statement" if source.field(*node, "module_name") != "builtins" => {
                let mut cursor = node.walk();
                let names = node.children_by_field_name("name", &mut cursor);
                own.extend(names.map(|name| source.of(name)));
            }
            _ => {}
        }
    }
    own
}

fn python(source: Source<'_>, node: Node<'_>, own: &BTreeSet<&str>) -> Option<String> {
    if node.kind() != "identifier" {
        return None;
    }
    let name = source.of(node);
    let parent = node.parent()?;
    let is_field = |field: &str| parent.child_by_field_name(field) == Some(node);
    let is_attribute = parent.kind() == "attribute" && is_field("attribute");
    if PYTHON_PARTS.contains(&name) {
        // `types.FunctionType` in `isinstance` makes none.
        let is_type = name.ends_with("Type");
        let called = if is_attribute {
            parent.parent()
        } else {
            Some(parent)
        };
        let is_called = called.is_some_and(|call| call.kind() == "call");
        return (!is_type || is_called).then(|| name.to_owned());
    }
    let names_something = matches!(
        parent.kind(),
        "function_definition" | "keyword_argument" | "parameters" | "default_parameter"
    );
    let is_builtin = PYTHON.contains(&name) && !is_attribute && !own.contains(name);
    (is_builtin && (is_field("value") || !names_something)).then(|| name.to_owned())
}

fn script(source: Source<'_>, node: Node<'_>, own: &BTreeSet<&str>) -> Option<String> {
    let takes_text = || {
        let arguments = node.child_by_field_name("arguments");
        let first = arguments.and_then(|arguments| arguments.named_child(0));
        first.is_some_and(|first| matches!(first.kind(), "string" | "template_string"))
    };
    match node.kind() {
        "identifier" if source.of(node) == "eval" && !own.contains("eval") => {
            Some("eval".to_owned())
        }
        "new_expression" if source.field(node, "constructor") == "Function" => {
            Some("new Function".to_owned())
        }
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            let name = source.of(function);
            let last = source.field(function, "property");
            let makes = name == "Function" || last == "constructor" && takes_text();
            if makes {
                return Some("Function".to_owned());
            }
            let later = LATER.contains(&name) && takes_text();
            later.then(|| format!("{name} of a text"))
        }
        "property_identifier" if SCRIPT.contains(&source.of(node)) => {
            Some(source.of(node).to_owned())
        }
        "string" => {
            let text = source.of(node).trim_matches(['"', '\'']);
            let is_module = matches!(text, "vm" | "node:vm") && is_imported(source, node);
            let is_code = text.starts_with("data:text/javascript");
            (is_module || is_code).then(|| text.chars().take(20).collect())
        }
        _ => None,
    }
}

/// True for the text that an import or a `require` names.
fn is_imported(source: Source<'_>, text: Node<'_>) -> bool {
    let Some(parent) = text.parent() else {
        return false;
    };
    let call = parent.parent().filter(|_| parent.kind() == "arguments");
    let function = call.map_or("", |call| source.field(call, "function"));
    parent.kind() == "import_statement" || matches!(function, "require" | "import")
}

fn rust(source: Source<'_>, node: Node<'_>, found: &mut Vec<Found>) {
    match node.kind() {
        "macro_invocation" if source.field(node, "macro") == "include" => {
            found.push(runs(node, "include!".to_owned()));
        }
        "attribute_item" => {
            let text = source.of(node);
            let is_path = text.trim_start_matches(['#', '[', ' ']).starts_with("path");
            let leads = text.split('"').nth(1).unwrap_or_default();
            if is_path && !leads.ends_with(".rs") {
                found.push(runs(node, format!("#[path = \"{leads}\"]")));
            }
        }
        "macro_definition" => functions_in(source, node, found),
        "macro_invocation" if is_item(node) => {
            functions_in(source, node, found);
            names_in(source, node, found);
        }
        _ => {}
    }
}

/// Names of functions that are written in a macro.
fn functions_in(source: Source<'_>, node: Node<'_>, found: &mut Vec<Found>) {
    let mut is_next = false;
    for leaf in leaves(node) {
        let text = source.of(leaf);
        if is_next && leaf.kind() == "identifier" {
            let sign = text.to_owned();
            found.push((line_of(leaf), sign, NoticeKind::FunctionInMacro));
        }
        is_next = text == "fn";
    }
}

/// Names that a macro which makes items is given.
fn names_in(source: Source<'_>, node: Node<'_>, found: &mut Vec<Found>) {
    let mut seen = BTreeSet::new();
    for leaf in leaves(node).filter(|leaf| leaf.kind() == "identifier") {
        let name = source.of(leaf);
        if seen.insert(name) {
            let sign = name.to_owned();
            found.push((line_of(leaf), sign, NoticeKind::NameForMacro));
        }
    }
}

fn leaves(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let all = all_nodes(node).into_iter();
    all.filter(|node| node.child_count() == 0)
}

/// True where a macro stands among items, so that it makes some.
fn is_item(node: Node<'_>) -> bool {
    let parent = node.parent();
    let is_statement = |node: &Node<'_>| node.kind() == "expression_statement";
    let outer = match parent.filter(is_statement) {
        Some(statement) => statement.parent(),
        None => parent,
    };
    outer.is_some_and(|outer| matches!(outer.kind(), "source_file" | "declaration_list"))
}

#[cfg(test)]
#[path = "hidden_tests.rs"]
mod tests;
