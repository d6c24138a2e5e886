//! A debate as a story: one line per fact, for people and for snapshots.

use std::fmt::Write as _;

use gavel_domain::{
    CouncilFact, CouncilPhaseEnded, DebatePart, Decision, Key, OpenDecision, OutcomeFact,
    PhaseOutcome, Record, RoundEvaluated, SeatFailed, StanceSpoke,
};
use gavel_store::Store;

/// The facts of a council, told in order of keys' rooms: what happens at once is told by seat.
pub(crate) async fn of(records: &[Record], store: &dyn Store) -> String {
    let mut told: Vec<(Key, String)> = Vec::new();
    let mut lines = String::new();
    for record in records {
        // Turns are spoken at once: they are told in order when something else happens.
        let key = || record.key.key().clone();
        if let Ok(spoke) = record.read::<StanceSpoke>() {
            told.push((key(), turn(&spoke, &said(store, &spoke).await)));
        } else if let Ok(failed) = record.read::<SeatFailed>() {
            told.push((key(), format!("  seat {} fails", failed.seat)));
        } else if let Some(fact) = CouncilFact::read(record).unwrap() {
            flush(&mut told, &mut lines);
            let line = debate(&fact);
            if !line.is_empty() {
                writeln!(lines, "{line}").unwrap();
            }
        } else if let Some(fact) = OutcomeFact::read(record).unwrap() {
            flush(&mut told, &mut lines);
            writeln!(lines, "{}", outcome(&fact, store).await).unwrap();
        }
    }
    flush(&mut told, &mut lines);
    lines
}

fn flush(told: &mut Vec<(Key, String)>, lines: &mut String) {
    told.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (_, line) in told.drain(..) {
        writeln!(lines, "{line}").unwrap();
    }
}

async fn said(store: &dyn Store, spoke: &StanceSpoke) -> String {
    let text = store.blob(spoke.text.digest).await.unwrap().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&text).unwrap();
    said.get("text").unwrap().as_str().unwrap().to_owned()
}

fn turn(spoke: &StanceSpoke, text: &str) -> String {
    let to = spoke
        .answers
        .map_or_else(String::new, |seat| format!(" to {seat}"));
    let choices = spoke.choices.iter().map(|choice| {
        let letter = OpenDecision::letter(choice.option);
        format!(" {}={letter} {}%", choice.decision, choice.confidence)
    });
    let choices: String = choices.collect();
    let tags = spoke.tags.unwrap_or_default();
    let held = tags.confirmed + tags.refuted;
    let locked = if spoke.locked { " locked" } else { "" };
    format!(
        "  {} {}{to}:{choices} ({held} held, {} broken, {} open){locked}\n    {text}",
        spoke.seat, spoke.stance, tags.broken, tags.unverified
    )
}

fn debate(fact: &CouncilFact) -> String {
    match fact {
        CouncilFact::CouncilPhase(phase) => match (phase.part, phase.round) {
            (DebatePart::Round, round) => format!("round {round}"),
            (part, _) => word(&part).to_lowercase(),
        },
        CouncilFact::CouncilPhaseEnded(ended) => ended_line(ended),
        CouncilFact::DebatePlanned(plan) => format!(
            "  {}, {} rounds, {} decisions{}",
            plan.kind.word(),
            plan.rounds,
            plan.decisions,
            if plan.fallback { ", generic" } else { "" }
        ),
        CouncilFact::CouncilSeated(seated) => {
            let seats = seated.seats.iter();
            let seats = seats.map(|seat| format!("{} {} {}", seat.seat, seat.stance, seat.model));
            let one = if seated.one_model { ", one model" } else { "" };
            format!("seats: {}{one}", seats.collect::<Vec<_>>().join(", "))
        }
        CouncilFact::ResearchDecided(decided) => format!("  needed: {}", decided.needed),
        CouncilFact::ResearchMade(made) => {
            format!(
                "  {}, {} results, {} held",
                word(&made.outcome),
                made.results,
                made.held
            )
        }
        CouncilFact::DraftsCompared(compared) => format!(
            "  same in {} of {}, evidence holds: {}, skip: {}",
            compared.same, compared.decisions, compared.evidence_holds, compared.skip
        ),
        CouncilFact::SeatLeft(left) => format!("  seat {} leaves", left.seat),
        CouncilFact::RoundEvaluated(evaluated) => evaluated_line(evaluated),
        CouncilFact::RoundSummarised(summed) => {
            format!(
                "  minutes{}",
                if summed.by_rules { " by rules" } else { "" }
            )
        }
        CouncilFact::DebateStopped(stopped) => {
            format!(
                "stopped: {} after {} rounds",
                word(&stopped.reason),
                stopped.rounds
            )
        }
        CouncilFact::MatterClarified(_)
        | CouncilFact::StanceSpoke(_)
        | CouncilFact::SeatFailed(_) => String::new(),
    }
}

fn ended_line(ended: &CouncilPhaseEnded) -> String {
    if ended.outcome == PhaseOutcome::Done {
        return String::new();
    }
    format!("  ends: {}", word(&ended.outcome))
}

fn evaluated_line(evaluated: &RoundEvaluated) -> String {
    let mut line = format!(
        "  {} agreed, {} disputed, {}% converged, density {}",
        evaluated.agreed,
        evaluated.disputed,
        evaluated.converged,
        evaluated
            .density
            .map_or("-".to_owned(), |density| density.to_string()),
    );
    if evaluated.failed_pairs > 0 {
        write!(
            line,
            ", {} of {} pairs failed",
            evaluated.failed_pairs, evaluated.pairs
        )
        .unwrap();
    }
    if evaluated.extended > 0 {
        write!(line, ", {} more", evaluated.extended).unwrap();
    }
    if let Some(stop) = evaluated.stop {
        write!(line, ", stop: {}", word(&stop)).unwrap();
    }
    line
}

async fn outcome(fact: &OutcomeFact, store: &dyn Store) -> String {
    match fact {
        OutcomeFact::SynthesisMade(made) => format!("  {}", word(&made.outcome)),
        OutcomeFact::CouncilJudged(judged) => format!(
            "  {}{}",
            judged
                .confidence
                .map_or("nobody judged".to_owned(), |sure| format!("{sure}% sure")),
            if judged.needs_person {
                ", a person should look"
            } else {
                ""
            }
        ),
        OutcomeFact::DecisionMade(made) => {
            let text = store.blob(made.text.digest).await.unwrap().unwrap();
            let decision: Decision = serde_json::from_slice(&text).unwrap();
            let changed = match made.changed {
                Some(true) => ", changed by the debate",
                Some(false) => ", as it was opened",
                None => "",
            };
            let dissent = if decision.dissent.is_empty() {
                String::new()
            } else {
                format!("\n    dissent: {}", decision.dissent)
            };
            format!(
                "decided: {} {}{changed}{dissent}",
                decision.title, decision.choice
            )
        }
        OutcomeFact::DebateClosed(closed) => format!(
            "closed: {} rounds, {}, evidence {}, {} dissent",
            closed.rounds,
            word(&closed.voices),
            closed.badge.map_or("-", gavel_domain::Badge::word),
            closed.dissenters
        ),
        OutcomeFact::ReviewMade(_) | OutcomeFact::OptionsReviewed(_) => String::new(),
    }
}

/// A word as it is stored.
fn word(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).unwrap();
    text.trim_matches('"').replace('_', " ")
}
