//! What a verification came to, before it is a fact.

use gavel_domain::{InstallStep, SandboxLevel, VerifyFinished, VerifyVerdict};
use gavel_rules::install_findings;
use gavel_run::{Blobs, StepFailure};
use gavel_workspace::{Counts, VerifyError, VerifyReason};

use super::{COULD_NOT_RUN, failed, with_sources};
use crate::VerifyOutput;
use crate::runner::RunnerCompared;

/// What runs the tests is nothing that is known, and nobody agreed to it.
const RUNNER_NOT_KNOWN: &str = "runner_not_known";
const NOT_KNOWN: &str = "What is to run the tests is no test runner that Gavel knows. Use one that \
    comes from outside the project, without wrappers or plugins of its own.";

/// What a check came to.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(super) recipe: String,
    pub(crate) verdict: VerifyVerdict,
    pub(crate) reason: &'static str,
    pub(crate) counts: Counts,
    pub(super) coverage: Option<u32>,
    pub(super) smoke: Option<bool>,
    pub(super) level: Option<SandboxLevel>,
    pub(super) install: Vec<InstallStep>,
    pub(crate) output: VerifyOutput,
}

impl Checked {
    pub(super) fn unclear(reason: &'static str, note: String) -> Self {
        let output = VerifyOutput {
            note,
            ..VerifyOutput::default()
        };
        Self {
            recipe: "none".to_owned(),
            verdict: VerifyVerdict::Unclear,
            reason,
            counts: Counts::default(),
            coverage: None,
            smoke: None,
            level: None,
            install: Vec::new(),
            output,
        }
    }

    /// Nothing may run the tests of this tree, and nothing did.
    pub(super) fn runner_refused(runner: RunnerCompared) -> Self {
        let refused = Self {
            verdict: VerifyVerdict::Failed,
            ..Self::unclear(RUNNER_NOT_KNOWN, NOT_KNOWN.to_owned())
        };
        refused.run_by(runner)
    }

    pub(super) fn run_by(mut self, runner: RunnerCompared) -> Self {
        self.output.runner = runner.notes;
        self
    }

    /// A machine that cannot run the tests says nothing about them.
    pub(super) fn could_not_run(problem: &dyn std::error::Error) -> Self {
        Self::unclear(COULD_NOT_RUN, with_sources(problem))
    }

    /// The commands of a recipe could not be run.
    pub(super) fn not_verified(problem: &VerifyError) -> Self {
        let mut checked = Self::could_not_run(problem);
        checked.output.needs_open_network = problem.needs_open_network();
        checked
    }

    /// No more tests count than are listed; what was printed beyond them is said.
    pub(super) fn bound_by_list(&mut self, listed: u32) {
        let (counts, beyond) = self.counts.bounded_by(listed);
        self.counts = counts;
        if beyond == 0 {
            return;
        }
        self.output.unlisted = beyond;
        let note = format!(
            "{}: {beyond} more tests were printed as passed than the runner lists; they are not counted\n",
            self.recipe
        );
        self.output.note.push_str(&note);
        if counts.passed == 0 {
            let reason = VerifyReason::NoTestExecuted;
            (self.verdict, self.reason) = (reason.verdict(), reason.code());
        }
    }

    pub(super) fn fact(
        self,
        blobs: &Blobs,
        tree: Option<String>,
    ) -> Result<VerifyFinished, StepFailure> {
        let mut fact = VerifyFinished {
            recipe: self.recipe,
            verdict: self.verdict,
            reason: self.reason.to_owned(),
            executed: self.counts.executed(),
            passed: self.counts.passed,
            failed: self.counts.failed,
            skipped: self.counts.skipped,
            output: blobs.keep(""),
            tree,
            level: self.level,
            coverage: self.coverage,
            smoke: self.smoke,
            install: self.install,
        };
        let mut output = self.output;
        for finding in install_findings(&fact) {
            output.note.push_str(&finding);
            output.note.push('\n');
        }
        fact.output = blobs.keep(output.text().map_err(failed)?);
        Ok(fact)
    }

    /// The worse of two verdicts, with both counts and both outputs.
    pub(super) fn and(self, right: Self) -> Self {
        let left = self;
        let (verdict, reason) = if badness(right.verdict) > badness(left.verdict) {
            (right.verdict, right.reason)
        } else {
            (left.verdict, left.reason)
        };
        let mut counts = left.counts;
        counts += right.counts;
        let mut output = left.output;
        output.commands.extend(right.output.commands);
        output.smoke.extend(right.output.smoke);
        output.whole.extend(right.output.whole);
        output.unlisted = output.unlisted.saturating_add(right.output.unlisted);
        output.note.push_str(&right.output.note);
        output.needs_open_network |= right.output.needs_open_network;
        Self {
            recipe: left.recipe,
            verdict,
            reason,
            counts,
            // Of the whole, no more can be said than of its worst part.
            coverage: match (left.coverage, right.coverage) {
                (Some(left), Some(right)) => Some(left.min(right)),
                (left, right) => left.or(right),
            },
            smoke: left.smoke.or(right.smoke),
            level: left.level.or(right.level),
            install: [left.install, right.install].concat(),
            output,
        }
    }
}

const fn badness(verdict: VerifyVerdict) -> u8 {
    match verdict {
        VerifyVerdict::Passed => 0,
        VerifyVerdict::Unclear => 1,
        VerifyVerdict::Failed => 2,
    }
}
