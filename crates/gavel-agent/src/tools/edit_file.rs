//! `edit_file`: replaces one text in a file; never guesses where it belongs.

use gavel_workspace::RepoPath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{numbered, parse_path, read_text, refuse_placeholders, write_text};
use super::matching::{BlankMatch, Block, Match, find};
use crate::{Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

/// The most lines of a near place that are shown.
const MAX_SHOWN_LINES: usize = 40;

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct EditFile;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFileInput {
    path: String,
    /// Text that stands in the file exactly once, without line numbers.
    old: String,
    /// What takes its place.
    new: String,
}

impl ToolHandler for EditFile {
    type Input = EditFileInput;
    const NAME: &'static str = "edit_file";
    const PURPOSE: &'static str = "Replace a text that occurs once in a file.";
    const CLASS: ToolClass = ToolClass::Tree;

    async fn run(
        &self,
        context: &ToolContext,
        input: EditFileInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let path = parse_path(&input.path)?;
        if input.old.is_empty() {
            return Err(ToolRefusal::new(
                "`old` is empty: give the text to replace, or use write_file for a new file",
            ));
        }
        if input.old == input.new {
            return Err(ToolRefusal::new("`old` and `new` are equal: nothing to do"));
        }
        context
            .blocking(move |context| edit(context, &path, &input))
            .await
    }
}

/// Where the replacement goes and what it is.
struct Edit {
    bytes: std::ops::Range<usize>,
    new: String,
    note: String,
}

fn edit(
    context: &ToolContext,
    path: &RepoPath,
    input: &EditFileInput,
) -> Result<ToolOutput, ToolRefusal> {
    let text = read_text(context, path)?;
    let crlf = text.contains("\r\n") && !input.old.contains('\r');
    let (old, new) = if crlf {
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        (crlf(&input.old), crlf(&input.new))
    } else {
        (input.old.clone(), input.new.clone())
    };
    let Edit { bytes, new, note } = place(&text, &old, new, path)?;
    refuse_placeholders(&text, &new)?;
    let (Some(before), Some(after)) = (text.get(..bytes.start), text.get(bytes.end..)) else {
        return Err(ToolRefusal::new(
            "the place of the edit is not a whole text",
        ));
    };
    write_text(context, path, &format!("{before}{new}{after}"))?;
    let line = 1 + before.matches('\n').count();
    let last = line + new.matches('\n').count();
    Ok(ToolOutput::words(format!(
        "edited {path}, now lines {line}-{last}{note}"
    )))
}

fn place(text: &str, old: &str, new: String, path: &RepoPath) -> Result<Edit, ToolRefusal> {
    match find(text, old) {
        Match::Exact(bytes) => Ok(Edit {
            bytes,
            new,
            note: String::new(),
        }),
        Match::Blanks(found) => place_by_blanks(found, old, &new, path, text),
        Match::Ambiguous(lines) => {
            let shown: Vec<_> = lines.iter().take(8).map(ToString::to_string).collect();
            let more = if lines.len() > shown.len() {
                ", …"
            } else {
                ""
            };
            Err(ToolRefusal::new(format!(
                "`old` stands in {path} {} times, at lines {}{more}: add lines around it until it \
                 is unique; nothing was changed",
                lines.len(),
                shown.join(", ")
            )))
        }
        Match::Missing(nearest) => Err(missing(text, &nearest, path)),
    }
}

/// The block is certain; its replacement is shifted like it, or not made.
fn place_by_blanks(
    found: BlankMatch,
    old: &str,
    new: &str,
    path: &RepoPath,
    text: &str,
) -> Result<Edit, ToolRefusal> {
    // The block has no line end of its own, so the replacement must not bring one either.
    let ends = |text: &str| text.ends_with('\n');
    let new = match (ends(old), ends(new)) {
        (true, true) => new.trim_end_matches(['\n', '\r']),
        (true, false) | (false, false) | (false, true) => new,
    };
    let Some(shifted) = found.shift.apply(new) else {
        return Err(missing(text, &[found.lines], path));
    };
    let note = format!(
        " (found by ignoring blanks, was lines {}-{}; the indentation of `new` was fitted)",
        found.lines.first, found.lines.last
    );
    Ok(Edit {
        bytes: found.bytes,
        new: shifted,
        note,
    })
}

fn missing(text: &str, nearest: &[Block], path: &RepoPath) -> ToolRefusal {
    let refusal = ToolRefusal::new(match nearest {
        [] => format!(
            "`old` does not stand in {path}, and nothing like it; read the file first. Nothing \
             was changed"
        ),
        _ => format!(
            "`old` does not stand in {path} as given; the nearest places follow with their line \
             numbers. Copy the text exactly, blanks included. Nothing was changed"
        ),
    });
    nearest.iter().fold(refusal, |refusal, block| {
        let count = (block.last - block.first + 1).min(MAX_SHOWN_LINES);
        let shown = numbered(text, block.first - 1, count);
        let source = format!("{path} lines {}-{}", block.first, block.last);
        refusal.with(Data::new(source, shown))
    })
}
