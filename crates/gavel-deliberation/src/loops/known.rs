//! Loops as they were read last: one that did not change since is not read again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gavel_domain::{AgentId, Head, Record, RunId, Seq, Timestamp};
use gavel_rules::deliberation::LoopState;

use super::desk::Desk;
use super::problem::{LoopProblem, no_loop};

/// More loops than a project has; beyond it all are read anew.
const MOST: usize = 10_000;
/// Who came so lately is not written down again.
const CAME_LATELY: i64 = 60;

/// A loop, and what it is called.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) state: LoopState,
    pub(super) title: String,
}

/// What a desk knows already; every copy of the desk knows the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    loops: BTreeMap<RunId, Arc<Known>>,
    /// Loops that belong to no project by its id, and whether they are of this folder.
    here: BTreeMap<RunId, bool>,
    came: BTreeMap<AgentId, Timestamp>,
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, run: RunId, version: Seq) -> Result<Arc<Known>, Option<Arc<Known>>> {
        match self.kept().loops.get(&run) {
            Some(known) if known.state.version == version => Ok(Arc::clone(known)),
            known => Err(known.cloned()),
        }
    }

    fn keep(&self, known: &Arc<Known>) {
        let mut kept = self.kept();
        if kept.loops.len() >= MOST {
            kept.loops.clear();
        }
        kept.loops.insert(known.state.id, Arc::clone(known));
    }

    pub(super) fn is_here(&self, run: RunId) -> Option<bool> {
        self.kept().here.get(&run).copied()
    }

    pub(super) fn tell_here(&self, run: RunId, here: bool) {
        let mut kept = self.kept();
        if kept.here.len() >= MOST {
            kept.here.clear();
        }
        kept.here.insert(run, here);
    }

    /// True when an agent is known to have come a moment ago.
    pub(super) fn came_lately(&self, agent: &AgentId, now: Timestamp) -> bool {
        let came = self.kept().came.get(agent).copied();
        came.is_some_and(|at| (0..CAME_LATELY).contains(&now.duration_since(at).as_secs()))
    }

    pub(super) fn tell_came(&self, agent: &AgentId, now: Timestamp) {
        let mut kept = self.kept();
        if kept.came.len() >= MOST {
            kept.came.clear();
        }
        kept.came.insert(agent.clone(), now);
    }
}

impl Desk {
    /// A loop as its head has it. What was read before is read on from there.
    pub(super) async fn known(&self, head: &Head) -> Result<Arc<Known>, LoopProblem> {
        let before = match self.shared.at(head.run, head.seq) {
            Ok(known) => return Ok(known),
            Err(before) => before.filter(|known| known.state.version < head.seq),
        };
        let after = before
            .as_ref()
            .map_or(Seq::ZERO, |known| known.state.version);
        let records = self
            .means()
            .store
            .records(head.run, after, u32::MAX)
            .await?;
        let known = match before {
            Some(before) => Known {
                state: read_on(before.state.clone(), &records)?,
                title: before.title.clone(),
            },
            None => {
                let state = LoopState::of(&records)?.ok_or_else(|| no_loop(head.run))?;
                let title = self.told(state.id, state.title).await?;
                Known { state, title }
            }
        };
        let known = Arc::new(known);
        self.shared.keep(&known);
        Ok(known)
    }
}

fn read_on(mut state: LoopState, records: &[Record]) -> Result<LoopState, LoopProblem> {
    for record in records {
        state.take(record)?;
    }
    Ok(state)
}

#[cfg(test)]
#[path = "known_tests.rs"]
mod tests;
