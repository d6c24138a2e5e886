//! The store on SQLite: one file for all runs and one ledger, in the user's state folder.

mod agents;
mod check;
mod commit;
pub(crate) mod fault;
mod form;
mod inbox;
mod keys;
pub(crate) mod lane;
mod lease;
mod ledger;
mod memory;
mod migrate;
mod open;
mod place;
mod read;
mod retire;
mod salvage;
mod write;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Digest, Head, InboxId, ProjectId, Record, RecordKey, RunId, Seq, Timestamp};
use tokio::sync::OnceCell;
use uuid::Uuid;

use self::fault::Fault;
use self::migrate::{MIGRATIONS, Migration};
use self::open::Opened;
use self::place::Place;
use self::retire::Purge;
use crate::{
    Answer, Batch, CallRow, CallsQuery, CallsRead, CommitError, Committed, HeadsQuery, Holder,
    InboxFate, InboxPost, InboxRow, Lease, LeaseError, OpenError, PostError, Posted, Purged,
    ReadError, Retained, Store, Totals, TotalsOf,
};

pub use self::check::{Checked, Damage};
pub use self::keys::KeyRow;
pub use self::salvage::{Salvage, SavedRecord, SavedText};

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything; folder and file are made when they are missing.
    ReadWrite,
    /// Reading: a missing file reads as an empty store, and nothing is made.
    ReadOnly,
}

/// A test hook, called with 0, 1, 2 … before each statement of a transaction that writes, its `BEGIN`
/// and `COMMIT` included, and once more after the `COMMIT`.
pub type StatementHook = Arc<dyn Fn(u32) + Send + Sync>;

/// How to open a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// The state folder.
    pub state: PathBuf,
    /// What for.
    pub access: Access,
    /// For tests that kill a process in the midst of a commit.
    pub on_statement: Option<StatementHook>,
}

impl StoreOptions {
    /// Opens the store of that state folder for that access.
    pub fn new(state: impl Into<PathBuf>, access: Access) -> Self {
        Self {
            state: state.into(),
            access,
            on_statement: None,
        }
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOptions")
            .field("state", &self.state)
            .field("access", &self.access)
            .field("on_statement", &self.on_statement.is_some())
            .finish()
    }
}

/// The store on SQLite.
///
/// Several processes may have one file open. Each holds `store.lock` shared, so that nobody
/// migrates the file under them; drivers hold a lock file per run besides.
pub struct SqliteStore {
    place: Place,
    access: Access,
    migrations: &'static [Migration],
    on_statement: Option<StatementHook>,
    /// Empty as long as a read-only store has no file.
    opened: OnceCell<Opened>,
}

impl SqliteStore {
    /// Opens a store. A file of an older schema is copied and migrated first; one that needs a newer
    /// program is refused.
    pub async fn open(options: StoreOptions) -> Result<Self, OpenError> {
        Self::open_with(options, MIGRATIONS).await
    }

    async fn open_with(
        options: StoreOptions,
        migrations: &'static [Migration],
    ) -> Result<Self, OpenError> {
        let state = match std::path::absolute(&options.state) {
            Ok(state) => state,
            Err(source) => return Err(migrate::unavailable(&options.state, source)),
        };
        let store = Self {
            place: Place::new(state),
            access: options.access,
            migrations,
            on_statement: options.on_statement,
            opened: OnceCell::new(),
        };
        match store.access {
            Access::ReadWrite => {
                store.open_file().await?;
            }
            Access::ReadOnly => {
                store.open_file_if_there().await?;
            }
        }
        Ok(store)
    }

    /// Closes the connections and waits until they are closed.
    ///
    /// Dropping a store closes them too, a moment later.
    pub async fn close(self) -> Result<(), ReadError> {
        if let Some(opened) = self.opened.get() {
            opened.readers.close().await.map_err(Fault::Sql)?;
            opened.writer.close().await.map_err(Fault::Sql)?;
        }
        Ok(())
    }

    /// Looks for damage everywhere: pages, journals and their chains, heads, blobs, ledger and
    /// totals. Reads the whole file; an empty answer means that everything fits together.
    pub async fn check(&self) -> Result<Vec<Damage>, ReadError> {
        Ok(check::check(self, None).await?.damage)
    }

    /// The same within a time: the newest runs first, and how far it came.
    pub async fn check_within(&self, time: Duration) -> Result<Checked, ReadError> {
        check::check(self, Some(time)).await
    }

    /// Looks for damage in one run alone: its head, its journal and its texts.
    pub async fn damage_of(&self, run: RunId) -> Result<Vec<Damage>, ReadError> {
        salvage::damage_of(self, run).await
    }

    /// Reads what can still be read of a run, damaged or not.
    pub async fn salvage(&self, run: RunId) -> Result<Salvage, ReadError> {
        salvage::salvage(self, run).await
    }

