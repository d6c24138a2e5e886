//! The auditor's judgement: how it is handed in, what of it holds.

use gavel_agent::{
    Registry, RegistryError, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal,
};
use gavel_domain::AuditVerdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool that ends an audit.
pub(crate) const SUBMIT_AUDIT: &str = "submit_audit";

const MAX_FINDINGS: usize = 50;

/// Adds the tools of a build.
pub fn tools(registry: &mut Registry) -> Result<(), RegistryError> {
    registry.add(SubmitAudit)
}

/// Something that an auditor found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The file, or nothing when it is about no single one.
    #[serde(default)]
    pub file: String,
    /// The line; 0 when it is about the whole file.
    #[serde(default)]
    pub line: u32,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What shows it: a test, a criterion, a rule of a contract.
    #[serde(default)]
    pub evidence: String,
}

/// `error`: breaks a contract, a criterion or a test. `warning`: anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a line for each would bloat the schema")]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Submitted {
    Pass,
    Fail,
}

/// What an auditor hands in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submission {
    /// `pass` without errors, `fail` with at least one.
    verdict: Submitted,
    findings: Vec<Finding>,
}

impl Submission {
    /// Reads what the tool took.
    pub(crate) fn read(arguments: &str) -> Option<Self> {
        let submission: Self = serde_json::from_str(arguments).ok()?;
        submission.check().is_ok().then_some(submission)
    }

    /// The judgement and what it rests on.
    pub(crate) fn into_parts(self) -> (AuditVerdict, Vec<Finding>) {
        let verdict = match self.verdict {
            Submitted::Pass => AuditVerdict::Pass,
            Submitted::Fail => AuditVerdict::Fail,
        };
        (verdict, self.findings)
    }

    fn errors(&self) -> usize {
        count(&self.findings, Severity::Error)
    }

    fn check(&self) -> Result<(), String> {
        if self.findings.len() > MAX_FINDINGS {
            return Err(format!(
                "{} findings are too many: name the {MAX_FINDINGS} that matter most",
                self.findings.len()
            ));
        }
        if let Some(place) = self
            .findings
            .iter()
            .position(|one| one.message.trim().is_empty())
        {
            return Err(format!("finding {} says nothing", place + 1));
        }
        match (self.verdict, self.errors()) {
            (Submitted::Pass, 0) | (Submitted::Fail, 1..) => Ok(()),
            (Submitted::Pass, errors) => Err(format!(
                "`pass` and {errors} error(s) exclude each other: say `fail`, or make them \
                 warnings if they break no contract, criterion or test"
            )),
            (Submitted::Fail, _) => Err(
                "`fail` needs a finding of severity `error` that says what must be mended"
                    .to_owned(),
            ),
        }
    }
}

/// How many findings are of a severity.
pub(crate) fn count(findings: &[Finding], severity: Severity) -> usize {
    let such = findings.iter().filter(|one| one.severity == severity);
    such.count()
}

/// `submit_audit`: takes a judgement that agrees with itself.
#[derive(Debug, Clone, Copy)]
struct SubmitAudit;

impl ToolHandler for SubmitAudit {
    type Input = Submission;
    const NAME: &'static str = SUBMIT_AUDIT;
    const PURPOSE: &'static str = "Hand in the judgement of the phase; this ends your work.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        _context: &ToolContext,
        input: Submission,
    ) -> Result<ToolOutput, ToolRefusal> {
        input.check().map_err(ToolRefusal::new)?;
        let warnings = count(&input.findings, Severity::Warning);
        let errors = input.errors();
        Ok(ToolOutput::words(format!(
            "taken: {errors} errors, {warnings} warnings"
        )))
    }
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
