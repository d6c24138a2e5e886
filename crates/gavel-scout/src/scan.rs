//! A deep scan: every file is read once, then put together and checked.

use gavel_workspace::StampedFile;
use serde::{Deserialize, Serialize};

use crate::assemble::assemble;
use crate::checks;
use crate::finding::{Finding, Severity};
use crate::reading::{FileRead, read_all};
use crate::survey::Survey;
use crate::tree::SourceTree;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most files that are listed.
    pub files: usize,
    /// The longest file that is read.
    pub file_bytes: usize,
    /// The longest lock file that is read.
    pub lock_bytes: usize,
    /// So much code is parsed to check its syntax.
    pub syntax_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 200_000,
            file_bytes: 512 * 1024,
            lock_bytes: 16 * 1024 * 1024,
            syntax_bytes: 12 * 1024 * 1024,
        }
    }
}

/// What a deep scan found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// What the repository is.
    pub survey: Survey,
    /// What is wrong with it, the worst first.
    pub findings: Vec<Finding>,
}

impl Scan {
    /// How many findings of a severity there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    }
}

/// A listed file and what reading it brought.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) file: &'a StampedFile,
    pub(crate) read: &'a FileRead,
}

/// Reads a whole tree.
pub fn scan_deep(tree: &dyn SourceTree, limits: &Limits) -> Scan {
    let files: Vec<&StampedFile> = tree.files().files.iter().collect();
    let reads = read_all(tree, &files, limits);
    let seen: Vec<Seen<'_>> = files
        .iter()
        .zip(&reads)
        .map(|(file, read)| Seen { file, read })
        .collect();
    let survey = assemble(tree, &seen);
    let mut findings: Vec<Finding> = reads
        .iter()
        .flat_map(|read| read.findings.clone())
        .collect();
    findings.extend(checks::of_survey(&survey, &seen));
    findings.sort();
    findings.dedup();
    Scan { survey, findings }
}
