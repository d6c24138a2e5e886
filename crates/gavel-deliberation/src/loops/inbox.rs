//! What waits for somebody: their turns, and loops of theirs that nobody else gets on.

use gavel_domain::{AgentId, Flow, LoopStatus, Schedule, Timestamp};
use gavel_rules::deliberation::{
    LoopState, MOST_TURNS, SlotStatus, TurnState, artifact_name, current_proposal, turns_here,
};

use super::desk::Desk;
use super::looking::unless_damaged;
use super::problem::LoopProblem;
use super::view::{Inbox, InboxEntry, NextStep, WaitsForYou, has_failed, moment, next_steps};

impl Desk {
    /// What waits for an agent in this project, the oldest first.
    pub async fn inbox(&self, agent: &AgentId) -> Result<Inbox, LoopProblem> {
        let (mut turns, mut loops) = (Vec::new(), Vec::new());
        for head in self.heads(true).await? {
            let Some(known) = unless_damaged(head.run, self.known(&head).await)? else {
                continue;
            };
            let state = &known.state;
            for (since, turn) in turns_of(state, agent) {
                let entry = self.entry(state, (turn, &known.title), since).await?;
                turns.push((since, entry));
            }
            if state.owner != *agent {
                continue;
            }
            if let Some(why) = for_owner(state) {
                let waits = WaitsForYou {
                    loop_id: state.id.to_string(),
                    title: known.title.clone(),
                    phase: state.phase.clone(),
                    iteration: state.iteration,
                    since: moment(state.updated_at),
                    why,
                    next: owners_steps(state),
                };
                loops.push((state.updated_at, waits));
            }
        }
        turns.sort_by_key(|(since, _)| *since);
        loops.sort_by_key(|(since, _)| *since);
        Ok(Inbox {
            inbox: turns.into_iter().map(|(_, entry)| entry).collect(),
            waits_for_you: loops.into_iter().map(|(_, entry)| entry).collect(),
        })
    }

    async fn entry(
        &self,
        state: &LoopState,
        (turn, title): (&TurnState, &str),
        since: Timestamp,
    ) -> Result<InboxEntry, LoopProblem> {
        let given = &turn.given;
        let proposal = current_proposal(state).map(|artifact| artifact.artifact);
        let own = |step: &NextStep| step.slot_id.as_deref() == Some(given.slot.as_str());
        Ok(InboxEntry {
            intent: "complete_turn".to_owned(),
            loop_id: state.id.to_string(),
            slot_id: given.slot.clone(),
            phase: given.phase.clone(),
            iteration: given.iteration,
            proposal_artifact_id: proposal.map(|number| artifact_name(state.id, number)),
            title: title.to_owned(),
            since: moment(since),
            dropped: given.dropped,
            brief: self.told(state.id, given.brief).await?,
            next: next_steps(state).into_iter().filter(own).collect(),
        })
    }
}

/// The turns of an agent that are under way.
fn turns_of<'a>(state: &'a LoopState, agent: &AgentId) -> Vec<(Timestamp, &'a TurnState)> {
    let ours = state.slots.iter();
    let ours = ours.filter(|slot| slot.agent.as_ref() == Some(agent));
    let under_way = ours.filter_map(|slot| match state.status_of(slot) {
        SlotStatus::Assigned { turn, since } => Some((since, state.turn(turn)?)),
        SlotStatus::Open | SlotStatus::Ended { .. } => None,
    });
    under_way.collect()
}

/// Why a loop waits for whoever opened it; nothing while somebody else has a turn, or Gavel.
fn for_owner(state: &LoopState) -> Option<String> {
    match state.status {
        LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled => return None,
        LoopStatus::Paused => return Some("it is paused".to_owned()),
        LoopStatus::Open => {}
    }
    let failed: Vec<String> = state
        .acting()
        .filter(|slot| has_failed(state, slot))
        .map(|slot| {
            let times = turns_here(state, slot);
            let often = if times >= MOST_TURNS {
                "three times"
            } else {
                ""
            };
            let who = slot.agent.as_ref().map_or("nobody", AgentId::as_str);
            format!("the turn of {} ({who}) failed {often}", slot.id)
        })
        .map(|told| told.trim_end().to_owned())
        .collect();
    if !failed.is_empty() {
        let choice = "give it out again, or take it back and go on without";
        return Some(format!("{}: {choice}", failed.join("; ")));
    }
    let mut acting = state.acting();
    let at_work = acting.any(|slot| matches!(state.status_of(slot), SlotStatus::Assigned { .. }));
    let steps = owners_steps(state);
    let first = steps.first()?;
    // Side by side others may have their turns too, where nobody but the owner gives them out.
    let may_add = state.protocol.flow == Flow::Manual
        && state.protocol.schedule == Schedule::Parallel
        && first.intent == "turn";
    (!at_work || may_add).then(|| first.when.clone())
}

/// The steps that whoever opened a loop takes: not the turns, those stand beside.
fn owners_steps(state: &LoopState) -> Vec<NextStep> {
    let steps = next_steps(state).into_iter();
    let own = |step: &NextStep| {
        step.agent.as_ref() == Some(&state.owner)
            && !matches!(step.intent.as_str(), "complete_turn" | "wait")
    };
    steps.filter(own).collect()
}
