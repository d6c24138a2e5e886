//! Why a loop did not do what somebody asked of it. Each problem has a code for programs, a
//! sentence for people, and where something helps, the call that does.

use gavel_domain::{
    AgentId, LoopStatus, RunId, Seq, TurnOutcome, UnknownLoopWord, Unmet, Word, WordError,
};
use gavel_rules::deliberation::{AdvanceError, ArtifactProblem, ProtocolProblem};
use gavel_run::RunError;

use super::remember::RememberError;

/// Why a loop did not do what somebody asked of it.
#[derive(Debug, thiserror::Error)]
pub enum LoopProblem {
    /// There is no such loop.
    #[error("there is no loop {0}")]
    NoLoop(String),
    /// The end of an id that several loops have.
    #[error("several loops end in {0}: give more of the id")]
    Several(String),
    /// A name that is none.
    #[error(transparent)]
    Name(#[from] WordError),
    /// A word that is not known.
    #[error(transparent)]
    Unknown(#[from] UnknownLoopWord),
    /// Something is missing from what was asked.
    #[error("{what} is missing: {why}")]
    Missing {
        /// What.
        what: &'static str,
        /// Why it is needed.
        why: &'static str,
    },
    /// The protocol cannot be followed.
    #[error(transparent)]
    Protocol(#[from] ProtocolProblem),
    /// The protocol cannot be read.
    #[error("the protocol cannot be read: {0}")]
    ProtocolForm(String),
    /// The loop does not go on.
    #[error("the loop is {status}: {}", if *status == LoopStatus::Paused { "resume it first" } else { "it is over, open another one" })]
    NotOpen {
        /// What it is.
        status: LoopStatus,
    },
    /// There is no such slot.
    #[error("there is no slot {slot}; the loop has {known}")]
    NoSlot {
        /// What was asked for.
        slot: String,
        /// What there is.
        known: String,
    },
    /// The slot has no turn in this phase.
    #[error("{slot} ({role}) has no turn in the phase {phase}")]
    NotActing {
        /// The slot.
        slot: String,
        /// Its role.
        role: Word,
        /// The phase.
        phase: Word,
    },
    /// Those who take turns one after another wait for each other.
    #[error("{slot} waits: {other} has its turn, and turns are taken one after another")]
    AfterAnother {
        /// Who waits.
        slot: String,
        /// Who is at it.
        other: String,
    },
    /// The slot has no turn under way.
    #[error("{slot} has no turn under way")]
    NoTurn {
        /// The slot.
        slot: String,
    },
    /// A turn that is done has left something.
    #[error(
        "a turn that is done hands something in; one that has nothing to say hands in {instead}"
    )]
    NothingProduced {
        /// What to hand in instead.
        instead: String,
    },
    /// A turn that is not done says why.
    #[error("a turn that is {outcome} says why")]
    NoReason {
        /// How it ended.
        outcome: TurnOutcome,
    },
    /// Somebody else's slot.
    #[error("{slot} is held by {holder}; {agent} may not write to it")]
    NotYours {
        /// The slot.
        slot: String,
        /// Who holds it.
        holder: AgentId,
        /// Who tried.
        agent: AgentId,
    },
    /// Somebody who has no part in the loop.
    #[error("{agent} takes no part in this loop: it holds no slot and did not open it")]
    Stranger {
        /// Who.
        agent: AgentId,
    },
    /// Somebody who has no turn in this phase.
    #[error("{agent} holds no slot that has a turn in the phase {phase}")]
    NobodyOfYours {
        /// Who.
        agent: AgentId,
        /// The phase.
        phase: Word,
    },
    /// More text than is taken.
    #[error("{bytes} bytes are too many: at most {most} are taken")]
    TooLong {
        /// How many.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// More artifacts than a loop holds.
    #[error("a loop holds at most {most} artifacts: close this one and open another")]
    TooMany {
        /// The limit.
        most: u32,
    },
    /// A session is somebody's, and another speaks.
    #[error("this session speaks as {session}, and the call as {agent}: leave agent_id out")]
    OtherAgent {
        /// Who the session is.
        session: String,
        /// Who the call says to be.
        agent: String,
    },
    /// Only whoever opened it.
    #[error("only {owner}, who opened the loop, may {what}")]
    OwnerOnly {
        /// Who.
        owner: AgentId,
        /// What.
        what: &'static str,
    },
    /// What was handed in cannot be taken.
    #[error(transparent)]
    Artifact(#[from] ArtifactProblem),
    /// A plan that passes critiques over: it can still be mended.
    #[error(
        "the plan neither addresses nor waives {}: name each in addresses_critique, or in waived \
         with the reason",
        critiques.join(", ")
    )]
    Uncovered {
        /// The critiques that it passes over.
        critiques: Vec<String>,
    },
    /// The loop cannot go on.
    #[error("{}", told(.0))]
    Advance(AdvanceError),
    /// Somebody else was faster.
    #[error("the loop is at version {actual}, not {expected}: read it again")]
    Version {
        /// What the caller saw.
        expected: Seq,
        /// What it is.
        actual: Seq,
    },
    /// The answer on record is one of another version of Gavel.
    #[error(
        "the same call was answered before, by another version of gavel: read the loop instead"
    )]
    AnswerUnreadable(#[source] serde_json::Error),
    /// An idempotency key with another call.
    #[error("the request id was used before for another call: take a new one")]
    KeyReused,
    /// Only a paused loop is resumed.
    #[error("the loop is {status}: only a paused one is resumed")]
    NotPaused {
        /// What it is.
        status: LoopStatus,
    },
    /// Only whoever holds a slot speaks in it.
    #[error(
        "{slot} is held by {holder}: {agent} may take its turn back, not hand something in for it"
    )]
    NotTheirVoice {
        /// The slot.
        slot: String,
        /// Who holds it.
        holder: AgentId,
        /// Who tried.
        agent: AgentId,
    },
    /// There is no plan to promote, or it is memory already.
    #[error("{0}")]
    Promote(String),
    /// Memory could not be asked.
    #[error(transparent)]
    Memory(#[from] RememberError),
    /// The journal.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl LoopProblem {
    /// The word that programs branch on.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLoop(_) => "not_found",
            Self::Several(_) => "ambiguous",
            Self::Name(_) | Self::Unknown(_) | Self::Missing { .. } => "validation_error",
            Self::Protocol(_) | Self::ProtocolForm(_) => "invalid_protocol",
            Self::NotOpen { .. } => "loop_not_open",
            Self::NoSlot { .. } => "unknown_slot",
            Self::NotActing { .. } => "slot_not_acting",
            Self::AfterAnother { .. } => "turn_order",
            Self::NoTurn { .. } => "no_turn",
            Self::NothingProduced { .. } => "nothing_produced",
            Self::NoReason { .. } => "reason_missing",
            Self::NotYours { .. } | Self::NotTheirVoice { .. } => "unauthorized_slot_write",
            Self::NotPaused { .. } => "loop_not_paused",
            Self::OwnerOnly { .. } => "owner_only",
            Self::Stranger { .. } => "not_a_participant",
            Self::NobodyOfYours { .. } => "slot_not_acting",
            Self::TooLong { .. } => "too_long",
            Self::TooMany { .. } => "too_many_artifacts",
            Self::OtherAgent { .. } => "identity_error",
            Self::Artifact(_) => "invalid_artifact",
            Self::Uncovered { .. } => "critiques_uncovered",
            Self::Advance(AdvanceError::Blocked { .. }) => "phase_advance_blocked",
            Self::Advance(AdvanceError::LastPhase { .. }) => "last_phase",
            Self::Advance(AdvanceError::NotOpen { .. }) => "loop_not_open",
            Self::Advance(AdvanceError::NoPhase { .. }) => "unknown_phase",
            Self::Version { .. } => "version_conflict",
            Self::AnswerUnreadable(_) => "answer_unreadable",
            Self::KeyReused => "idempotency_key_reused_with_different_body",
            Self::Promote(_) => "not_promotable",
            Self::Memory(_) => "memory_unavailable",
            Self::Run(RunError::Held(_) | RunError::Moved { .. }) => "loop_held",
            Self::Run(_) => "store_error",
        }
    }
}

