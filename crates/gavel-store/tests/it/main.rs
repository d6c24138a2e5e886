//! The store on SQLite, from outside.
#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions, not what they share"
)]

mod damage;
mod opening;
mod suite;
