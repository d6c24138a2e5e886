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
mod recall;
mod steps;

use gavel_domain::{Key, Stage, StageEntered, Tokens};
use gavel_models::{Deadlines, Limits, Message, MessageRole, Request, ToolChoice};
use gavel_testkit::test_model;

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

/// A request of one message to the test model.
fn request(text: &str, max_output: u64) -> Request {
    Request {
        model: test_model(),
        messages: vec![Message::text(MessageRole::User, text)],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(max_output),
            deadlines: Deadlines::default(),
        },
    }
}
