//! Long texts in pieces: a result of a tool has a cap, and whoever reads goes on with a line.

use gavel_agent::{Cap, Data, ToolContext, ToolOutput, ToolRefusal};

/// A text from a line on, and in words how to go on where the result will be cut.
pub(crate) fn page(
    context: &ToolContext,
    (source, text): (&str, &str),
    from: Option<u32>,
) -> Result<ToolOutput, ToolRefusal> {
    // What is counted here must be what is shown.
    let text = context.scrub(text);
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let total = lines.len();
    let first = usize::try_from(from.unwrap_or(1)).unwrap_or(usize::MAX);
    let skipped = first.saturating_sub(1);
    if skipped > 0 && skipped >= total {
        return Err(ToolRefusal::new(format!(
            "{source} has {total} lines: ask for `from` 1 to {total}"
        )));
    }
    let rest = lines.get(skipped..).unwrap_or_default();
    let shown = lines_shown(rest, context.cap());
    let (first, last) = (skipped + 1, skipped + shown.max(1));
    let mut words = format!("{source}: lines {first}-{last} of {total}");
    if shown == 0 && total > 0 {
        words.push_str("; the line is longer than a result and is cut");
    }
    if last < total {
        words.push_str(&format!("; go on with from={}", last + 1));
    }
    // The result marks what it cuts off, so that nobody takes a part for the whole.
    Ok(ToolOutput::words(words).with(Data::new(source, rest.concat())))
}

/// How many whole lines a result of this size shows.
fn lines_shown(lines: &[&str], cap: Cap) -> usize {
    let mut left = cap.bytes;
    let fits = |line: &&&str| match left.checked_sub(line.len()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    lines.iter().take(cap.lines).take_while(fits).count()
}
