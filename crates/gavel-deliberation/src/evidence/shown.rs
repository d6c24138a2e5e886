//! What a tool result showed, as far as it can be cited by itself.

use serde_json::Value;

/// Something that a tool showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    /// Lines of a file, counted from one.
    Lines { path: String, from: u32, to: u32 },
    /// A memory item.
    Memory { id: String },
}

/// What a result showed, by the words of the tools that read.
pub(super) fn shown(tool: &str, text: &str) -> Vec<Shown> {
    let lines = text.lines();
    match tool {
        "read_file" => lines.take(1).filter_map(lines_read).collect(),
        "search_code" => lines.filter_map(line_found).collect(),
        "search_memory" => lines.filter_map(item_found).collect(),
        _ => Vec::new(),
    }
}

/// `src/lib.rs: lines 1-40 of 90`
fn lines_read(line: &str) -> Option<Shown> {
    let (path, rest) = line.rsplit_once(": lines ")?;
    let (range, _) = rest.split_once(" of ")?;
    let (from, to) = range.split_once('-')?;
    Some(Shown::Lines {
        path: path.to_owned(),
        from: from.parse().ok()?,
        to: to.parse().ok()?,
    })
}

/// `src/lib.rs:12: fn main() {`
fn line_found(line: &str) -> Option<Shown> {
    let (place, _) = line.split_once(": ")?;
    let (path, number) = place.rsplit_once(':')?;
    let number = number.parse().ok()?;
    Some(Shown::Lines {
        path: path.to_owned(),
        from: number,
        to: number,
    })
}

/// A memory item on a line of its own.
fn item_found(line: &str) -> Option<Shown> {
    let item: Value = serde_json::from_str(line.trim_end_matches(',')).ok()?;
    let id = item.get("id")?.as_str()?.to_owned();
    Some(Shown::Memory { id })
}
