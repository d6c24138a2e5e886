//! The port.

use std::collections::BTreeMap;
use std::pin::Pin;

use gavel_domain::{Digest, Head, InboxId, ProjectId, Record, RecordKey, RunId, Seq, Timestamp};
use uuid::Uuid;

use crate::{
    Batch, CallRow, CallsQuery, CallsRead, CommitError, Committed, Holder, InboxFate, InboxPost,
    InboxRow, Lease, LeaseError, PostError, Posted, ReadError, Totals, TotalsOf,
};

/// What every method returns: a boxed future, so that drivers hold one `Arc<dyn Store>`.
pub type Answer<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Where runs are kept. `gavel-testkit` has the suite that every implementation must pass.
///
/// Implementors guarantee: a commit is all or nothing and durable once it returned; `seq` is
/// gapless and keys are unique in a run; only the newest lease commits; a record is never changed.
pub trait Store: Send + Sync + 'static {
    /// Takes the lease of a run: an exclusive lock for the life of the returned value and a new
    /// epoch. A run that has no record yet may be leased too.
    fn acquire(&self, run: RunId, holder: Holder) -> Answer<'_, Lease, LeaseError>;

    /// Tells who drives the run right now, without touching the lease: `None` when its lock is free.
    fn driver(&self, run: RunId) -> Answer<'_, Option<Holder>, ReadError>;

    /// Writes a batch after the record `after`, in one transaction with one fsync.
    ///
    /// Checks epoch, `after`, key uniqueness and every cap that a reservation names.
    fn commit<'a>(
        &'a self,
        lease: &'a Lease,
        after: Seq,
        batch: Batch,
    ) -> Answer<'a, Committed, CommitError>;

    /// Reads records with `seq` above `after`, in order, at most `limit`.
    fn records(&self, run: RunId, after: Seq, limit: u32) -> Answer<'_, Vec<Record>, ReadError>;

    /// Reads a blob and checks its digest; `None` when it was never here or retention dropped it.
    fn blob(&self, name: Digest) -> Answer<'_, Option<Vec<u8>>, ReadError>;

    /// Reads one head.
    fn head(&self, run: RunId) -> Answer<'_, Option<Head>, ReadError>;

    /// Reads heads, the most recently changed first. One that cannot be read is left out, which is
    /// said: it must not hide the others.
    fn heads(&self, query: HeadsQuery) -> Answer<'_, Vec<Head>, ReadError>;

    /// Puts a row into a run's inbox. Posting the same id again answers as the first time.
    fn post(&self, post: InboxPost) -> Answer<'_, Posted, PostError>;

    /// Reads the rows that no driver has taken, oldest first.
    fn pending(&self, run: RunId) -> Answer<'_, Vec<InboxRow>, ReadError>;

    /// Tells what became of a row.
    fn fate(&self, id: InboxId) -> Answer<'_, Option<InboxFate>, ReadError>;

    /// Reads the totals of a run or a month.
    fn totals(&self, of: TotalsOf) -> Answer<'_, Totals, ReadError>;

    /// Reads ledger rows, oldest first.
    fn calls(&self, query: CallsQuery) -> Answer<'_, Vec<CallRow>, ReadError>;

    /// The same, with the rows that cannot be read beside the others.
    fn calls_and_damage(&self, query: CallsQuery) -> Answer<'_, CallsRead, ReadError>;

    /// Counts the calls to sources outside the project, by source, from the facts of runs that are
    /// still kept.
    fn source_calls(&self, query: CallsQuery) -> Answer<'_, BTreeMap<String, u64>, ReadError>;

    /// Counts the settled calls of a model, in all runs, for which more was claimed than was reserved.
    fn breaches<'a>(&'a self, model: &'a str) -> Answer<'a, u32, ReadError>;

    /// True when a fact under this key in a run of this project was written on the word of somebody
    /// else than the engine.
    fn was_agreed<'a>(
        &'a self,
        project: ProjectId,
        key: &'a RecordKey,
    ) -> Answer<'a, bool, ReadError>;

    /// Drops blobs that only runs finished before `before` use; chains still verify.
    fn retain(&self, before: Timestamp) -> Answer<'_, Retained, ReadError>;

    /// Deletes a finished run with everything of it except its ledger rows, which a month still
    /// counts. Needs the lease, so nobody drives it.
    fn purge<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError>;

    /// Deletes a damaged run in the same way, whether it is finished or not: nothing can drive it
    /// on, and calls that were under way are booked in full. Refused when nothing of it is damaged.
    fn purge_damaged<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError>;

    /// Reads what project memory keeps outside of the repository, in the order of the events' ids.
    /// A project is known by its id, or by the folder of a checkout that has none.
    fn memory_lines<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError>;

    /// Keeps such lines, all or none. One whose event is there is replaced, and no trace of its words
    /// stays.
    fn keep_memory_lines<'a>(
        &'a self,
        project: &'a str,
        lines: Vec<(Uuid, String)>,
    ) -> Answer<'a, (), ReadError>;

    /// Drops such lines, since they lie in the repository now; what is not there is gone already.
    fn drop_memory_lines<'a>(
        &'a self,
        project: &'a str,
        events: Vec<Uuid>,
    ) -> Answer<'a, (), ReadError>;

    /// Reads the agents that came to a project's loops, by name.
    fn agents<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError>;

    /// Says that an agent came to a project's loops.
    fn see_agent<'a>(
        &'a self,
        project: &'a str,
        agent: &'a str,
        at: Timestamp,
    ) -> Answer<'a, (), ReadError>;
}

/// Which heads to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadsQuery {
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only runs that can still go on.
    pub unfinished: bool,
    /// At most so many.
    pub limit: u32,
}

/// What retention did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retained {
    /// Blobs dropped.
    pub blobs: u64,
    /// Their size.
    pub bytes: u64,
}

/// What a purge did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purged {
    /// Records deleted.
    pub records: u64,
    /// Blobs deleted.
    pub blobs: u64,
}
