//! What an attempt came to, in the journal and in the ledger.

use gavel_domain::{
    AttemptFailed, Billed, Blob, CeilingBroken, Fault, GaveUp, LossCause, MicroUsd, RecordDraft,
    UsageLost, UsageReleased, UsageSettled, cost,
};
use gavel_models::{CallError, Reply};
use gavel_rules::{Booking, CallCeiling, Claim, NextTry, book, next_try};
use gavel_store::{Claimed, LedgerChange};

use super::plan::Plan;
use super::reply::keep_reply;
use crate::writer::Proposal;
use crate::{Recorded, Run, RunError, StepError};

impl Run {
    pub(super) async fn settle(
        &self,
        plan: &Plan,
        number: u32,
        mut reply: Reply,
    ) -> Result<Recorded<Reply>, RunError> {
        let claim = Claim {
            usage: reply.usage,
            cost: plan.info.price.map(|price| cost(&price, &reply.usage)),
        };
        let ceiling = CallCeiling {
            input: plan.input_max,
            output: plan.output_max,
            money: plan.ceiling,
        };
        let (booked, broken) = match book(&claim, &ceiling) {
            Booking::AsClaimed => (claim, None),
            Booking::AtCeiling(possible) => (possible, Some(claim)),
        };
        // Whoever reads the reply later counts with what was possible, too.
        reply.usage = booked.usage;
        let spent = booked.cost;
        let settled = UsageSettled {
            model: plan.model(),
            usage: reply.usage,
            cost: spent,
            input_max: plan.input_max,
        };
        let place = plan.key.attempt_part(number, "settled");
        let mut proposal = Proposal::of(RecordDraft::new(place, &settled)?);
        if let Some(claim) = broken {
            let broken = CeilingBroken {
                model: plan.model(),
                ceiling: plan.ceiling.unwrap_or_default(),
                cost: claim.cost.unwrap_or_default(),
                claimed: Some(claim.usage),
                booked: spent,
            };
            let place = plan.key.attempt_part(number, "broken");
            proposal.drafts.push(RecordDraft::new(place, &broken)?);
        }
        let replied = keep_reply(plan.model(), &reply, &mut proposal.blobs);
        proposal.drafts.push(RecordDraft::with_input(
            plan.key.outcome(),
            plan.input,
            &replied,
        )?);
        proposal.ledger.push(LedgerChange::Settle {
            call: plan.call_id(self, number),
            cost: spent.unwrap_or_default(),
            usage: reply.usage,
            claimed: broken.map(|claim| Claimed {
                cost: claim.cost.unwrap_or_default(),
                tokens: claim.usage.total(),
            }),
        });
        let at = self.write(proposal).await?;
        Ok(Recorded { value: reply, at })
    }

    /// Books a failed attempt; returns `Ok` when another one may follow.
    pub(super) async fn book_failure(
        &self,
        plan: &Plan,
        number: u32,
        error: CallError,
    ) -> Result<(), RunError> {
        let message = error.to_string();
        let detail = Blob::new(message.as_bytes());
        let fault = Fault {
            class: error.class(),
            retry_after_ms: error
                .retry_after()
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
            detail: Some(detail.name()),
        };
        let (_, failures) = self.next_attempt(&plan.key);
        let attempts = failures + 1;
        let mut proposal = self.loss(plan, number, error.billed, LossCause::Failed)?;
        let cost = match error.billed {
            Billed::No => MicroUsd::ZERO,
            Billed::Unknown => plan.ceiling.unwrap_or_default(),
        };
        let failed = AttemptFailed {
            fault,
            billed: error.billed,
            cost,
        };
        proposal
            .drafts
            .push(RecordDraft::new(plan.key.attempt(number), &failed)?);
        proposal.blobs.push(detail);
        let last = next_try(&plan.call.policy, attempts, &fault, 0) == NextTry::GiveUp;
        if last {
            let gave_up = GaveUp {
                error: fault,
                attempts,
            };
            proposal.drafts.push(RecordDraft::with_input(
                plan.key.outcome(),
                plan.input,
                &gave_up,
            )?);
        }
        self.write(proposal).await?;
        if last {
            let key = plan.key.clone();
            return Err(RunError::Failed(Box::new(StepError {
                key,
                fault,
                attempts,
                message,
            })));
        }
        Ok(())
    }

    pub(super) async fn book_loss(&self, plan: &Plan, number: u32) -> Result<(), RunError> {
        let proposal = self.loss(plan, number, Billed::Unknown, LossCause::Cancelled)?;
        self.write(proposal).await?;
        Ok(())
    }

    /// Gives a reservation back when nothing was billed, else books it in full.
    pub(super) fn loss(
        &self,
        plan: &Plan,
        number: u32,
        billed: Billed,
        cause: LossCause,
    ) -> Result<Proposal, RunError> {
        let call = plan.call_id(self, number);
        let (draft, change) = match billed {
            Billed::No => {
                let place = plan.key.attempt_part(number, "released");
                (
                    RecordDraft::new(place, &UsageReleased {})?,
                    LedgerChange::Release { call },
                )
            }
            Billed::Unknown => {
                let place = plan.key.attempt_part(number, "lost");
                let lost = UsageLost {
                    cause,
                    ceiling: plan.ceiling,
                };
                (RecordDraft::new(place, &lost)?, LedgerChange::Lose { call })
            }
        };
        Ok(Proposal {
            ledger: vec![change],
            ..Proposal::of(draft)
        })
    }
}
