//! `edit_file`: replaces one text in a file; never guesses where it belongs.

use std::ops::Range;

use gavel_workspace::RepoPath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{numbered, parse_path, read_text, refuse_placeholders, write_text};
use super::matching::{BlankMatch, Match, find, nearest};
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
        let path = parse_path(context, &input.path)?;
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

fn edit(
    context: &ToolContext,
    path: &RepoPath,
    input: &EditFileInput,
) -> Result<ToolOutput, ToolRefusal> {
    let text = read_text(context, path)?;
    let crlf = text.contains("\r\n") && !input.old.contains('\r');
    let fit = |text: &str| match crlf {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text.to_owned(),
    };
    let wanted = Wanted {
        path,
        old: &fit(&input.old),
        new: &fit(&input.new),
    };
    let found = find(&text, wanted.old);
    let Some(Edit { bytes, new, note }) = wanted.place(&text, &found)? else {
        return Err(wanted.missing(&context.scrub(&text)));
    };
    refuse_placeholders(&text, &new)?;
    let (Some(before), Some(after)) = (text.get(..bytes.start), text.get(bytes.end..)) else {
        return Err(wanted.missing(&context.scrub(&text)));
    };
    write_text(context, path, &format!("{before}{new}{after}"))?;
    let line = 1 + before.matches('\n').count();
    let last = line + new.trim_end_matches('\n').matches('\n').count();
    Ok(ToolOutput::words(format!(
        "edited {path}, now lines {line}-{last}{note}"
    )))
}

/// What is to be replaced by what, with the line ends of the file.
struct Wanted<'a> {
    path: &'a RepoPath,
    old: &'a str,
    new: &'a str,
}

/// Where the replacement goes and what it is.
struct Edit {
    bytes: Range<usize>,
    new: String,
    note: String,
}

impl Wanted<'_> {
    /// The edit, when its place is certain; `None` when the text does not stand there.
    fn place(&self, text: &str, found: &Match) -> Result<Option<Edit>, ToolRefusal> {
        match found {
            Match::Exact(bytes) => Ok(Some(Edit {
                bytes: bytes.clone(),
                new: self.new.to_owned(),
                note: String::new(),
            })),
            Match::Blanks(found) => Ok(self.fitted(text, found)),
            Match::Ambiguous(lines) => Err(self.ambiguous(lines)),
            Match::Missing => Ok(None),
        }
    }

    /// The block is certain; its replacement is shifted like it, or not made.
    fn fitted(&self, text: &str, found: &BlankMatch) -> Option<Edit> {
        let note = format!(
            " (found by ignoring blanks, was lines {}-{}; the indentation of `new` was fitted)",
            found.lines.first, found.lines.last
        );
        let Range { start, mut end } = found.bytes;
        if self.new.trim().is_empty() {
            // Lines that go take their line end along.
            let rest = text.get(end..)?;
            end += rest.find('\n').map_or(rest.len(), |at| at + 1);
            let new = String::new();
            return Some(Edit {
                bytes: start..end,
                new,
                note,
            });
        }
        let new = found.shift.apply(without_margin(self.old, self.new))?;
        Some(Edit {
            bytes: start..end,
            new,
            note,
        })
    }

    fn ambiguous(&self, lines: &[usize]) -> ToolRefusal {
        let shown: Vec<_> = lines.iter().take(8).map(ToString::to_string).collect();
        let more = if lines.len() > shown.len() {
            ", …"
        } else {
            ""
        };
        ToolRefusal::new(format!(
            "`old` stands in {} {} times, at lines {}{more}: add lines around it until it is \
             unique; nothing was changed",
            self.path,
            lines.len(),
            shown.join(", ")
        ))
    }

    /// A refusal that shows the nearest places of a text without secrets.
    fn missing(&self, text: &str) -> ToolRefusal {
        let path = self.path;
        let nearest = nearest(text, self.old);
        let refusal = ToolRefusal::new(match nearest.as_slice() {
            [] => format!(
                "`old` does not stand in {path}, and nothing like it; read the file first. \
                 Nothing was changed"
            ),
            _ => format!(
                "`old` does not stand in {path} as given; the nearest places follow with their \
                 line numbers. Copy the text exactly, blanks included. Nothing was changed"
            ),
        });
        nearest.iter().fold(refusal, |refusal, block| {
            let count = (block.last - block.first + 1).min(MAX_SHOWN_LINES);
            let shown = numbered(text, block.first - 1, count);
            let source = format!("{path} lines {}-{}", block.first, block.last);
            refusal.with(Data::new(source, shown))
        })
    }
}

/// The new text without the empty lines and the line end around it that the old one had too: the
/// block that was found begins and ends with text.
fn without_margin<'a>(old: &str, new: &'a str) -> &'a str {
    let mut new = new;
    for line in old
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty())
    {
        new = new.strip_prefix(line).unwrap_or(new);
    }
    let end = old.trim_end().len();
    let mut margin = old.get(end..).unwrap_or_default();
    while let Some(at) = margin.find('\n') {
        let Some(shorter) = new.strip_suffix('\n') else {
            break;
        };
        new = shorter.strip_suffix('\r').unwrap_or(shorter);
        margin = margin.get(at + 1..).unwrap_or_default();
    }
    new
}

#[cfg(test)]
mod tests {
    use super::without_margin;

    #[test]
    fn margins_that_both_texts_have_are_taken_off() {
        for (old, new, expected) in [
            ("a", "b", "b"),
            ("a\n", "b\n", "b"),
            ("a\n", "b", "b"),
            ("a", "b\n", "b\n"),
            ("a\n", "b\n\n", "b\n"),
            ("\n a\n\n", "\n b\n\n", " b"),
            ("\na", "b", "b"),
            ("a\r\n", "b\r\n", "b"),
        ] {
            assert_eq!(without_margin(old, new), expected, "{old:?} {new:?}");
        }
    }
}
