//! The council, or the review in its place.

use gavel_domain::{
    CouncilFact, CouncilOutcome, CouncilSeated, DebateClosed, DebatePart, OutcomeFact, Record,
    StanceSpoke, SynthesisMade, SynthesisOutcome,
};

use super::Fold;
use crate::ReportError;
use crate::council::{CouncilTold, CouncilVerdict};
use crate::debate::{DecisionTold, EvidenceCount, ReviewTold, StanceTold};
use crate::text::Text;

/// The line between the JSON of an outcome and its text for people.
const READABLE: &str = "\n---READABLE---";

impl Fold<'_> {
    pub(super) async fn apply_council(
        &mut self,
        fact: CouncilFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            CouncilFact::CouncilPhase(phase) => {
                let debate = &mut self.report.debate;
                debate.parts.push(phase.part);
                match phase.part {
                    DebatePart::Plan => {
                        let number = u32::try_from(debate.councils.len()).unwrap_or(u32::MAX);
                        debate.councils.push(CouncilTold {
                            number: number.saturating_add(1),
                            ..CouncilTold::default()
                        });
                    }
                    // In runs of older versions no other fact names the seats.
                    DebatePart::Drafts => debate.seats = phase.seats,
                    DebatePart::Clarify
                    | DebatePart::Research
                    | DebatePart::Gate
                    | DebatePart::Openings
                    | DebatePart::Round
                    | DebatePart::Synthesis
                    | DebatePart::Judgement => {}
                }
            }
            CouncilFact::DebatePlanned(planned) => {
                let plan = self.texts.json(record, planned.plan).await?;
                self.council(|council| {
                    council.fallback = planned.fallback;
                    council.plan = Some(plan);
                });
            }
            CouncilFact::CouncilSeated(seated) => self.seated(seated),
            CouncilFact::ResearchMade(made) => {
                self.council(|council| council.research.push(made.outcome));
            }
            CouncilFact::DraftsCompared(compared) => {
                self.council(|council| council.drafts = Some(compared));
            }
            CouncilFact::StanceSpoke(spoke) => self.spoke(spoke, record).await?,
            CouncilFact::SeatFailed(failed) => {
                self.council(|council| council.silent.push(failed.seat));
            }
            CouncilFact::RoundEvaluated(round) => self.report.debate.rounds.push(round),
            CouncilFact::DebateStopped(stopped) => {
                self.council(|council| {
                    council.stop = Some(stopped.reason);
                    council.rounds = stopped.rounds;
                });
            }
            CouncilFact::CouncilPhaseEnded(_)
            | CouncilFact::MatterClarified(_)
            | CouncilFact::ResearchDecided(_)
            | CouncilFact::SeatLeft(_)
            | CouncilFact::RoundSummarised(_) => {}
        }
        Ok(())
    }

    pub(super) async fn apply_outcome(
        &mut self,
        fact: OutcomeFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            OutcomeFact::DecisionMade(made) => {
                let decision = self.texts.json(record, made.text).await?;
                self.report.debate.decisions.push(DecisionTold {
                    number: made.number,
                    decision,
                    dissent: made.dissent,
                });
            }
            OutcomeFact::DebateClosed(closed) => self.closed(closed, record).await?,
            OutcomeFact::SynthesisMade(made) => self.drawn(made, record).await?,
            OutcomeFact::CouncilJudged(judged) => {
                let reason = self.texts.text(record, judged.reason).await?;
                let verdict = CouncilVerdict {
                    confidence: judged.confidence,
                    needs_person: judged.needs_person,
                    reason,
                };
                self.council(|council| council.verdict = Some(verdict));
            }
            OutcomeFact::ReviewMade(made) => {
                let items = self.texts.json(record, made.items).await?;
                self.report.debate.reviews.push(ReviewTold {
                    items,
                    speaks_for: made.speaks_for,
                    speaks_against: made.speaks_against,
                });
            }
            OutcomeFact::OptionsReviewed(_) => {}
        }
        Ok(())
    }

    fn seated(&mut self, seated: CouncilSeated) {
        let models = seated.seats.iter().map(|seat| seat.model.clone());
        self.report.debate.seats = models.collect();
        self.council(|council| {
            council.leader = seated.leader;
            council.promoted_from = seated.promoted_from;
            council.seats = seated.seats;
        });
    }

    async fn spoke(&mut self, spoke: StanceSpoke, record: &Record) -> Result<(), ReportError> {
        let said = self.texts.json(record, spoke.text).await?;
        let debate = &mut self.report.debate;
        debate.stances.push(StanceTold {
            council: debate.councils.last().map_or(0, |council| council.number),
            seat: spoke.seat,
            stance: spoke.stance,
            model: spoke.model,
            round: spoke.round,
            answers: spoke.answers,
            said,
            evidence: EvidenceCount {
                held: spoke.evidence_held,
                broken: spoke.evidence_broken,
            },
            choices: spoke.choices,
        });
        // Seats speak at the same time, and stand in the journal as they came.
        debate
            .stances
            .sort_by_key(|told| (told.council, told.round, told.seat, told.answers));
        Ok(())
    }

    async fn drawn(&mut self, made: SynthesisMade, record: &Record) -> Result<(), ReportError> {
        let text = self.texts.text(record, made.text).await?;
        let outcome = match (made.outcome, text) {
            (SynthesisOutcome::Failed, Text::Kept(why) | Text::Odd(why)) => Text::Odd(why),
            (_, Text::Kept(text) | Text::Odd(text)) => {
                let json = text.split_once(READABLE).map_or(&*text, |(json, _)| json);
                match serde_json::from_str::<CouncilOutcome>(json) {
                    Ok(outcome) => Text::Kept(outcome),
                    Err(_) => Text::Odd(text),
                }
            }
            (_, Text::Gone) => Text::Gone,
        };
        self.council(|council| {
            council.synthesis = Some(made.outcome);
            council.outcome = Some(outcome);
        });
        Ok(())
    }

    async fn closed(&mut self, closed: DebateClosed, record: &Record) -> Result<(), ReportError> {
        let summary = self.texts.text(record, closed.summary).await?;
        self.report.debate.summary = Some(summary);
        self.council(|council| {
            council.voices = closed.voices;
            council.density = closed.density;
            council.badge = closed.badge;
        });
        Ok(())
    }

    /// Changes what is known of the debate that is going on; runs of older versions have none that
    /// was planned.
    fn council(&mut self, change: impl FnOnce(&mut CouncilTold)) {
        if let Some(council) = self.report.debate.councils.last_mut() {
            change(council);
        }
    }
}
