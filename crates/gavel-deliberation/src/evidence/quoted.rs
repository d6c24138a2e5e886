//! Lines of files that are cited: whether they are there, and say what is quoted.

use gavel_agent::ToolContext;
use gavel_workspace::{FileContent, FileError, PathError, RepoPath};

/// The largest file that is looked into, as for the tools that read.
const MAX_FILE: usize = 2 * 1024 * 1024;

/// What is wrong with a citation of lines; nothing when they are there.
pub(super) fn problem(
    context: &ToolContext,
    path: &str,
    (from, to): (u32, u32),
    quote: &str,
) -> Option<String> {
    let whole = match read(context, path) {
        Ok(text) => text,
        Err(why) => return Some(why.to_owned()),
    };
    // What models are shown is without secrets; nobody finds one out by quoting guesses.
    let shown = context.scrub(&whole);
    let total = shown.lines().count().max(whole.lines().count());
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    if size(to) > total {
        let lines = if total == 1 { "line" } else { "lines" };
        return Some(format!("the file has {total} {lines}"));
    }
    if from == 0 || from > to {
        return Some("lines are counted from one, the lower number first".to_owned());
    }
    let range = if from == to {
        format!("line {from}")
    } else {
        format!("lines {from}-{to}")
    };
    let says = |text: &str| flat(&lines(text, size(from), size(to)));
    let (clean, raw) = (says(&shown), says(&whole));
    if clean.is_empty() && raw.is_empty() {
        let are = if from == to { "is" } else { "are" };
        return Some(format!("{range} {are} empty"));
    }
    let words = flat(quote);
    // Where a secret of several lines was taken out, one tool counts lines without it and another
    // with it: both are right about what they showed.
    let there = clean.contains(&words) || (raw.contains(&words) && flat(&shown).contains(&words));
    (!there).then(|| format!("those words are not on {range}"))
}

/// True when a text is the path of a file of the tree.
pub(super) fn is_file(context: &ToolContext, path: &str) -> bool {
    let path = RepoPath::new(relative(context, path));
    path.is_ok_and(|path| context.files().read(&path, 1).is_ok())
}

/// A path as from the root of the tree, as tools take it.
pub(super) fn relative<'p>(context: &ToolContext, path: &'p str) -> &'p str {
    let root = context.files().path().to_str();
    let below = root.and_then(|root| path.strip_prefix(root)?.strip_prefix('/'));
    below.unwrap_or_else(|| path.strip_prefix("./").unwrap_or(path))
}

fn read(context: &ToolContext, path: &str) -> Result<String, &'static str> {
    let path = RepoPath::new(relative(context, path)).map_err(|error| unaddressed(&error))?;
    if is_gavels_own(&path) {
        return Err("Gavel's own folder is no source");
    }
    let content = context
        .files()
        .read(&path, MAX_FILE)
        .map_err(|error| unread(&error))?;
    if content.left_out() > 0 {
        return Err("the file is too large to be checked");
    }
    text(content).ok_or("not a text file")
}

/// What runs and councils left behind is no evidence for the next one; memory is cited by its ids.
fn is_gavels_own(path: &RepoPath) -> bool {
    let first = path.as_str().split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case(".gavel")
}

fn text(content: FileContent) -> Option<String> {
    let binary = content.is_binary();
    let text = String::from_utf8(content.bytes).ok()?;
    (!binary).then_some(text)
}

const fn unaddressed(error: &PathError) -> &'static str {
    match error {
        PathError::Absolute { .. } | PathError::Parent { .. } => "the path leaves the project",
        PathError::GitFolder { .. } => "git's own folder is never read",
        PathError::Empty
        | PathError::Dot { .. }
        | PathError::EmptySegment { .. }
        | PathError::Backslash { .. }
        | PathError::Control { .. }
        | PathError::TooLong { .. }
        | PathError::NotUtf8 { .. } => "no such file",
    }
}

const fn unread(error: &FileError) -> &'static str {
    match error {
        FileError::NotFound { .. } => "no such file",
        FileError::LeavesTree { .. } => "the path leaves the project",
        FileError::Unaddressable { .. } | FileError::Credential { .. } => "that file is never read",
        FileError::WrongKind { .. } | FileError::IsSymlink { .. } => "not a file",
        FileError::Io { .. } => "the file could not be read",
    }
}

/// The lines of a range, counted from one.
fn lines(text: &str, from: usize, to: usize) -> String {
    let before = from.saturating_sub(1);
    let wanted = text.lines().skip(before).take(to.saturating_sub(before));
    wanted.collect::<Vec<_>>().join("\n")
}

/// The words with single spaces between them: how a text is broken into lines says nothing.
pub(super) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
