//! Names that product code defines.

use gavel_rules::work::{Definition, DefinitionKind, Span};
use tree_sitter::Node;

use super::source::{Source, all_nodes};

/// The names that code defines outside its tests.
pub(super) fn of_code(source: Source<'_>, root: Node<'_>, tests: &[Span]) -> Vec<Definition> {
    let outside = |node: &Node<'_>| {
        let at = node.start_byte();
        !tests.iter().any(|span| span.start <= at && at < span.end)
    };
    let mut found: Vec<Definition> = all_nodes(root)
        .into_iter()
        .filter(outside)
        .filter_map(|node| {
            let kind = kind_of(node)?;
            let name = node
                .child_by_field_name("name")
                .or_else(|| node.child_by_field_name("left"))
                .or_else(|| node.child_by_field_name("key"))
                .unwrap_or(node);
            let name = source.of(name).trim_matches(['"', '\'']);
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            (!name.is_empty() && name.chars().all(is_name)).then(|| Definition {
                name: name.to_owned(),
                kind,
            })
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

fn kind_of(node: Node<'_>) -> Option<DefinitionKind> {
    let is_parameter = || {
        let parent = node.parent();
        parent.is_some_and(|parent| parent.kind() == "parameters")
    };
    Some(match node.kind() {
        "function_item"
        | "function_signature_item"
        | "macro_definition"
        | "function_definition"
        | "function_declaration"
        | "method_definition"
        | "generator_function_declaration"
        | "method_signature" => DefinitionKind::Function,
        "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "type_item"
        | "class_definition"
        | "class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration" => DefinitionKind::Type,
        "mod_item" => DefinitionKind::Module,
        "const_item"
        | "static_item"
        | "enum_variant"
        | "field_declaration"
        | "pair"
        | "public_field_definition"
        | "field_definition"
        | "property_signature"
        | "keyword_argument" => DefinitionKind::Value,
        "variable_declarator" => {
            let value = node.child_by_field_name("value");
            let calls = ["arrow_function", "function_expression"];
            if value.is_some_and(|value| calls.contains(&value.kind())) {
                DefinitionKind::Function
            } else {
                DefinitionKind::Value
            }
        }
        "assignment" => DefinitionKind::Value,
        // Parameters that callers may name.
        "default_parameter" | "typed_default_parameter" => DefinitionKind::Value,
        "identifier" if is_parameter() => DefinitionKind::Value,
        _ => return None,
    })
}

/// The module that a file is: its stem, or its folder where the stem says nothing.
pub(super) fn of_path(path: &str) -> Option<Definition> {
    let mut parts = path.rsplit('/');
    let stem = parts.next()?.split('.').next()?;
    let name = match stem {
        "mod" | "lib" | "main" | "index" | "__init__" => parts.next()?,
        stem => stem,
    };
    Some(Definition {
        name: name.to_owned(),
        kind: DefinitionKind::Module,
    })
}
