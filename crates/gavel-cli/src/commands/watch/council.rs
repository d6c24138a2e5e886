//! The facts of a council as a person reads them.

use gavel_domain::{
    Badge, BlobRef, CouncilFact, CouncilPhase, CouncilPhaseEnded, CouncilSeated, DebatePart,
    Decision, DecisionMade, OutcomeFact, PhaseOutcome, Record, ResearchMade, ResearchOutcome,
    ResearchSay, SeatTaken, StanceSpoke, SynthesisOutcome, Voices,
};

use crate::live::council::{round_told, silent, stopped};
use crate::summary::clipped;

/// How much of a text is shown.
const SHOWN: usize = 120;

/// The text without which the sentence of a fact says little.
pub(super) fn wanted(record: &Record) -> Option<BlobRef> {
    if let Ok(Some(OutcomeFact::DecisionMade(made))) = OutcomeFact::read(record) {
        return Some(made.text);
    }
    match CouncilFact::read(record) {
        Ok(Some(CouncilFact::SeatFailed(failed))) => Some(failed.why),
        Ok(_) | Err(_) => None,
    }
}

/// The sentence of a fact; `text` is what [`wanted`] named.
pub(super) fn sentence(record: &Record, text: &str) -> Option<String> {
    if let Ok(Some(fact)) = CouncilFact::read(record) {
        return debate(&fact, text);
    }
    let fact = OutcomeFact::read(record).ok()??;
    outcome(&fact, text)
}

fn debate(fact: &CouncilFact, text: &str) -> Option<String> {
    Some(match fact {
        CouncilFact::CouncilPhase(phase) => begins(phase),
        CouncilFact::CouncilPhaseEnded(ended) => return phase_ended(ended),
        CouncilFact::MatterClarified(matter) => match (matter.answered, matter.approved) {
            (_, false) => "what is asked is taken as it is: nobody was asked".to_owned(),
            (1, true) => "what is asked is clear: 1 answer".to_owned(),
            (many, true) => format!("what is asked is clear: {many} answers"),
        },
        CouncilFact::DebatePlanned(planned) => {
            let how = if planned.fallback {
                " by the generic plan"
            } else {
                ""
            };
            let (rounds, decisions) = (planned.rounds, planned.decisions);
            format!("the debate is planned{how}: {decisions} to decide, {rounds} rounds")
        }
        CouncilFact::CouncilSeated(seated) => seats(seated),
        CouncilFact::ResearchDecided(decided) => {
            let who = match decided.by {
                ResearchSay::Leader => "the leader",
                ResearchSay::Person => "a person",
                ResearchSay::Rule => "a rule",
            };
            let what = if decided.needed {
                "something is looked up first"
            } else {
                "nothing needs to be looked up"
            };
            format!("{who} says: {what}")
        }
        CouncilFact::ResearchMade(made) => researched(made),
        CouncilFact::DraftsCompared(compared) => {
            let (same, all) = (compared.same, compared.decisions);
            let then = if compared.skip {
                "no rounds are needed"
            } else {
                "it is debated"
            };
            format!("two blind drafts agree in {same} of {all} decisions: {then}")
        }
        CouncilFact::StanceSpoke(spoke) => spoken(spoke),
        CouncilFact::SeatFailed(failed) => {
            let why = clipped(text, SHOWN);
            format!("{}: {why}", silent(failed.seat, failed.round))
        }
        CouncilFact::SeatLeft(left) => format!("seat {} leaves the debate", left.seat),
        CouncilFact::RoundEvaluated(evaluated) => round_told(evaluated),
        CouncilFact::RoundSummarised(summarised) => {
            format!("round {} is summed up", summarised.round)
        }
        CouncilFact::DebateStopped(stop) => {
            format!(
                "the debate ends after {} rounds: {}",
                stop.rounds,
                stopped(stop.reason)
            )
        }
    })
}

fn outcome(fact: &OutcomeFact, text: &str) -> Option<String> {
    Some(match fact {
        OutcomeFact::SynthesisMade(made) => match made.outcome {
            SynthesisOutcome::Made => "the leader drew it together".to_owned(),
            SynthesisOutcome::MadeCompact => {
                "the leader drew it together from the final positions alone".to_owned()
            }
            SynthesisOutcome::Failed => "it could not be drawn together".to_owned(),
        },
        OutcomeFact::CouncilJudged(judged) => {
            let sure = judged.confidence;
            let sure = sure.map_or_else(
                || "nobody judged it".to_owned(),
                |sure| format!("judged {sure} %"),
            );
            let person = if judged.needs_person {
                ", a person should look"
            } else {
                ""
            };
            format!("{sure}{person}")
        }
        OutcomeFact::DecisionMade(made) => decided(made, text),
        OutcomeFact::DebateClosed(closed) => {
            let badge = closed.badge.map_or("not measured", Badge::word);
            let voices = match closed.voices {
                Voices::Several => "",
                Voices::OneModel => ", one model",
                Voices::Rules => ", rules alone",
            };
            format!("the council closes: evidence {badge}{voices}")
        }
        // Its lines stand in the review.
        OutcomeFact::ReviewMade(review) => format!(
            "rules reviewed it: {} for, {} against",
            review.speaks_for, review.speaks_against
        ),
        OutcomeFact::OptionsReviewed(reviewed) => format!(
            "rules held {} options against {} citations",
            reviewed.options, reviewed.cites
        ),
    })
}

