//! `import x from "./a"`, `export * from "./a"`, `require("./a")`, `import("./a")`.

use super::{Import, ImportKind};
use crate::lines::{line_at, string_at};
use crate::source::Code;

pub(super) fn imports(code: &Code<'_>) -> Vec<Import> {
    let (bare, text) = (code.masked.code.as_str(), code.masked.text.as_str());
    let mut found = Vec::new();
    for call in [
        "require(", "import(", "from ", "from\"", "from'", "import ", "import\"", "import'",
    ] {
        for (at, _) in bare.match_indices(call) {
            let before = bare.get(..at).and_then(|text| text.chars().next_back());
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$')) {
                continue;
            }
            let quoted = call.ends_with(['"', '\'']);
            let end = at + call.len() - usize::from(quoted);
            let Some(target) = string_at(text, end) else {
                continue;
            };
            if target.is_empty() || target.contains(['\n', ' ']) {
                continue;
            }
            found.push(Import {
                target: target.to_owned(),
                line: line_at(bare, at),
                kind: kind(bare, at, call),
            });
        }
    }
    found.sort_by(|a, b| (a.line, &a.target).cmp(&(b.line, &b.target)));
    found.dedup_by(|a, b| a.line == b.line && a.target == b.target);
    found
}

fn kind(bare: &str, at: usize, call: &str) -> ImportKind {
    let statement = if call.starts_with("from") {
        statement_before(bare, at)
    } else {
        ""
    };
    let for_types = statement.starts_with("import type ") || statement.starts_with("export type ");
    // What stands in a function is read when it runs.
    let line = bare.get(..at).and_then(|text| text.lines().next_back());
    let nested = line.is_some_and(|line| line.starts_with([' ', '\t']));
    if for_types || call == "import(" || (call == "require(" && nested) {
        ImportKind::Late
    } else {
        ImportKind::Eager
    }
}

/// The statement up to an offset: from the last `import` or `export` that begins a line.
fn statement_before(bare: &str, at: usize) -> &str {
    let before = bare.get(..at).unwrap_or_default();
    let starts = ["\nimport ", "\nexport "];
    let found = starts.iter().filter_map(|start| before.rfind(start)).max();
    let begin = found.map_or(0, |found| found + 1);
    before.get(begin..).unwrap_or_default()
}
