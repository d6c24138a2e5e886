//! What a Rust function can return without doing anything, by its return type.

use tree_sitter::Node;

use super::super::draft::{Draft, Drafts, Scope, children};
use super::super::place::{FaultKind, SWITCH};

/// A value that may or may not be there; the compiler knows.
const DEFAULT: &str = "Default::default()";

/// How deep types are looked into.
const MAX_NESTED: usize = 4;

/// Adds the faults that replace a whole body.
pub(super) fn replace_body(
    function: Node<'_>,
    body: Node<'_>,
    scope: &Scope,
    drafts: &mut Drafts<'_>,
) {
    let before = drafts.text(body).to_owned();
    let at = first_place(body);
    let Some(result) = function.child_by_field_name("return_type") else {
        drafts.add(
            scope,
            Draft {
                kind: FaultKind::EmptyBody,
                range: at..at,
                open: format!("if {SWITCH}{{return;}}"),
                close: String::new(),
                before,
                after: "{}".to_owned(),
            },
        );
        return;
    };
    let is_default = function
        .child_by_field_name("name")
        .is_some_and(|name| drafts.text(name) == "default");
    for value in values(result, drafts, MAX_NESTED) {
        // The default of a type would call itself without end.
        if (is_default && value.contains(DEFAULT)) || says_same(body, &value, drafts) {
            continue;
        }
        let kind = match value.as_str() {
            "()" => FaultKind::EmptyBody,
            _ => FaultKind::DefaultValue,
        };
        drafts.add(
            scope,
            Draft {
                kind,
                range: at..at,
                open: format!("if {SWITCH}{{return {value};}}"),
                close: String::new(),
                before: before.clone(),
                after: format!("{{ {value} }}"),
            },
        );
    }
}

/// Behind the brace and the inner attributes of a body.
fn first_place(body: Node<'_>) -> usize {
    let mut inside = children(body).into_iter();
    inside
        .rfind(|child| child.kind() == "inner_attribute_item")
        .map_or(body.start_byte() + 1, |last| last.end_byte())
}

/// True when the body is nothing but this value.
fn says_same(body: Node<'_>, value: &str, drafts: &Drafts<'_>) -> bool {
    let text = drafts.text(body);
    let inner = text.trim_start_matches('{').trim_end_matches('}');
    let inner: String = inner.split_whitespace().collect();
    let inner = inner.trim_start_matches("return").trim_end_matches(';');
    let made_empty = matches!(inner, "vec![]" | "0" | "false" | "\"\"" | "None")
        || inner.ends_with("::new()") && !inner.contains(['.', '{'])
        || inner.ends_with("::default()") && !inner.contains(['.', '{']);
    inner == value || (made_empty && value == DEFAULT)
}

fn values(result: Node<'_>, drafts: &Drafts<'_>, nested: usize) -> Vec<String> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    if nested == 0 {
        return Vec::new();
    }
    match result.kind() {
        "unit_type" => owned(&["()"]),
        "primitive_type" => match drafts.text(result) {
            "bool" => owned(&["true", "false"]),
            "f32" | "f64" => owned(&["0.0", "1.0"]),
            "char" => owned(&["'\\u{0}'"]),
            "str" => Vec::new(),
            _ => owned(&["0", "1"]),
        },
        "reference_type" => reference(result, drafts),
        "generic_type" => generic(result, drafts, nested),
        "tuple_type" => tuple(result, drafts, nested),
        "scoped_type_identifier" | "type_identifier" => match last_segment(drafts.text(result)) {
            "Result" => owned(&["Ok(Default::default())"]),
            name if name.ends_with("Result") => owned(&["Ok(Default::default())", DEFAULT]),
            _ => owned(&[DEFAULT]),
        },
        "array_type" => owned(&[DEFAULT]),
        _ => Vec::new(),
    }
}

fn reference(result: Node<'_>, drafts: &Drafts<'_>) -> Vec<String> {
    let Some(inner) = result.child_by_field_name("type") else {
        return Vec::new();
    };
    let mutable = children(result)
        .iter()
        .any(|child| child.kind() == "mutable_specifier");
    let slice = inner.kind() == "array_type" && inner.child_by_field_name("length").is_none();
    let value = match drafts.text(inner) {
        "str" if !mutable => "\"\"",
        _ if slice && mutable => "&mut []",
        _ if slice => "&[]",
        "str" => DEFAULT,
        _ => "Box::leak(Box::new(Default::default()))",
    };
    vec![value.to_owned()]
}

fn generic(result: Node<'_>, drafts: &Drafts<'_>, nested: usize) -> Vec<String> {
    let name = result.child_by_field_name("type");
    let name = name.map_or("", |name| drafts.text(name));
    let inner = result
        .child_by_field_name("type_arguments")
        .into_iter()
        .flat_map(children)
        .find(|argument| argument.kind() != "lifetime");
    let inner = || match inner {
        Some(inner) => values(inner, drafts, nested - 1),
        None => Vec::new(),
    };
    match last_segment(name) {
        "Result" => inner().iter().map(|value| format!("Ok({value})")).collect(),
        "Option" => {
            let mut found = vec!["None".to_owned()];
            // One of them: the other default differs from the body as little as `None` does.
            found.extend(inner().first().map(|value| format!("Some({value})")));
            found
        }
        "Box" | "Rc" | "Arc" => {
            let wrapped = inner();
            let wrapped = wrapped.iter().map(|value| format!("{name}::new({value})"));
            wrapped.collect()
        }
        _ => vec![DEFAULT.to_owned()],
    }
}

fn tuple(result: Node<'_>, drafts: &Drafts<'_>, nested: usize) -> Vec<String> {
    let parts: Option<Vec<String>> = children(result)
        .into_iter()
        .map(|part| values(part, drafts, nested - 1).into_iter().next())
        .collect();
    match parts {
        Some(parts) => vec![format!("({},)", parts.join(", "))],
        None => Vec::new(),
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path).trim()
}
