//! Generated programs, compiled and run for real.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows test functions, not what they share"
)]

mod handlers;
mod programs;
mod scripts;
mod workshop;
