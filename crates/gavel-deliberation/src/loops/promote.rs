//! A plan that a loop came to becomes an item of project memory.
//!
//! Memory and journal are two places. The item's id follows from the artifact's, so whoever is cut
//! off between the two does the rest the next time, and nothing twice: also not as another kind.

use std::path::Path;

use gavel_domain::{AgentId, DraftPromoted, ProjectId, Role, RunId, Speaker, Timestamp};
use gavel_memory::{
    AddError, ItemId, Kind, LessonOrigin, MAX_TEXT_BYTES, Memory, NewItem, OpenError, Provenance,
    Stamp, keep_written, project_key,
};
use gavel_rules::deliberation::{LoopState, PLAN_DRAFT, artifact_name};
use gavel_run::{Engine, RunError};
use gavel_store::ReadError;

use super::desk::Hand;
use super::problem::{LoopProblem, no_loop};
use super::sitting::{LoopMeans, Sitting};

/// Why a plan did not become memory.
#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    /// Nothing to keep yet: the loop has to come to a plan first.
    #[error("the loop {} has no plan that counts: only a plan_draft can be kept", id.short())]
    NoPlan {
        /// The loop.
        id: RunId,
    },
    /// It is memory already, as something else: change that item.
    #[error("the plan {artifact} is kept already, as {item}: it cannot be kept as a {kind} too")]
    KeptAs {
        /// The plan draft.
        artifact: String,
        /// The item.
        item: String,
        /// What it should have become.
        kind: Kind,
    },
    /// The loop could not be held or written.
    #[error(transparent)]
    Loop(#[from] LoopProblem),
    /// Memory could not be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The item is not one that memory takes.
    #[error(transparent)]
    Add(#[from] AddError),
    /// The store could not be asked for the lines that it holds.
    #[error("what the store holds of the project's memory could not be read")]
    Store(#[from] ReadError),
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    /// The loop.
    pub id: RunId,
    /// The plan draft.
    pub artifact: String,
    /// The memory item that it is now.
    pub item: String,
    /// True when it was that before.
    pub before: bool,
}

/// Where plans are kept.
#[derive(Debug, Clone, Copy)]
pub struct Keeper<'a> {
    /// Holds the loop.
    pub engine: &'a Engine,
    /// What sittings work with.
    pub means: &'a LoopMeans,
    /// The checkout whose memory it goes to.
    pub checkout: &'a Path,
    /// Its project, when it has an id.
    pub project: Option<ProjectId>,
}

/// A plan draft, ready to be kept.
struct Draft {
    number: u32,
    at: Timestamp,
    title: String,
    text: String,
}

impl Keeper<'_> {
    /// Keeps the newest plan of a loop that counts, as an item of the project's memory: accepted when
    /// a person says so, else proposed. Doing it again changes nothing. A loop that is over takes it.
    pub async fn promote(
        &self,
        id: RunId,
        hand: &Hand,
        kind: Kind,
    ) -> Result<Promotion, PromoteError> {
        let held = match self.engine.hold(id).await {
            Err(RunError::NoRun(id)) => return Err(no_loop(id).into()),
            held => held.map_err(LoopProblem::from)?,
        };
        let who = (hand.agent.clone(), held.now());
        let mut sitting = Sitting::of(self.means, id, &held.records(), who)?;
        let draft = newest(&sitting).await?;
        let artifact = artifact_name(id, draft.number);
        let mut promotion = Promotion {
            id,
            artifact,
            item: String::new(),
            before: true,
        };
        let mut kept = sitting.state.promoted.iter();
        if let Some(kept) = kept.find(|kept| kept.artifact == draft.number) {
            promotion.item.clone_from(&kept.item);
            let same = promotion.item.starts_with(kind.prefix());
            return match same {
                true => Ok(promotion),
                false => Err(PromoteError::KeptAs {
                    artifact: promotion.artifact,
                    item: promotion.item,
                    kind,
                }),
            };
        }
        let item = self
            .keep(id, (&draft, &promotion.artifact), (kind, hand.speaker))
            .await?;
        note(&mut sitting, &draft, (&item.to_string(), &hand.agent))?;
        let (amendment, _) = sitting.finish();
        held.commit(amendment).await.map_err(LoopProblem::from)?;
        // Somebody was cut off who kept it as something else.
        if item.kind() != kind {
            return Err(PromoteError::KeptAs {
                artifact: promotion.artifact,
                item: item.to_string(),
                kind,
            });
        }
        Ok(Promotion {
            item: item.to_string(),
            before: false,
            ..promotion
        })
    }

    /// Writes the item, unless it is there, of whatever kind.
    async fn keep(
        &self,
        id: RunId,
        (draft, artifact): (&Draft, &str),
        (kind, speaker): (Kind, Speaker),
    ) -> Result<ItemId, PromoteError> {
        let store = &self.means.store;
        let project = project_key(self.project, self.checkout);
        let lines = store.memory_lines(&project).await?;
        let key = format!("artifact/n-{}", draft.number);
        let origin = LessonOrigin {
            run: id,
            key: &key,
            at: draft.at,
        };
        let mut memory = Memory::open_with(self.checkout, &lines)?;
        let mut items = Kind::ALL.into_iter().map(|kind| origin.item(kind));
        if let Some(kept) = items.find(|item| memory.knows(*item)) {
            return Ok(kept);
        }
        let new = item_of(draft, (kind, speaker), (id, artifact));
        let mut ids = origin.keeping();
        let written = {
            let mut stamp = Stamp::new(draft.at, speaker, &mut ids);
            memory.add(new, &mut stamp)?
        };
        keep_written(store.as_ref(), &project, written).await?;
        Ok(origin.item(kind))
    }
}

fn item_of(
    draft: &Draft,
    (kind, speaker): (Kind, Speaker),
    (id, artifact): (RunId, &str),
) -> NewItem {
    let from = Provenance::Loop {
        id,
        artifact: Some(artifact.to_owned()),
    };
    let title = draft.title.trim();
    let one_line = !title.is_empty() && !title.contains(char::is_control);
    let new = NewItem {
        title: one_line.then(|| title.to_owned()),
        ..NewItem::new(kind, draft.text.clone(), from)
    };
    // Only a person vouches for something by keeping it.
    if speaker.role == Role::Person {
        new
    } else {
        new.proposed()
    }
}

fn note(
    sitting: &mut Sitting<'_>,
    draft: &Draft,
    (item, by): (&str, &AgentId),
) -> Result<(), LoopProblem> {
    let number = sitting.state.promoted.len() + 1;
    let promoted = DraftPromoted {
        artifact: draft.number,
        item: item.to_owned(),
        by: by.clone(),
    };
    sitting.note(&format!("promoted/n-{number}"), &promoted)
}

async fn newest(sitting: &Sitting<'_>) -> Result<Draft, PromoteError> {
    let state: &LoopState = &sitting.state;
    let found = state.artifacts.iter().rev().find(|(artifact, _)| {
        artifact.kind.as_str() == PLAN_DRAFT && artifact.discounted.is_none()
    });
    let Some((artifact, at)) = found else {
        return Err(PromoteError::NoPlan { id: state.id });
    };
    let whole = sitting.text(artifact.body).await?;
    let shown = usize::try_from(artifact.shown).unwrap_or(usize::MAX);
    // What memory has no room for is kept as far as everybody saw it.
    let text = match whole.len() > MAX_TEXT_BYTES {
        true => whole.get(..shown).unwrap_or(&whole).to_owned(),
        false => whole,
    };
    Ok(Draft {
        number: artifact.artifact,
        at: *at,
        title: sitting.text(state.title).await?,
        text,
    })
}
