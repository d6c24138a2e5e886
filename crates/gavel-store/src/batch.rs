//! The one write: everything that a commit may hold.

use gavel_domain::{Blob, Head, InboxId, Month, Record};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Where the ledger stands after the last change to it; `None` without one.
    pub booked: Option<Booked>,
}

/// Where the ledger stands after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// The totals of the run.
    pub run: Totals,
    /// The month that the call was reserved in, which need not be the present one.
    pub month: Month,
    /// The totals of that month.
    pub of_month: Totals,
}