    async fn open_file(&self) -> Result<&Opened, OpenError> {
        self.opened
            .get_or_try_init(|| open::open(&self.place, self.access, self.migrations))
            .await
    }

    async fn open_file_if_there(&self) -> Result<Option<&Opened>, OpenError> {
        if let Some(opened) = self.opened.get() {
            return Ok(Some(opened));
        }
        match self.place.has_database() {
            Ok(true) => self.open_file().await.map(Some),
            Ok(false) => Ok(None),
            Err(source) => Err(migrate::unavailable(&self.place.database(), source)),
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("place", &self.place)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

impl Store for SqliteStore {
    fn acquire(&self, run: RunId, holder: Holder) -> Answer<'_, Lease, LeaseError> {
        Box::pin(lease::acquire(self, run, holder))
    }

    fn driver(&self, run: RunId) -> Answer<'_, Option<Holder>, ReadError> {
        Box::pin(lease::driver(self, run))
    }

    fn commit<'a>(
        &'a self,
        lease: &'a Lease,
        after: Seq,
        batch: Batch,
    ) -> Answer<'a, Committed, CommitError> {
        Box::pin(commit::commit(self, lease, after, batch))
    }

    fn records(&self, run: RunId, after: Seq, limit: u32) -> Answer<'_, Vec<Record>, ReadError> {
        Box::pin(read::records(self, run, after, limit))
    }

    fn blob(&self, name: Digest) -> Answer<'_, Option<Vec<u8>>, ReadError> {
        Box::pin(read::blob(self, name))
    }

    fn head(&self, run: RunId) -> Answer<'_, Option<Head>, ReadError> {
        Box::pin(read::head(self, run))
    }

    fn heads(&self, query: HeadsQuery) -> Answer<'_, Vec<Head>, ReadError> {
        Box::pin(read::heads(self, query))
    }

    fn post(&self, post: InboxPost) -> Answer<'_, Posted, PostError> {
        Box::pin(inbox::post(self, post))
    }

    fn pending(&self, run: RunId) -> Answer<'_, Vec<InboxRow>, ReadError> {
        Box::pin(inbox::pending(self, run))
    }

    fn fate(&self, id: InboxId) -> Answer<'_, Option<InboxFate>, ReadError> {
        Box::pin(inbox::fate(self, id))
    }

    fn totals(&self, of: TotalsOf) -> Answer<'_, Totals, ReadError> {
        Box::pin(ledger::totals(self, of))
    }

    fn calls(&self, query: CallsQuery) -> Answer<'_, Vec<CallRow>, ReadError> {
        Box::pin(ledger::calls(self, query))
    }

    fn calls_and_damage(&self, query: CallsQuery) -> Answer<'_, CallsRead, ReadError> {
        Box::pin(ledger::calls_and_damage(self, query))
    }

    fn source_calls(&self, query: CallsQuery) -> Answer<'_, BTreeMap<String, u64>, ReadError> {
        Box::pin(ledger::source_calls(self, query))
    }

    fn breaches<'a>(&'a self, model: &'a str) -> Answer<'a, u32, ReadError> {
        Box::pin(ledger::breaches(self, model))
    }

    fn was_agreed<'a>(
        &'a self,
        project: ProjectId,
        key: &'a RecordKey,
    ) -> Answer<'a, bool, ReadError> {
        Box::pin(ledger::was_agreed(self, project, key))
    }

    fn retain(&self, before: Timestamp) -> Answer<'_, Retained, ReadError> {
        Box::pin(retire::retain(self, before))
    }

    fn purge<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError> {
        Box::pin(retire::purge(self, lease, Purge::Finished))
    }

    fn purge_damaged<'a>(&'a self, lease: &'a Lease) -> Answer<'a, Purged, CommitError> {
        Box::pin(retire::purge(self, lease, Purge::Damaged))
    }

    fn memory_lines<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError> {
        Box::pin(memory::lines(self, project))
    }

    fn keep_memory_lines<'a>(
        &'a self,
        project: &'a str,
        lines: Vec<(Uuid, String)>,
    ) -> Answer<'a, (), ReadError> {
        Box::pin(memory::keep(self, project, lines))
    }

    fn drop_memory_lines<'a>(
        &'a self,
        project: &'a str,
        events: Vec<Uuid>,
    ) -> Answer<'a, (), ReadError> {
        Box::pin(memory::drop_lines(self, project, events))
    }

    fn agents<'a>(&'a self, project: &'a str) -> Answer<'a, Vec<String>, ReadError> {
        Box::pin(agents::agents(self, project))
    }

    fn see_agent<'a>(
        &'a self,
        project: &'a str,
        agent: &'a str,
        at: Timestamp,
    ) -> Answer<'a, (), ReadError> {
        Box::pin(agents::see(self, project, (agent, at)))
    }
}

#[cfg(test)]
#[path = "sqlite_tests.rs"]
mod tests;
