//! Looking at loops: lists, one loop with its texts, and the turns that wait for somebody.

use std::sync::Arc;

use gavel_domain::{
    AgentId, ArtifactAdded, BlobRef, Head, LoopEnd, LoopStatus, RunId, RunStarted, RunState, Seq,
    Slot,
};
use gavel_rules::deliberation::{
    AdvanceError, CRITIC, CRITIQUE, LoopState, PLAN_DRAFT, SlotStatus, advance, artifact_name,
};
use gavel_store::{HeadsQuery, tell_left_out};
use gavel_workspace::{Belonging, ProjectFolder, RunOrigin};

use super::desk::{DRIVER, Desk};
use super::problem::{LoopProblem, unmet_told};
use super::sitting::{Sitting, text};
use super::view::{
    ArtifactView, LoopRow, LoopView, Moved, SlotView, WaivedView, Warning, moment, next_steps, row,
    why_not,
};

/// How many runs are looked at for a list or an inbox, the newest first: loops stand among others.
const MOST_RUNS: u32 = 100_000;

impl Desk {
    /// A loop as it stands, with its texts.
    pub async fn get(&self, id: RunId) -> Result<LoopView, LoopProblem> {
        let state = self.state(id).await?;
        let mut view = self.view(&state).await?;
        let head = self.means().store.head(id).await?;
        if head.is_some_and(|head| head.state == RunState::Aborted) {
            // Somebody gave the run up: whatever it waited for, nothing leads on.
            view.status = LoopStatus::Cancelled;
            view.next.clear();
            view.blocked.clear();
        }
        Ok(view)
    }

    /// The loops of this project, the most recently changed first.
    pub async fn list(&self, only_open: bool) -> Result<Vec<LoopRow>, LoopProblem> {
        let mut rows = Vec::new();
        for head in self.heads(only_open).await? {
            let known = unless_damaged(head.run, self.known(&head).await)?;
            rows.extend(known.map(|known| row(&known.state, known.title.clone())));
        }
        Ok(rows)
    }

    /// The brief of a slot: the one of its turn, or the one that it would get now.
    pub async fn brief(&self, id: RunId, slot: &str) -> Result<String, LoopProblem> {
        let records = self.means().store.records(id, Seq::ZERO, u32::MAX).await?;
        let records: Vec<_> = records.into_iter().map(Arc::new).collect();
        let who = (AgentId::gavel(), self.now());
        let sitting = Sitting::of(self.means(), id, &records, who)?;
        let state = &sitting.state;
        let Some(slot) = state.slot(slot) else {
            let known = state.slots.iter();
            let known: Vec<_> = known
                .map(|slot| format!("{} ({})", slot.id, slot.role))
                .collect();
            return Err(LoopProblem::NoSlot {
                slot: slot.chars().take(80).collect(),
                known: known.join(", "),
            });
        };
        match state.turn_of(slot) {
            Some(turn) if turn.ended.is_none() => sitting.text(turn.given.brief).await,
            Some(_) | None => Ok(sitting.brief(slot, None).await?.text),
        }
    }

    pub(super) async fn heads(&self, unfinished: bool) -> Result<Vec<Head>, LoopProblem> {
        let query = HeadsQuery {
            project: self.project(),
            unfinished,
            limit: MOST_RUNS,
        };
        let heads = self.means().store.heads(query).await?;
        let mut ours = Vec::new();
        for head in heads {
            if unless_damaged(head.run, self.is_ours(&head).await)? == Some(true) {
                ours.push(head);
            }
        }
        Ok(ours)
    }

    /// True for a loop of this project.
    pub(super) async fn is_ours(&self, head: &Head) -> Result<bool, LoopProblem> {
        Ok(head.driver == DRIVER && self.is_here(head).await?)
    }

    async fn is_here(&self, head: &Head) -> Result<bool, LoopProblem> {
        if let Some(here) = self.shared.is_here(head.run) {
            return Ok(here);
        }
        let here = self.is_of_folder(head).await?;
        self.shared.tell_here(head.run, here);
        Ok(here)
    }

