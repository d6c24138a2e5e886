//! A store with something laid over it: what a test wants to happen at a certain moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use gavel_domain::{Digest, Head, InboxId, ProjectId, Record, RecordKey, RunId, Seq, Timestamp};
use gavel_store::{
    Answer, Batch, CallRow, CallsQuery, CallsRead, CommitError, Committed, HeadsQuery, Holder,
    InboxFate, InboxPost, InboxRow, Lease, LeaseError, PostError, Posted, Purged, ReadError,
    Retained, Store, Totals, TotalsOf,
};
use uuid::Uuid;

/// What is laid over a store; by default nothing.
pub trait Overlay: Send + Sync + 'static {
    /// Stands before [`Store::commit`].
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        lease: &'a Lease,
        (after, batch): (Seq, Batch),
    ) -> Answer<'a, Committed, CommitError> {
        store.commit(lease, after, batch)
    }

    /// Stands before [`Store::pending`].
    fn pending<'a>(
        &'a self,
        store: &'a dyn Store,
        run: RunId,
    ) -> Answer<'a, Vec<InboxRow>, ReadError> {
        store.pending(run)
    }

    /// Stands before [`Store::keep_memory_lines`].
    fn keep_memory_lines<'a>(
        &'a self,
        store: &'a dyn Store,
        project: &'a str,
        lines: Vec<(Uuid, String)>,
    ) -> Answer<'a, (), ReadError> {
        store.keep_memory_lines(project, lines)
    }
}

/// A store and what is laid over it; everything else goes through.
pub struct OverlaidStore<O> {
    inner: Arc<dyn Store>,
    overlay: O,
}

impl<O> OverlaidStore<O> {
    /// Lays something over a store.
    pub fn new(inner: Arc<dyn Store>, overlay: O) -> Self {
        Self { inner, overlay }
    }
}

impl<O> std::fmt::Debug for OverlaidStore<O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OverlaidStore").finish_non_exhaustive()
    }
}

impl<O: Overlay> Store for OverlaidStore<O> {
    fn commit<'a>(
        &'a self,
        lease: &'a Lease,
        after: Seq,
        batch: Batch,
    ) -> Answer<'a, Committed, CommitError> {
        self.overlay
            .commit(self.inner.as_ref(), lease, (after, batch))
    }
    fn acquire(&self, run: RunId, holder: Holder) -> Answer<'_, Lease, LeaseError> {
        self.inner.acquire(run, holder)
    }
    fn driver(&self, run: RunId) -> Answer<'_, Option<Holder>, ReadError> {
        self.inner.driver(run)
    }
    fn records(&self, run: RunId, after: Seq, limit: u32) -> Answer<'_, Vec<Record>, ReadError> {
        self.inner.records(run, after, limit)
    }
    fn blob(&self, name: Digest) -> Answer<'_, Option<Vec<u8>>, ReadError> {
        self.inner.blob(name)
    }
    fn head(&self, run: RunId) -> Answer<'_, Option<Head>, ReadError> {
        self.inner.head(run)
    }
    fn heads(&self, query: HeadsQuery) -> Answer<'_, Vec<Head>, ReadError> {
        self.inner.heads(query)
    }
    fn post(&self, post: InboxPost) -> Answer<'_, Posted, PostError> {
        self.inner.post(post)
    }
    fn pending(&self, run: RunId) -> Answer<'_, Vec<InboxRow>, ReadError> {
        self.overlay.pending(self.inner.as_ref(), run)
    }
    fn fate(&self, id: InboxId) -> Answer<'_, Option<InboxFate>, ReadError> {
        self.inner.fate(id)
    }
    fn totals(&self, of: TotalsOf) -> Answer<'_, Totals, ReadError> {
        self.inner.totals(of)
    }
    fn calls(&self, query: CallsQuery) -> Answer<'_, Vec<CallRow>, ReadError> {
        self.inner.calls(query)
    }
    fn calls_and_damage(&self, query: CallsQuery) -> Answer<'_, CallsRead, ReadError> {
        self.inner.calls_and_damage(query)
    }
    fn source_calls(&self, query: CallsQuery) -> Answer<'_, BTreeMap<String, u64>, ReadError> {
        self.inner.source_calls(query)
    }
    fn breaches<'a>(&'a self, model: &'a str) -> Answer<'a, u32, ReadError> {
        self.inner.breaches(model)
    }
    fn was_agreed<'a>(
        &'a self,
        project: ProjectId,
        key: &'a RecordKey,
    ) -> Answer<'a, bool, ReadError> {
        self.inner.was_agreed(project, key)
    }
    fn retain(&self, before: Timestamp) -> Answer<'_, Retained, ReadError> {
        self.inner.retain(before)
    }
    fn purge_damaged<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError> {
        self.inner.purge_damaged(lease)
    }
    fn purge<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError> {
        self.inner.purge(lease)
    }
    fn memory_lines<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError> {
        self.inner.memory_lines(project)
    }
    fn keep_memory_lines<'a>(
        &'a self,
        project: &'a str,
        lines: Vec<(Uuid, String)>,
    ) -> Answer<'a, (), ReadError> {
        self.overlay
            .keep_memory_lines(self.inner.as_ref(), project, lines)
    }
    fn drop_memory_lines<'a>(
        &'a self,
        project: &'a str,
        events: Vec<Uuid>,
    ) -> Answer<'a, (), ReadError> {
        self.inner.drop_memory_lines(project, events)
    }
    fn agents<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError> {
        self.inner.agents(project)
    }
    fn see_agent<'a>(
        &'a self,
        project: &'a str,
        agent: &'a str,
        at: Timestamp,
    ) -> Answer<'a, (), ReadError> {
        self.inner.see_agent(project, agent, at)
    }
}
