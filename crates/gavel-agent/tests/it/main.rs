//! Agents at work: a scripted model, a real store, a real git work tree.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up must stop"
)]

mod bench;
mod commands;
mod cut;
mod edits;
mod heard;
mod limits;
mod numbers;
mod outside;
mod recall;
mod refusals;
mod resume;
mod turns;
