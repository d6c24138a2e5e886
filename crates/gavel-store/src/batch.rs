//! The one write: everything that a commit may hold.

use gavel_domain::{Blob, Head, InboxId, Record};

use crate::{LedgerChange, Totals};

/// What one commit writes.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Records in their places, the first right after the journal's last.
    pub records: Vec<Record>,
    /// Blobs that the records name; one that is there already is kept.
    pub blobs: Vec<Blob>,
    /// Changes to the ledger.
    pub ledger: Vec<LedgerChange>,
    /// The head after the last record.
    pub head: Head,
    /// Inbox rows that these records answer.
    pub inbox_taken: Vec<InboxTaken>,
}

/// An inbox row that became a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxTaken {
    /// The row.
    pub id: InboxId,
    /// True when it was refused: its slot is free again for the next answer.
    pub refused: bool,
}

/// What a commit tells its driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Totals of the run and of the month after a ledger change; `None` without one.
    pub totals: Option<(Totals, Totals)>,
}
