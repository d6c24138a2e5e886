//! Deliberation loops: a proposal is held against what the project remembers, by people, by agents
//! from outside or by Gavel's own models. A loop is a journal like a run; every call that changes
//! it is one commit.

mod brief;
mod categories;
mod coordinate;
mod desk;
mod drive;
mod fence;
mod inbox;
mod known;
mod looking;
mod problem;
mod promote;
mod remember;
mod served;
mod settling;
mod sitting;
mod turns;
mod verbs;
mod view;

pub use brief::{Brief, BriefAsk, MAX_BRIEF_CHARS, write_brief};
pub use categories::memory_categories;
pub use coordinate::{Coordinate, CoordinateIntent, coordinate};
pub use desk::{DRIVER, Desk, DeskPlace, FLOW, Hand, LoopBrief, NewLoop, OLDEST_FLOW};
pub use drive::{Voices, drive};
pub use looking::nothing_to_stand_on;
pub use problem::{LoopProblem, unmet_told};
pub use promote::{Keeper, PromoteError, Promotion};
pub use remember::{
    MAX_RECALLED, Recall, RememberError, Remembered, Remembers, ShelfMemory, gather,
};
pub use served::{GavelCoordinate, GavelLoop, request_digest};
pub use sitting::LoopMeans;
pub use turns::{Handed, Taken, TurnAsk, Voice, take_turn, to_answer};
pub use verbs::Verb;
pub use view::{
    ArtifactTaken, ArtifactView, Inbox, InboxEntry, LoopAnswer, LoopRow, LoopView, Moved, NextStep,
    SlotView, TurnGiven, WaitsForYou, WaivedView, Warning, how_word, next_steps, why_not,
};