    async fn is_of_folder(&self, head: &Head) -> Result<bool, LoopProblem> {
        let first = self.means().store.records(head.run, Seq::ZERO, 1).await?;
        let started: Option<RunStarted> = first.first().and_then(|record| record.read().ok());
        let Some(started) = started else {
            return Ok(false);
        };
        let brief = match started.brief {
            Some(brief) => self.means().store.blob(brief.digest).await?,
            None => None,
        };
        let folder = ProjectFolder {
            id: self.project(),
            root: Some(self.checkout().to_owned()),
        };
        Ok(
            match folder.belonging(&RunOrigin::of(&started, brief.as_deref())) {
                Belonging::Here | Belonging::Moved => true,
                Belonging::Elsewhere | Belonging::Unknown => false,
            },
        )
    }

    pub(super) async fn told(&self, run: RunId, name: BlobRef) -> Result<String, LoopProblem> {
        text(self.means(), run, name).await
    }

    async fn view(&self, state: &LoopState) -> Result<LoopView, LoopProblem> {
        let mut artifacts = Vec::new();
        for (artifact, _) in &state.artifacts {
            artifacts.push(self.artifact(state.id, artifact).await?);
        }
        let goal = match state.goal {
            Some(goal) => Some(self.told(state.id, goal).await?),
            None => None,
        };
        let reason = match state.closed.as_ref().and_then(|closed| closed.reason) {
            Some(reason) => Some(self.told(state.id, reason).await?),
            None => None,
        };
        Ok(LoopView {
            loop_id: state.id.to_string(),
            kind: state.protocol.kind,
            title: self.told(state.id, state.title).await?,
            goal,
            owner: state.owner.clone(),
            opened_at: moment(state.opened_at),
            version: state.version.0,
            status: state.status,
            end: state
                .closed
                .as_ref()
                .map(|closed| end_word(closed.end).to_owned()),
            reason,
            phases: state
                .protocol
                .phases
                .iter()
                .map(|phase| phase.name.clone())
                .collect(),
            phase: state.phase.clone(),
            iteration: state.iteration,
            max_iterations: state
                .protocol
                .iteration
                .as_ref()
                .map(|rule| rule.max_iterations),
            slots: slots(state),
            artifacts,
            moves: state
                .way
                .iter()
                .map(|(advanced, _)| Moved::new(advanced))
                .collect(),
            blocked: blocked(state),
            promoted: state
                .promoted
                .iter()
                .map(|done| done.item.clone())
                .collect(),
            next: next_steps(state),
            warnings: self.all_warnings(state).await?,
        })
    }

    /// Everything that somebody should know about a loop.
    pub(super) async fn all_warnings(
        &self,
        state: &LoopState,
    ) -> Result<Vec<Warning>, LoopProblem> {
        let mut all = warnings(state);
        all.extend(cut_briefs(state));
        all.extend(self.unfounded(state).await?);
        Ok(all)
    }

    /// Whether critique had anything to stand on: what the briefs of critics really held.
    async fn unfounded(&self, state: &LoopState) -> Result<Option<Warning>, LoopProblem> {
        if !critics_had_nothing(state) {
            return Ok(None);
        }
        if self.is_without_memory() {
            return Ok(Some(Warning {
                code: "memory_not_asked".to_owned(),
                message: "critique has nothing to stand on: project memory was not to be asked \
                          (--no-prior-context)"
                    .to_owned(),
            }));
        }
        let empty = self.means().memory.is_empty(self.now()).await?;
        Ok(Some(nothing_to_stand_on(empty)))
    }

    async fn artifact(
        &self,
        run: RunId,
        artifact: &ArtifactAdded,
    ) -> Result<ArtifactView, LoopProblem> {
        let whole = self.told(run, artifact.body).await?;
        let shown = usize::try_from(artifact.shown).unwrap_or(usize::MAX);
        let name = |number: u32| artifact_name(run, number);
        let mut waived = Vec::new();
        for left in &artifact.waived {
            waived.push(WaivedView {
                id: name(left.artifact),
                reason: self.told(run, left.reason).await?,
            });
        }
        Ok(ArtifactView {
            artifact_id: name(artifact.artifact),
            kind: artifact.kind.clone(),
            phase: artifact.phase.clone(),
            iteration: artifact.iteration,
            slot_id: artifact.slot.clone(),
            by: artifact.by.clone(),
            counts: artifact.discounted.is_none(),
            why_not: artifact.discounted.map(why_not),
            cites: artifact.cites.clone(),
            addresses_critique: artifact.addresses.iter().copied().map(name).collect(),
            waived,
            uncovered: artifact.uncovered.iter().copied().map(name).collect(),
            text: whole.get(..shown).unwrap_or(&whole).to_owned(),
            bytes: whole.len() as u64,
        })
    }
}

