//! Records: facts as they stand in the journal, chained by digest.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Digest, Fact, FactError, MAX_BODY_BYTES, RecordKey, RunId, Timestamp};

/// The record layout that this program writes.
pub const RECORD_VERSION: u32 = 1;

/// The place of a record in its run: 1, 2, 3 …; 0 is the empty journal.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first record.
    pub const ZERO: Self = Self(0);

    /// The next place.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Which driver wrote a record: grows by one with every lease of the run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// One stored fact. Fields are kept as they are stored: nothing is re-serialised, so the chain
/// verifies whatever a later version thinks of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Layout version.
    pub v: u32,
    /// The run.
    pub run: RunId,
    /// Its place, gapless.
    pub seq: Seq,
    /// Who drove.
    pub epoch: Epoch,
    /// Its address, unique in the run.
    pub key: RecordKey,
    /// What kind of fact the body is.
    pub kind: String,
    /// Digest of the declared input of the step.
    pub input: Digest,
    /// When it was committed, in the stored text form.
    pub at: Timestamp,
    /// Digest of the record before it.
    pub prev: Digest,
    /// The body, JSON text of at most 16 KiB.
    pub body: String,
}

impl Record {
    /// The digest that the next record carries as `prev`: over length-prefixed fields as stored.
    pub fn digest(&self) -> Digest {
        let numbers = [u64::from(self.v), self.seq.0, self.epoch.0].map(|n| n.to_string());
        let [v, seq, epoch] = &numbers;
        let (run, at) = (self.run.to_string(), self.at.to_string());
        let (input, prev) = (self.input.to_string(), self.prev.to_string());
        Digest::of_fields([
            v.as_bytes(),
            run.as_bytes(),
            seq.as_bytes(),
            epoch.as_bytes(),
            self.key.as_str().as_bytes(),
            self.kind.as_bytes(),
            input.as_bytes(),
            at.as_bytes(),
            prev.as_bytes(),
            self.body.as_bytes(),
        ])
    }

    /// Reads the body as the fact `T`; another kind is an error.
    pub fn read<T: Fact>(&self) -> Result<T, FactError> {
        if self.kind != T::KIND {
            return Err(FactError::OtherKind {
                key: self.key.clone(),
                expected: T::KIND,
                found: self.kind.clone(),
            });
        }
        self.parse()
    }

    /// Reads the body as `T` whatever the kind says.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, FactError> {
        serde_json::from_str(&self.body).map_err(|source| FactError::Unreadable {
            key: self.key.clone(),
            kind: self.kind.clone(),
            source,
        })
    }
}

/// A fact on its way into the journal; the driver adds place, epoch, time and chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordDraft {
    /// Its address.
    pub key: RecordKey,
    /// Its kind.
    pub kind: &'static str,
    /// Digest of the declared input.
    pub input: Digest,
    /// Its body.
    pub body: String,
}

impl RecordDraft {
    /// Drafts a fact without a declared input.
    pub fn new<T: Fact>(key: RecordKey, fact: &T) -> Result<Self, FactError> {
        Self::with_input(key, Digest::ZERO, fact)
    }

    /// Drafts a fact together with the digest of the input that led to it.
    pub fn with_input<T: Fact>(key: RecordKey, input: Digest, fact: &T) -> Result<Self, FactError> {
        let body = match serde_json::to_string(fact) {
            Ok(body) => body,
            Err(source) => {
                return Err(FactError::Unwritable {
                    key,
                    kind: T::KIND,
                    source,
                });
            }
        };
        if body.len() > MAX_BODY_BYTES {
            return Err(FactError::TooLong {
                key,
                kind: T::KIND,
                bytes: body.len(),
            });
        }
        Ok(Self {
            key,
            kind: T::KIND,
            input,
            body,
        })
    }

    /// Puts the draft into its place.
    #[must_use]
    pub fn place(self, run: RunId, place: (Seq, Epoch), at: Timestamp, prev: Digest) -> Record {
        let (seq, epoch) = place;
        Record {
            v: RECORD_VERSION,
            run,
            seq,
            epoch,
            key: self.key,
            kind: self.kind.to_owned(),
            input: self.input,
            at,
            prev,
            body: self.body,
        }
    }
}
