//! What changed between two trees, read as code: parsing takes long, so nothing here waits for anything.

use std::collections::{BTreeMap, BTreeSet};

use gavel_rules::work::{Entry, FileRole, WorkFile, WorkFiles, file_role};
use gavel_workspace::{RepoPath, read_work_file};

use crate::proof::TouchedLines;

/// The contents of files, by their paths.
pub(super) type Contents = BTreeMap<String, Vec<u8>>;

/// What changed, with what else is to be read to understand it.
pub(super) struct ChangesSeen {
    pub(super) before: Contents,
    pub(super) after: Contents,
    pub(super) touched: TouchedLines,
    pub(super) more: ReadMore,
}

/// What is read beside the files that changed.
pub(super) enum ReadMore {
    Code,
    Tests,
    Nothing,
}

pub(super) fn look_at_changes(
    before: Contents,
    after: Contents,
    changed: &BTreeSet<String>,
) -> ChangesSeen {
    let touched = touched(&before, &after, changed);
    let brings = |(path, text): (&String, &Vec<u8>)| {
        let was = before.get(path).map_or(&[][..], Vec::as_slice);
        brings_values(path, was, text)
    };
    let more = if before.iter().any(|(path, text)| has_tests(path, text)) {
        ReadMore::Code
    } else if after.iter().any(brings) {
        ReadMore::Tests
    } else {
        ReadMore::Nothing
    };
    ChangesSeen {
        before,
        after,
        touched,
        more,
    }
}

pub(super) fn work_files(contents: &Contents, of_tests: &BTreeSet<String>) -> WorkFiles {
    WorkFiles::new(contents.iter().map(|(path, text)| WorkFile {
        only_tests_use: of_tests.contains(path),
        ..read_work_file(path, text)
    }))
}

/// True for a file with code of tests, or with functions that only assert: whose they are, other files say.
fn has_tests(path: &str, text: &[u8]) -> bool {
    let file = read_work_file(path, text);
    file.role() == FileRole::Test
        || !file.tests.is_empty()
        || !file.modules.is_empty()
        || !file.checks.is_empty()
}

/// True for code of a product in which values stand together that did not before.
fn brings_values(path: &str, was: &[u8], is: &[u8]) -> bool {
    if file_role(path) != FileRole::Product {
        return false;
    }
    let (was, is) = (read_work_file(path, was), read_work_file(path, is));
    let known = |entry: &&Entry| !was.entries.iter().any(|one| one.values == entry.values);
    is.entries.iter().filter(known).count() > 1
}

/// Lines of changed files that were not in them before.
fn touched(before: &Contents, after: &Contents, changed: &BTreeSet<String>) -> TouchedLines {
    let mut touched = TouchedLines::new();
    for path in changed {
        let (Ok(file), Some(now)) = (path.parse::<RepoPath>(), after.get(path)) else {
            continue;
        };
        let empty = Vec::new();
        let was = before.get(path).unwrap_or(&empty);
        let old: BTreeSet<&[u8]> = was.split(|byte| *byte == b'\n').collect();
        let lines = (1..).zip(now.split(|byte| *byte == b'\n'));
        let new = lines.filter(|(_, line)| !old.contains(line));
        touched.insert(file, new.map(|(number, _)| number).collect());
    }
    touched
}
