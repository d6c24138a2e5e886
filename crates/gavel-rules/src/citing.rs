//! Which lines a judge may cite: those that the work wrote, and that do what is said and not only say
//! it.

/// Files that hold prose.
const PROSE: [&str; 6] = ["md", "markdown", "txt", "rst", "adoc", "html"];
/// Words of a statement that is about prose: comments, documents, texts.
const ABOUT_PROSE: [&str; 28] = [
    "comment",
    "comments",
    "typo",
    "typos",
    "spelling",
    "misspelling",
    "misspelled",
    "doc",
    "docs",
    "docstring",
    "docstrings",
    "document",
    "documents",
    "documented",
    "documentation",
    "readme",
    "guide",
    "changelog",
    "license",
    "licence",
    "manual",
    "wording",
    "text",
    "texts",
    "page",
    "markdown",
    "html",
    "header",
];

/// A line that somebody cites.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CitedLine<'a> {
    /// The file.
    pub(crate) path: &'a str,
    /// Counted from one.
    pub(crate) line: u32,
    /// The file as it is judged.
    pub(crate) text: &'a str,
    /// The file as it was before the run; none when it is new.
    pub(crate) before: Option<&'a str>,
}

/// True when the line can show the statement: the work wrote it, and it is no comment and no prose
/// unless the statement is about such.
pub(crate) fn can_show(statement: &str, cited: CitedLine<'_>) -> bool {
    let place = cited.line.checked_sub(1);
    let place = place.and_then(|place| usize::try_from(place).ok());
    let Some(line) = place.and_then(|place| cited.text.lines().nth(place)) else {
        return false;
    };
    let line = line.trim();
    line.contains(char::is_alphanumeric)
        && was_written(line, cited)
        && (is_about_prose(statement, cited.path) || !is_prose(line, cited.path))
}

/// A line that is not in the file before. Where lines were only taken out, each of those that stay
/// can show that.
fn was_written(line: &str, cited: CitedLine<'_>) -> bool {
    let Some(before) = cited.before else {
        return true;
    };
    let stood = |wanted: &str| before.lines().any(|old| old.trim() == wanted);
    let is_changed = before != cited.text;
    let only_removed = cited.text.lines().all(|new| stood(new.trim()));
    is_changed && (only_removed || !stood(line))
}

/// A statement that names a file of prose is about it; one that names a file of code is about the code.
fn is_about_prose(statement: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = statement.to_lowercase();
    if is_prose_file(path) && lower.contains(&name.to_lowercase()) {
        return true;
    }
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ABOUT_PROSE.contains(&word))
}

fn is_prose(line: &str, path: &str) -> bool {
    is_prose_file(path) || is_comment(line, &extension(path))
}

fn is_prose_file(path: &str) -> bool {
    PROSE.contains(&extension(path).as_str())
}

fn extension(path: &str) -> String {
    let extension = path.rsplit('.').next().unwrap_or_default();
    extension.to_ascii_lowercase()
}

fn is_comment(line: &str, extension: &str) -> bool {
    let starts = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
    match extension {
        "py" | "rb" | "sh" | "toml" | "yml" | "yaml" | "r" | "pl" | "cfg" | "ini" => {
            starts(&["#", "\"\"\"", "'''", ";"])
        }
        "sql" | "lua" | "hs" => starts(&["--"]),
        "css" => starts(&["/*", "*"]),
        "json" | "lock" => false,
        _ => starts(&["//", "/*", "*", "<!--"]),
    }
}

#[cfg(test)]
#[path = "citing_tests.rs"]
mod tests;
