//! Models: one trait, thin clients for each wire, the catalogue with its prices.
//!
//! A client speaks to one provider once: it never retries, never meters, knows nothing of runs.
//! Whatever it cannot read ends as a typed [`CallError`], never as an empty success.

mod error;
mod model;
mod reply;
mod request;

pub use error::{BadReply, CallError, CallErrorKind, DeadlineKind};
pub use model::{Model, ReplyStream};
pub use reply::{Delta, Reply, ToolCall};
pub use request::{
    AnswerSchema, Deadlines, Limits, Message, MessageRole, ModelId, ModelIdError, Part, Request,
    ToolChoice, ToolSpec,
};
