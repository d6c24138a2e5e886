//! Where a debate is, folded from its facts as they come.

use gavel_domain::{
    CouncilFact, CouncilPhase, DebatePart, DebateStop, OutcomeFact, PhaseOutcome, ResearchOutcome,
    RoundEvaluated,
};

use super::progress::Left;

/// A debate as far as it went.
#[derive(Debug, Default)]
pub(crate) struct DebateNow {
    /// The phase under way, and its round.
    phase: Option<(DebatePart, u32)>,
    /// How many seats take part in it.
    seats: usize,
    /// How many of them spoke in it.
    spoke: usize,
    /// How many rounds will be held, as far as is known.
    rounds: u32,
}

impl DebateNow {
    /// Takes one more fact of a debate; what is worth a line of its own comes back.
    pub(crate) fn take(&mut self, fact: &CouncilFact) -> Option<Left> {
        match fact {
            CouncilFact::CouncilPhase(phase) => {
                self.enter(phase);
                None
            }
            CouncilFact::DebatePlanned(planned) => {
                self.rounds = planned.rounds;
                planned
                    .fallback
                    .then(|| warns("the leader gave no usable plan: the generic one stands in"))
            }
            CouncilFact::StanceSpoke(_) => {
                self.spoke += 1;
                None
            }
            CouncilFact::CouncilPhaseEnded(ended) => {
                self.phase = None;
                match (ended.part, ended.outcome) {
                    (DebatePart::Synthesis, PhaseOutcome::Failed) => {
                        Some(warns("the debate could not be drawn together"))
                    }
                    _ => None,
                }
            }
            CouncilFact::DraftsCompared(compared) if compared.skip => Some(tells(
                "two blind drafts chose the same, with evidence that holds: no rounds",
            )),
            CouncilFact::ResearchMade(made) => researched(made.outcome),
            CouncilFact::RoundEvaluated(evaluated) => {
                self.rounds += evaluated.extended;
                Some(tells(&round_told(evaluated)))
            }
            CouncilFact::SeatFailed(failed) => Some(warns(&silent(failed.seat, failed.round))),
            CouncilFact::SeatLeft(left) => {
                let told = format!("seat {} leaves after {} failures", left.seat, left.failures);
                Some(warns(&told))
            }
            CouncilFact::CouncilSeated(seated) if seated.one_model => Some(warns(
                "all seats are one model: samples of one voice, not second opinions",
            )),
            CouncilFact::DraftsCompared(_)
            | CouncilFact::CouncilSeated(_)
            | CouncilFact::MatterClarified(_)
            | CouncilFact::ResearchDecided(_)
            | CouncilFact::RoundSummarised(_)
            | CouncilFact::DebateStopped(_) => None,
        }
    }

    /// Takes one more fact of what a debate came to.
    pub(crate) fn take_outcome(&mut self, fact: &OutcomeFact) -> Option<Left> {
        self.phase = self
            .phase
            .filter(|_| !matches!(fact, OutcomeFact::DebateClosed(_)));
        match fact {
            OutcomeFact::CouncilJudged(judged) if judged.needs_person => {
                Some(warns("the judge wants a person to look at it"))
            }
            OutcomeFact::CouncilJudged(_)
            | OutcomeFact::DebateClosed(_)
            | OutcomeFact::OptionsReviewed(_)
            | OutcomeFact::SynthesisMade(_)
            | OutcomeFact::DecisionMade(_)
            | OutcomeFact::ReviewMade(_) => None,
        }
    }

    /// What happens right now; nothing between phases.
    pub(crate) fn doing(&self) -> Option<String> {
        let (part, round) = self.phase?;
        let of_seats = format!("{} of {} spoke", self.spoke, self.seats);
        Some(match part {
            DebatePart::Clarify => "making clear what is asked".to_owned(),
            DebatePart::Plan => "planning the debate".to_owned(),
            DebatePart::Research => "looking things up".to_owned(),
            DebatePart::Gate => "two blind drafts: is a debate needed?".to_owned(),
            DebatePart::Drafts | DebatePart::Openings => format!("blind openings, {of_seats}"),
            DebatePart::Round => {
                let rounds = self.rounds.max(round);
                format!("round {round} of {rounds}, {} turns", self.spoke)
            }
            DebatePart::Synthesis => "drawing it together".to_owned(),
            DebatePart::Judgement => "judging what was drawn together".to_owned(),
        })
    }

    fn enter(&mut self, phase: &CouncilPhase) {
        self.phase = Some((phase.part, phase.round));
        self.seats = phase.seats.len();
        self.spoke = 0;
    }
}

/// `round 1: 1 agreed, 1 in dispute, 60 % say it is settled; another round follows`.
pub(crate) fn round_told(evaluated: &RoundEvaluated) -> String {
    let RoundEvaluated {
        round,
        agreed,
        disputed,
        converged,
        extended,
        stop,
        ..
    } = evaluated;
    let then = match (stop, extended) {
        (Some(stop), _) => format!("no more rounds: {}", stopped(*stop)),
        (None, 0) => "another round follows".to_owned(),
        (None, 1) => "extended by a round".to_owned(),
        (None, more) => format!("extended by {more} rounds"),
    };
    let place = match round {
        0 => "openings".to_owned(),
        round => format!("round {round}"),
    };
    let settled = match converged {
        0 => String::new(),
        converged => format!(", {converged} % say it is settled"),
    };
    format!("{place}: {agreed} agreed, {disputed} in dispute{settled}; {then}")
}

/// Why a debate ended.
pub(crate) const fn stopped(stop: DebateStop) -> &'static str {
    match stop {
        DebateStop::Rounds => "all that were planned were held",
        DebateStop::Leader => "the leader sees nothing left to argue about",
        DebateStop::Converged => "the seats agree",
        DebateStop::FailedPairs => "too many turns failed",
        DebateStop::Budget => "the rest of the cap is kept for the synthesis",
        DebateStop::DraftsAgree => "two blind drafts chose the same, with evidence that holds",
        DebateStop::OneOpening => "only one seat spoke",
        DebateStop::NoOpenings => "no seat spoke",
        DebateStop::SeatsLeft => "fewer than two seats are left",
    }
}

/// A seat that was to speak and did not.
pub(crate) fn silent(seat: u32, round: u32) -> String {
    match round {
        0 => format!("seat {seat} did not open"),
        round => format!("seat {seat} said nothing usable in round {round}"),
    }
}

fn researched(outcome: ResearchOutcome) -> Option<Left> {
    match outcome {
        ResearchOutcome::Found => None,
        ResearchOutcome::NothingNew => Some(tells("looked it up: no new evidence")),
        ResearchOutcome::NoSources => Some(warns("there is nothing to look into")),
        ResearchOutcome::Rejected => Some(warns(
            "what was looked up cites no result of a tool: it does not count",
        )),
        ResearchOutcome::Failed => Some(warns("looking things up came to nothing")),
    }
}

fn tells(text: &str) -> Left {
    Left::Told(text.to_owned(), false)
}

fn warns(text: &str) -> Left {
    Left::Told(text.to_owned(), true)
}

#[cfg(test)]
#[path = "council_tests.rs"]
mod tests;
