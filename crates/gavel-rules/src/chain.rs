//! The chain: whether records follow each other as they were written.

use gavel_domain::{Digest, Record, RunId, Seq};

/// Where a chain breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainProblem {
    /// A record is missing or doubled.
    #[error("record {found} stands where {expected} belongs")]
    Gap {
        /// The place.
        expected: Seq,
        /// What is there.
        found: Seq,
    },
    /// A record was changed, or the one before it.
    #[error("record {seq} does not follow the one before it: expected {expected}, found {found}")]
    Broken {
        /// The place.
        seq: Seq,
        /// Digest of the record before.
        expected: Digest,
        /// What the record says.
        found: Digest,
    },
    /// A record of another run.
    #[error("record {seq} belongs to run {found}")]
    OtherRun {
        /// The place.
        seq: Seq,
        /// Its run.
        found: RunId,
    },
    /// The chain ends elsewhere than the head says: the last record was changed or cut off.
    #[error("the chain ends at record {seq} with {found}, the head says {expected}")]
    End {
        /// The last place.
        seq: Seq,
        /// What the head says.
        expected: Digest,
        /// What the records give.
        found: Digest,
    },
}

/// Follows a run's records from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    run: RunId,
    seq: Seq,
    digest: Digest,
}

impl Chain {
    /// Before the first record.
    pub const fn new(run: RunId) -> Self {
        Self {
            run,
            seq: Seq::ZERO,
            digest: Digest::ZERO,
        }
    }

    /// Takes the next record.
    pub fn follow(&mut self, record: &Record) -> Result<(), ChainProblem> {
        let expected = self.seq.next();
        if record.seq != expected {
            return Err(ChainProblem::Gap {
                expected,
                found: record.seq,
            });
        }
        if record.run != self.run {
            return Err(ChainProblem::OtherRun {
                seq: record.seq,
                found: record.run,
            });
        }
        if record.prev != self.digest {
            return Err(ChainProblem::Broken {
                seq: record.seq,
                expected: self.digest,
                found: record.prev,
            });
        }
        self.seq = record.seq;
        self.digest = record.digest();
        Ok(())
    }

    /// Compares the end with what the head says.
    pub fn end(&self, digest: Digest) -> Result<(), ChainProblem> {
        if digest == self.digest {
            Ok(())
        } else {
            Err(ChainProblem::End {
                seq: self.seq,
                expected: digest,
                found: self.digest,
            })
        }
    }

    /// The last place.
    pub const fn seq(&self) -> Seq {
        self.seq
    }

    /// The digest of the last record.
    pub const fn digest(&self) -> Digest {
        self.digest
    }
}

#[cfg(test)]
mod tests {
    use gavel_domain::{Epoch, Key, RecordDraft, TimerFired, Timestamp};

    use super::*;

    fn run() -> RunId {
        "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
    }

    fn records() -> Vec<Record> {
        let mut chain = Chain::new(run());
        (1..=4)
            .map(|n| {
                let key = Key::new(format!("k-{n}")).unwrap().outcome();
                let draft = RecordDraft::new(key, &TimerFired {}).unwrap();
                let record = draft.place(
                    run(),
                    (Seq(n), Epoch(1)),
                    Timestamp::UNIX_EPOCH,
                    chain.digest(),
                );
                chain.follow(&record).unwrap();
                record
            })
            .collect()
    }

    fn verify(records: &[Record], end: Digest) -> Result<(), ChainProblem> {
        let mut chain = Chain::new(run());
        records.iter().try_for_each(|record| chain.follow(record))?;
        chain.end(end)
    }

    #[test]
    fn every_tampering_is_found_with_its_place() {
        let good = records();
        let end = good.last().unwrap().digest();
        assert_eq!(verify(&good, end), Ok(()));
        for place in 0..good.len() {
            let mut changed = good.clone();
            changed[place].body = r#"{"x":1}"#.into();
            assert!(verify(&changed, end).is_err(), "changed body at {place}");
            let mut missing = good.clone();
            missing.remove(place);
            assert!(verify(&missing, end).is_err(), "missing record at {place}");
        }
        let mut swapped = good.clone();
        swapped.swap(1, 2);
        assert_eq!(
            verify(&swapped, end),
            Err(ChainProblem::Gap {
                expected: Seq(2),
                found: Seq(3)
            })
        );
    }
}
