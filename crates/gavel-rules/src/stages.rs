//! The way of a run as one function: which stage may follow which, and why a run halts.

use gavel_domain::Stage;

/// What happened in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StageEvent {
    /// It is through, on the way through the council.
    Done,
    /// It is through, on the hot path.
    DoneHot,
    /// The gate did not pass, and another sprint may help.
    SentBack,
    /// A breaker tripped, and a person wants the council to think again.
    Rethink,
    /// The hot path did not do, and a person wants the long way.
    Widened,
}

impl StageEvent {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::DoneHot,
        Self::SentBack,
        Self::Rethink,
        Self::Widened,
    ];
}

/// The stage that follows; `None` when nothing of the kind can happen there.
///
/// A run begins without a stage. The last stage is followed by none, which is the end of the way.
pub const fn next_stage(from: Option<Stage>, event: StageEvent) -> Option<Stage> {
    match (from, event) {
        (None, StageEvent::Done | StageEvent::DoneHot) => Some(Stage::Intake),
        (Some(Stage::Intake | Stage::Scout), StageEvent::Done) => Some(Stage::Discovery),
        (Some(Stage::Discovery), StageEvent::Done) => Some(Stage::Council),
        (Some(Stage::Council), StageEvent::Done) => Some(Stage::Scoping),
        (Some(Stage::Scoping), StageEvent::Done) => Some(Stage::Contracts),
        (Some(Stage::Intake), StageEvent::DoneHot)
        | (Some(Stage::Contracts), StageEvent::Done)
        | (Some(Stage::Gating), StageEvent::SentBack) => Some(Stage::Building),
        (Some(Stage::Building), StageEvent::Done | StageEvent::DoneHot) => Some(Stage::Gating),
        (Some(Stage::Gating), StageEvent::Done | StageEvent::DoneHot) => Some(Stage::Sealing),
        (Some(Stage::Sealing), StageEvent::Done | StageEvent::DoneHot) => Some(Stage::Lessons),
        (Some(Stage::Building | Stage::Gating), StageEvent::Rethink) => Some(Stage::Council),
        (Some(Stage::Building | Stage::Gating), StageEvent::Widened) => Some(Stage::Discovery),
        (
            None
            | Some(
                Stage::Intake
                | Stage::Scout
                | Stage::Discovery
                | Stage::Council
                | Stage::Scoping
                | Stage::Contracts
                | Stage::Building
                | Stage::Sealing
                | Stage::Lessons,
            ),
            StageEvent::SentBack,
        )
        | (
            None
            | Some(
                Stage::Intake
                | Stage::Scout
                | Stage::Discovery
                | Stage::Council
                | Stage::Scoping
                | Stage::Contracts
                | Stage::Sealing
                | Stage::Lessons,
            ),
            StageEvent::Rethink | StageEvent::Widened,
        )
        | (
            Some(
                Stage::Scout
                | Stage::Discovery
                | Stage::Council
                | Stage::Scoping
                | Stage::Contracts
                | Stage::Lessons,
            ),
            StageEvent::DoneHot,
        )
        | (Some(Stage::Lessons), StageEvent::Done) => None,
    }
}

/// Whether a run may enter a stage from another. A council that thinks again keeps the spec that a
/// person agreed to, so contracts may follow it at once.
pub fn may_enter(from: Option<Stage>, to: Stage) -> bool {
    let follows = |event| next_stage(from, event) == Some(to);
    StageEvent::ALL.into_iter().any(follows)
        || matches!((from, to), (Some(Stage::Council), Stage::Contracts))
}

/// Why a run halts: a code for scripts, a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HaltReason {
    /// Two or more questions that the work rests on have no answer.
    InsufficientResolution,
    /// A person did not agree to the spec.
    UserRejectedSpec,
    /// A person did not want a model connected.
    NeedsAModel,
    /// Trouble that a person did not want to try again.
    Stuck,
    /// A phase failed, and a person stopped there.
    PhaseFailed,
    /// The sprints are used up.
    MaxSprintsReached,
    /// The done gate did not pass, and nothing more is tried.
    GateFailed,
    /// There is no way to verify anything.
    NoRecipe,
    /// A breaker tripped, and a person stopped there.
    BreakerTripped,
    /// A person gave up during the interview.
    InterviewAborted,
}

impl HaltReason {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::InsufficientResolution,
        Self::UserRejectedSpec,
        Self::NeedsAModel,
        Self::Stuck,
        Self::PhaseFailed,
        Self::MaxSprintsReached,
        Self::GateFailed,
        Self::NoRecipe,
        Self::BreakerTripped,
        Self::InterviewAborted,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::InsufficientResolution => "insufficient_resolution",
            Self::UserRejectedSpec => "user_rejected_spec",
            Self::NeedsAModel => "needs_a_model",
            Self::Stuck => "stuck",
            Self::PhaseFailed => "phase_failed",
            Self::MaxSprintsReached => "max_sprints_reached",
            Self::GateFailed => "gate_failed",
            Self::NoRecipe => "no_recipe",
            Self::BreakerTripped => "breaker_tripped",
            Self::InterviewAborted => "interview_aborted",
        }
    }

    /// True when the proof is what is missing: exit code 5.
    pub const fn is_about_proof(self) -> bool {
        match self {
            Self::PhaseFailed | Self::MaxSprintsReached | Self::GateFailed | Self::NoRecipe => true,
            Self::InsufficientResolution
            | Self::UserRejectedSpec
            | Self::NeedsAModel
            | Self::Stuck
            | Self::BreakerTripped
            | Self::InterviewAborted => false,
        }
    }

    /// Finds the reason of a stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

#[cfg(test)]
#[path = "stages_tests.rs"]
mod tests;
