//! Contracts written by a scripted model in a real run.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up must stop"
)]

mod bench;
mod binding;
mod offline;
mod reading;
mod resume;
mod writing;
