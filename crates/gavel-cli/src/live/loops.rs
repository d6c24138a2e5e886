//! Where a loop is, folded from its facts as they come, and its facts in words.

use std::collections::BTreeMap;

use gavel_domain::{
    Advance, ArtifactAdded, Discounted, LoopEnd, LoopFact, LoopOpened, LoopStatus, PhaseAdvanced,
    Slot, TurnOutcome, Word,
};
use gavel_rules::deliberation::{CRITIC_SIGNAL, NOTHING_NEW};

use super::progress::Left;
use crate::summary::clipped;

/// How much of a text is told in a line.
const SHOWN: usize = 90;
/// How many citations are named.
const MOST_CITES: usize = 4;

/// A loop as far as it went.
#[derive(Debug, Default)]
pub(crate) struct LoopNow {
    phase: Option<Word>,
    iteration: u32,
    max_iterations: Option<u32>,
    names: Names,
    /// Turns under way, by their number: the slot's name.
    turns: BTreeMap<u32, String>,
    over: bool,
}

/// What people call the slots of a loop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// The names of a loop that was opened.
    pub(crate) fn of(slots: &[Slot]) -> Self {
        let named = slots.iter().map(|slot| (slot.id.clone(), name_of(slot)));
        Self(named.collect())
    }

    /// A slot by its name, else by its id.
    pub(crate) fn get<'a>(&'a self, slot: &'a str) -> &'a str {
        self.0.get(slot).map_or(slot, String::as_str)
    }
}

/// `pessimist`, `critic claude`: what it looks out for, else its role, and whoever is not Gavel.
fn name_of(slot: &Slot) -> String {
    let what = match slot.profile {
        Some(profile) => profile.word().to_owned(),
        None => slot.role.to_string(),
    };
    match slot.agent.as_ref().filter(|agent| !agent.is_gavel()) {
        Some(agent) => format!("{what} {agent}"),
        None => what,
    }
}

impl LoopNow {
    /// Takes one more fact; what is worth a line of its own comes back.
    pub(crate) fn take(&mut self, fact: &LoopFact) -> Option<Left> {
        match fact {
            LoopFact::LoopOpened(opened) => {
                self.open(opened);
                None
            }
            LoopFact::TurnAssigned(given) => {
                let name = self.names.get(&given.slot).to_owned();
                self.turns.insert(given.turn, name);
                None
            }
            LoopFact::TurnCompleted(ended) => {
                self.turns.remove(&ended.turn);
                let name = self.names.get(&ended.slot);
                match ended.outcome {
                    TurnOutcome::Done => None,
                    TurnOutcome::Failed => Some(warns(format!("the turn of {name} failed"))),
                    TurnOutcome::Cancelled => {
                        Some(warns(format!("the turn of {name} was taken back")))
                    }
                }
            }
            LoopFact::PhaseAdvanced(advanced) => {
                self.phase = Some(advanced.to.clone());
                self.iteration = advanced.iteration;
                Some(Left::Told(advanced_told(advanced), false))
            }
            LoopFact::LoopClosed(closed) => {
                self.over = true;
                self.turns.clear();
                let told = end_told(closed.status, closed.end);
                Some(Left::Told(
                    told.to_owned(),
                    closed.status != LoopStatus::Completed,
                ))
            }
            LoopFact::LoopPaused(_) => Some(warns("the loop is paused".to_owned())),
            LoopFact::MaxIterationsReached(_)
            | LoopFact::ArtifactAdded(_)
            | LoopFact::PhaseAdvanceBlocked(_)
            | LoopFact::LoopResumed(_)
            | LoopFact::RequestAnswered(_)
            | LoopFact::DraftPromoted(_) => None,
        }
    }

    /// What somebody handed in, with its text.
    pub(crate) fn handed(&self, added: &ArtifactAdded, text: &str) -> Left {
        let who = added
            .slot
            .as_deref()
            .map_or("somebody", |slot| self.names.get(slot));
        Left::Told(
            artifact_told(added, (who, text)),
            added.discounted.is_some(),
        )
    }

    /// The phase that it is in; nothing for a run that is no loop.
    pub(crate) fn phase(&self) -> Option<&str> {
        self.phase.as_ref().map(Word::as_str)
    }

