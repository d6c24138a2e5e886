//! Test files that are compared by their bytes or lines: snapshots, data of tests, and code of
//! languages that are not taken apart.

use super::files::{CodeReading, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};

/// Words with which a line that was added may switch a test off.
const SWITCHES: [&str; 12] = [
    "skip",
    "ignore",
    "disabled",
    "return",
    "exit",
    "pending",
    "xit",
    "xdescribe",
    "only",
    "todo",
    "catch",
    "rescue",
];

/// Everything of the base that is compared as a whole.
pub(super) fn compare_bytes(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let mut findings = Vec::new();
    for file in before.iter() {
        let Some(kind) = kind_of(file) else { continue };
        let now = after.get(&file.path);
        match now {
            Some(now) if now.content == file.content => continue,
            None if is_elsewhere(file, before, after) => continue,
            // Code that is only added to does what it did.
            Some(now) if kind == WorkFindingKind::TestRewritten && is_only_added_to(file, now) => {
                continue;
            }
            Some(_) | None => {}
        }
        let text = |file: &WorkFile| String::from_utf8_lossy(&file.content).into_owned();
        let what = match (kind, now) {
            (WorkFindingKind::SnapshotChanged, Some(_)) => "the snapshot says something else",
            (WorkFindingKind::SnapshotChanged, None) => "the snapshot is gone",
            (WorkFindingKind::FixtureChanged, Some(_)) => "data of tests says something else",
            (WorkFindingKind::FixtureChanged, None) => "data of tests is gone",
            (_, Some(_)) => "the file of tests was changed in a way that cannot be taken apart",
            (_, None) => "the file of tests is gone",
        };
        let kind = match (kind, now) {
            (WorkFindingKind::TestRewritten, None) => WorkFindingKind::TestDeleted,
            _ => kind,
        };
        let (line, old, new) = first_difference(&text(file), &now.map(text).unwrap_or_default());
        let digest = now.map(text).unwrap_or_default();
        let mut finding = WorkFinding::new(kind, &file.path, "")
            .at(line)
            .saying(what)
            .changed(&old, &digest);
        finding.after = new;
        findings.push(finding);
    }
    findings
}

fn kind_of(file: &WorkFile) -> Option<WorkFindingKind> {
    match (file.role(), file.reading) {
        (FileRole::Snapshot, _) => Some(WorkFindingKind::SnapshotChanged),
        (FileRole::Fixture, _) => Some(WorkFindingKind::FixtureChanged),
        (FileRole::Test, CodeReading::NotRead) => Some(WorkFindingKind::TestRewritten),
        (FileRole::Test, CodeReading::Read)
        | (
            FileRole::Ci
            | FileRole::Lock
            | FileRole::Settings
            | FileRole::Document
            | FileRole::Product
            | FileRole::Other,
            _,
        ) => None,
    }
}

/// True when a file that is gone lies elsewhere as it was.
fn is_elsewhere(file: &WorkFile, before: &WorkFiles, after: &WorkFiles) -> bool {
    let mut new = after
        .iter()
        .filter(|now| before.get(&now.path).is_none() && now.role() == file.role());
    new.any(|now| now.content == file.content)
}

fn is_only_added_to(file: &WorkFile, now: &WorkFile) -> bool {
    let (Some(was), Some(is)) = (file.text(), now.text()) else {
        return false;
    };
    let mut left = lines(was).peekable();
    let mut harmless = true;
    for line in lines(is) {
        if left.peek() == Some(&line) {
            left.next();
        } else {
            let lower = line.to_lowercase();
            harmless &= !SWITCHES.iter().any(|word| lower.contains(word));
        }
    }
    left.next().is_none() && harmless
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The first line that differs, as it was and as it is.
fn first_difference(was: &str, is: &str) -> (u32, String, String) {
    let mut new = is.lines();
    let mut number = 0;
    for old in was.lines() {
        number += 1;
        let now = new.next();
        if now != Some(old) {
            let shown = |line: &str| line.trim().chars().take(200).collect::<String>();
            return (number, shown(old), now.map(shown).unwrap_or_default());
        }
    }
    (
        number + 1,
        String::new(),
        new.next()
            .unwrap_or_default()
            .trim()
            .chars()
            .take(200)
            .collect(),
    )
}
