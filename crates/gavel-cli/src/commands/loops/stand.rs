//! Where a loop stands, for `gavel status`.

use gavel_deliberation::loops;
use gavel_domain::{AgentId, Head, LoopStatus, RunState};
use gavel_rules::deliberation::{Expected, LoopState, expected};
use gavel_store::SqliteStore;
use serde_json::{Value, json};

use super::told::{look_of, round_told};
use crate::driver::records;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::loops::plain;
use crate::ui::{Cell, Look, cell};

/// What the list of runs says of a loop.
pub(crate) struct LoopInList {
    pub(crate) phase: String,
    /// Where its own state says more than that of its run.
    pub(crate) state: Option<Cell>,
    pub(crate) next: Option<String>,
}

/// A loop among runs.
pub(crate) struct Stand {
    state: LoopState,
    /// Those outside whose turn it is.
    others: Vec<String>,
}

impl Stand {
    /// Reads it; nothing for other runs.
    pub(crate) async fn read(store: &SqliteStore, head: &Head) -> Result<Option<Self>, Failure> {
        if head.driver != loops::DRIVER {
            return Ok(None);
        }
        let all = records(store, head).await?;
        let state = LoopState::of(&all).map_err(|error| Failure::new(Exit::Failed, error))?;
        Ok(state.map(Self::of))
    }

    fn of(state: LoopState) -> Self {
        let waits = expected(&state).into_iter();
        let others = waits.filter_map(|next| match next {
            Expected::CompleteTurn { agent, slot, .. } => match agent {
                Some(agent) if agent.is_gavel() => None,
                Some(agent) => Some(agent.to_string()),
                None => Some(slot),
            },
            Expected::Turn { .. }
            | Expected::Force { .. }
            | Expected::Advance { .. }
            | Expected::Close
            | Expected::Resume => None,
        });
        let others = others.collect();
        Self { state, others }
    }

    /// True when Gavel holds a slot, so that somebody can drive it.
    pub(crate) fn is_driven_by_gavel(&self) -> bool {
        let ours = |agent: &AgentId| agent.is_gavel();
        let mut slots = self.state.slots.iter();
        slots.any(|slot| slot.agent.as_ref().is_some_and(ours))
    }

    /// Who opened it.
    pub(crate) const fn owner(&self) -> &AgentId {
        &self.state.owner
    }

    /// How it stands in a word or two, and what to type now; nothing where the run itself says more.
    fn told(&self, head: &Head, driven: bool) -> Option<(Cell, String)> {
        let short = head.run.short();
        let get = format!("gavel loop get {short}");
        let status = self.state.status;
        if head.state == RunState::Aborted || !head.questions.is_empty() {
            return None;
        }
        if driven {
            let running = ("running".to_owned(), Look::Good);
            return Some((running, format!("gavel watch {short}")));
        }
        if status != LoopStatus::Open {
            return Some(((status.to_string(), look_of(status)), get));
        }
        if !self.others.is_empty() {
            let told = format!("waits for {}", self.others.join(", "));
            return Some(((told, Look::Warn), get));
        }
        if self.is_driven_by_gavel() {
            // Nobody interrupted anything: it is Gavel's turn, and nobody drives.
            let waits = ("waits for gavel".to_owned(), Look::Warn);
            let running = head.state == RunState::Running;
            return running.then(|| (waits, format!("gavel resume {short}")));
        }
        Some((("open".to_owned(), Look::Good), get))
    }

    /// What the list says otherwise for a loop.
    pub(crate) fn in_list(&self, head: &Head, driven: bool) -> LoopInList {
        let (state, next) = self.told(head, driven).unzip();
        LoopInList {
            phase: plain(self.state.phase.as_str()),
            state,
            next,
        }
    }

    /// The same for one loop: rows of names and values, and what to type now.
    pub(crate) fn of_one(
        &self,
        rows: &mut Vec<Vec<Cell>>,
        (head, driven): (&Head, bool),
    ) -> Option<String> {
        let strong = |text: &str| (text.to_owned(), Look::Strong);
        rows.retain(|row| {
            let name = row.first().map(|(name, _)| name.as_str());
            !matches!(name, Some("stage" | "branch"))
        });
        let phase = plain(self.state.phase.as_str());
        let round = round_told(self.state.iteration);
        rows.push(vec![strong("phase"), cell(format!("{phase}, {round}"))]);
        let (state, next) = self.told(head, driven)?;
        if let Some(row) = rows.get_mut(1) {
            *row = vec![strong("state"), state];
        }
        Some(next)
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "loop": {
                "kind": self.state.protocol.kind,
                "status": self.state.status,
                "phase": self.state.phase,
                "iteration": self.state.iteration,
                "waits_for": self.others,
            }
        })
    }
}
