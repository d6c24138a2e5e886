//! Signals: what is worth seeing but not worth keeping. Droppable, never stored.

use gavel_domain::{Key, MicroUsd, Record};
use std::sync::Arc;

/// Something that happens right now in the driving process.
#[derive(Debug, Clone)]
pub enum Signal {
    /// A record was committed.
    Fact(Arc<Record>),
    /// A call was sent.
    CallSent {
        /// The step.
        key: Key,
        /// `provider/model`.
        model: String,
        /// What was reserved for it.
        ceiling: Option<MicroUsd>,
    },
    /// A piece of a reply arrived.
    Text {
        /// The step.
        key: Key,
        /// The piece.
        text: String,
    },
    /// The inbox could not be read; the driver keeps trying.
    InboxUnread,
    /// A step waits before its next attempt.
    Retry {
        /// The step.
        key: Key,
        /// How long, in milliseconds.
        millis: u64,
    },
    /// A recorded step was asked for with another input.
    InputDrift {
        /// The step.
        key: Key,
    },
}
