use super::*;
use crate::work::{Named, WorkEdition, inspect_work};

fn tree(path: &str, text: &str) -> WorkFiles {
    WorkFiles::new([WorkFile::unread(path, text.as_bytes())])
}

/// The kinds of what a change of one file's documentation comes to.
fn found(path: &str, before: &str, after: &str) -> Vec<WorkFindingKind> {
    let found = inspect_work(
        &tree(path, before),
        &tree(path, after),
        "add a total",
        Named::Nothing,
        WorkEdition::Second,
    );
    found.into_iter().map(|one| one.kind).collect()
}

const RUST: &str = "//! Prices.\n\n/// A price.\n///\n/// ```\n/// assert_eq!(shop::price(3, 4), 12);\n/// ```\n\
    #[must_use]\npub fn price(each: u32, count: u32) -> u32 {\n    each * count\n}\n";
const PYTHON: &str = "def price(each, count):\n    \"\"\"A price.\n\n    >>> price(3, 4)\n    12\n    \"\"\"\n    \
    return each * count\n";

#[test]
fn a_documented_example_that_goes_or_changes_is_found() {
    use WorkFindingKind::{DocTestChanged, DocTestDeleted};
    let gone = "/// A price.\npub fn price(each: u32, count: u32) -> u32 {\n    each * count\n}\n";
    for (after, expected) in [
        (gone.to_owned(), DocTestDeleted),
        (RUST.replace("12", "13"), DocTestChanged),
        (
            RUST.replace("assert_eq!(shop::price(3, 4), 12);", "shop::price(3, 4);"),
            DocTestChanged,
        ),
        (
            RUST.replace("```\n/// assert", "```ignore\n/// assert"),
            DocTestDeleted,
        ),
        (
            RUST.replace("```\n/// assert", "```text\n/// assert"),
            DocTestDeleted,
        ),
        (
            RUST.replace("```\n/// assert", "```no_run\n/// assert"),
            DocTestChanged,
        ),
    ] {
        assert_eq!(found("src/lib.rs", RUST, &after), [expected], "{after}");
    }
    let gone = "def price(each, count):\n    return each * count\n";
    for (after, expected) in [
        (gone.to_owned(), DocTestDeleted),
        (PYTHON.replace("12", "13"), DocTestChanged),
        (
            PYTHON.replace("4)\n", "4)  # doctest: +SKIP\n"),
            DocTestChanged,
        ),
    ] {
        assert_eq!(found("shop.py", PYTHON, &after), [expected], "{after}");
    }
}

#[test]
fn further_examples_other_layout_and_prose_are_none() {
    let more = "/// All.\n///\n/// ```\n/// assert_eq!(shop::all(), 1);\n/// ```\npub fn all() -> u32 {\n    1\n}\n";
    for after in [
        RUST.to_owned(),
        format!("{RUST}\n{more}"),
        format!("{more}\n{RUST}"),
        RUST.replace("A price.", "What it costs."),
        RUST.replace("#[must_use]\n", ""),
        RUST.replace("each * count", "count * each"),
    ] {
        assert_eq!(found("src/lib.rs", RUST, &after), [], "{after}");
    }
    let inside = PYTHON.replace("\n    >>> price", "\n    Like this:\n\n    >>> price");
    let first = "def price(each, count):\n    \"\"\">>> price(3, 4)\n    12\n    \"\"\"\n    return each * count\n";
    for after in [inside.as_str(), first] {
        assert_eq!(found("shop.py", PYTHON, after), [], "{after}");
    }
    // Blocks that were never compiled are prose.
    let text = RUST.replace("```\n/// assert", "```text\n/// assert");
    assert_eq!(found("src/lib.rs", &text, "pub fn price() {}\n"), []);
}
