//! Deliberation loops, as pure decisions: how a protocol goes, what counts, when a phase may end.

mod advance;
mod again;
mod artifacts;
mod conditions;
mod expected;
mod names;
mod protocols;
mod seen;
mod state;
mod validate;
mod window;

pub use advance::{AdvanceError, Move, advance};
pub use again::{MOST_TURNS, again, turns_here};
pub use artifacts::{ArtifactProblem, CAP_BYTES, Judged, Submission, judge};
pub use conditions::{Stopped, stopped, unmet};
pub use expected::{Expected, expected, way_out};
pub use names::{ArtifactNameError, artifact_name, read_artifact};
pub use protocols::{
    ADVICE, AUTHOR, AUTHOR_RESPONSE, CHAMPION, CHANGE_SUMMARY, CRITIC, CRITIC_SIGNAL, CRITIQUE,
    FINDING, FOLLOWUP, NOTHING_NEW, PLAN_DRAFT, PROPOSAL, QUESTION, REFRAME, REFRAMER, REVIEWER,
    REVISION, SYNTHESIS, VERDICT, consult, ideation, review, word,
};
pub use seen::{current_proposal, shown_artifacts};
pub use state::{LoopState, SlotStatus, TurnState};
pub use validate::{ProtocolProblem, validate};
pub use window::{Window, window};

#[cfg(test)]
#[path = "deliberation/deliberation_tests.rs"]
mod tests;
