//! What the engine itself needs to know of a run: a fold over its records that does not depend on
//! the order in which records of different keys are read.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    Caps, FactError, Fault, InboxId, Key, MoneyFact, QuestionAsked, QuestionFact, Record,
    RecordKey, RunFact, RunStarted, Said, Seq, StepFact, Timestamp, TreeRecorded, UsageReserved,
};

/// The attempts at one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Attempts {
    /// The highest attempt that was begun or recorded.
    pub(crate) begun: u32,
    /// The failures on record.
    pub(crate) failures: BTreeMap<u32, (Fault, Timestamp)>,
}

/// The engine's fold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct View {
    pub(crate) started: Option<RunStarted>,
    pub(crate) reservations: BTreeMap<RecordKey, UsageReserved>,
    closed: BTreeSet<RecordKey>,
    pub(crate) attempts: BTreeMap<Key, Attempts>,
    pub(crate) asked: BTreeMap<Key, QuestionAsked>,
    said: BTreeMap<Seq, Said>,
    heard: BTreeSet<InboxId>,
    /// Up to which breach a person agreed.
    pub(crate) allowed: BTreeMap<String, u32>,
    pub(crate) tree: Option<TreeRecorded>,
    cap_changes: BTreeMap<Seq, gavel_domain::Cap>,
    pub(crate) ship_requests: u32,
}

impl View {
    /// The caps in force: as started, then as changed.
    pub(crate) fn caps(&self) -> Caps {
        let mut caps = self
            .started
            .as_ref()
            .map(|started| started.settings.caps.clone())
            .unwrap_or_default();
        for cap in self.cap_changes.values() {
            caps.set(*cap);
        }
        caps
    }

    /// What was said and not heard yet, oldest first.
    pub(crate) fn unheard(&self) -> Vec<Said> {
        self.said
            .values()
            .filter(|said| !self.heard.contains(&said.id))
            .cloned()
            .collect()
    }

    /// One interjection.
    pub(crate) fn said(&self, id: InboxId) -> Option<&Said> {
        self.said.values().find(|said| said.id == id)
    }

    pub(crate) fn apply(&mut self, record: &Record) -> Result<(), FactError> {
        if let Some(fact) = RunFact::read(record)? {
            self.apply_run(fact, record.seq);
        } else if let Some(fact) = StepFact::read(record)? {
            self.apply_step(fact, record);
        } else if let Some(fact) = QuestionFact::read(record)? {
            if let QuestionFact::QuestionAsked(asked) = fact {
                self.asked.insert(record.key.key(), asked);
            }
        } else if let Some(fact) = MoneyFact::read(record)? {
            self.apply_money(fact, record);
        }
        Ok(())
    }

    fn apply_run(&mut self, fact: RunFact, seq: Seq) {
        match fact {
            RunFact::RunStarted(started) => self.started = Some(started),
            RunFact::Said(said) => {
                self.said.insert(seq, said);
            }
            RunFact::Heard(heard) => self.heard.extend(heard.said),
            RunFact::ShipRequested(_) => self.ship_requests += 1,
            RunFact::Resumed(_)
            | RunFact::StageEntered(_)
            | RunFact::Paused(_)
            | RunFact::Halted(_)
            | RunFact::Faulted(_)
            | RunFact::Aborted(_)
            | RunFact::Sealed(_)
            | RunFact::Closed(_)
            | RunFact::InboxRejected(_) => {}
        }
    }

    fn apply_step(&mut self, fact: StepFact, record: &Record) {
        match fact {
            StepFact::AttemptFailed(failed) => {
                if let Some(number) = record.key.attempt() {
                    let attempts = self.attempts.entry(record.key.key()).or_default();
                    attempts.begun = attempts.begun.max(number);
                    attempts.failures.insert(number, (failed.fault, record.at));
                }
            }
            StepFact::TreeRecorded(tree) => {
                if self.tree.as_ref().is_none_or(|last| last.n < tree.n) {
                    self.tree = Some(tree);
                }
            }
            StepFact::GaveUp(_)
            | StepFact::StepBegan(_)
            | StepFact::InputDrifted(_)
            | StepFact::TimerSet(_)
            | StepFact::TimerFired(_) => {}
        }
    }

    fn apply_money(&mut self, fact: MoneyFact, record: &Record) {
        match fact {
            MoneyFact::UsageReserved(usage) => {
                if let Some(number) = record.key.attempt() {
                    let attempts = self.attempts.entry(record.key.key()).or_default();
                    attempts.begun = attempts.begun.max(number);
                }
                if !self.closed.contains(&record.key) {
                    self.reservations.insert(record.key.clone(), usage);
                }
            }
            MoneyFact::UsageSettled(_) | MoneyFact::UsageReleased(_) | MoneyFact::UsageLost(_) => {
                if let Some(number) = record.key.attempt() {
                    let reservation = record.key.key().attempt_part(number, "reserved");
                    self.reservations.remove(&reservation);
                    self.closed.insert(reservation);
                }
            }
            MoneyFact::SpendAllowed(allowed) => {
                let until = self.allowed.entry(allowed.model).or_default();
                *until = (*until).max(allowed.broken);
            }
            MoneyFact::CapChanged(changed) => {
                self.cap_changes.insert(record.seq, changed.cap);
            }
            MoneyFact::SpendThreshold(_)
            | MoneyFact::CeilingBroken(_)
            | MoneyFact::CostPreviewed(_)
            | MoneyFact::ShareExceeded(_)
            | MoneyFact::SourceDecided(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
