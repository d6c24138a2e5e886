//! Heads: the one row per run that `status` reads; a fold over the run's records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    CapScope, Digest, FactError, Key, LoopFact, MicroUsd, MoneyFact, ProjectId, Purpose,
    QuestionFact, Record, RecordKey, RunFact, RunId, RunState, Seq, Stage, Timestamp, WorkFact,
};

/// Where a run stands. Rebuilt by folding its records in order; never a second truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The run.
    pub run: RunId,
    /// Its project.
    pub project: Option<ProjectId>,
    /// What drives it.
    pub driver: String,
    /// Its stage.
    pub stage: Option<Stage>,
    /// Its state.
    pub state: RunState,
    /// The open questions, in the order of their ids.
    pub questions: BTreeMap<Key, Purpose>,
    /// Settled spend.
    pub settled: MicroUsd,
    /// Ceilings of lost calls.
    pub unconfirmed: MicroUsd,
    /// Calls that were answered or lost and whose price nobody knows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unpriced: u64,
    /// Calls to sources outside the project, of which nobody counts anything.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub source_calls: u64,
    /// Ceilings of calls under way, by reservation.
    pub reserved: BTreeMap<RecordKey, MicroUsd>,
    /// The run's money cap.
    pub cap_usd: Option<MicroUsd>,
    /// The branch with the latest commit.
    pub branch: Option<String>,
    /// The last record.
    pub seq: Seq,
    /// The digest of the last record.
    pub chain: Digest,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the last record was written.
    pub updated_at: Timestamp,
}

impl Head {
    /// The head of a run without records.
    pub const fn new(run: RunId, at: Timestamp) -> Self {
        Self {
            run,
            project: None,
            driver: String::new(),
            stage: None,
            state: RunState::Running,
            questions: BTreeMap::new(),
            settled: MicroUsd::ZERO,
            unconfirmed: MicroUsd::ZERO,
            unpriced: 0,
            source_calls: 0,
            reserved: BTreeMap::new(),
            cap_usd: None,
            branch: None,
            seq: Seq::ZERO,
            chain: Digest::ZERO,
            started_at: at,
            updated_at: at,
        }
    }

    /// Settled and unconfirmed money: what `status` calls spent.
    pub fn spent(&self) -> MicroUsd {
        self.settled + self.unconfirmed
    }

    /// What is known to have been spent; none when nothing is known of it, which is not nothing.
    pub fn known_spent(&self) -> Option<MicroUsd> {
        let spent = self.spent();
        (spent > MicroUsd::ZERO || self.unknown() == 0).then_some(spent)
    }

    /// Calls whose cost nobody knows.
    const fn unknown(&self) -> u64 {
        self.unpriced + self.source_calls
    }

    /// What was spent, for people: never `$0` for what nobody knows.
    pub fn spent_text(&self) -> String {
        match (self.known_spent(), self.unknown()) {
            (None, _) => "unknown".to_owned(),
            (Some(spent), 0) => spent.to_string(),
            (Some(spent), _) => format!("{spent} and what is unknown"),
        }
    }

    /// Takes one more record into account. Kinds that it does not know leave it as it is.
    pub fn apply(&mut self, record: &Record) -> Result<(), FactError> {
        if let Some(fact) = RunFact::read(record)? {
            self.apply_run(fact);
        } else if let Some(fact) = QuestionFact::read(record)? {
            self.apply_question(fact, record.key.key());
        } else if let Some(fact) = MoneyFact::read(record)? {
            self.apply_money(fact, &record.key);
        } else if let Some(fact) = WorkFact::read(record)? {
            self.apply_work(fact);
        } else if let Some(fact) = LoopFact::read(record)? {
            self.apply_loop(&fact);
        }
        if record.seq == Seq(1) {
            self.started_at = record.at;
        }
        self.seq = record.seq;
        self.chain = record.digest();
        self.updated_at = record.at;
        Ok(())
    }

    fn apply_run(&mut self, fact: RunFact) {
        match fact {
            RunFact::RunStarted(started) => {
                self.project = started.project;
                self.driver = started.driver;
                self.cap_usd = started.settings.caps.run_usd;
            }
            RunFact::Resumed(_) => self.enter(self.waiting_or_running()),
            RunFact::StageEntered(entered) => self.stage = Some(entered.stage),
            RunFact::Paused(_) => self.enter(RunState::Paused),
            RunFact::Halted(_) => self.enter(RunState::Halted),
            RunFact::Faulted(_) => self.enter(RunState::Faulted),
            RunFact::Aborted(_) => self.enter(RunState::Aborted),
            RunFact::Sealed(sealed) => {
                self.enter(RunState::Sealed);
                self.branch = Some(sealed.branch);
            }
            RunFact::Closed(_) => self.enter(RunState::Closed),
            RunFact::Said(_)
            | RunFact::Heard(_)
            | RunFact::ShipRequested(_)
            | RunFact::InboxRejected(_) => {}
        }
    }

