//! What the file tools share: parsing paths, reading and writing text.

use gavel_workspace::{FileError, RepoDir, RepoPath, is_credential_file};

use crate::{ToolContext, ToolRefusal};

/// The largest file that a tool reads or writes as text.
pub(crate) const MAX_FILE: usize = 2 * 1024 * 1024;

/// Parses a path.
pub(crate) fn parse_path(context: &ToolContext, text: &str) -> Result<RepoPath, ToolRefusal> {
    RepoPath::new(relative(context, text)).map_err(|error| ToolRefusal::from_error(&error))
}

/// Parses a folder; without one, the root.
pub(crate) fn parse_folder(
    context: &ToolContext,
    text: Option<&str>,
) -> Result<RepoDir, ToolRefusal> {
    let folder = RepoDir::new(relative(context, text.unwrap_or_default()))
        .map_err(|error| ToolRefusal::from_error(&error))?;
    let name = folder.to_string();
    if is_in_own_folder(&name) {
        return Err(unread(&name));
    }
    Ok(folder)
}

/// A path as from the root of the tree: `./` is a habit of models and means nothing, and the
/// absolute name of the tree stands in what compilers say.
fn relative<'a>(context: &ToolContext, text: &'a str) -> &'a str {
    let root = context.files().path().to_str();
    let below = root.and_then(|root| text.strip_prefix(root));
    match below {
        Some("") => "",
        Some(below) => below.strip_prefix('/').unwrap_or(text),
        None => text.strip_prefix("./").unwrap_or(text),
    }
}

/// Reads a whole file as text.
pub(crate) fn read_text(context: &ToolContext, path: &RepoPath) -> Result<String, ToolRefusal> {
    if is_in_own_folder(path.as_str()) {
        return Err(unread(path.as_str()));
    }
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

/// True below Gavel's own folder, however it is spelled on a file system that does not tell capitals
/// apart. Contracts and memory are asked for by their own tools, and what runs left behind is no
/// source for the next one.
pub(crate) fn is_in_own_folder(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case(".gavel")
}

fn unread(path: &str) -> ToolRefusal {
    ToolRefusal::new(format!(
        "`{path}` is Gavel's own and not read as a file: ask for contracts and memory by their tools, where \
         you have them"
    ))
}

/// What agents build by, and what is proven about it, is not theirs to write.
fn is_gavels_own(path: &RepoPath) -> bool {
    gavel_workspace::is_gavels_own(path.as_str())
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

#[cfg(test)]
mod path_tests {
    use std::sync::Arc;

    use gavel_workspace::{Scrubber, TreeRoot};

    use super::*;

    #[test]
    fn a_path_may_be_told_with_the_name_of_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let files = TreeRoot::open(folder.path()).unwrap();
        let root = files.path().to_str().unwrap().to_owned();
        let scrubber = Scrubber::new([]).unwrap();
        let context = ToolContext::reading(Arc::new(files), Arc::new(scrubber));
        let path = |text: &str| parse_path(&context, text).map(|path| path.to_string());
        for text in ["src/a.rs", "./src/a.rs", &format!("{root}/src/a.rs")] {
            assert_eq!(path(text).unwrap(), "src/a.rs", "{text}");
        }
        for text in [
            "/etc/passwd".to_owned(),
            format!("{root}2/a.rs"),
            format!("{root}/../a.rs"),
            format!("{root}//a.rs"),
        ] {
            assert!(path(&text).is_err(), "{text}");
        }
        for own in [".gavel", ".Gavel/memory", "./.gavel"] {
            assert!(parse_folder(&context, Some(own)).is_err(), "{own}");
        }
        let folder = |text: &str| parse_folder(&context, Some(text)).unwrap();
        assert_eq!(folder(&root), RepoDir::ROOT);
        assert_eq!(folder(&format!("{root}/")), RepoDir::ROOT);
    }
}
