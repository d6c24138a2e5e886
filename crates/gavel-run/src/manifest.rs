//! A request as the journal keeps it: a list of digests, each message a blob of its own.

use gavel_domain::{Blob, Digest, Key, Tokens};
use gavel_models::{ModelId, Request, ToolChoice};
use serde::Serialize;

use crate::run::input_digest;
use crate::{Bug, RunError};

/// What a request consists of. Deadlines are left out: they do not change what is asked.
#[derive(Debug, Serialize)]
struct Manifest<'a> {
    model: &'a ModelId,
    messages: Vec<Digest>,
    tools: Digest,
    tool_choice: &'a ToolChoice,
    answer: Digest,
    max_output: Tokens,
}

/// The manifest, which is the declared input of a call, and the messages.
pub(crate) fn manifest(key: &Key, request: &Request) -> Result<(Blob, Vec<Blob>), RunError> {
    let as_json = |value: serde_json::Result<Vec<u8>>| {
        value.map_err(|source| {
            RunError::from(Bug::Input {
                key: key.clone(),
                source,
            })
        })
    };
    let messages = request
        .messages
        .iter()
        .map(|message| Ok(Blob::new(as_json(serde_json::to_vec(message))?)))
        .collect::<Result<Vec<_>, RunError>>()?;
    let manifest = Manifest {
        model: &request.model,
        messages: messages.iter().map(|blob| blob.name().digest).collect(),
        tools: input_digest(key, &request.tools)?,
        tool_choice: &request.tool_choice,
        answer: input_digest(key, &request.answer)?,
        max_output: request.limits.max_output,
    };
    Ok((Blob::new(as_json(serde_json::to_vec(&manifest))?), messages))
}
