//! `read_file`: lines of a text file, numbered.

use gavel_workspace::RepoPath;
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::{parse_path, read_text};
use crate::{Cap, Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};

/// Room for the fence and the words around the lines.
const OVERHEAD: usize = 500;

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct ReadFile;

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileInput {
    path: String,
    /// First line, from 1.
    from: Option<u32>,
    /// How many lines.
    lines: Option<u32>,
}

impl ToolHandler for ReadFile {
    type Input = ReadFileInput;
    const NAME: &'static str = "read_file";
    const PURPOSE: &'static str = "Read a text file; each line comes as number, tab, text.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        context: &ToolContext,
        input: ReadFileInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let path = parse_path(context, &input.path)?;
        context
            .blocking(move |context| read(context, &path, &input))
            .await
    }
}

fn read(
    context: &ToolContext,
    path: &RepoPath,
    input: &ReadFileInput,
) -> Result<ToolOutput, ToolRefusal> {
    // A secret may span lines, so the whole text is scrubbed before some of it is taken.
    let whole = read_text(context, path)?;
    let text = context.scrub(&whole);
    let total = text.lines().count();
    if total == 0 {
        return Ok(ToolOutput::words(format!("{path} is empty")));
    }
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let from = size(input.from.unwrap_or(1)).max(1);
    if from > total {
        return Err(ToolRefusal::new(format!(
            "{path} has {total} lines, there is no line {from}"
        )));
    }
    let wanted = input.lines.map_or(usize::MAX, size);
    let Shown { text, last, cut } = take(&text, from, wanted, context.cap());
    let mut words = format!("{path}: lines {from}-{last} of {total}");
    if let Some(bytes) = cut {
        words.push_str(&format!("; line {last} is cut, it has {bytes} bytes"));
    }
    if whole.lines().count() != total {
        words
            .push_str("; a secret of several lines was taken out, so numbers after it are too low");
    }
    if last < total && last - from + 1 < wanted {
        words.push_str(&format!("; go on with from={}", last + 1));
    }
    Ok(ToolOutput::words(words).with(Data::new(path.as_str(), text)))
}

struct Shown {
    text: String,
    last: usize,
    /// The size of the last line when only its beginning fits.
    cut: Option<usize>,
}

/// As many of the wanted lines as a result holds, but at least a part of the first.
fn take(text: &str, from: usize, wanted: usize, cap: Cap) -> Shown {
    let room = cap.bytes.saturating_sub(OVERHEAD);
    let mut shown = Shown {
        text: String::new(),
        last: from,
        cut: None,
    };
    let lines = text.lines().enumerate().skip(from - 1);
    for (place, line) in lines.take(wanted.clamp(1, cap.lines)) {
        let number = place + 1;
        let numbered = format!("{number}\t{line}\n");
        if shown.text.len() + numbered.len() <= room {
            shown.text.push_str(&numbered);
            shown.last = number;
            continue;
        }
        if shown.text.is_empty() {
            let end = numbered.floor_char_boundary(room);
            shown.text = numbered.get(..end).unwrap_or_default().to_owned();
            shown.cut = Some(line.len());
        }
        break;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_lines_as_fit_are_taken() {
        let text: String = (1..=2_000).map(|n| format!("line {n}\n")).collect();
        let all = take(&text, 1, usize::MAX, Cap::RESULT);
        assert_eq!((all.last, all.cut), (Cap::RESULT.lines, None));
        assert!(all.text.starts_with("1\tline 1\n2\tline 2\n"));
        let some = take(&text, 1_999, 10, Cap::RESULT);
        assert_eq!(some.text, "1999\tline 1999\n2000\tline 2000\n");
        let none = take(&text, 5, 0, Cap::RESULT);
        assert_eq!(none.text, "5\tline 5\n");
        let wide = format!("{}\nshort\n", "ä".repeat(20_000));
        let cut = take(&wide, 1, usize::MAX, Cap::RESULT);
        assert_eq!((cut.last, cut.cut), (1, Some(40_000)));
        assert!(cut.text.len() <= Cap::RESULT.bytes);
        let next = take(&wide, 2, usize::MAX, Cap::RESULT);
        assert_eq!(next.text, "2\tshort\n");
    }
}
