//! A quick scan: what changed since the last one, and the findings about that.
//!
//! Only changed files are read. A finding of an unchanged file stands as it was; what only a look at the whole
//! tree can answer is taken over, and said to be as old as the last deep scan where it may have changed.

use std::collections::{BTreeMap, BTreeSet};

use gavel_workspace::{FileStamp, RepoPath, StampedFile};
use serde::{Deserialize, Serialize};

use crate::checks;
use crate::finding::{Check, Finding};
use crate::reading::read_all;
use crate::scan::{Limits, Scan, Seen};
use crate::tree::SourceTree;

/// What a scan leaves for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The files as they were.
    pub files: BTreeMap<RepoPath, FileStamp>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// True when files changed since the last deep scan.
    pub changed_since_deep: bool,
}

/// What changed, and what is wrong now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuickScan {
    /// How many files there are.
    pub files: u32,
    /// Files that were not there.
    pub added: Vec<RepoPath>,
    /// Files that are not as they were.
    pub changed: Vec<RepoPath>,
    /// Files that are gone.
    pub removed: Vec<RepoPath>,
    /// Everything that is wrong as far as this scan can tell, the worst first.
    pub findings: Vec<Finding>,
    /// How many of them the last scan did not have.
    pub new_findings: u32,
    /// Checks whose answer is that of the last deep scan although files changed since.
    pub from_deep: Vec<Check>,
}

impl Snapshot {
    /// What a deep scan of this tree leaves.
    pub fn of_deep(tree: &dyn SourceTree, scan: &Scan) -> Self {
        Self {
            files: stamps(tree),
            findings: scan.findings.clone(),
            changed_since_deep: false,
        }
    }

    /// What a quick scan of this tree leaves.
    pub fn of_quick(&self, tree: &dyn SourceTree, scan: &QuickScan) -> Self {
        Self {
            files: stamps(tree),
            findings: scan.findings.clone(),
            changed_since_deep: self.changed_since_deep || scan.has_changes(),
        }
    }
}

impl QuickScan {
    /// True when a file was added, changed or removed.
    pub fn has_changes(&self) -> bool {
        !(self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty())
    }
}

fn stamps(tree: &dyn SourceTree) -> BTreeMap<RepoPath, FileStamp> {
    let files = tree.files().files.iter();
    files.map(|file| (file.path.clone(), file.stamp)).collect()
}

/// True for a check that looks at one file alone.
const fn is_of_one_file(check: Check) -> bool {
    match check {
        Check::Syntax
        | Check::Secret
        | Check::CredentialFile
        | Check::GiantFile
        | Check::OpenMarks => true,
        Check::UnpinnedDependency
        | Check::MissingLockFile
        | Check::MissingTests
        | Check::MissingCi
        | Check::MissingReadme
        | Check::MissingLicence
        | Check::MissingEnvExample
        | Check::DeadImport
        | Check::CyclicImport
        | Check::BuildOutput
        | Check::UnreadableManifest => false,
    }
}

/// True for a check that the names of all files answer.
const fn is_of_names(check: Check) -> bool {
    matches!(
        check,
        Check::MissingReadme | Check::MissingLicence | Check::BuildOutput
    )
}

