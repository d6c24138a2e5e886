//! What tests share: the store suite, fake model servers, TestRun, the crash harness.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world must fail loudly"
)]

mod asked;
mod bed;
mod conversation;
mod crash;
mod overlay;
mod recaller;
mod script;
pub mod store_suite;
mod toy_bed;
mod wire;

pub use asked::{asked_for, left_out, number_asked_for, text_asked_for};
pub use bed::{
    STRICT, TEST_MODEL, TEST_PRICE, TestBed, TokioClock, models_with, open_store, test_info,
    test_model, test_seed,
};
pub use conversation::{
    Histories, MAX_REQUEST_BYTES, Piece, Replied, check_pairs, difference, pieces_of,
};
pub use crash::{DeadlyStore, Killer, Moment, outcomes};
pub use overlay::{OverlaidStore, Overlay};
pub use recaller::FixedRecaller;
pub use script::{Parked, ScriptedModel, maybe_billed, text_reply, tool_reply, unbilled};
pub use toy_bed::{ToyBed, git, git_program};
pub use wire::{
    FakeReply, FakeServer, FakeServerSetup, Gate, Rebuilt, SeenRequest, fake_server, model_rule,
};
