//! Chat completions as OpenAI defined them and many servers speak them: llama.cpp, Ollama, vLLM,
//! OpenRouter, DeepSeek, Gemini's compatible endpoint.

mod decode;
mod encode;

use std::sync::Arc;

use gavel_domain::Billed;
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};

use crate::call;
use crate::http::{Http, Outgoing};
use crate::{AnswerMode, CallError, CallErrorKind, Endpoint, Model, ReplyStream, Request, answer};

pub(crate) use decode::Decoder;
pub(crate) use encode::body;

/// How a server wants to be told the output maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`: what most servers know.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`: what OpenAI itself asks for.
    MaxCompletionTokens,
}

/// How servers of this wire differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenAiFlavour {
    /// How answer schemas travel.
    pub answers: AnswerMode,
    /// The field of the output maximum.
    pub max_tokens: MaxTokensField,
}

/// A client for one endpoint; the model's name is in each request.
#[derive(Debug, Clone)]
pub struct OpenAi {
    http: Arc<Http>,
    endpoint: Endpoint,
    flavour: OpenAiFlavour,
}

impl OpenAi {
    /// A client. Nothing is sent, and no connection made, before the first call.
    pub const fn new(http: Arc<Http>, endpoint: Endpoint, flavour: OpenAiFlavour) -> Self {
        Self {
            http,
            endpoint,
            flavour,
        }
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
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        let key = self.endpoint.key_header("Bearer ").map_err(|error| {
            CallError::new(CallErrorKind::Unauthorized, Billed::No, &error.to_string())
        })?;
        if let Some(key) = key {
            headers.insert(AUTHORIZATION, key);
        }
        Ok(Outgoing {
            endpoint: self.endpoint.clone(),
            method,
            route,
            headers,
            body,
        })
    }

    fn prepare(&self, request: Request) -> Result<(Outgoing, decode::Decoder), CallError> {
        let body = body(&request, self.flavour)?;
        let outgoing = self.outgoing(Method::POST, "/chat/completions", body)?;
        let answer_tool = match (&request.answer, self.flavour.answers) {
            (Some(schema), AnswerMode::Tool) => Some(answer::tool_name(schema)),
            (Some(_), AnswerMode::Native | AnswerMode::Fenced) | (None, _) => None,
        };
        Ok((outgoing, decode::Decoder::new(request, answer_tool)))
    }
}

impl Model for OpenAi {
    fn stream(&self, request: Request) -> ReplyStream {
        let deadlines = request.limits.deadlines;
        call::stream(self.http(), self.prepare(request), deadlines)
    }
}