/// Looks at what changed since a snapshot.
pub fn scan_quick(tree: &dyn SourceTree, limits: &Limits, before: &Snapshot) -> QuickScan {
    let now = &tree.files().files;
    let mut added = Vec::new();
    let mut changed = Vec::new();
    let mut read: Vec<&StampedFile> = Vec::new();
    for file in now {
        match before.files.get(&file.path) {
            Some(stamp) if *stamp == file.stamp => continue,
            Some(_) => changed.push(file.path.clone()),
            None => added.push(file.path.clone()),
        }
        read.push(file);
    }
    let is_present = |path: &RepoPath| now.binary_search_by(|file| file.path.cmp(path)).is_ok();
    let gone = before.files.keys().filter(|path| !is_present(path));
    let removed: Vec<RepoPath> = gone.cloned().collect();
    let reads = read_all(tree, &read, limits);
    let mut findings: Vec<Finding> = reads.into_iter().flat_map(|read| read.findings).collect();
    let nothing_read = crate::reading::FileRead::default();
    let seen: Vec<Seen<'_>> = now
        .iter()
        .map(|file| Seen {
            file,
            read: &nothing_read,
        })
        .collect();
    findings.extend(checks::of_names(&seen));
    let touched: BTreeSet<&RepoPath> = added.iter().chain(&changed).chain(&removed).collect();
    let stands = |finding: &&Finding| match &finding.evidence {
        _ if is_of_names(finding.check) => false,
        Some(evidence) if is_of_one_file(finding.check) => !touched.contains(&evidence.path),
        Some(evidence) => is_present(&evidence.path),
        None => true,
    };
    findings.extend(before.findings.iter().filter(stands).cloned());
    findings.sort();
    findings.dedup();
    let moved = before.changed_since_deep || !touched.is_empty();
    let whole = |check: &Check| !is_of_one_file(*check) && !is_of_names(*check);
    let is_new = |finding: &&Finding| !before.findings.contains(finding);
    QuickScan {
        files: crate::lines::count(now.len()),
        new_findings: crate::lines::count(findings.iter().filter(is_new).count()),
        from_deep: if moved {
            Check::ALL.into_iter().filter(whole).collect()
        } else {
            Vec::new()
        },
        added,
        changed,
        removed,
        findings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryTree, Severity, scan_deep};

    fn tree(files: &[(&str, &str)]) -> MemoryTree {
        MemoryTree::of(files.iter().copied())
    }

    fn lines(findings: &[Finding]) -> Vec<String> {
        let shown = findings
            .iter()
            .filter(|one| one.severity == Severity::Error);
        shown
            .map(|one| format!("{} {}", one.check.code(), one.evidence.as_ref().unwrap()))
            .collect()
    }

    #[test]
    fn only_changed_files_are_read_and_old_findings_stand() {
        let limits = Limits::default();
        let first = tree(&[
            ("README", "x"),
            ("a.py", "def f(:\n"),
            ("b.py", "x = 1\n"),
            ("c.py", "x\n"),
        ]);
        let deep = scan_deep(&first, &limits);
        let snapshot = Snapshot::of_deep(&first, &deep);
        let same = scan_quick(&first, &limits, &snapshot);
        assert!(!same.has_changes());
        assert_eq!(same.findings, deep.findings);
        assert_eq!((same.new_findings, same.from_deep.len()), (0, 0));

        let second = tree(&[
            ("README", "x"),
            ("a.py", "def f(:\n"),
            ("b.py", "x = = 1\n"),
            ("d.py", "(\n"),
        ]);
        let quick = scan_quick(&second, &limits, &snapshot);
        let names = |all: &[RepoPath]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names(&quick.added), ["d.py"]);
        assert_eq!(names(&quick.changed), ["b.py"]);
        assert_eq!(names(&quick.removed), ["c.py"]);
        assert_eq!(
            lines(&quick.findings),
            ["S001 a.py:1", "S001 b.py:1", "S001 d.py:1"]
        );
        assert_eq!(quick.new_findings, 2);
        assert!(quick.from_deep.contains(&Check::CyclicImport));

        let third = tree(&[("README", "x"), ("b.py", "x = 1\n\n")]);
        let next = snapshot.of_quick(&second, &quick);
        let mended = scan_quick(&third, &limits, &next);
        assert_eq!(lines(&mended.findings), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_by_name_is_looked_up_again() {
        let limits = Limits::default();
        let first = tree(&[("a.py", "x")]);
        let snapshot = Snapshot::of_deep(&first, &scan_deep(&first, &limits));
        let quick = scan_quick(
            &tree(&[("a.py", "x"), ("README.md", "")]),
            &limits,
            &snapshot,
        );
        assert!(
            quick
                .findings
                .iter()
                .all(|one| one.check != Check::MissingReadme)
        );
    }
}
