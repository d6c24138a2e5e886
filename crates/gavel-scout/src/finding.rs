//! Findings: what a check saw, where, and what helps.

use serde::{Deserialize, Serialize};

use crate::survey::Evidence;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Wrong: a scan with one of these fails.
    Error,
    /// Worth mending.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A check. Its code is stable; reports and baselines may rely on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Code parses.
    Syntax,
    /// No text holds a secret.
    Secret,
    /// No file that is made for credentials is left to git.
    CredentialFile,
    /// Each dependency says which versions will do.
    UnpinnedDependency,
    /// Each manifest has a lock file.
    MissingLockFile,
    /// There are tests.
    MissingTests,
    /// Something builds it on a server.
    MissingCi,
    /// There is a README.
    MissingReadme,
    /// There is a licence.
    MissingLicence,
    /// Variables that code reads have an example.
    MissingEnvExample,
    /// No file of code is too long to read.
    GiantFile,
    /// Imports lead to files that are there.
    DeadImport,
    /// Files do not import each other in circles.
    CyclicImport,
    /// Little is marked as open.
    OpenMarks,
    /// Build output is not left to git.
    BuildOutput,
    /// Manifests and lock files can be understood.
    UnreadableManifest,
}

impl Check {
    /// All checks, in the order of their codes.
    pub const ALL: [Self; 16] = [
        Self::Syntax,
        Self::Secret,
        Self::CredentialFile,
        Self::UnpinnedDependency,
        Self::MissingLockFile,
        Self::MissingTests,
        Self::MissingCi,
        Self::MissingReadme,
        Self::MissingLicence,
        Self::MissingEnvExample,
        Self::GiantFile,
        Self::DeadImport,
        Self::CyclicImport,
        Self::OpenMarks,
        Self::BuildOutput,
        Self::UnreadableManifest,
    ];

    /// Its code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Syntax => "S001",
            Self::Secret => "S002",
            Self::CredentialFile => "S003",
            Self::UnpinnedDependency => "S010",
            Self::MissingLockFile => "S011",
            Self::UnreadableManifest => "S012",
            Self::MissingTests => "S020",
            Self::MissingCi => "S021",
            Self::MissingReadme => "S022",
            Self::MissingLicence => "S023",
            Self::MissingEnvExample => "S024",
            Self::GiantFile => "S030",
            Self::OpenMarks => "S031",
            Self::DeadImport => "S040",
            Self::CyclicImport => "S041",
            Self::BuildOutput => "S050",
        }
    }

    /// What it asks for.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Syntax => "Code parses",
            Self::Secret => "No secrets in files",
            Self::CredentialFile => "Credential files are ignored by git",
            Self::UnpinnedDependency => "Dependencies state their versions",
            Self::MissingLockFile => "Manifests have lock files",
            Self::UnreadableManifest => "Manifests can be read",
            Self::MissingTests => "There are tests",
            Self::MissingCi => "There is CI",
            Self::MissingReadme => "There is a README",
            Self::MissingLicence => "There is a licence",
            Self::MissingEnvExample => "Variables have an example",
            Self::GiantFile => "Files are short enough to read",
            Self::OpenMarks => "Little is marked as open",
            Self::DeadImport => "Imports lead somewhere",
            Self::CyclicImport => "Imports go in no circles",
            Self::BuildOutput => "Build output is ignored by git",
        }
    }

    /// What helps.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Syntax => "mend the code at this line",
            Self::Secret => "take it out, and make a new one: whoever has the history has it",
            Self::CredentialFile => {
                "add it to .gitignore, and make new credentials if it was ever committed"
            }
            Self::UnpinnedDependency => "state the versions that will do",
            Self::MissingLockFile => "let the package manager write its lock file, and commit it",
            Self::UnreadableManifest => "mend the file: its package manager cannot read it either",
            Self::MissingTests => "write a first test",
            Self::MissingCi => "add a workflow that builds and tests each push",
            Self::MissingReadme => "write a README: what it is, how it is built, run and tested",
            Self::MissingLicence => "add a LICENSE file",
            Self::MissingEnvExample => "add .env.example with every variable and no value",
            Self::GiantFile => "split it by what its parts do",
            Self::OpenMarks => "do them, or move them to the issue tracker",
            Self::DeadImport => "add the file, or take the import out",
            Self::CyclicImport => "move what both need into a file of its own",
            Self::BuildOutput => "add the folder to .gitignore and take it out of git",
        }
    }
}

/// What a check saw.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The check.
    pub check: Check,
    /// Where; nothing where something is missing in the whole repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// What was seen.
    pub message: String,
}

impl Finding {
    pub(crate) fn at(
        check: Check,
        severity: Severity,
        evidence: Evidence,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            check,
            evidence: Some(evidence),
            message: message.into(),
        }
    }

    pub(crate) fn of_repository(
        check: Check,
        severity: Severity,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            check,
            evidence: None,
            message: message.into(),
        }
    }
}
