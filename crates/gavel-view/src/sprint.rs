//! Sprints: what was planned, tested, audited, repaired and committed.

use gavel_build::VerifyOutput;
use gavel_domain::{
    AuditVerdict, Digest, MicroUsd, SprintPart, SprintStage, Stage, Timestamp, VerifyFinished,
    VerifyVerdict,
};
use gavel_rules::{RunnerNote, install_findings, install_summary};
use serde::{Deserialize, Deserializer, Serialize};

use crate::first_errors::first_errors;
use crate::{CriteriaTold, Report, Text};

/// Who finds what only another audit can clear.
const AUDIT: &str = "audit";

/// One sprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SprintTold {
    /// Counted from one.
    pub number: u32,
    /// The phase that it builds, once it is planned.
    pub phase: Option<u32>,
    /// Counted from one in its phase; zero when nobody counted.
    pub of_phase: u32,
    /// What it was told beside the phase.
    pub focus: Option<Text>,
    /// What the run had spent when it began.
    #[serde(
        rename = "spent_before_usd",
        serialize_with = "crate::spend::dollars_or_none"
    )]
    pub spent_before: Option<MicroUsd>,
    /// The files that were planned.
    pub plan: Option<Text<Files>>,
    /// How many they are.
    pub files: u32,
    /// What it did, in order.
    pub parts: Vec<SprintStage>,
    /// When it began.
    pub began_at: Timestamp,
    /// When its last fact was written.
    pub until: Timestamp,
    /// The verifications, in order.
    pub verifications: Vec<Verification>,
    /// The audits, in order.
    pub audits: Vec<AuditTold>,
    /// How many rounds of repairs.
    pub fixes: u32,
    /// Its commits.
    pub commits: Vec<String>,
    /// How the criteria stood at its end.
    pub judged: Option<CriteriaTold>,
}

impl SprintTold {
    pub(crate) const fn new(number: u32, at: Timestamp) -> Self {
        Self {
            number,
            phase: None,
            of_phase: 0,
            focus: None,
            spent_before: None,
            plan: None,
            files: 0,
            parts: Vec::new(),
            began_at: at,
            until: at,
            verifications: Vec::new(),
            audits: Vec::new(),
            fixes: 0,
            commits: Vec::new(),
            judged: None,
        }
    }

    /// True when its last look shows that what somebody found before is gone.
    pub(crate) fn ends_well_for(&self, source: &str) -> bool {
        let passed = |told: &Verification| told.verdict == VerifyVerdict::Passed;
        let verified = self.verifications.last().is_some_and(passed);
        let audited = self.audits.last().map(|told| told.verdict);
        verified && (source != AUDIT || audited == Some(AuditVerdict::Pass))
    }

    pub(crate) fn enter(&mut self, stage: SprintStage) {
        if stage.part == SprintPart::Fix {
            self.fixes += 1;
        }
        self.parts.push(stage);
    }
}

/// A file of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Where.
    pub path: String,
    /// `create`, `modify` or `delete`.
    #[serde(default)]
    pub action: String,
    /// What for.
    #[serde(default)]
    pub purpose: String,
}

/// The files of a plan: the list alone, or inside the whole answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Files(pub Vec<PlannedFile>);

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            List(Vec<PlannedFile>),
            Answer { files: Vec<PlannedFile> },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::List(files) | Form::Answer { files } => Self(files),
        })
    }
}

/// A verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The recipe.
    pub recipe: String,
    /// What it came to.
    pub verdict: VerifyVerdict,
    /// A code for the verdict.
    pub reason: String,
    /// Tests executed.
    pub executed: u32,
    /// Tests passed.
    pub passed: u32,
    /// Tests failed.
    pub failed: u32,
    /// Tests skipped.
    pub skipped: u32,
    /// Measured coverage in thousandths; none when nothing measured it.
    pub coverage: Option<u32>,
    /// Whether the smoke run came to what its recipe says; none when there is none.
    pub smoke: Option<bool>,
    /// Who ran the tests, where that is worth a word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runner: Vec<String>,
    /// The hosts that dependencies came from; none when nothing was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fetched: Option<String>,
    /// What is worth attention about the dependencies, with what can be done about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The commands that were run, with how they ended.
    pub commands: Vec<CommandTold>,
    /// The tests that failed, by name, as far as the runner named them.
    pub failures: Vec<String>,
    /// Where nothing could be run: the first errors, for example of the compiler.
    pub errors: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// A command, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandTold {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its exit code; none when a signal or the deadline ended it.
    pub exit: Option<i32>,
}

