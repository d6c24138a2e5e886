//! Findings about the work, as they are recorded and shown.

use gavel_domain::{BlindedTest, Digest, FaultOutcome, PlantedFault};
use serde::{Deserialize, Serialize};

/// The most that is shown of code.
const SHOWN: usize = 600;

/// What the work did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkFindingKind {
    /// A test of the base is gone.
    TestDeleted,
    /// A test does not run to its end any more.
    TestSkipped,
    /// A test has no body any more, or asserts on constants only.
    TestEmptied,
    /// A test asserts less: fewer assertions, others, wider tolerances, something swallowed.
    TestLoosened,
    /// A test does something else before it asserts, or runs under other conditions.
    TestRewritten,
    /// Helpers, set-ups or imports of tests say something else.
    TestSupportChanged,
    /// A snapshot says something else.
    SnapshotChanged,
    /// Data of tests says something else.
    FixtureChanged,
    /// What continuous integration does was changed.
    CiChanged,
    /// A lint was taken away or made weaker.
    LintLoosened,
    /// Less coverage is asked for, or of fewer files.
    CoverageLoosened,
    /// Tests are left out, or a run without tests or with failures passes.
    TestsLeftOut,
    /// A lock file fetches something from elsewhere, or something else.
    LockFileRedirected,
    /// Product code tells a test run from another one.
    NoticesTests,
    /// An assertion of the runner was given another meaning.
    AssertionRedefined,
    /// A file was changed that the plan did not name.
    OutOfScope,
    /// A test that is as it was does not notice faults any more that it noticed before the run.
    TestBlinded,
    /// Code was put where no fault can be planted in it.
    CodeHidden,
    /// Product code knows the values that tests from before the run ask for.
    ValuesOfTests,
    /// A test in documentation is gone.
    DocTestDeleted,
    /// A test in documentation says something else.
    DocTestChanged,
}

/// Something that the work did and that a person or an auditor has to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkFinding {
    /// A short digest of kind, file, name and of what it is now: the same work gets the same id
    /// again, and a release does not cover what is changed later.
    pub id: String,
    /// What the work did.
    pub kind: WorkFindingKind,
    /// The file.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The full name of the test that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The finding in one sentence.
    pub message: String,
    /// The beginning of what was there; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The beginning of what is there now; empty when it is gone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
}

impl WorkFindingKind {
    /// The kind in a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TestDeleted => "test deleted",
            Self::TestSkipped => "test skipped",
            Self::TestEmptied => "test emptied",
            Self::TestLoosened => "test loosened",
            Self::TestRewritten => "test rewritten",
            Self::TestSupportChanged => "test support changed",
            Self::SnapshotChanged => "snapshot changed",
            Self::FixtureChanged => "fixture changed",
            Self::CiChanged => "CI changed",
            Self::LintLoosened => "lint loosened",
            Self::CoverageLoosened => "coverage loosened",
            Self::TestsLeftOut => "tests left out",
            Self::LockFileRedirected => "lock file redirected",
            Self::NoticesTests => "notices tests",
            Self::AssertionRedefined => "assertion redefined",
            Self::OutOfScope => "out of scope",
            Self::TestBlinded => "test blinded",
            Self::CodeHidden => "code hidden",
            Self::ValuesOfTests => "values of tests",
            Self::DocTestDeleted => "documented example deleted",
            Self::DocTestChanged => "documented example changed",
        }
    }
}

impl WorkFinding {
    /// A test from before the run does not notice faults any more.
    pub fn blinded(blinded: &BlindedTest) -> Self {
        let BlindedTest { test, missed } = blinded;
        let PlantedFault {
            function,
            before,
            after,
            ..
        } = missed;
        let said = match missed.outcome {
            FaultOutcome::Missed | FaultOutcome::Caught => format!(
                "the test `{test}` noticed faults in `{function}` before the run and does not notice \
                 them now: `{before}` became `{after}`, and it passed"
            ),
            FaultOutcome::NotReached => format!(
                "the test `{test}` noticed faults in `{function}` before the run (`{before}` became \
                 `{after}`), and now it comes to no code that can be broken: what it looks at stands \
                 where no fault can be planted"
            ),
            FaultOutcome::FailedAnyway => format!(
                "the test `{test}` noticed faults in `{function}` before the run (`{before}` became \
                 `{after}`), and now it fails as soon as the code is edited, whether or not that \
                 changes anything"
            ),
        };
        Self::new(WorkFindingKind::TestBlinded, &missed.file, test)
            .at(missed.line)
            .of_test(test)
            .saying(said)
    }

    /// A finding about a whole file, or about what `name` stands for in it.
    pub(super) fn new(kind: WorkFindingKind, file: &str, name: &str) -> Self {
        Self {
            id: id(kind, file, name, ""),
            kind,
            file: file.to_owned(),
            line: 0,
            test: None,
            message: String::new(),
            before: String::new(),
            after: String::new(),
        }
    }

    pub(super) fn at(mut self, line: u32) -> Self {
        self.line = line;
        self
    }

    pub(super) fn of_test(mut self, name: &str) -> Self {
        self.test = Some(name.to_owned());
        self
    }

    pub(super) fn saying(mut self, message: impl AsRef<str>) -> Self {
        self.message = shown(message.as_ref());
        self
    }

    /// Says what was there and what is; the id covers the whole of the latter.
    pub(super) fn changed(mut self, before: &str, after: &str) -> Self {
        let digest = Digest::of(after).to_string();
        self.id = id(self.kind, &self.file, &self.id, &digest);
        self.before = shown(before);
        self.after = shown(after);
        self
    }

    /// True for a test in documentation.
    pub const fn is_of_documentation(&self) -> bool {
        matches!(
            self.kind,
            WorkFindingKind::DocTestDeleted | WorkFindingKind::DocTestChanged
        )
    }

    /// Where it is, and what it says.
    pub fn sentence(&self) -> String {
        format!("{}: {} ({})", self.place(), self.message, self.kind.label())
    }

    /// Where it is, as `file:line`.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }
}

fn id(kind: WorkFindingKind, file: &str, name: &str, now: &str) -> String {
    let fields = [kind.label(), file, name, now];
    Digest::of_fields(fields.iter().map(|field| field.as_bytes())).short()
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}
