//! What the compiler says about planted code: which faults stand where it complains.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::Deserialize;

use super::render::Written;

/// An error of the compiler, as far as it points at something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompilerError {
    pub(super) spans: Vec<Span>,
}

/// A range of a file that an error points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// As the compiler names it: relative to wherever Cargo started it, or absolute.
    pub(super) file: String,
    pub(super) bytes: Range<usize>,
    pub(super) lines: Range<u32>,
    /// The first line of the range, as the compiler saw it.
    pub(super) text: Option<String>,
    pub(super) rank: SpanRank,
}

/// What a span says about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanRank {
    /// It is there.
    Primary,
    /// It explains the error.
    Explains,
    /// It calls the macro, or includes the file, in which the error is.
    Calls,
}

#[derive(Deserialize)]
struct CargoLine {
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    level: String,
    #[serde(default)]
    spans: Vec<RawSpan>,
}

#[derive(Deserialize)]
struct RawSpan {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    line_start: u32,
    line_end: u32,
    is_primary: bool,
    #[serde(default)]
    text: Vec<RawText>,
    expansion: Option<Box<RawExpansion>>,
}

#[derive(Deserialize)]
struct RawText {
    text: String,
}

#[derive(Deserialize)]
struct RawExpansion {
    span: RawSpan,
}

/// Reads the errors from what Cargo wrote with `--message-format=json`. Lines that are no messages are
/// passed over.
pub(super) fn compiler_errors(cargo_json: &str) -> Vec<CompilerError> {
    let messages = cargo_json
        .lines()
        .filter_map(|line| serde_json::from_str::<CargoLine>(line).ok()?.message);
    let errors = messages.filter(|message| message.level.starts_with("error"));
    let errors = errors.map(|message| CompilerError {
        spans: message.spans.into_iter().flat_map(with_callers).collect(),
    });
    errors.filter(|error| !error.spans.is_empty()).collect()
}

/// A span and, when it lies inside of a macro, the places from where the macro was called.
fn with_callers(raw: RawSpan) -> Vec<Span> {
    const MAX_CALLERS: usize = 20;
    let mut spans = Vec::new();
    let mut next = Some(raw);
    while let Some(raw) = next
        && spans.len() < MAX_CALLERS
    {
        spans.push(Span {
            file: raw.file_name,
            bytes: raw.byte_start..raw.byte_end,
            lines: raw.line_start..raw.line_end.saturating_add(1),
            text: raw.text.into_iter().next().map(|line| line.text),
            rank: match raw.is_primary {
                _ if !spans.is_empty() => SpanRank::Calls,
                true => SpanRank::Primary,
                false => SpanRank::Explains,
            },
        });
        next = raw.expansion.map(|expansion| expansion.span);
    }
    spans
}

/// A planted file that an error may point at.
pub(super) struct Suspects<'a> {
    /// The spans that lie in it.
    pub(super) spans: Vec<&'a Span>,
    pub(super) faults: Vec<Suspect<'a>>,
    /// Text that belongs to no fault, but is there for them.
    pub(super) added: &'a [Range<usize>],
}

/// A fault, for the question whether an error is its doing.
pub(super) struct Suspect<'a> {
    pub(super) written: &'a Written,
    /// The lines of the function around it.
    pub(super) function_lines: Range<u32>,
}

/// The faults that an error may come from: the nearest ones, and all of a file when nothing in it points at
/// any.
pub(super) fn guilty(files: &[Suspects<'_>]) -> BTreeSet<usize> {
    let views = [
        View::Added,
        View::Written,
        View::Around,
        View::Within,
        View::SameFunction,
        View::SameFile,
    ];
    for view in views {
        for rank in [SpanRank::Primary, SpanRank::Explains, SpanRank::Calls] {
            let mut found = BTreeSet::new();
            for file in files {
                let spans = file.spans.iter().filter(|span| span.rank == rank);
                found.extend(spans.flat_map(|span| seen_by(view, span, file)));
            }
            if !found.is_empty() {
                return found;
            }
        }
    }
    BTreeSet::new()
}

/// How a span can point at a fault, the surest first.
#[derive(Debug, Clone, Copy)]
enum View {
    /// At what all faults of the file need.
    Added,
    /// At text that was written for it.
    Written,
    /// At the original code that its wrap stands around; the innermost wrap counts.
    Around,
    /// At code that holds the whole wrap.
    Within,
    /// At the same function.
    SameFunction,
    SameFile,
}

fn seen_by(view: View, span: &Span, file: &Suspects<'_>) -> Vec<usize> {
    let added = || file.added.iter().any(|range| overlap(&span.bytes, range));
    let innermost = || {
        let around = file.faults.iter().filter(|suspect| {
            let whole = suspect.written.whole();
            whole.start <= span.bytes.start && span.bytes.end <= whole.end
        });
        around
            .min_by_key(|suspect| suspect.written.whole().len())
            .map(|suspect| suspect.written.fault)
    };
    let points_at = |suspect: &&Suspect<'_>| match view {
        View::Added => added(),
        View::Written => points_at_text(span, suspect.written),
        View::Around => innermost() == Some(suspect.written.fault),
        View::Within => overlap(&span.bytes, &suspect.written.whole()),
        View::SameFunction => {
            let function = &suspect.function_lines;
            function.start < span.lines.end && span.lines.start < function.end
        }
        View::SameFile => true,
    };
    let found = file.faults.iter().filter(points_at);
    found.map(|suspect| suspect.written.fault).collect()
}

fn points_at_text(span: &Span, written: &Written) -> bool {
    let whole = written.whole();
    let holds_more =
        span.bytes != whole && span.bytes.start <= whole.start && whole.end <= span.bytes.end;
    !holds_more && (overlap(&span.bytes, &written.open) || overlap(&span.bytes, &written.close))
}

/// True when two ranges share a byte. An empty span points at the byte behind it.
fn overlap(span: &Range<usize>, other: &Range<usize>) -> bool {
    let end = span.end.max(span.start + 1);
    span.start < other.end && other.start < end
}

#[cfg(test)]
#[path = "diagnostics_tests.rs"]
mod tests;
