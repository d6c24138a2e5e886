//! Phases built with a scripted model, a real repository, real commands and a real store.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up must stop"
)]

mod bench;
mod commits;
mod crash;
mod kept_faults;
mod phases;
mod proof;
mod script;
mod smoke;
