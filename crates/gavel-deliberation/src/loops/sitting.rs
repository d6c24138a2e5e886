//! A loop at hand: everything on record, and what is about to be added. Every verb works on a
//! sitting; whoever made it commits all of it or nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_domain::{AgentId, BlobRef, Digest, Fact, Record, RunId, Seq, Slot, Timestamp};
use gavel_rules::deliberation::{LoopState, current_proposal, shown_artifacts};
use gavel_run::{Amendment, RunError};
use gavel_store::Store;

use super::brief::{Brief, BriefAsk, write_brief};
use super::problem::LoopProblem;
use super::remember::{Remembers, gather};

/// Memory is asked with at most so much text.
const MOST_QUERY_BYTES: usize = 8 * 1024;

/// What sittings work with.
#[derive(Clone)]
pub struct LoopMeans {
    /// Where loops are kept.
    pub store: Arc<dyn Store>,
    /// What the project remembers.
    pub memory: Arc<dyn Remembers>,
}

impl std::fmt::Debug for LoopMeans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopMeans").finish_non_exhaustive()
    }
}

/// A loop, and what is about to be added to it.
#[derive(Debug)]
pub(super) struct Sitting<'a> {
    pub(super) state: LoopState,
    pub(super) now: Timestamp,
    pub(super) by: AgentId,
    /// True for a person at the terminal, who may do what whoever opened the loop may.
    pub(super) person: bool,
    means: &'a LoopMeans,
    amendment: Amendment,
    /// Texts that are about to be kept.
    fresh: BTreeMap<Digest, String>,
    base: Seq,
}

impl<'a> Sitting<'a> {
    /// Folds what is on record.
    pub(super) fn of(
        means: &'a LoopMeans,
        run: RunId,
        records: &[Arc<Record>],
        (by, now): (AgentId, Timestamp),
    ) -> Result<Self, LoopProblem> {
        let state = LoopState::of(records.iter().map(AsRef::as_ref))?;
        let state = state.ok_or_else(|| super::problem::no_loop(run))?;
        Ok(Self {
            base: state.version,
            state,
            now,
            by,
            person: false,
            means,
            amendment: Amendment::default(),
            fresh: BTreeMap::new(),
        })
    }

    /// A loop that is about to be opened; `amendment` holds the fact that opens it.
    pub(super) fn opening(
        means: &'a LoopMeans,
        run: RunId,
        (amendment, texts): (Amendment, BTreeMap<Digest, String>),
        (by, now): (AgentId, Timestamp),
    ) -> Result<Self, LoopProblem> {
        // The first record of the run says that it began.
        let base = Seq(1);
        let preview = amendment.preview(run, base, now);
        let state = LoopState::of(&preview)?.ok_or_else(|| super::problem::no_loop(run))?;
        Ok(Self {
            state,
            now,
            by,
            person: false,
            means,
            amendment,
            fresh: texts,
            base,
        })
    }

    /// What is to be committed.
    pub(super) fn finish(self) -> (Amendment, LoopState) {
        (self.amendment, self.state)
    }

    /// Keeps a text.
    pub(super) fn keep(&mut self, text: &str) -> BlobRef {
        let name = self.amendment.keep(text);
        self.fresh.insert(name.digest, text.to_owned());
        name
    }

    /// Adds a fact, and takes it into account.
    pub(super) fn note<T: Fact>(&mut self, key: &str, fact: &T) -> Result<(), LoopProblem> {
        self.amendment.note(key, fact)?;
        let last = self.amendment.last(self.state.id, self.base, self.now);
        if let Some(record) = last {
            self.state.take(&record)?;
        }
        Ok(())
    }

    /// Reads a text, whether it is kept already or about to be.
    pub(super) async fn text(&self, name: BlobRef) -> Result<String, LoopProblem> {
        if let Some(text) = self.fresh.get(&name.digest) {
            return Ok(text.clone());
        }
        text(self.means, self.state.id, name).await
    }

    /// What memory is asked about: what was put forward first, what became of it, and what for. A
    /// short revision must not make memory forget what the loop is about.
    async fn query(&self, title: &str, goal: Option<&str>) -> Result<String, LoopProblem> {
        let first = self.state.artifacts.first().map(|(artifact, _)| artifact);
        let now = current_proposal(&self.state);
        let now = now.filter(|now| first.is_none_or(|first| first.artifact != now.artifact));
        let mut query = title.to_owned();
        for artifact in first.into_iter().chain(now) {
            query.push('\n');
            query.push_str(&self.text(artifact.body).await?);
        }
        query.extend(goal.into_iter().flat_map(|goal| ["\n", goal]));
        query.truncate(query.floor_char_boundary(MOST_QUERY_BYTES.min(query.len())));
        Ok(query)
    }

    /// Writes the brief of a slot for the phase that the loop is in.
    pub(super) async fn brief(
        &self,
        slot: &Slot,
        note: Option<&str>,
    ) -> Result<Brief, LoopProblem> {
        let Some(phase) = self.state.current() else {
            let phase = self.state.phase.clone();
            return Err(gavel_rules::deliberation::AdvanceError::NoPhase { phase }.into());
        };
        let mut texts = BTreeMap::new();
        let current = current_proposal(&self.state).into_iter();
        let shown = shown_artifacts(&self.state, phase, slot).into_iter();
        for artifact in current.chain(shown.map(|(_, artifact)| artifact)) {
            let text = self.text(artifact.body).await?;
            texts.insert(artifact.artifact, text);
        }
        let title = self.text(self.state.title).await?;
        let goal = match self.state.goal {
            Some(goal) => Some(self.text(goal).await?),
            None => None,
        };
        let query = self.query(&title, goal.as_deref()).await?;
        let memory = gather(self.means.memory.as_ref(), phase, &query, self.now).await?;
        Ok(write_brief(&BriefAsk {
            state: &self.state,
            slot,
            phase,
            title: &title,
            goal: goal.as_deref(),
            texts: &texts,
            memory: &memory,
            now: self.now,
            note,
        }))
    }
}

/// Reads a text that a fact of a loop names.
pub(super) async fn text(
    means: &LoopMeans,
    run: RunId,
    name: BlobRef,
) -> Result<String, LoopProblem> {
    let content = means.store.blob(name.digest).await?;
    let gone = || RunError::BlobGone {
        run,
        key: "loop".to_owned(),
        digest: name.digest.to_string(),
    };
    let content = content.ok_or_else(gone)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}
