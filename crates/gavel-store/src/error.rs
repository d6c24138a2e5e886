//! Errors of the store, by what the caller does next.

use std::path::PathBuf;

use gavel_domain::{Cap, Digest, Epoch, InboxId, RecordKey, RunId, Seq};

use crate::{CallId, Holder, InboxRow};

/// Opening a store failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another version of Gavel owns this file now.
    #[error(
        "{path} has schema {found} and needs a Gavel that knows schema {needed}; this one knows {known}: use the newer gavel"
    )]
    NewerStore {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The lowest schema that may use it.
        needed: u32,
        /// What this program knows.
        known: u32,
    },
    /// The file must be migrated, but somebody has it open.
    #[error("{path} must be migrated first, and another gavel has it open: stop it and try again")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// SQLite locks do not hold there.
    #[error(
        "{path} lies on a network file system ({kind}), where locks cannot be trusted: choose a local folder with --state"
    )]
    NetworkFileSystem {
        /// The folder.
        path: PathBuf,
        /// Its type.
        kind: String,
    },
    /// The file is not what it should be; nothing was changed.
    #[error(
        "{path} is damaged: {place}; nothing was repaired: restore a copy, or move the file away to start anew"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        place: String,
    },
    /// It cannot be opened now.
    #[error("cannot open the store {path}")]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Reading failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A record is not what it should be; nothing was repaired.
    #[error("run {run} is damaged at record {seq}: {problem}; nothing was repaired")]
    DamagedRecord {
        /// The run.
        run: RunId,
        /// Where.
        seq: Seq,
        /// What.
        problem: String,
    },
    /// A blob's content does not match its name.
    #[error("the blob {digest} is damaged; nothing was repaired")]
    DamagedBlob {
        /// Which.
        digest: Digest,
    },
    /// A row of another table is not what it should be.
    #[error("the store is damaged at {place}; nothing was repaired")]
    Damaged {
        /// Where.
        place: String,
    },
    /// The store cannot be reached now.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ReadError {
    /// True when something in the store is not what it should be: trying again does not help.
    pub const fn is_damage(&self) -> bool {
        match self {
            Self::DamagedRecord { .. } | Self::DamagedBlob { .. } | Self::Damaged { .. } => true,
            Self::Unavailable(_) => false,
        }
    }
}

/// Taking a lease failed.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Somebody drives this run.
    #[error("run {run} is driven by {}", holder.as_ref().map_or_else(|| "another process".to_owned(), ToString::to_string))]
    Held {
        /// The run.
        run: RunId,
        /// Who, when it is known.
        holder: Option<Holder>,
    },
    /// The store cannot be reached now.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// A commit failed; nothing of it was written.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Somebody else wrote first.
    #[error("run {run} moved on: expected record {expected} to be the last, found {found}")]
    Conflict {
        /// The run.
        run: RunId,
        /// What the driver thought.
        expected: Seq,
        /// What is there.
        found: Seq,
    },
    /// Somebody else holds the lease now.
    #[error("the lease of run {run} was lost: epoch {epoch} is over, {current} drives")]
    LeaseLost {
        /// The run.
        run: RunId,
        /// The driver's epoch.
        epoch: Epoch,
        /// The epoch in force.
        current: Epoch,
    },
    /// A reservation does not fit a cap.
    #[error("{} would be passed: {taken} taken of {}, {wanted} more wanted", cap.scope.setting(), cap.limit)]
    OverCap {
        /// The cap.
        cap: Cap,
        /// What counts against it already.
        taken: u64,
        /// What was asked for.
        wanted: u64,
    },
    /// The key is written already: a bug of the driver.
    #[error("the key {key} of run {run} is already written")]
    DuplicateKey {
        /// The run.
        run: RunId,
        /// The key.
        key: RecordKey,
    },
    /// A ledger row is not in the state that the change needs: a bug of the driver.
    #[error("the call {} of run {} {problem}", call.key, call.run)]
    Ledger {
        /// The call.
        call: CallId,
        /// What is wrong.
        problem: LedgerProblem,
    },
    /// The commit contradicts itself or the store: a bug of the driver.
    #[error("the commit to run {run} was refused: {problem}")]
    Refused {
        /// The run.
        run: RunId,
        /// What is wrong.
        problem: BatchProblem,
    },
    /// The store cannot be reached now; it is not known to have been written.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a commit was refused as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BatchProblem {
    /// Every change has a record that says so.
    #[error("it holds no record")]
    NoRecord,
    /// Something in the batch belongs to another run.
    #[error("it holds something of run {other}")]
    OtherRun {
        /// Whose.
        other: RunId,
    },
    /// A record is not in the place after the one before it, or not of the lease's epoch.
    #[error("record {seq} is out of place")]
    OutOfPlace {
        /// Which.
        seq: Seq,
    },
    /// The digest chain does not lead to this record.
    #[error("record {seq} does not follow from the one before it")]
    BrokenChain {
        /// Which.
        seq: Seq,
    },
    /// A body is longer than a journal takes.
    #[error("the body of record {seq} has {bytes} bytes, at most 16384 fit")]
    BodyTooLong {
        /// Which.
        seq: Seq,
        /// Its size.
        bytes: usize,
    },
    /// The head does not stand at the last record.
    #[error("its head stands at record {head}, not at {last}")]
    OtherHead {
        /// Where the head stands.
        head: Seq,
        /// The last record.
        last: Seq,
    },
    /// A number is too large to be stored.
    #[error("the amount {amount} is too large to be booked")]
    AmountTooLarge {
        /// Which.
        amount: u64,
    },
    /// The run has no such inbox row.
    #[error("there is no inbox row {id}")]
    UnknownInboxRow {
        /// Which.
        id: InboxId,
    },
    /// The inbox row became a fact before.
    #[error("the inbox row {id} was taken before")]
    InboxRowTaken {
        /// Which.
        id: InboxId,
    },
    /// Only a finished run can be purged.
    #[error("the run is not finished")]
    NotFinished,
    /// Only a damaged run can be purged before it is finished.
    #[error("nothing of the run is damaged")]
    NotDamaged,
}

/// Why a ledger change was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerProblem {
    /// There is a row already.
    #[error("is already in the ledger")]
    AlreadyThere,
    /// The row is missing or was booked before.
    #[error("is not reserved")]
    NotReserved,
}

/// Posting failed.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Another answer to the same question came first.
    #[error("the question was answered before")]
    SlotTaken {
        /// The winner.
        winner: Box<InboxRow>,
    },
    /// There is no such run.
    #[error("there is no run {run}")]
    UnknownRun {
        /// The run.
        run: RunId,
    },
    /// The store cannot be reached now.
    #[error("the store is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
