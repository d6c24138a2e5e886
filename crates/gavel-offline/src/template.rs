//! Templates, filled in from JSON: `@name@` is replaced; `//: if name` … `//: end` is kept if the
//! value is true or not empty, `//: each name` … `//: end` is repeated for each part, in which a
//! plain text is called `it`. What an inner scope does not know, an outer one does.

use serde_json::Value;

/// Fills a template in.
pub(crate) fn render(template: &str, scope: &Value) -> String {
    let lines: Vec<&str> = template.lines().collect();
    let mut out = String::new();
    render_lines(&lines, &[scope], &mut out);
    out
}

/// Adds names to a scope.
pub(crate) fn merge(scope: &mut Value, more: Value) {
    if let (Some(scope), Value::Object(more)) = (scope.as_object_mut(), more) {
        scope.extend(more);
    }
}

/// The parts of that name.
pub(crate) fn parts<'a>(scope: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    scope
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The text of that name; empty if there is none.
pub(crate) fn text<'a>(scope: &'a Value, name: &str) -> &'a str {
    scope.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn find<'a>(scopes: &[&'a Value], name: &str) -> Option<&'a Value> {
    let own = |scope: &&'a Value| {
        let plain = scope.is_string() && name == "it";
        plain.then_some(*scope).or_else(|| scope.get(name))
    };
    scopes.iter().rev().find_map(own)
}

fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(set) => *set,
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        Value::Number(_) | Value::Object(_) => true,
    }
}

fn render_lines(lines: &[&str], scopes: &[&Value], out: &mut String) {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let Some(directive) = line.trim_start().strip_prefix("//: ") else {
            out.push_str(&filled(line, scopes));
            continue;
        };
        let (body, after) = after.split_at(block(after));
        rest = after.get(1..).unwrap_or_default();
        if let Some(name) = directive.strip_prefix("if ") {
            if find(scopes, name).is_some_and(holds) {
                render_lines(body, scopes, out);
            }
        } else if let Some(name) = directive.strip_prefix("each ") {
            let parts = find(scopes, name).and_then(Value::as_array);
            for inner in parts.into_iter().flatten() {
                render_lines(body, &[scopes, &[inner]].concat(), out);
            }
        }
    }
}

/// How many lines there are before the `end` of a block.
fn block(lines: &[&str]) -> usize {
    let mut depth = 1_usize;
    let ends = |line: &&str| {
        match line.trim_start().strip_prefix("//: ") {
            Some("end") => depth -= 1,
            Some(_) => depth += 1,
            None => {}
        }
        depth == 0
    };
    lines.iter().position(ends).unwrap_or(lines.len())
}

/// A line with its names replaced; several lines may take the place of a line that is nothing but a name.
fn filled(line: &str, scopes: &[&Value]) -> String {
    let text = |name: &str| match find(scopes, name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let alone = line
        .trim_end()
        .strip_prefix('@')
        .and_then(|name| name.strip_suffix('@'));
    if let Some(text) = alone.and_then(text) {
        let text = text.trim_end_matches('\n');
        return if text.is_empty() {
            String::new()
        } else {
            format!("{text}\n")
        };
    }
    // An at sign that begins no name is an ordinary one.
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('@') {
        out.push_str(before);
        let named = after
            .split_once('@')
            .and_then(|(name, after)| Some((text(name)?, after)));
        let (text, after) = named.unwrap_or_else(|| ("@".to_owned(), after));
        out.push_str(&text);
        rest = after;
    }
    out + rest + "\n"
}
