//! The store: journals, blobs, heads, inbox and ledger; beside it, full-text indexes, which are
//! caches. The only SQL of the program.
//!
//! [`Store`] is the port. A store knows nothing of what facts
//! mean: it keeps records in order, refuses whoever lost the lease, and checks caps inside the
//! transaction that reserves.

mod batch;
mod damage;
mod error;
mod inbox;
mod index;
mod lease;
mod ledger;
mod sqlite;
mod store;

pub use batch::{Batch, Booked, Committed, InboxTaken};
pub use damage::{is_damage, is_full, tell_left_out, unless_damaged};
pub use error::{
    BatchProblem, CommitError, LeaseError, LedgerProblem, OpenError, PostError, ReadError,
};
pub use inbox::{InboxFate, InboxKind, InboxPost, InboxRow, Posted};
pub use index::{
    INDEX_LEVELS, INDEX_ROOM, IndexChange, IndexDocument, IndexError, IndexLine, IndexOrigin,
    PostingList, TextIndex, WordCount, WordCounts,
};
pub use lease::{Holder, Lease, LeaseGuard};
pub use ledger::{
    CallId, CallRow, CallState, CallsQuery, CallsRead, Claimed, DamagedCall, LedgerChange,
    Reservation, Totals, TotalsOf,
};
pub use sqlite::{
    Access, Checked, Damage, KeyRow, Salvage, SavedRecord, SavedText, SqliteStore, StatementHook,
    StoreOptions,
};
pub use store::{Answer, HeadsQuery, Purged, Retained, Store};
