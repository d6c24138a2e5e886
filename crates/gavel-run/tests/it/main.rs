//! The engine through its public API, on a real store.

#![cfg(test)]

mod crash;
mod door;
mod drive;
mod journals;
mod ledger;
mod money;
mod questions;
mod races;
mod steps;

use gavel_domain::{Key, Stage, StageEntered};

/// A driver's key.
fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// A small fact.
fn entered() -> StageEntered {
    StageEntered {
        stage: Stage::Intake,
    }
}
