//! From the first sprint to the seal.

use gavel_domain::{BuildFact, GateJudged, LessonProposed, Record, Timestamp, WorkFact};

use super::Fold;
use crate::ReportError;
use crate::proof::{Gate, LessonTold, Pushed, SealSays, SealTold};
use crate::sprint::{AuditTold, CommitTold, SprintTold, TrackedError, Verification};

impl Fold<'_> {
    /// The sprint of that number, which is under way from here on.
    pub(super) fn sprint(&mut self, number: u32, at: Timestamp) -> Option<&mut SprintTold> {
        self.sprint = Some(number);
        self.known_sprint(number, at)
    }

    /// The sprint of that number, whichever is under way.
    pub(super) fn known_sprint(&mut self, number: u32, at: Timestamp) -> Option<&mut SprintTold> {
        let sprints = &mut self.report.sprints;
        let known = sprints.iter().position(|sprint| sprint.number == number);
        let place = known.unwrap_or_else(|| {
            sprints.push(SprintTold::new(number, at));
            sprints.len() - 1
        });
        let sprint = sprints.get_mut(place)?;
        sprint.until = sprint.until.max(at);
        Some(sprint)
    }

    /// The sprint that is under way.
    pub(super) fn running_sprint(&mut self, at: Timestamp) -> Option<&mut SprintTold> {
        let number = self.sprint?;
        self.sprint(number, at)
    }

    pub(super) fn seal(&mut self, at: Timestamp) -> &mut SealTold {
        self.report.seal.get_or_insert_with(|| SealTold {
            verdict: String::new(),
            key: None,
            says: None,
            branch: None,
            commit: None,
            at,
            by_rule: None,
            approved_later: None,
        })
    }

    pub(super) async fn apply_build(
        &mut self,
        fact: BuildFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        let at = record.at;
        match fact {
            BuildFact::SprintPlanned(planned) => {
                let plan = self.texts.json(record, planned.plan).await?;
                if let Some(sprint) = self.sprint(planned.sprint, at) {
                    sprint.phase = Some(planned.phase);
                    sprint.files = planned.files;
                    sprint.plan = Some(plan);
                }
            }
            BuildFact::SprintStage(stage) => {
                if let Some(sprint) = self.sprint(stage.sprint, at) {
                    sprint.enter(stage);
                }
            }
            BuildFact::AuditFinished(finished) => {
                let audit = AuditTold {
                    verdict: finished.verdict,
                    errors: finished.errors,
                    warnings: finished.warnings,
                    findings: self.texts.json(record, finished.findings).await?,
                };
                if let Some(sprint) = self.running_sprint(at) {
                    sprint.audits.push(audit);
                }
            }
            BuildFact::ErrorTracked(tracked) => {
                let text = self.texts.text(record, tracked.text).await?;
                self.report.errors.push(TrackedError {
                    error: tracked.error,
                    source: tracked.source,
                    sprint: tracked.sprint,
                    text,
                    resolved_in: None,
                });
            }
            BuildFact::ErrorResolved(resolved) => {
                let errors = self.report.errors.iter_mut();
                for error in errors.filter(|error| error.error == resolved.error) {
                    error.resolved_in = error.resolved_in.or(Some(resolved.sprint));
                }
            }
            BuildFact::ShipHeeded(_) => {}
            BuildFact::PolicyApproved(policy) => self.policy = Some(policy.rule),
            BuildFact::SealApproved(_) => self.seal(at).approved_later = Some(at),
            BuildFact::SprintOpened(opened) => {
                let focus = self.texts.maybe(record, opened.focus).await?;
                if let Some(sprint) = self.sprint(opened.sprint, at) {
                    sprint.phase = opened.phase.or(sprint.phase);
                    sprint.of_phase = opened.of_phase;
                    sprint.focus = focus;
                    sprint.spent_before = Some(opened.spent);
                }
            }
            BuildFact::BranchPushed(pushed) => {
                self.report.push = pushed.state();
                let failed = self.texts.maybe(record, pushed.failed).await?;
                self.report.pushed = Some(Pushed {
                    branch: pushed.branch,
                    commit: pushed.commit,
                    failed,
                });
            }
            BuildFact::GateJudged(judged) => self.judge(judged, record).await?,
            BuildFact::SealSigned(signed) => {
                let envelope = self.texts.text(record, signed.envelope).await?;
                let policy = self.policy;
                let seal = self.seal(at);
                seal.by_rule = policy;
                seal.verdict = signed.verdict;
                seal.key = Some(signed.key);
                seal.says = Some(SealSays::of(envelope));
            }
            BuildFact::LessonProposed(lesson) => self.learn(lesson, record).await?,
        }
        Ok(())
    }

    async fn learn(&mut self, lesson: LessonProposed, record: &Record) -> Result<(), ReportError> {
        let text = self.texts.text(record, lesson.text).await?;
        self.report.lessons.push(LessonTold {
            kind: lesson.kind,
            text,
            stage: lesson.stage,
            rests_on: lesson.rests_on.map(|key| key.to_string()),
        });
        Ok(())
    }

    async fn judge(&mut self, judged: GateJudged, record: &Record) -> Result<(), ReportError> {
        let evidence = self.texts.json(record, judged.evidence).await?;
        // A commit that comes back is not verified and judged anew, so what was seen then holds.
        let mut gates = self.report.gates.iter().rev();
        let before = gates.find(|gate| gate.commit == judged.commit);
        let verification = self.judged_by.take();
        let verification = verification.or_else(|| before?.verification.clone());
        let counted = self.counted.take();
        let counted = counted.or_else(|| before?.counted.clone());
        let owner = self.owner.take().or_else(|| before?.owner.clone());
        let proof = std::mem::take(&mut self.proof);
        let proof = match before {
            Some(before) if proof.is_empty() => before.proof.clone(),
            Some(_) | None => proof,
        };
        self.report.gates.push(Gate {
            commit: judged.commit,
            passed: judged.passed,
            score: judged.score,
            conditions: judged.conditions,
            evidence,
            counted,
            owner,
            proof,
            verification,
            at: record.at,
        });
        Ok(())
    }

    pub(super) async fn apply_work(
        &mut self,
        fact: WorkFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        let at = record.at;
        match fact {
            WorkFact::CommitMade(made) => {
                if let Some(sprint) = self.running_sprint(at) {
                    sprint.commits.push(made.commit.clone());
                }
                self.report.commits.push(CommitTold {
                    branch: made.branch,
                    commit: made.commit,
                    stage: self.head.stage,
                    sprint: self.sprint,
                    at,
                });
            }
            WorkFact::VerifyFinished(finished) => {
                let output = self.texts.text(record, finished.output).await?;
                let verification = Verification::of(finished, &output, at);
                match self.running_sprint(at) {
                    Some(sprint) => sprint.verifications.push(verification),
                    None => self.judged_by = Some(verification),
                }
            }
            WorkFact::ModelReplied(_)
            | WorkFact::ToolFinished(_)
            | WorkFact::CommandFinished(_)
            | WorkFact::InstallDecided(_) => {
                self.running_sprint(at);
            }
        }
        Ok(())
    }
}
