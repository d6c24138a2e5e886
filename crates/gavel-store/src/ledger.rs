//! The ledger: one row per provider call, with totals per run and per UTC month.

use std::fmt;
use std::ops::Add;

use gavel_domain::{
    Cap, MicroUsd, Month, RecordKey, Role, RunId, SpendClass, Stage, Timestamp, TokenUsage, Tokens,
};

/// A call's id: its run and the key of its reservation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    /// The run.
    pub run: RunId,
    /// The reservation's record.
    pub key: RecordKey,
}

/// A change to the ledger, part of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerChange {
    /// A new row; refused when it would pass a cap.
    Reserve(Reservation),
    /// Reserved → settled.
    Settle {
        /// The call.
        call: CallId,
        /// What it cost.
        cost: MicroUsd,
        /// What the provider counted.
        usage: TokenUsage,
        /// What it counted instead, where that was not possible.
        claimed: Option<Claimed>,
    },
    /// Reserved → lost: the ceiling is unconfirmed spend.
    Lose {
        /// The call.
        call: CallId,
    },
    /// Reserved → released: nothing was billed.
    Release {
        /// The call.
        call: CallId,
    },
}

/// What a provider counted above the ceiling of a call. No cap counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimed {
    /// What its count comes to; zero when the price is unknown.
    pub cost: MicroUsd,
    /// All tokens of it.
    pub tokens: Tokens,
}

/// A reservation with the caps that it must fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The call.
    pub call: CallId,
    /// The month that pays.
    pub month: Month,
    /// When.
    pub at: Timestamp,
    /// `provider/model`.
    pub model: String,
    /// For whom.
    pub role: Role,
    /// In which stage.
    pub stage: Option<Stage>,
    /// How the spend is known.
    pub class: SpendClass,
    /// The most it may cost; zero with class `unmetered`.
    pub money: MicroUsd,
    /// The most tokens, input and output.
    pub tokens: Tokens,
    /// The caps in force.
    pub caps: Vec<Cap>,
}

/// Whose totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TotalsOf {
    /// One run.
    Run(RunId),
    /// One UTC month over all projects.
    Month(Month),
    /// All months together: whether anything was ever spent here.
    AllMonths,
}

/// Sums of a run or a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Money that providers confirmed.
    pub settled: MicroUsd,
    /// Ceilings of lost calls.
    pub unconfirmed: MicroUsd,
    /// Ceilings of calls under way.
    pub reserved: MicroUsd,
    /// Tokens that providers confirmed.
    pub settled_tokens: Tokens,
    /// Token ceilings of lost calls.
    pub unconfirmed_tokens: Tokens,
    /// Token ceilings of calls under way.
    pub reserved_tokens: Tokens,
}

impl Totals {
    /// Money that counts against a cap.
    pub fn money(&self) -> MicroUsd {
        self.settled + self.unconfirmed + self.reserved
    }

    /// Tokens that count against a cap.
    pub fn tokens(&self) -> Tokens {
        self.settled_tokens + self.unconfirmed_tokens + self.reserved_tokens
    }
}

impl Add for Totals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            settled: self.settled + other.settled,
            unconfirmed: self.unconfirmed + other.unconfirmed,
            reserved: self.reserved + other.reserved,
            settled_tokens: self.settled_tokens + other.settled_tokens,
            unconfirmed_tokens: self.unconfirmed_tokens + other.unconfirmed_tokens,
            reserved_tokens: self.reserved_tokens + other.reserved_tokens,
        }
    }
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallState {
    /// Sent, as far as anybody knows.
    Reserved,
    /// Paid.
    Settled,
    /// Booked in full, unconfirmed.
    Lost,
    /// Given back.
    Released,
}

/// Which calls to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallsQuery {
    /// Of this run.
    pub run: Option<RunId>,
    /// Of this month.
    pub month: Option<Month>,
}

/// Rows of the ledger, those that can be read and those that cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallsRead {
    /// Oldest first.
    pub rows: Vec<CallRow>,
    /// The others: no sum holds them.
    pub damaged: Vec<DamagedCall>,
}

/// A row of the ledger that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedCall {
    /// Its number, where that can be read.
    pub row: Option<u64>,
    /// The run that it names, as it stands there.
    pub run: Option<String>,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for DamagedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "row {row} of the ledger")?,
            None => f.write_str("a row of the ledger")?,
        }
        if let Some(run) = &self.run {
            write!(f, " (run {run})")?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// One call as the ledger knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// The call.
    pub call: CallId,
    /// The month that pays.
    pub month: Month,
    /// When it was reserved.
    pub at: Timestamp,
    /// `provider/model`.
    pub model: String,
    /// For whom.
    pub role: Role,
    /// In which stage.
    pub stage: Option<Stage>,
    /// How the spend is known.
    pub class: SpendClass,
    /// Where it stands.
    pub state: CallState,
    /// The ceiling.
    pub ceiling: MicroUsd,
    /// The token ceiling.
    pub ceiling_tokens: Tokens,
    /// What it cost, once settled.
    pub cost: MicroUsd,
    /// What the provider counted, once settled, as far as it was possible.
    pub usage: TokenUsage,
    /// What it counted, where that was not possible.
    pub claimed: Option<Claimed>,
}
