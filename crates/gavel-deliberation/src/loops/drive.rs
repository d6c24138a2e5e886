//! Turns that Gavel's own models take, until the loop is over or waits for somebody else.
//!
//! Everything is decided from what is on record, so a drive that was killed goes on with the turn
//! that it was in; a reply on record is not bought again.

use std::collections::BTreeMap;

use gavel_domain::{AgentId, Fact as _, GaveUp, LoopEnd, LoopStatus, Slot, TurnOutcome, Word};
use gavel_rules::deliberation::{
    AdvanceError, LoopState, MOST_TURNS, SlotStatus, advance, again, turns_here, way_out, window,
};
use gavel_run::{Run, RunError};

use super::problem::{LoopProblem, unmet_told};
use super::settling::{lacking, once_more};
use super::sitting::{LoopMeans, Sitting};
use super::turns::{Taken, TurnAsk, Voice, take_turn, to_answer};
use super::verbs::Verb;

/// The models that take turns, by slot; the one under no slot takes all others.
#[derive(Debug, Clone)]
pub struct Voices {
    /// For slots that are not named.
    pub every: Voice,
    /// For slots that are.
    pub of: BTreeMap<String, Voice>,
}

impl Voices {
    fn of(&self, slot: &Slot) -> &Voice {
        self.of.get(&slot.id).unwrap_or(&self.every)
    }
}

/// What a loop needs next from Gavel.
enum Need {
    /// Turns of ours are under way.
    Turns(Vec<(Slot, u32)>),
    /// A slot of ours gets another turn.
    Again(Slot, String),
    /// The loop moves on.
    Advance,
    /// Nobody is left in this phase: it goes on without.
    Without(Word),
    /// Others have to act.
    Others,
    /// Nothing that we could do helps.
    Stuck(String),
    /// It is over, or paused.
    Nothing,
}

/// Drives a loop as far as Gavel's own slots can.
pub async fn drive(run: Run, means: LoopMeans, voices: Voices) -> Result<(), RunError> {
    loop {
        let state = sit(&run, &means)?.state;
        let verbs = match need(&state) {
            Need::Turns(turns) => take_turns(&run, &voices, (&state, turns)).await?,
            Need::Again(slot, note) => vec![Verb::Turn {
                slot: slot.id,
                note: Some(note),
            }],
            Need::Advance => vec![Verb::Advance { to: None }],
            Need::Without(to) => vec![Verb::Advance { to: Some(to) }],
            Need::Stuck(why) => {
                let mut sitting = sit(&run, &means)?;
                let reason = sitting.keep(&why);
                let end = (LoopStatus::Blocked, LoopEnd::Stuck);
                sitting.close(end, Some(reason)).map_err(broken(&run))?;
                run.amend(sitting.finish().0).await?;
                return Ok(());
            }
            Need::Others | Need::Nothing => return Ok(()),
        };
        for verb in verbs {
            let mut sitting = sit(&run, &means)?;
            sitting.act(verb).await.map_err(broken(&run))?;
            run.amend(sitting.finish().0).await?;
        }
    }
}

/// What is on record, at the moment of the last record: a drive has no clock.
fn sit<'a>(run: &Run, means: &'a LoopMeans) -> Result<Sitting<'a>, RunError> {
    let records = run.records();
    let now = records.last().map(|record| record.at).unwrap_or_default();
    Sitting::of(means, run.id(), &records, (AgentId::gavel(), now)).map_err(broken(run))
}

/// What a drive cannot branch on: the journal or memory is not to be had.
fn broken(run: &Run) -> impl Fn(LoopProblem) -> RunError + '_ {
    move |problem| {
        if let LoopProblem::Run(error) = problem {
            return error;
        }
        RunError::Brief {
            run: run.id(),
            problem: chain(&problem),
        }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        told.push_str(": ");
        told.push_str(&inner.to_string());
        source = inner.source();
    }
    told
}

fn need(state: &LoopState) -> Need {
    if state.status != LoopStatus::Open {
        return Need::Nothing;
    }
    let mut ours = Vec::new();
    let mut others = false;
    for slot in state.acting() {
        if let SlotStatus::Assigned { turn, .. } = state.status_of(slot) {
            match is_ours(slot) {
                true => ours.push((slot.clone(), turn)),
                false => others = true,
            }
        }
    }
    if !ours.is_empty() {
        return Need::Turns(ours);
    }
    if others {
        return Need::Others;
    }
    if let Some((slot, note)) = ours_again(state) {
        return Need::Again(slot, note);
    }
    let heard = window(state);
    match advance(state) {
        Ok(_) => Need::Advance,
        Err(AdvanceError::Blocked { unmet, .. }) => {
            let lacks: Vec<String> = unmet.iter().map(unmet_told).collect();
            let lacks = lacks.join("; ");
            let nobody =
                heard.open.is_empty() && heard.failed.is_empty() && heard.closed.is_empty();
            if let (true, Some(to)) = (nobody && state.owner.is_gavel(), way_out(state)) {
                // Every turn was taken back: whoever did that wants to go on without them.
                return Need::Without(to);
            }
            let outside = |id: &String| state.slot(id).is_some_and(|slot| !is_ours(slot));
            match heard.open.iter().chain(&heard.failed).any(outside) {
                true => Need::Others,
                false => Need::Stuck(format!(
                    "the phase {} could not be left after {MOST_TURNS} turns of each slot: {lacks}",
                    state.phase
                )),
            }
        }
        Err(AdvanceError::LastPhase { .. }) => Need::Stuck(format!(
            "the loop could not be ended after {MOST_TURNS} turns of each slot: {}",
            lacking(state)
        )),
        Err(error) => Need::Stuck(error.to_string()),
    }
}