    /// What happens right now; nothing for a run that is no loop.
    pub(crate) fn doing(&self) -> Option<String> {
        self.phase.as_ref()?;
        if self.over {
            return Some("over".to_owned());
        }
        let round = match self.max_iterations {
            Some(most) if self.iteration < most => {
                format!("round {} of at most {most}", self.iteration + 1)
            }
            Some(_) | None => String::new(),
        };
        let names: Vec<&str> = self.turns.values().map(String::as_str).collect();
        let turn = match names.as_slice() {
            [] => return Some(round),
            [one] => format!("the turn of {one}"),
            many => format!("the turns of {}", many.join(" and ")),
        };
        let between = if round.is_empty() { "" } else { ", " };
        Some(format!("{round}{between}{turn}"))
    }

    fn open(&mut self, opened: &LoopOpened) {
        self.names = Names::of(&opened.slots);
        let first = opened.protocol.phases.first();
        self.phase = first.map(|phase| phase.name.clone());
        let rule = opened.protocol.iteration.as_ref();
        self.max_iterations = rule.map(|rule| rule.max_iterations);
    }
}

/// `critique by pessimist (trp_8057, fb_12ab): words`.
pub(crate) fn artifact_told(added: &ArtifactAdded, (who, text): (&str, &str)) -> String {
    let what = plain(added.kind.as_str());
    if let Some(why) = added.discounted {
        return format!("{what} by {who} does not count: {}", why_not(why));
    }
    let kind = added.kind.as_str();
    if kind == NOTHING_NEW {
        return format!("{who} has nothing new");
    }
    if kind == CRITIC_SIGNAL {
        return format!("{who} finds it good enough");
    }
    format!(
        "{what} by {who}{}: {}",
        cites_told(&added.cites),
        clipped(text, SHOWN)
    )
}

/// ` (cites trp_8057aabb, fb_12ab34cd and 2 more)`; nothing without citations. What answers something
/// that was said before says how much of it.
fn cites_told(cites: &[String]) -> String {
    let (said, cites): (Vec<&String>, Vec<&String>) =
        cites.iter().partition(|cite| cite.starts_with("art_"));
    if cites.is_empty() {
        return match said.len() {
            0 => String::new(),
            1 => " (answers 1 artifact)".to_owned(),
            many => format!(" (answers {many} artifacts)"),
        };
    }
    let named: Vec<String> = cites.iter().take(MOST_CITES).map(|id| short(id)).collect();
    let more = match cites.len().saturating_sub(MOST_CITES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(" (cites {}{more})", named.join(", "))
}

/// The short form of a memory item's id; other ids as they are.
pub(crate) fn short(id: &str) -> String {
    match id.parse::<gavel_memory::ItemId>() {
        Ok(item) => item.short(),
        Err(_) => id.to_owned(),
    }
}

const fn why_not(discounted: Discounted) -> &'static str {
    match discounted {
        Discounted::Empty => "it is empty",
        Discounted::NoValidCitation => "it cites nothing of its brief",
        Discounted::SaidBefore => "the same was said before",
        Discounted::Late => "its turn was over",
    }
}

/// `critique → revision`, and why where that says something.
pub(crate) fn advanced_told(advanced: &PhaseAdvanced) -> String {
    let (from, to) = (plain(advanced.from.as_str()), plain(advanced.to.as_str()));
    let round = advanced.iteration + 1;
    match advanced.how {
        Advance::AdvanceTo => format!("{from} → {to}"),
        Advance::IterateTo => format!("{from} → {to}, round {round}"),
        Advance::ExitCycle => format!("{from} → {to}: nothing more comes up in round {round}"),
        Advance::MaxIterations => format!("{from} → {to}: all rounds were held"),
        Advance::Forced => format!("{from} → {to}: whoever opened the loop said so"),
    }
}

/// How a loop ended, in a few words.
pub(crate) const fn end_told(status: LoopStatus, end: LoopEnd) -> &'static str {
    match (status, end) {
        (_, LoopEnd::Stuck) => "the loop is stuck",
        (_, LoopEnd::Limit) => "the loop ended at its limit",
        (LoopStatus::Cancelled, _) => "the loop was given up",
        (LoopStatus::Blocked, LoopEnd::Closed | LoopEnd::StopCondition) => {
            "the loop was closed as blocked"
        }
        (LoopStatus::Completed, LoopEnd::StopCondition) => "the loop is complete",
        (
            LoopStatus::Completed | LoopStatus::Open | LoopStatus::Paused,
            LoopEnd::Closed | LoopEnd::StopCondition,
        ) => "the loop was closed",
    }
}

/// A word of the protocol as people write it.
pub(crate) fn plain(word: &str) -> String {
    word.replace('_', " ")
}

fn warns(text: String) -> Left {
    Left::Told(text, true)
}

#[cfg(test)]
#[path = "loops_tests.rs"]
mod tests;
