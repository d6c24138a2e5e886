//! Generated programs, compiled and run for real.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows test functions, not what they share"
)]

mod change;
mod desk;
mod examples;
mod gate;
mod handlers;
mod programs;
mod research;
mod scripts;
mod wire;
mod wishes;
mod workshop;
