//! What drives a loop: Gavel's own slots, with the configured models.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_deliberation::loops::{LoopBrief, LoopMeans, Voice, Voices};
use gavel_domain::{Head, LoopStatus, Record, Slot};
use gavel_models::ModelId;
use gavel_product::Slots;
use gavel_rules::deliberation::{CRITIC, LoopState};
use gavel_run::{Engine, RunError};
use gavel_store::SqliteStore;

use crate::commands::memory_of;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::slots::{models_of, slots_before, slots_now};

/// A loop, and who takes the turns of Gavel's own slots.
pub(crate) struct LoopDriver {
    brief: LoopBrief,
    slots: Slots,
    /// Critics in the order of the loop.
    critics: Vec<Slot>,
    store: Arc<SqliteStore>,
}

impl LoopDriver {
    /// Reads the settings and the loop: one that is under way keeps its models, unless somebody names
    /// others now.
    pub(super) fn of(
        context: &Context,
        store: &Arc<SqliteStore>,
        (brief, records): (LoopBrief, &[Record]),
    ) -> Result<Self, Failure> {
        let slots = slots_now(&context.settings()?, &slots_before(records)?)?;
        let state = LoopState::of(records);
        let state = state.map_err(|error| Failure::new(Exit::Failed, error))?;
        if let Some(state) = &state
            && state.status == LoopStatus::Paused
        {
            return Err(paused(state));
        }
        let taking_part = state.map(|state| state.slots).unwrap_or_default();
        let critics = taking_part.into_iter();
        Ok(Self {
            brief,
            slots,
            critics: critics
                .filter(|slot| slot.role.as_str() == CRITIC)
                .collect(),
            store: Arc::clone(store),
        })
    }

    pub(super) fn models(&self) -> Vec<ModelId> {
        models_of(&self.slots)
    }

    /// The leader speaks for everybody but the critics; they have the seats of the council, in turn.
    pub(super) fn means(
        &self,
        context: &Context,
        (engine, head): (&Engine, &Head),
    ) -> Result<(LoopMeans, Voices), Failure> {
        let voice = |id: &ModelId| {
            let model = engine.model(id).cloned();
            let model = model.ok_or_else(|| RunError::NoModel(id.clone()))?;
            Ok::<_, Failure>(Voice { model })
        };
        let mut of = BTreeMap::new();
        for (critic, id) in self.critics.iter().zip(self.slots.stances.iter().cycle()) {
            of.insert(critic.id.clone(), voice(id)?);
        }
        let voices = Voices {
            every: voice(&self.slots.leader)?,
            of,
        };
        let means = LoopMeans {
            store: engine.store().clone(),
            memory: memory_of(context, &self.store, (&self.brief, head.project)),
        };
        Ok((means, voices))
    }
}

/// Whoever paused a loop meant those who take part; driving on would pass that over.
fn paused(state: &LoopState) -> Failure {
    let (short, owner) = (state.id.short(), &state.owner);
    let told = anyhow::anyhow!("the loop {short} is paused");
    Failure::new(Exit::Conflict, told).hint(format!(
        "gavel loop resume {short} --agent {owner} lets it go on"
    ))
}
