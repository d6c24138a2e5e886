//! What was said about money; what was spent comes from the ledger.

use gavel_domain::{MoneyFact, Record};

use super::Fold;
use crate::ReportError;
use crate::spend::{CapTold, PreviewTold, ShareTold};

impl Fold<'_> {
    pub(super) async fn apply_money(
        &mut self,
        fact: MoneyFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            MoneyFact::CostPreviewed(previewed) => {
                let stages = self.texts.json(record, previewed.stages).await?;
                self.report.spend.preview = Some(PreviewTold {
                    low: previewed.low,
                    high: previewed.high,
                    unpriced: previewed.unpriced,
                    stages,
                });
            }
            MoneyFact::ShareExceeded(exceeded) => self.report.spend.shares.push(ShareTold {
                stage: exceeded.stage,
                spent: exceeded.spent,
                share: exceeded.share,
            }),
            MoneyFact::CapChanged(changed) => self.report.spend.caps.push(CapTold {
                cap: changed.cap,
                by: changed.by,
                at: record.at,
            }),
            MoneyFact::UsageReserved(_)
            | MoneyFact::UsageSettled(_)
            | MoneyFact::UsageReleased(_)
            | MoneyFact::UsageLost(_)
            | MoneyFact::SpendThreshold(_)
            | MoneyFact::CeilingBroken(_)
            | MoneyFact::SpendAllowed(_)
            | MoneyFact::SourceDecided(_) => {}
        }
        Ok(())
    }
}
