//! The stored forms of the words, frozen.
#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions, not what they share"
)]

mod council_examples;
mod deliberation_examples;
mod examples;
mod golden;
mod loop_examples;
mod proof_examples;
