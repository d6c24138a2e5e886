//! Assumptions, criteria, feedback, owner and customer, breakers.

use gavel_domain::{AssumptionStatus, CriteriaJudged, JudgingFact, Record};

use super::Fold;
use crate::ReportError;
use crate::judged::{BreakerTold, CriteriaTold, FeedbackTold, OwnerTold};
use crate::ledger::AssumptionTold;

impl Fold<'_> {
    pub(super) async fn apply_judging(
        &mut self,
        fact: JudgingFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        let at = record.at;
        match fact {
            JudgingFact::AssumptionRaised(raised) => {
                let whole = self.texts.json(record, raised.assumption).await?;
                let (claim, how_to_validate) = AssumptionTold::words(whole);
                let mut known = self.report.assumptions.iter_mut();
                if let Some(told) = known.find(|told| told.id == raised.id) {
                    // Somebody else gave it more weight.
                    told.confidence = told.confidence.max(raised.confidence);
                    return Ok(());
                }
                self.report.assumptions.push(AssumptionTold {
                    id: raised.id,
                    claim,
                    raised_by: raised.raised_by,
                    stage: self.head.stage,
                    confidence: raised.confidence,
                    how_to_validate,
                    status: AssumptionStatus::Unverified,
                    settled_by: None,
                    evidence: None,
                    at,
                });
            }
            JudgingFact::AssumptionResolved(resolved) => {
                let evidence = self.texts.text(record, resolved.evidence).await?;
                let known = self.report.assumptions.iter_mut();
                for told in known.filter(|told| told.id == resolved.id) {
                    told.status = resolved.status;
                    told.settled_by = Some(resolved.by.clone());
                    told.evidence = Some(evidence.clone());
                }
            }
            JudgingFact::CriteriaJudged(judged) => self.count(judged, record).await?,
            JudgingFact::FeedbackRouted(routed) => {
                let focus = self.texts.text(record, routed.focus).await?;
                self.report.feedback.push(FeedbackTold {
                    sprint: routed.sprint,
                    condition: routed.condition,
                    to: routed.to,
                    focus,
                    at,
                });
            }
            JudgingFact::OwnerReviewed(reviewed) => {
                let said = self.texts.json(record, reviewed.said).await?;
                self.owner = Some(OwnerTold::of(reviewed, said, at));
            }
            JudgingFact::BreakerTripped(tripped) => {
                let told = BreakerTold::of(tripped, self.head.stage, at);
                self.report.breakers.push(told);
            }
        }
        Ok(())
    }

    async fn count(&mut self, judged: CriteriaJudged, record: &Record) -> Result<(), ReportError> {
        let told = CriteriaTold {
            met: judged.met,
            partial: judged.partial,
            unmet: judged.unmet,
            score: judged.score,
            judged: self.texts.json(record, judged.judged).await?,
            at: record.at,
        };
        if judged.sprint == 0 {
            self.counted = Some(told);
        } else if let Some(sprint) = self.known_sprint(judged.sprint, record.at) {
            sprint.judged = Some(told);
        }
        Ok(())
    }
}
