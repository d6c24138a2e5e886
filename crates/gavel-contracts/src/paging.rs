//! Long texts in pieces: a result of a tool has a cap, and whoever reads goes on with a line.

use gavel_agent::{Cap, Data, ToolOutput, ToolRefusal};

/// As many lines of a text as fit into a result, from a line on, and how to go on.
pub(crate) fn page(
    (source, text): (&str, &str),
    from: Option<u32>,
    cap: Cap,
) -> Result<ToolOutput, ToolRefusal> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let total = lines.len();
    let first = usize::try_from(from.unwrap_or(1))
        .unwrap_or(usize::MAX)
        .max(1);
    if first > total && total > 0 {
        return Err(ToolRefusal::new(format!(
            "{source} has {total} lines: ask for `from` 1 to {total}"
        )));
    }
    let mut piece = String::new();
    let mut last = first - 1;
    for line in lines.iter().skip(first - 1).take(cap.lines.max(1)) {
        // One line that is longer than the whole result is cut by the result itself.
        if piece.len() + line.len() > cap.bytes && !piece.is_empty() {
            break;
        }
        piece.push_str(line);
        last += 1;
    }
    let words = if last < total {
        let next = last + 1;
        format!("{source}: lines {first}-{last} of {total}; go on with from={next}")
    } else if first > 1 {
        format!("{source}: lines {first}-{last} of {total}")
    } else {
        format!("{source}: all {total} lines")
    };
    Ok(ToolOutput::words(words).with(Data::new(source, piece)))
}