fn is_ours(slot: &Slot) -> bool {
    slot.agent.as_ref().is_some_and(AgentId::is_gavel)
}

/// A slot of ours that should have a turn, and why.
fn ours_again(state: &LoopState) -> Option<(Slot, String)> {
    // A turn that failed is no silence: it is taken again before the loop goes on without it.
    for slot in state.acting().filter(|slot| is_ours(slot)) {
        let failed = matches!(
            state.status_of(slot),
            SlotStatus::Ended {
                outcome: TurnOutcome::Failed,
                ..
            }
        );
        let note = match state.status_of(slot) {
            SlotStatus::Open => "it is your turn",
            SlotStatus::Ended { .. } if failed => {
                "your last turn brought nothing that could be used"
            }
            SlotStatus::Assigned { .. } | SlotStatus::Ended { .. } => continue,
        };
        if turns_here(state, slot) < MOST_TURNS {
            return Some((slot.clone(), note.to_owned()));
        }
    }
    let slot = again(state).into_iter().find(|slot| is_ours(slot))?;
    Some((slot.clone(), once_more(state)))
}

/// Takes turns side by side; each reply is a fact before anything is made of it.
async fn take_turns(
    run: &Run,
    voices: &Voices,
    (state, turns): (&LoopState, Vec<(Slot, u32)>),
) -> Result<Vec<Verb>, RunError> {
    let mut parts = Vec::new();
    for (slot, number) in &turns {
        let scope = run.scope("taken", *number)?;
        let key = scope.key("turn")?;
        let taking = async move {
            let scope = run.scope("taken", *number)?;
            let taken = take_one(run, &scope, voices, (state, slot, *number)).await?;
            Ok::<_, RunError>((slot.id.clone(), taken))
        };
        parts.push((key, taking));
    }
    let taken = run.all(parts).await?;
    let verb = |(_, (slot, taken)): (_, (String, Taken))| match taken {
        Taken::Handed(artifacts) => Verb::Complete {
            slot,
            outcome: TurnOutcome::Done,
            artifacts,
            reason: None,
        },
        Taken::Failed { why } => Verb::Complete {
            slot,
            outcome: TurnOutcome::Failed,
            artifacts: Vec::new(),
            reason: Some(why),
        },
    };
    Ok(taken.into_iter().map(verb).collect())
}

async fn take_one(
    run: &Run,
    scope: &gavel_domain::Scope,
    voices: &Voices,
    (state, slot, number): (&LoopState, &Slot, u32),
) -> Result<Taken, RunError> {
    let failed = |why: &str| {
        Ok(Taken::Failed {
            why: why.to_owned(),
        })
    };
    let Some(turn) = state.turn(number) else {
        return failed("the turn is not on record");
    };
    let Some(phase) = state.phase_named(&turn.given.phase) else {
        return failed("the loop's protocol has no such phase");
    };
    let scope = attempt(run, scope, number)?;
    let brief = run.text(turn.given.brief).await?;
    let to_answer = to_answer(state, &turn.given);
    take_turn(
        run,
        &scope,
        voices.of(slot),
        TurnAsk {
            kind: state.protocol.kind,
            phase,
            slot,
            brief: &brief,
            items: &turn.given.items,
            proposed: &turn.given.proposed,
            to_answer: &to_answer,
        },
    )
    .await
}

/// Where a turn is taken: anew after a provider that could not be reached, since what it gave up is on
/// record.
fn attempt(
    run: &Run,
    scope: &gavel_domain::Scope,
    number: u32,
) -> Result<gavel_domain::Scope, RunError> {
    let room = format!("taken-{number}/");
    let records = run.records();
    let gave_up = records
        .iter()
        .filter(|record| record.kind == GaveUp::KIND && record.key.to_string().starts_with(&room));
    match u32::try_from(gave_up.count()).unwrap_or(u32::MAX) {
        0 => Ok(scope.clone()),
        before => Ok(scope.scope("again", before)?),
    }
}
