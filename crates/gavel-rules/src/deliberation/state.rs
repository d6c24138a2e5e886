//! Where a loop stands: a fold over its records.

use std::collections::BTreeMap;

use gavel_domain::{
    AgentId, ArtifactAdded, BlobRef, Digest, DraftPromoted, FactError, LoopClosed, LoopFact,
    LoopOpened, LoopPhase, LoopStatus, PhaseAdvanceBlocked, PhaseAdvanced, Protocol, QuestionFact,
    Record, RequestAnswered, RunId, Seq, Slot, Timestamp, TurnAssigned, TurnCompleted, TurnOutcome,
    Word,
};

/// A loop as all of its records leave it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopState {
    /// Which.
    pub id: RunId,
    /// How it goes.
    pub protocol: Protocol,
    /// Who takes part.
    pub slots: Vec<Slot>,
    /// What it is about.
    pub title: BlobRef,
    /// What it is to achieve.
    pub goal: Option<BlobRef>,
    /// Who opened it.
    pub owner: AgentId,
    /// The phase that it is in.
    pub phase: Word,
    /// The iteration that it is in, from zero.
    pub iteration: u32,
    /// Whether it goes on.
    pub status: LoopStatus,
    /// Turns, in the order of their numbers.
    pub turns: Vec<TurnState>,
    /// Artifacts, in the order of their numbers, each with its moment.
    pub artifacts: Vec<(ArtifactAdded, Timestamp)>,
    /// The way through the phases.
    pub way: Vec<(PhaseAdvanced, Timestamp)>,
    /// How often it was blocked.
    pub blocks: u32,
    /// What it was blocked by last, since it entered this phase.
    pub blocked: Option<PhaseAdvanceBlocked>,
    /// How often it was paused or resumed.
    pub pauses: u32,
    /// Answers to calls with an idempotency key.
    pub requests: BTreeMap<Digest, RequestAnswered>,
    /// Plan drafts that became memory.
    pub promoted: Vec<DraftPromoted>,
    /// How it ended.
    pub closed: Option<LoopClosed>,
    /// Questions that are open.
    pub questions: u32,
    /// The last record: its version.
    pub version: Seq,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When the last record was written.
    pub updated_at: Timestamp,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnState {
    /// As it was given out.
    pub given: TurnAssigned,
    /// When.
    pub at: Timestamp,
    /// How it ended.
    pub ended: Option<TurnCompleted>,
}

/// Where a slot stands in the phase that the loop is in: entering a phase resets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotStatus {
    /// It has had no turn in this phase.
    Open,
    /// It has a turn.
    Assigned {
        /// Which.
        turn: u32,
        /// Since when.
        since: Timestamp,
    },
    /// Its turn is over.
    Ended {
        /// Which.
        turn: u32,
        /// How.
        outcome: TurnOutcome,
    },
}

impl SlotStatus {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Assigned { .. } => "assigned",
            Self::Ended { outcome, .. } => outcome.word(),
        }
    }
}

