//! `use a::{b, c::d};`, `mod x;`, and paths that begin with `crate::`.

use super::{Import, ImportKind};
use crate::lines::{line_at, word};
use crate::source::Code;

/// The deepest that lists may stand in each other.
const DEEPEST: usize = 24;

pub(super) fn imports(code: &Code<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    let text = code.masked.code.as_str();
    let mut offset = 0;
    for full in text.split_inclusive('\n') {
        let start = offset;
        offset += full.len();
        let line = full.trim_start();
        let indent = full.len() - line.len();
        let bare = visible(line);
        if let Some(rest) = bare.strip_prefix("mod ") {
            let name = word(rest);
            let is_file = rest
                .get(name.len()..)
                .is_some_and(|rest| rest.trim_start().starts_with(';'));
            if is_file && !name.is_empty() && indent == 0 {
                let declared = path_attribute(code, start).unwrap_or_else(|| name.to_owned());
                found.push(import(declared, line_at(text, start), ImportKind::Declares));
            }
        } else if bare.starts_with("use ") {
            let begin = start + indent + (line.len() - bare.len()) + 4;
            let end = text.get(begin..).and_then(|rest| rest.find(';'));
            let list = end
                .and_then(|end| text.get(begin..begin + end))
                .unwrap_or_default();
            let kind = if indent == 0 {
                ImportKind::Eager
            } else {
                ImportKind::Late
            };
            let number = line_at(text, start);
            let mut paths = Vec::new();
            expand(list, "", &mut paths);
            // Inside a module of the file itself, `super` is the file.
            let inside = indent > 0;
            paths.retain(|path| !(inside && path.starts_with("super::")));
            found.extend(paths.into_iter().map(|path| import(path, number, kind)));
        }
    }
    found
}

fn import(target: String, line: u32, kind: ImportKind) -> Import {
    Import { target, line, kind }
}

/// Without `pub`, `pub(crate)`.
fn visible(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    match rest.strip_prefix('(') {
        Some(scope) => scope
            .split_once(')')
            .map_or(line, |(_, rest)| rest.trim_start()),
        None if rest.starts_with(' ') => rest.trim_start(),
        None => line,
    }
}

/// `#[path = "x_tests.rs"]` among the attributes above, which names the file itself.
fn path_attribute(code: &Code<'_>, start: usize) -> Option<String> {
    let above = code.masked.text.get(..start)?.lines().rev();
    let mut attributes = above.take_while(|line| line.trim_start().starts_with("#["));
    let file = attributes.find_map(|line| {
        let (_, rest) = line.trim().strip_prefix("#[path")?.split_once('=')?;
        crate::lines::string_at(rest, 0)
    })?;
    Some(format!("./{file}"))
}

/// Adds every path of `a::{b, c::{d, e}}`; lists that stand too deep in each other are left out.
fn expand(list: &str, above: &str, paths: &mut Vec<String>) {
    if above.matches("::").count() > DEEPEST {
        return;
    }
    for item in top_items(list) {
        let item = item.trim();
        match item.split_once('{') {
            Some((head, rest)) => {
                let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
                expand(
                    inner,
                    &format!("{above}{}::", head.trim().trim_end_matches("::")),
                    paths,
                );
            }
            None if item.is_empty() => {}
            None => {
                let name = item.split(" as ").next().unwrap_or(item).trim();
                let full = format!("{above}{name}");
                let full = full.trim_start_matches("::").trim_end_matches("::self");
                paths.push(full.to_owned());
            }
        }
    }
}

/// The parts between the commas that stand in no braces.
fn top_items(list: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0_u32, 0);
    let mut items = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.extend(list.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    items.extend(list.get(from..));
    items
}
