//! Faults that replace the body of a Python function.

use tree_sitter::Node;

use super::super::draft::{Draft, Drafts, Scope, children, contains};
use super::super::place::{FaultKind, SWITCH};
use super::visit;

/// What belongs to another function.
const OTHER_FUNCTIONS: [&str; 3] = ["class_definition", "function_definition", "lambda"];

/// Adds the faults of a function, its body first.
pub(super) fn function(node: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let (Some(name), Some(body)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("body"),
    ) else {
        return;
    };
    if is_declaration(node, drafts) {
        return;
    }
    let mut within = scope.function(drafts.text(name), node);
    within.prefix = format!("{}.", within.function.name).into();
    if !body.has_error() && drafts.text(name) != "__repr__" {
        replace_body(node, body, &within, drafts);
    }
    visit(body, &within, drafts);
}

/// True for a function that is never called: its decorators say that another one is.
fn is_declaration(node: Node<'_>, drafts: &Drafts<'_>) -> bool {
    let decorated = node
        .parent()
        .filter(|parent| parent.kind() == "decorated_definition");
    decorated.into_iter().flat_map(children).any(|child| {
        let text = drafts.text(child);
        child.kind() == "decorator"
            && ["abstractmethod", "overload", "fixture"]
                .iter()
                .any(|word| text.contains(word))
    })
}

fn replace_body(node: Node<'_>, body: Node<'_>, scope: &Scope, drafts: &mut Drafts<'_>) {
    let statements: Vec<_> = children(body)
        .into_iter()
        .filter(|child| child.kind() != "comment")
        .collect();
    let documented = statements.first().is_some_and(|first| {
        first.kind() == "expression_statement"
            && first
                .named_child(0)
                .is_some_and(|inner| inner.kind() == "string")
    });
    let statements = statements
        .get(usize::from(documented)..)
        .unwrap_or_default();
    let Some(first) = statements.first() else {
        return;
    };
    let indentation = drafts.line_before(first.start_byte());
    if !indentation.trim().is_empty() || statements.iter().all(|one| does_nothing(*one, drafts)) {
        return;
    }
    let at = first.start_byte();
    let before = drafts.between(at..body.end_byte()).to_owned();
    for value in values(node, body, drafts) {
        if before.trim() == value.statement() {
            continue;
        }
        drafts.add(
            scope,
            Draft {
                kind: value.kind(),
                range: at..at,
                open: format!("if {SWITCH}: {}\n{indentation}", value.statement()),
                close: String::new(),
                before: before.clone(),
                after: value.statement(),
            },
        );
    }
}

fn does_nothing(statement: Node<'_>, drafts: &Drafts<'_>) -> bool {
    match statement.kind() {
        "pass_statement" => true,
        "expression_statement" => drafts.text(statement) == "...",
        "raise_statement" => drafts.text(statement).contains("NotImplementedError"),
        _ => false,
    }
}

/// What a function returns instead of doing its work.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Instead {
    Nothing,
    Value(&'static str),
}

impl Instead {
    fn statement(&self) -> String {
        match self {
            Self::Nothing => "return".to_owned(),
            Self::Value(value) => format!("return {value}"),
        }
    }

    const fn kind(&self) -> FaultKind {
        match self {
            Self::Nothing => FaultKind::EmptyBody,
            Self::Value(_) => FaultKind::DefaultValue,
        }
    }
}

fn values(node: Node<'_>, body: Node<'_>, drafts: &Drafts<'_>) -> Vec<Instead> {
    if contains(body, &["yield"], &OTHER_FUNCTIONS) {
        return vec![Instead::Nothing];
    }
    let returned = returned_kinds(body);
    if returned.is_empty() {
        return vec![Instead::Nothing];
    }
    let annotated = node.child_by_field_name("return_type");
    let found = match annotated {
        Some(annotation) => of_annotation(drafts.text(annotation)),
        None => {
            let mut found: Vec<_> = returned.iter().flat_map(|kind| of_kind(kind)).collect();
            found.push(&"None");
            found.into_iter().copied().collect()
        }
    };
    let mut values: Vec<Instead> = Vec::new();
    for value in found.into_iter().map(Instead::Value) {
        if !values.contains(&value) {
            values.push(value);
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
        "comparison_operator" | "not_operator" | "true" | "false" => &["True", "False"],
        "integer" => &["0"],
        "float" => &["0.0"],
        "string" | "concatenated_string" => &["\"\""],
        "list" | "list_comprehension" => &["[]"],
        "dictionary" | "dictionary_comprehension" => &["{}"],
        "set" | "set_comprehension" => &["set()"],
        _ => &[],
    }
}

fn of_annotation(annotation: &str) -> Vec<&'static str> {
    let annotation = annotation.trim_matches(['"', '\'']);
    let optional =
        annotation.contains("Optional[") || annotation.split('|').any(|part| part.trim() == "None");
    let plain = annotation
        .split('|')
        .map(str::trim)
        .find(|part| *part != "None")
        .unwrap_or_default();
    let plain = match plain.split_once("Optional[") {
        Some((_, inner)) => inner.strip_suffix(']').unwrap_or(inner),
        None => plain,
    };
    let name = plain.split('[').next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or_default();
    let of_name: &[&str] = match name {
        "bool" => &["True", "False"],
        "int" => &["0", "1"],
        "float" | "complex" => &["0.0", "1.0"],
        "str" => &["\"\""],
        "bytes" => &["b\"\""],
        "list" | "List" | "Sequence" | "Iterable" | "Iterator" | "Collection" => &["[]"],
        "dict" | "Dict" | "Mapping" | "MutableMapping" => &["{}"],
        "set" | "Set" | "FrozenSet" | "frozenset" => &["set()"],
        "tuple" | "Tuple" => &["()"],
        _ => &["None"],
    };
    let none = (optional && !of_name.contains(&"None")).then_some("None");
    none.into_iter().chain(of_name.iter().copied()).collect()
}
