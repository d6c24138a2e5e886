//! `import a.b as c`, `from ..a import b, c`.

use super::{Import, ImportKind};
use crate::lines::line_at;
use crate::source::Code;

pub(super) fn imports(code: &Code<'_>) -> Vec<Import> {
    let text = code.masked.code.as_str();
    let mut found = Vec::new();
    let mut offset = 0;
    for full in text.split_inclusive('\n') {
        let start = offset;
        offset += full.len();
        let line = full.trim();
        // In a function or behind a condition it counts later, if at all.
        let kind = match full.starts_with([' ', '\t']) {
            true => ImportKind::Late,
            false => ImportKind::Eager,
        };
        let number = line_at_start(text, start, line);
        if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',') {
                let target = module.split(" as ").next().unwrap_or_default().trim();
                if is_module(target) {
                    let target = target.to_owned();
                    found.push(Import {
                        target,
                        line: number,
                        kind,
                    });
                }
            }
        } else if let Some(rest) = line.strip_prefix("from ")
            && let Some((module, _)) = rest.split_once(" import")
        {
            let names = imported_names(text, start);
            let module = module.trim();
            if !is_module(module) {
                continue;
            }
            let dotted = if module.ends_with('.') { "" } else { "." };
            if names.is_empty() {
                let target = module.to_owned();
                found.push(Import {
                    target,
                    line: number,
                    kind,
                });
            }
            // The name may be a module of its own, or stand in the module.
            found.extend(names.into_iter().map(|name| Import {
                target: format!("{module}{dotted}{name}"),
                line: number,
                kind,
            }));
        }
    }
    found
}

fn line_at_start(text: &str, start: usize, line: &str) -> u32 {
    // Counting from the beginning costs; only lines that import are counted.
    if line.starts_with("import ") || line.starts_with("from ") {
        line_at(text, start)
    } else {
        0
    }
}

fn is_module(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    !text.is_empty() && text.chars().all(fits)
}

/// The names behind `import`, which may stand in brackets over several lines.
fn imported_names(text: &str, start: usize) -> Vec<String> {
    let rest = text.get(start..).unwrap_or_default();
    let Some((_, rest)) = rest.split_once(" import") else {
        return Vec::new();
    };
    let list = match rest.trim_start().strip_prefix('(') {
        Some(inside) => inside.split(')').next().unwrap_or_default(),
        None => rest.lines().next().unwrap_or_default(),
    };
    let names = list
        .split(',')
        .map(|name| name.split(" as ").next().unwrap_or_default().trim());
    names
        .filter(|name| is_module(name))
        .map(str::to_owned)
        .collect()
}