    fn apply_loop(&mut self, fact: &LoopFact) {
        match fact {
            // Nobody drives it yet: it waits for those who take part.
            LoopFact::LoopOpened(_) => self.enter(RunState::Waiting),
            LoopFact::LoopPaused(_) => self.enter(RunState::Paused),
            LoopFact::LoopResumed(_) => self.enter(RunState::Waiting),
            LoopFact::LoopClosed(_) => self.enter(RunState::Closed),
            LoopFact::TurnAssigned(_)
            | LoopFact::ArtifactAdded(_)
            | LoopFact::TurnCompleted(_)
            | LoopFact::PhaseAdvanced(_)
            | LoopFact::PhaseAdvanceBlocked(_)
            | LoopFact::MaxIterationsReached(_)
            | LoopFact::RequestAnswered(_)
            | LoopFact::DraftPromoted(_) => {}
        }
    }

    /// Moves to another state, unless the run is over for good.
    const fn enter(&mut self, state: RunState) {
        if !self.state.is_final() {
            self.state = state;
        }
    }

    /// A state that follows from the open questions follows them; one that somebody set stays.
    fn apply_question(&mut self, fact: QuestionFact, key: Key) {
        let follows = self.state == self.waiting_or_running();
        match fact {
            QuestionFact::QuestionAsked(asked) => {
                self.questions.insert(key, asked.purpose);
            }
            QuestionFact::QuestionAnswered(_) => {
                self.questions.remove(&key);
            }
        }
        if follows {
            self.state = self.waiting_or_running();
        }
    }

    fn waiting_or_running(&self) -> RunState {
        if self
            .questions
            .values()
            .any(|p| matches!(p, Purpose::Cap | Purpose::Spend))
        {
            RunState::Paused
        } else if self.questions.is_empty() {
            RunState::Running
        } else {
            RunState::Waiting
        }
    }

    fn apply_money(&mut self, fact: MoneyFact, key: &RecordKey) {
        let reservation = key.attempt().map(|n| key.key().attempt_part(n, "reserved"));
        match fact {
            MoneyFact::UsageReserved(usage) => {
                self.reserved
                    .insert(key.clone(), usage.ceiling.unwrap_or_default());
            }
            MoneyFact::UsageSettled(usage) => {
                self.settled = self.settled + usage.cost.unwrap_or_default();
                self.unpriced += u64::from(usage.cost.is_none());
                self.give_back(reservation.as_ref());
            }
            MoneyFact::UsageReleased(_) => self.give_back(reservation.as_ref()),
            MoneyFact::UsageLost(usage) => {
                self.unconfirmed = self.unconfirmed + usage.ceiling.unwrap_or_default();
                self.unpriced += u64::from(usage.ceiling.is_none());
                self.give_back(reservation.as_ref());
            }
            MoneyFact::CapChanged(changed) if changed.cap.scope == CapScope::RunUsd => {
                self.cap_usd = Some(MicroUsd(changed.cap.limit));
            }
            MoneyFact::CapChanged(_)
            | MoneyFact::SpendThreshold(_)
            | MoneyFact::CeilingBroken(_)
            | MoneyFact::SpendAllowed(_)
            | MoneyFact::SourceDecided(_)
            | MoneyFact::CostPreviewed(_)
            | MoneyFact::ShareExceeded(_) => {}
        }
    }

    fn apply_work(&mut self, fact: WorkFact) {
        match fact {
            WorkFact::CommitMade(made) => self.branch = Some(made.branch),
            WorkFact::ToolFinished(tool) => self.source_calls += u64::from(tool.source.is_some()),
            WorkFact::ModelReplied(_)
            | WorkFact::CommandFinished(_)
            | WorkFact::VerifyFinished(_)
            | WorkFact::InstallDecided(_) => {}
        }
    }

    fn give_back(&mut self, reservation: Option<&RecordKey>) {
        if let Some(reservation) = reservation {
            self.reserved.remove(reservation);
        }
    }
}
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}
