//! What tests share: the store suite, fake model servers, TestRun, the crash harness.

mod asked;
mod conversation;
mod script;
pub mod store_suite;

pub use asked::asked_for;
pub use conversation::{Histories, MAX_REQUEST_BYTES, Piece, check_pairs, difference, pieces_of};
pub use script::{Parked, ScriptedModel, maybe_billed, text_reply, tool_reply, unbilled};