impl Verification {
    /// A verification, with what its recorded output says.
    pub fn of(fact: VerifyFinished, output: &Text, at: Timestamp) -> Self {
        let (fetched, findings) = (install_summary(&fact.install), install_findings(&fact));
        let nothing_ran = fact.executed == 0 && fact.verdict != VerifyVerdict::Passed;
        let printed = output.kept().filter(|_| nothing_ran);
        let errors = printed.map(|text| first_errors(text)).unwrap_or_default();
        let said = output.kept().map(|text| VerifyOutput::read(text));
        let said = said.unwrap_or_default();
        let failures = said.tests().failed.into_iter().collect();
        let runner = said.runner.iter().map(RunnerNote::line).collect();
        let ran = said.commands.into_iter().map(|ran| CommandTold {
            argv: ran.argv,
            exit: ran.exit,
        });
        Self {
            recipe: fact.recipe,
            verdict: fact.verdict,
            reason: fact.reason,
            executed: fact.executed,
            passed: fact.passed,
            failed: fact.failed,
            skipped: fact.skipped,
            coverage: fact.coverage,
            smoke: fact.smoke,
            runner,
            fetched,
            findings,
            commands: ran.collect(),
            failures,
            errors,
            at,
        }
    }
}

/// An audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditTold {
    /// What it came to.
    pub verdict: AuditVerdict,
    /// Findings that must be repaired.
    pub errors: u32,
    /// Findings that need not.
    pub warnings: u32,
    /// The findings.
    pub findings: Text<Findings>,
}

/// One finding of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingTold {
    /// Where.
    #[serde(default)]
    pub file: String,
    /// In which line; zero for the whole file.
    #[serde(default)]
    pub line: u32,
    /// `error` or `warning`.
    #[serde(default)]
    pub severity: String,
    /// What.
    #[serde(default)]
    pub message: String,
    /// What shows it.
    #[serde(default)]
    pub evidence: String,
}

/// The findings of an audit: the list alone, or inside the whole submission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Findings(pub Vec<FindingTold>);

impl<'de> Deserialize<'de> for Findings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            List(Vec<FindingTold>),
            Submission { findings: Vec<FindingTold> },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::List(findings) | Form::Submission { findings } => Self(findings),
        })
    }
}

/// An error that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrackedError {
    /// Its identity.
    pub error: Digest,
    /// Who found it.
    pub source: String,
    /// In which sprint.
    pub sprint: u32,
    /// What it is.
    pub text: Text,
    /// In which sprint it was gone.
    pub resolved_in: Option<u32>,
}

impl Report {
    /// An error that nobody finds any more is gone, also where no fact says so: a sprint compares
    /// with what it saw itself, not with what the one before it left.
    pub fn settle_errors(&mut self) {
        let found: Vec<(Digest, u32)> = self
            .errors
            .iter()
            .map(|error| (error.error, error.sprint))
            .collect();
        // A gate that passed found no error left.
        let passed = self.gates.last().filter(|gate| gate.passed);
        let last = self.sprints.last().filter(|_| passed.is_some());
        let last = last.map(|sprint| sprint.number);
        let open = self.errors.iter_mut();
        for error in open.filter(|error| error.resolved_in.is_none()) {
            let same = found.iter().filter(|(other, _)| *other == error.error);
            let seen = same.map(|(_, sprint)| *sprint).max();
            let later = self.sprints.iter();
            let mut later = later.filter(|sprint| Some(sprint.number) > seen);
            let mended = later.find(|sprint| sprint.ends_well_for(&error.source));
            error.resolved_in = mended.map(|sprint| sprint.number).or(last);
        }
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitTold {
    /// The branch.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// In which stage.
    pub stage: Option<Stage>,
    /// In which sprint.
    pub sprint: Option<u32>,
    /// When.
    pub at: Timestamp,
}
