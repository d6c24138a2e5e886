//! A reply as the journal holds it, and those that it cannot hold.

use gavel_domain::{Billed, Blob, ModelReplied, RecordDraft, ToolCallMade};
use gavel_models::{BadReply, CallError, CallErrorKind, Reply, ToolCall};

use super::plan::Plan;
use crate::{Run, RunError};

/// A count of tokens above this is no count, and sums of such would not fit the ledger.
const MAX_COUNT: u64 = 1_000_000_000_000;

impl Run {
    pub(super) async fn read_reply(&self, replied: &ModelReplied) -> Result<Reply, RunError> {
        let text = match replied.text {
            Some(name) => self.text(name).await?,
            None => String::new(),
        };
        let mut tool_calls = Vec::with_capacity(replied.tool_calls.len());
        for made in &replied.tool_calls {
            tool_calls.push(ToolCall {
                id: made.id.clone(),
                name: made.name.clone(),
                arguments: self.text(made.arguments).await?,
            });
        }
        Ok(Reply {
            text,
            tool_calls,
            stop: replied.stop,
            usage: replied.usage,
        })
    }
}

pub(super) fn keep_reply(model: String, reply: &Reply, blobs: &mut Vec<Blob>) -> ModelReplied {
    let mut keep = |text: &str| {
        let blob = Blob::new(text.as_bytes());
        let name = blob.name();
        blobs.push(blob);
        name
    };
    ModelReplied {
        model,
        text: (!reply.text.is_empty()).then(|| keep(&reply.text)),
        tool_calls: reply
            .tool_calls
            .iter()
            .map(|call| ToolCallMade {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: keep(&call.arguments),
            })
            .collect(),
        stop: reply.stop,
        usage: reply.usage,
    }
}

/// Why no record can hold a reply. The provider worked for it, so it is booked in full, and the call
/// fails instead of the run: else every resume would buy it again.
pub(super) fn unrecordable(plan: &Plan, reply: &Reply) -> Option<CallError> {
    let replied = keep_reply(plan.model(), reply, &mut Vec::new());
    let too_long = RecordDraft::new(plan.key.outcome(), &replied).is_err();
    let (problem, message) = if too_long {
        let calls = reply.tool_calls.len();
        let message = format!("its {calls} tool calls do not fit a record");
        (BadReply::TooLong, message)
    } else if reply.usage.total().0 > MAX_COUNT {
        let message = format!("it counts {} tokens", reply.usage.total());
        (BadReply::Malformed, message)
    } else {
        return None;
    };
    Some(CallError {
        kind: CallErrorKind::BadReply(problem),
        billed: Billed::Unknown,
        message,
    })
}

/// A stream that ended without saying so: the client broke its promise, so it is booked in full.
pub(super) fn cut_short() -> CallError {
    CallError {
        kind: CallErrorKind::BadReply(BadReply::Cut),
        billed: Billed::Unknown,
        message: String::new(),
    }
}