impl From<AdvanceError> for LoopProblem {
    fn from(error: AdvanceError) -> Self {
        Self::Advance(error)
    }
}

impl From<gavel_domain::FactError> for LoopProblem {
    fn from(error: gavel_domain::FactError) -> Self {
        Self::Run(error.into())
    }
}

impl From<gavel_store::ReadError> for LoopProblem {
    fn from(error: gavel_store::ReadError) -> Self {
        Self::Run(error.into())
    }
}

/// A loop of that id is not there.
pub(super) fn no_loop(id: RunId) -> LoopProblem {
    LoopProblem::NoLoop(id.to_string())
}

fn told(error: &AdvanceError) -> String {
    match error {
        AdvanceError::Blocked { phase, unmet } => {
            let lacks: Vec<String> = unmet.iter().map(unmet_told).collect();
            format!("the phase {phase} may not end yet: {}", lacks.join("; "))
        }
        AdvanceError::LastPhase { .. }
        | AdvanceError::NotOpen { .. }
        | AdvanceError::NoPhase { .. } => error.to_string(),
    }
}

/// What is missing, in words.
pub fn unmet_told(unmet: &Unmet) -> String {
    match unmet {
        Unmet::Artifacts {
            kind,
            have,
            need,
            discounted,
        } => {
            let beside = match discounted {
                0 => String::new(),
                1 => ", and 1 handed in does not count".to_owned(),
                n => format!(", and {n} handed in do not count"),
            };
            format!("{have} of {need} {kind} artifacts that count{beside}")
        }
        Unmet::OpenWindows { slots } => format!("still to be heard: {}", slots.join(", ")),
        Unmet::FailedTurns { slots } => format!(
            "the turn of {} failed: give it out again or take it back",
            slots.join(", ")
        ),
        Unmet::Phase { phase } => format!("the phase {phase} is not reached"),
        Unmet::Verdict => "no verdict begins with \"accepted\"".to_owned(),
        Unmet::Iterations { have, need } => format!("{have} of {need} iterations"),
        Unmet::Questions { open } => format!("{open} questions are open"),
        Unmet::Person => "somebody has to close it".to_owned(),
    }
}