/// The word for how a loop ended.
const fn end_word(end: LoopEnd) -> &'static str {
    match end {
        LoopEnd::StopCondition => "stop_condition",
        LoopEnd::Limit => "limit",
        LoopEnd::Closed => "closed",
        LoopEnd::Stuck => "stuck",
    }
}

fn slots(state: &LoopState) -> Vec<SlotView> {
    let view = |slot: &Slot| {
        let status = state.status_of(slot);
        SlotView {
            slot_id: slot.id.clone(),
            role: slot.role.clone(),
            agent: slot.agent.clone(),
            profile: slot.profile,
            acts: state.acting().any(|acting| acting.id == slot.id),
            status: status.word().to_owned(),
            waiting_since: match status {
                SlotStatus::Assigned { since, .. } => Some(moment(since)),
                SlotStatus::Open | SlotStatus::Ended { .. } => None,
            },
        }
    };
    state.slots.iter().map(view).collect()
}

/// What is missing now, once somebody tried to go on: what was missing then may have come since.
pub(super) fn blocked(state: &LoopState) -> Vec<String> {
    match (&state.blocked, advance(state)) {
        (Some(_), Err(AdvanceError::Blocked { unmet, .. })) => {
            unmet.iter().map(unmet_told).collect()
        }
        (Some(_) | None, _) => Vec::new(),
    }
}

/// What somebody should know about a loop: a plan that passes critiques over, or had none.
pub(super) fn warnings(state: &LoopState) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let Some(plan) = state.counting(PLAN_DRAFT).last() else {
        return warnings;
    };
    if !plan.uncovered.is_empty() {
        let name = |number: &u32| artifact_name(state.id, *number);
        let passed: Vec<_> = plan.uncovered.iter().map(name).collect();
        warnings.push(Warning {
            code: "critiques_uncovered".to_owned(),
            message: format!(
                "the plan neither addresses nor waives {}",
                passed.join(", ")
            ),
        });
    }
    if state.counting(CRITIQUE).next().is_none() {
        warnings.push(Warning {
            code: "no_critiques".to_owned(),
            message: "nothing spoke against the proposal: no critique counts in this loop"
                .to_owned(),
        });
    }
    warnings
}

/// True when critics were asked, and none of their briefs held a memory item.
fn critics_had_nothing(state: &LoopState) -> bool {
    let critics = state.turns.iter().filter(|turn| {
        let slot = state.slot(&turn.given.slot);
        slot.is_some_and(|slot| slot.role.as_str() == CRITIC)
    });
    let mut critics = critics.peekable();
    critics.peek().is_some() && critics.all(|turn| turn.given.items.is_empty())
}

/// Turns under way whose briefs had no room for all that there is.
fn cut_briefs(state: &LoopState) -> Option<Warning> {
    let cut = state.acting().filter_map(|slot| {
        let turn = state.turn_of(slot).filter(|turn| turn.ended.is_none())?;
        let dropped = turn.given.dropped;
        (dropped > 0).then(|| format!("{} ({dropped} left out)", slot.id))
    });
    let cut: Vec<String> = cut.collect();
    (!cut.is_empty()).then(|| Warning {
        code: "brief_truncated".to_owned(),
        message: format!(
            "not everything had room in the brief of {}: gavel_memory_search finds what is missing",
            cut.join(", ")
        ),
    })
}

/// What is said where critics have no evidence.
pub fn nothing_to_stand_on(empty: bool) -> Warning {
    let (code, why) = if empty {
        (
            "no_memory",
            "the project remembers no trap, no feedback, no observation, no decision and no constraint",
        )
    } else {
        (
            "nothing_recalled",
            "nothing that the project remembers fits the proposal",
        )
    };
    Warning {
        code: code.to_owned(),
        message: format!(
            "critique has nothing to stand on: {why}; gavel memory add --kind trap \"…\" adds one"
        ),
    }
}

/// What was read of one loop among others; nothing when it is damaged, which is said.
pub(super) fn unless_damaged<T>(
    run: RunId,
    read: Result<T, LoopProblem>,
) -> Result<Option<T>, LoopProblem> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(LoopProblem::Run(error)) if error.is_damage() => {
            tell_left_out(run, &error);
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}