fn begins(phase: &CouncilPhase) -> String {
    let round = phase.round;
    match phase.part {
        DebatePart::Drafts | DebatePart::Openings => "blind openings".to_owned(),
        DebatePart::Clarify => "what is asked is made clear".to_owned(),
        DebatePart::Plan => "the leader plans the debate".to_owned(),
        DebatePart::Research => "something is looked up".to_owned(),
        DebatePart::Gate => "two seats draft by themselves".to_owned(),
        DebatePart::Round => format!("round {round}"),
        DebatePart::Synthesis => "the leader draws it together".to_owned(),
        DebatePart::Judgement => "a judge reads it".to_owned(),
    }
}

/// Only what did not come to what it was for has a sentence.
fn phase_ended(ended: &CouncilPhaseEnded) -> Option<String> {
    let part = match ended.part {
        DebatePart::Drafts | DebatePart::Openings => "the openings",
        DebatePart::Clarify => "making it clear",
        DebatePart::Plan => "the plan",
        DebatePart::Research => "looking things up",
        DebatePart::Gate => "the drafts",
        DebatePart::Round => "the round",
        DebatePart::Synthesis => "drawing it together",
        DebatePart::Judgement => "the judgement",
    };
    match ended.outcome {
        PhaseOutcome::Done | PhaseOutcome::Skipped => None,
        PhaseOutcome::Fallback => Some(format!("{part}: something stands in for it")),
        PhaseOutcome::NoSources => Some(format!("{part}: there are no sources")),
        PhaseOutcome::Failed => Some(format!("{part}: nothing came of it")),
    }
}

fn seats(seated: &CouncilSeated) -> String {
    let seat = |seat: &SeatTaken| format!("{} ({})", seat.stance, seat.model);
    let seats: Vec<String> = seated.seats.iter().map(seat).collect();
    let promoted = seated.promoted_from.as_ref();
    let promoted = promoted.map_or_else(String::new, |from| format!(" in the place of {from}"));
    format!(
        "{} leads{promoted}; seats: {}",
        seated.leader,
        seats.join(", ")
    )
}

fn researched(made: &ResearchMade) -> String {
    let came = match made.outcome {
        ResearchOutcome::Found => format!("{} citations hold", made.held),
        ResearchOutcome::NothingNew => "no new evidence".to_owned(),
        ResearchOutcome::NoSources => "there is nothing to look into".to_owned(),
        ResearchOutcome::Rejected => "rejected, it cites no result of a tool".to_owned(),
        ResearchOutcome::Failed => "nothing came of it".to_owned(),
    };
    format!("lookup {}: {came}", made.number)
}

/// `Skeptic opens (b/y): 430 characters, 2 of 3 claims checked`.
fn spoken(spoke: &StanceSpoke) -> String {
    let who = if spoke.stance.is_empty() {
        format!("seat {}", spoke.seat)
    } else {
        spoke.stance.clone()
    };
    let does = match (spoke.round, spoke.answers) {
        (0, _) => "opens".to_owned(),
        (_, Some(seat)) => format!("answers seat {seat}"),
        (_, None) => "speaks".to_owned(),
    };
    let length = match spoke.length {
        0 => String::new(),
        length => format!(": {length} characters"),
    };
    let checked = spoke.tags.map_or_else(String::new, |tags| {
        let held = tags.confirmed + tags.refuted;
        format!(
            ", {held} of {} claims checked",
            held + tags.unverified + tags.broken
        )
    });
    format!("{who} {does} ({}){length}{checked}", spoke.model)
}

fn decided(made: &DecisionMade, text: &str) -> String {
    let dissent = if made.dissent { ", with dissent" } else { "" };
    let number = made.number;
    match serde_json::from_str::<Decision>(text) {
        Ok(decision) => {
            let words = format!("{} {}", decision.title, decision.choice);
            format!("decision {number}{dissent}: {}", clipped(&words, SHOWN))
        }
        Err(_) => format!("decision {number}{dissent}"),
    }
}
