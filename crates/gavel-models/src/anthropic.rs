//! Anthropic's Messages API, and servers that speak it.

mod decode;
mod encode;

use std::sync::Arc;

use gavel_domain::{Billed, Tokens};
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::call;
use crate::endpoint::EndpointError;
use crate::error::bad_reply;
use crate::http::{Http, Outgoing};
use crate::{
    AnswerMode, BadReply, CallError, CallErrorKind, Endpoint, Model, ReplyStream, Request, answer,
};

pub(crate) use decode::Decoder;
pub(crate) use encode::{Purpose, body};

/// The version of the API that this client is written for.
const VERSION: &str = "2023-06-01";

/// A client for one endpoint; the model's name is in each request.
#[derive(Debug, Clone)]
pub struct Anthropic {
    http: Arc<Http>,
    endpoint: Endpoint,
    answers: AnswerMode,
}

impl Anthropic {
    /// A client. Nothing is sent, and no connection made, before the first call.
    pub const fn new(http: Arc<Http>, endpoint: Endpoint, answers: AnswerMode) -> Self {
        Self {
            http,
            endpoint,
            answers,
        }
    }

    /// Asks the endpoint how many input tokens it would bill for this request.
    pub async fn count_tokens(&self, request: &Request) -> Result<Tokens, CallError> {
        let mode = self.mode_for(request);
        let body = body(request, mode, Purpose::Count)?;
        let outgoing = self.outgoing(Method::POST, "/v1/messages/count_tokens", body)?;
        let reply = self
            .http()
            .json(outgoing, &request.limits.deadlines)
            .await?;
        reply
            .get("input_tokens")
            .and_then(serde_json::Value::as_u64)
            .map(Tokens)
            .ok_or_else(|| bad_reply(BadReply::Malformed, "no input_tokens in the count"))
    }

    pub(crate) fn http(&self) -> Arc<Http> {
        Arc::clone(&self.http)
    }

    pub(crate) fn outgoing(
        &self,
        method: Method,
        route: &'static str,
        body: Vec<u8>,
    ) -> Result<Outgoing, CallError> {
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        if let Some(key) = self.endpoint.key_header("").map_err(|e| no_key(&e))? {
            headers.insert("x-api-key", key);
        }
        Ok(Outgoing {
            endpoint: self.endpoint.clone(),
            method,
            route,
            headers,
            body,
        })
    }

    /// A schema that the vendor cannot enforce, or a model from before it could, takes the tool.
    fn mode_for(&self, request: &Request) -> AnswerMode {
        let Some(schema) = &request.answer else {
            return self.answers;
        };
        match self.answers {
            AnswerMode::Native
                if !answer::is_closed(&schema.schema) || is_old(request.model.model()) =>
            {
                AnswerMode::Tool
            }
            AnswerMode::Native | AnswerMode::Tool | AnswerMode::Fenced => self.answers,
        }
    }

    fn prepare(&self, request: Request) -> Result<(Outgoing, decode::Decoder), CallError> {
        let mode = self.mode_for(&request);
        let body = body(&request, mode, Purpose::Reply)?;
        let outgoing = self.outgoing(Method::POST, "/v1/messages", body)?;
        let answer_tool = match (&request.answer, mode) {
            (Some(schema), AnswerMode::Tool) => Some(answer::tool_name(schema)),
            (Some(_), AnswerMode::Native | AnswerMode::Fenced) | (None, _) => None,
        };
        Ok((outgoing, decode::Decoder::new(request, answer_tool)))
    }
}

impl Model for Anthropic {
    fn stream(&self, request: Request) -> ReplyStream {
        let deadlines = request.limits.deadlines;
        call::stream(self.http(), self.prepare(request), deadlines)
    }
}

fn no_key(error: &EndpointError) -> CallError {
    CallError::new(CallErrorKind::Unauthorized, Billed::No, &error.to_string())
}

/// Models from before native answer schemas (they came with the 4.5 generation).
fn is_old(model: &str) -> bool {
    [
        "claude-2",
        "claude-3",
        "claude-instant",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2025",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2025",
    ]
    .iter()
    .any(|start| model.starts_with(start))
}
