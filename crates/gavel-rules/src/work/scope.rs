//! Scope: a change touches what its plan named.

use std::collections::BTreeSet;

use super::files::WorkFiles;
use super::paths::{FileRole, file_role, subject};
use super::{WorkFinding, WorkFindingKind};
use crate::repository::{Ecosystem, name_of};

/// The most stars of a pattern that is tried.
const MOST_STARS: usize = 5;

/// Files from before the run that differ and that the plan did not name; new ones are the work itself, and
/// are judged as that. A planned path is a file, a folder with
/// everything below it, or a pattern with `*` for anything. Excused are:
///
/// - lock files whose manifest was changed too, in the same folder or above it;
/// - tests, snapshots and data of tests whose subject is that of a planned file (`tests/test_cart.py`
///   for `src/cart.py`); what was done to tests is a finding of its own;
/// - what a person reads: README, CHANGELOG, documents;
/// - what only Gavel writes, which is looked at elsewhere.
pub(super) fn beyond_plan(
    before: &WorkFiles,
    after: &WorkFiles,
    planned: &[String],
) -> Vec<WorkFinding> {
    let touched = touched(before, after);
    let beyond = touched.iter().filter(|path| {
        let was_there = before.get(path).is_some();
        was_there && !is_planned(path, planned) && !is_excused(path, planned, &touched)
    });
    beyond
        .map(|path| {
            let content = after.get(path).map(|file| file.content.as_slice());
            let now = String::from_utf8_lossy(content.unwrap_or_default()).into_owned();
            let how = match after.get(path) {
                None => "removed",
                Some(_) => "changed",
            };
            let mut finding = WorkFinding::new(WorkFindingKind::OutOfScope, path, "")
                .saying(format!("{path} was {how}, and the plan does not name it"))
                .changed("", &now);
            finding.after = String::new();
            finding
        })
        .collect()
}

fn touched<'a>(before: &'a WorkFiles, after: &'a WorkFiles) -> BTreeSet<&'a str> {
    let content = |files: &'a WorkFiles, path: &str| files.get(path).map(|file| &file.content);
    let paths = before
        .iter()
        .chain(after.iter())
        .map(|file| file.path.as_str());
    paths
        .filter(|path| content(before, path) != content(after, path))
        .collect()
}

fn is_planned(path: &str, planned: &[String]) -> bool {
    planned.iter().any(|one| {
        let one = one.trim().trim_start_matches("./");
        let folder = one.trim_end_matches('/');
        let below = path.strip_prefix(folder);
        !folder.is_empty()
            && (below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                || one.matches('*').count() <= MOST_STARS && fits(one, path))
    })
}

/// True when a pattern with `*` for anything but a folder's end, and `**` for all, fits a path.
fn fits(pattern: &str, path: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix("**") {
        let rest = rest.trim_start_matches('/');
        let mut ends = path.char_indices().map(|(at, _)| at).chain([path.len()]);
        return ends.any(|at| fits(rest, path.get(at..).unwrap_or_default()));
    }
    match pattern.chars().next() {
        None => path.is_empty(),
        Some('*') => {
            let end = path.find('/').unwrap_or(path.len());
            let rest = pattern.get(1..).unwrap_or_default();
            let mut ends = path.char_indices().map(|(at, _)| at).chain([path.len()]);
            ends.any(|at| at <= end && fits(rest, path.get(at..).unwrap_or_default()))
        }
        Some(first) => path
            .strip_prefix(first)
            .is_some_and(|rest| fits(pattern.get(first.len_utf8()..).unwrap_or_default(), rest)),
    }
}

fn is_excused(path: &str, planned: &[String], touched: &BTreeSet<&str>) -> bool {
    match file_role(path) {
        FileRole::Document => true,
        FileRole::Lock => {
            let folder = path.strip_suffix(name_of(path)).unwrap_or_default();
            touched.iter().any(|other| {
                let above = other.strip_suffix(name_of(other)).unwrap_or_default();
                let is_manifest =
                    Ecosystem::of_file(name_of(other)).is_some() || name_of(other) == "Pipfile";
                is_manifest && (above.starts_with(folder) || folder.starts_with(above))
            })
        }
        FileRole::Test | FileRole::Snapshot | FileRole::Fixture => {
            planned.iter().any(|one| subject(one) == subject(path))
        }
        FileRole::Ci | FileRole::Settings | FileRole::Product | FileRole::Other => {
            path.starts_with(".gavel/")
        }
    }
}