impl LoopState {
    /// Folds the records of a run; nothing when they are of no loop.
    pub fn of<'a>(
        records: impl IntoIterator<Item = &'a Record>,
    ) -> Result<Option<Self>, FactError> {
        let mut state: Option<Self> = None;
        for record in records {
            match &mut state {
                None => {
                    if let Some(LoopFact::LoopOpened(opened)) = LoopFact::read(record)? {
                        state = Some(Self::opened(record, opened));
                    }
                }
                Some(state) => state.take(record)?,
            }
        }
        Ok(state)
    }

    /// A loop that was just opened.
    pub fn opened(record: &Record, opened: LoopOpened) -> Self {
        let first = opened.protocol.phases.first();
        let phase = first.map_or_else(
            || Word::known("opened".to_owned()),
            |phase| phase.name.clone(),
        );
        Self {
            id: record.run,
            protocol: opened.protocol,
            slots: opened.slots,
            title: opened.title,
            goal: opened.goal,
            owner: opened.by,
            phase,
            iteration: 0,
            status: LoopStatus::Open,
            turns: Vec::new(),
            artifacts: Vec::new(),
            way: Vec::new(),
            blocks: 0,
            blocked: None,
            pauses: 0,
            requests: BTreeMap::new(),
            promoted: Vec::new(),
            closed: None,
            questions: 0,
            version: record.seq,
            opened_at: record.at,
            updated_at: record.at,
        }
    }

    /// Takes one more record into account.
    pub fn take(&mut self, record: &Record) -> Result<(), FactError> {
        self.version = record.seq;
        self.updated_at = record.at;
        match QuestionFact::read(record)? {
            Some(QuestionFact::QuestionAsked(_)) => self.questions += 1,
            Some(QuestionFact::QuestionAnswered(_)) => {
                self.questions = self.questions.saturating_sub(1);
            }
            None => {}
        }
        let Some(fact) = LoopFact::read(record)? else {
            return Ok(());
        };
        match fact {
            LoopFact::TurnAssigned(given) => self.turns.push(TurnState {
                given,
                at: record.at,
                ended: None,
            }),
            LoopFact::TurnCompleted(ended) => {
                let turn = self
                    .turns
                    .iter_mut()
                    .find(|turn| turn.given.turn == ended.turn);
                if let Some(turn) = turn {
                    turn.ended = Some(ended);
                }
            }
            LoopFact::ArtifactAdded(added) => self.artifacts.push((added, record.at)),
            LoopFact::PhaseAdvanced(advanced) => {
                self.phase = advanced.to.clone();
                self.iteration = advanced.iteration;
                self.blocked = None;
                self.way.push((advanced, record.at));
            }
            LoopFact::PhaseAdvanceBlocked(blocked) => {
                self.blocks += 1;
                self.blocked = Some(blocked);
            }
            LoopFact::LoopPaused(_) => {
                self.pauses += 1;
                self.status = LoopStatus::Paused;
            }
            LoopFact::LoopResumed(_) => {
                self.pauses += 1;
                self.status = LoopStatus::Open;
            }
            LoopFact::LoopClosed(closed) => {
                self.status = closed.status;
                self.closed = Some(closed);
            }
            LoopFact::RequestAnswered(answered) => {
                self.requests.insert(answered.request, answered);
            }
            LoopFact::DraftPromoted(promoted) => self.promoted.push(promoted),
            LoopFact::LoopOpened(_) | LoopFact::MaxIterationsReached(_) => {}
        }
        Ok(())
    }

    /// The phase that it is in, as its protocol has it.
    pub fn current(&self) -> Option<&LoopPhase> {
        self.phase_named(&self.phase)
    }

    /// A phase of its protocol.
    pub fn phase_named(&self, name: &Word) -> Option<&LoopPhase> {
        let mut phases = self.protocol.phases.iter();
        phases.find(|phase| phase.name == *name)
    }

    /// The slots that have a turn in this phase.
    pub fn acting(&self) -> impl Iterator<Item = &Slot> {
        let roles = self.current().map_or(&[][..], |phase| &phase.roles);
        self.slots.iter().filter(|slot| roles.contains(&slot.role))
    }

    /// A slot by its id, or by its role where only one acting slot has it.
    pub fn slot(&self, name: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == name).or_else(|| {
            let open = |slot: &&Slot| !matches!(self.status_of(slot), SlotStatus::Ended { .. });
            let mut named = self.slots.iter().filter(|slot| slot.role.as_str() == name);
            // By role the one that is still to act is meant; in every round anew.
            named.clone().find(open).or_else(|| named.next())
        })
    }

    /// The last turn of a slot in the phase and iteration that the loop is in.
    pub fn turn_of(&self, slot: &Slot) -> Option<&TurnState> {
        self.turns.iter().rev().find(|turn| {
            turn.given.slot == slot.id
                && turn.given.phase == self.phase
                && turn.given.iteration == self.iteration
        })
    }

    /// Where a slot stands in this phase.
    pub fn status_of(&self, slot: &Slot) -> SlotStatus {
        let Some(turn) = self.turn_of(slot) else {
            return SlotStatus::Open;
        };
        match &turn.ended {
            None => SlotStatus::Assigned {
                turn: turn.given.turn,
                since: turn.at,
            },
            Some(ended) => SlotStatus::Ended {
                turn: turn.given.turn,
                outcome: ended.outcome,
            },
        }
    }

    /// A turn by its number.
    pub fn turn(&self, number: u32) -> Option<&TurnState> {
        self.turns.iter().find(|turn| turn.given.turn == number)
    }

    /// An artifact by its number.
    pub fn artifact(&self, number: u32) -> Option<&ArtifactAdded> {
        let mut artifacts = self.artifacts.iter().map(|(artifact, _)| artifact);
        artifacts.find(|artifact| artifact.artifact == number)
    }

    /// The artifacts of a type that count, in order.
    pub fn counting<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a ArtifactAdded> {
        let artifacts = self.artifacts.iter().map(|(artifact, _)| artifact);
        artifacts
            .filter(move |artifact| artifact.kind.as_str() == kind && artifact.discounted.is_none())
    }

    /// The artifacts of a type that count, of this phase and iteration.
    pub fn here<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a ArtifactAdded> {
        self.counting(kind)
            .filter(|artifact| self.is_here(artifact))
    }

    /// True for what belongs to this phase and iteration.
    pub fn is_here(&self, artifact: &ArtifactAdded) -> bool {
        artifact.phase == self.phase && artifact.iteration == self.iteration
    }
}
