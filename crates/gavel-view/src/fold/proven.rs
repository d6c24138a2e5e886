//! What Gavel proved by itself at a gate.

use gavel_contracts::BindingReport;
use gavel_domain::{
    BaseTestsRun, BlindedTest, ContractsCompared, ExampleExecuted, NewTestsRun, ProofFact, Record,
    TestProven, WorkInspected,
};
use gavel_rules::work::WorkFinding;

use super::Fold;
use crate::proven::{
    BaseTestsView, ContractsView, ExampleView, KeptTestsView, NewTestsView, ReleaseView, TestView,
};
use crate::{ReportError, Text};

impl Fold<'_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    pub(super) async fn apply_proof(
        &mut self,
        fact: ProofFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            ProofFact::ExampleExecuted(ExampleExecuted {
                criterion,
                outcome,
                runs,
                report,
                ..
            }) => {
                let report = self.texts.json(record, report).await?;
                self.proof.examples.push(ExampleView {
                    criterion,
                    outcome,
                    runs,
                    report,
                });
            }
            ProofFact::TestProven(TestProven {
                criterion,
                outcome,
                faults,
                caught,
                report,
                ..
            }) => {
                let report = self.texts.json(record, report).await?;
                self.proof.tests.push(TestView {
                    criterion,
                    outcome,
                    faults,
                    caught,
                    report,
                });
            }
            ProofFact::WorkInspected(WorkInspected { report, .. }) => {
                let findings: Text<Vec<WorkFinding>> = self.texts.json(record, report).await?;
                self.proof.findings = findings.kept().cloned().unwrap_or_default();
            }
            ProofFact::BaseTestsRun(BaseTestsRun {
                held,
                executed,
                failed,
                report,
                ..
            }) => {
                let report = self.texts.text(record, report).await?;
                self.proof.base_tests = Some(BaseTestsView {
                    held,
                    executed,
                    failed,
                    report,
                });
            }
            ProofFact::KeptTestsTried(tried) => {
                let blinded: Text<Vec<BlindedTest>> = self.texts.json(record, tried.report).await?;
                let blinded = blinded.kept().into_iter().flatten();
                self.proof
                    .findings
                    .extend(blinded.map(WorkFinding::blinded));
                self.proof.kept_tests = Some(KeptTestsView {
                    held: tried.held,
                    tried: tried.tried,
                    biting: tried.biting,
                    hollow_before: tried.hollow_before,
                    not_measured: tried.not_measured,
                });
            }
            ProofFact::NewTestsRun(NewTestsRun {
                tests, fail_before, ..
            }) => self.proof.new_tests = Some(NewTestsView { tests, fail_before }),
            ProofFact::ContractsCompared(compared) => {
                let report = self.texts.text(record, compared.report).await?;
                self.proof.contracts = Some(contracts(&compared, &report));
            }
            ProofFact::FindingReleased(released) => {
                let reason = self.texts.text(record, released.reason).await?;
                self.proof.released.push(ReleaseView {
                    finding: released.finding,
                    by: released.by,
                    reason,
                });
            }
        }
        Ok(())
    }
}

/// Contracts that were compared, with the places that break them.
fn contracts(compared: &ContractsCompared, report: &Text) -> ContractsView {
    let report = report.kept().map(|text| serde_json::from_str(text));
    let report: Option<BindingReport> = report.and_then(Result::ok);
    let broken = report.iter().flat_map(BindingReport::errors);
    ContractsView {
        checked: compared.checked,
        errors: compared.errors,
        not_checked: compared.not_checked,
        broken: broken.map(ToString::to_string).collect(),
    }
}
