//! What the file tools share: parsing paths, reading and writing text.

use gavel_workspace::{FileError, RepoDir, RepoPath, is_credential_file};

use crate::{ToolContext, ToolRefusal};

/// The largest file that a tool reads or writes as text.
pub(crate) const MAX_FILE: usize = 2 * 1024 * 1024;

/// Parses a path; `./` at its beginning is a habit of models and means nothing.
pub(crate) fn parse_path(text: &str) -> Result<RepoPath, ToolRefusal> {
    let text = text.strip_prefix("./").unwrap_or(text);
    RepoPath::new(text).map_err(|error| ToolRefusal::from_error(&error))
}

/// Parses a folder; without one, the root.
pub(crate) fn parse_folder(text: Option<&str>) -> Result<RepoDir, ToolRefusal> {
    let text = text.unwrap_or_default();
    let text = text.strip_prefix("./").unwrap_or(text);
    RepoDir::new(text).map_err(|error| ToolRefusal::from_error(&error))
}

/// Reads a whole file as text.
pub(crate) fn read_text(context: &ToolContext, path: &RepoPath) -> Result<String, ToolRefusal> {
    let content = context
        .files()
        .read(path, MAX_FILE)
        .map_err(|error| refuse(&error))?;
    if content.left_out() > 0 {
        return Err(ToolRefusal::new(format!(
            "`{path}` has {} bytes, at most {MAX_FILE} are handled: use search_code to find the \
             part that matters",
            content.total_bytes
        )));
    }
    let binary = content.is_binary();
    match String::from_utf8(content.bytes) {
        Ok(text) if !binary => Ok(text),
        Ok(_) | Err(_) => Err(ToolRefusal::new(format!(
            "`{path}` is not a UTF-8 text file"
        ))),
    }
}

/// What agents build by, and what is proven about it, is not theirs to write; however it is spelled
/// on a file system that does not tell capitals apart.
fn is_gavels_own(path: &RepoPath) -> bool {
    let first = path.as_str().split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case(".gavel") || path.as_str().eq_ignore_ascii_case("gavel.toml")
}

/// Writes a whole file.
pub(crate) fn write_text(
    context: &ToolContext,
    path: &RepoPath,
    text: &str,
) -> Result<(), ToolRefusal> {
    if is_credential_file(path) {
        return Err(ToolRefusal::new(format!(
            "`{path}` is a credential file: tools neither read nor write it; ask a person"
        )));
    }
    if is_gavels_own(path) {
        return Err(ToolRefusal::new(format!(
            "`{path}` is Gavel's own (contracts, seals, memory, settings): a build is held to it and does \
             not change it; report what is wrong with it instead"
        )));
    }
    if text.len() > MAX_FILE {
        return Err(ToolRefusal::new(format!(
            "the file would have {} bytes, at most {MAX_FILE} are written: split it",
            text.len()
        )));
    }
    context
        .files()
        .write(path, text.as_bytes())
        .map_err(|error| refuse(&error))
}

pub(crate) fn refuse(error: &FileError) -> ToolRefusal {
    ToolRefusal::from_error(error)
}

/// Lines with their numbers, from the `first` one (counted from 0).
pub(crate) fn numbered(text: &str, first: usize, count: usize) -> String {
    let mut shown = String::new();
    for (place, line) in text.lines().enumerate().skip(first).take(count) {
        shown.push_str(&format!("{}\t{line}\n", place + 1));
    }
    shown
}

/// Refuses a text that would write the mark of a removed secret over the secret itself.
pub(crate) fn refuse_placeholders(before: &str, new: &str) -> Result<(), ToolRefusal> {
    const MARK: &str = "[secret: ";
    if new.matches(MARK).count() <= before.matches(MARK).count() {
        return Ok(());
    }
    Err(ToolRefusal::new(format!(
        "the text holds `{MARK}…]`, which stands for a secret that you were not shown: writing it \
         would destroy the secret. Change the lines around it with edit_file"
    )))
}
