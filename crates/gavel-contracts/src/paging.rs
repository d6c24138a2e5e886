//! Long texts in pieces: a result of a tool has a cap, and whoever reads goes on with a line.

use gavel_agent::{Cap, Data, ToolContext, ToolOutput, ToolRefusal};

/// Where a piece of a text lies, in lines counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The first line of it.
    pub(crate) first: usize,
    /// The last line of it.
    pub(crate) last: usize,
    /// How many lines the text has.
    pub(crate) total: usize,
    /// True when its one line is longer than a result.
    pub(crate) cut: bool,
}

impl Piece {
    /// The line to go on with, when there is more.
    pub(crate) fn go_on(self) -> Option<usize> {
        (self.last < self.total).then_some(self.last + 1)
    }
}

/// A text has no such line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source_name} has {total} lines: ask for `from` 1 to {total}")]
pub(crate) struct NoSuchLine {
    pub(crate) source_name: String,
    pub(crate) total: usize,
}

/// A text from a line on, and in words how to go on where the result will be cut.
pub(crate) fn page(
    context: &ToolContext,
    (source, text): (&str, &str),
    from: Option<u32>,
) -> Result<ToolOutput, ToolRefusal> {
    // What is counted here must be what is shown.
    let text = context.scrub(text);
    let (piece, rest) = piece((source, &text), from, context.cap())
        .map_err(|error| ToolRefusal::from_error(&error))?;
    let Piece {
        first, last, total, ..
    } = piece;
    let mut words = format!("{source}: lines {first}-{last} of {total}");
    if piece.cut {
        words.push_str("; the line is longer than a result and is cut");
    }
    if let Some(next) = piece.go_on() {
        words.push_str(&format!("; go on with from={next}"));
    }
    // The result marks what it cuts off, so that nobody takes a part for the whole.
    Ok(ToolOutput::words(words).with(Data::new(source, rest)))
}

/// Finds the piece of a text that a result of this size shows, and everything from its first line on.
pub(crate) fn piece(
    (source, text): (&str, &str),
    from: Option<u32>,
    cap: Cap,
) -> Result<(Piece, String), NoSuchLine> {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let total = lines.len();
    let first = usize::try_from(from.unwrap_or(1)).unwrap_or(usize::MAX);
    let skipped = first.saturating_sub(1);
    if skipped > 0 && skipped >= total {
        let source_name = source.to_owned();
        return Err(NoSuchLine { source_name, total });
    }
    let rest = lines.get(skipped..).unwrap_or_default();
    let shown = lines_shown(rest, cap);
    let piece = Piece {
        first: skipped + 1,
        last: skipped + shown.max(1),
        total,
        cut: shown == 0 && total > 0,
    };
    Ok((piece, rest.concat()))
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
