//! Tells whether a provider can be reached, without buying anything.
//!
//! Listing models is free with every vendor. Whether a model also *answers* is a call that may cost
//! money, so it goes through the money door like any other: [`probe_request`] is what to send.

use std::time::Duration;

use gavel_domain::Tokens;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::error::bad_reply;
use crate::registry::Client;
use crate::{
    AnswerSchema, BadReply, CallError, Deadlines, Limits, Message, MessageRole, ModelId, Models,
    Reply, Request, ToolChoice, ToolSpec,
};

/// A provider that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The provider.
    pub provider: String,
    /// Where it was reached.
    pub base_url: String,
    /// Whether a key was sent.
    pub with_key: bool,
    /// The models that it lists, by its own names.
    pub models: Vec<String>,
}

/// Why a probe found nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// Configure the provider first.
    #[error("no provider {0} is configured")]
    NotConfigured(String),
    /// Set the variable first.
    #[error("{provider}: {variable}, which holds its key, is not set")]
    KeyUnset {
        /// The provider.
        provider: String,
        /// The variable that its settings name.
        variable: String,
    },
    /// What the caller does next is in the kind.
    #[error("{provider} at {base_url}: {error}")]
    Call {
        /// The provider.
        provider: String,
        /// Where it was sought.
        base_url: String,
        /// What happened.
        #[source]
        error: CallError,
    },
}

/// The clocks of a probe: a person waits for it.
const PROBE_DEADLINES: Deadlines = Deadlines {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(15),
    idle: Duration::from_secs(10),
    total: Duration::from_secs(30),
};

/// The clocks of a look around: what runs on this machine answers at once.
const LOOK_DEADLINES: Deadlines = Deadlines {
    connect: Duration::from_millis(300),
    first_byte: Duration::from_millis(1_200),
    idle: Duration::from_millis(500),
    total: Duration::from_millis(1_500),
};

impl Models {
    /// Asks a provider for its list of models.
    pub async fn probe(&self, provider: &str) -> Result<Probe, ProbeError> {
        self.probe_within(provider, &PROBE_DEADLINES).await
    }

    /// Asks these providers at once, as whoever looks around does: only those that answer soon count,
    /// and only those on this machine are asked.
    pub async fn look_around(&self, providers: Vec<String>) -> Vec<Probe> {
        let mut asked = JoinSet::new();
        for name in providers {
            let here = self
                .provider(&name)
                .is_some_and(|there| there.endpoint.is_loopback());
            if !here {
                continue;
            }
            let models = self.clone();
            asked.spawn(async move { models.probe_within(&name, &LOOK_DEADLINES).await.ok() });
        }
        let mut found: Vec<Probe> = asked.join_all().await.into_iter().flatten().collect();
        found.sort_by(|a, b| a.provider.cmp(&b.provider));
        found
    }

    async fn probe_within(
        &self,
        provider: &str,
        deadlines: &Deadlines,
    ) -> Result<Probe, ProbeError> {
        let Some(found) = self.provider(provider) else {
            return Err(ProbeError::NotConfigured(provider.to_owned()));
        };
        if let Some(variable) = self.unset_key(provider) {
            return Err(ProbeError::KeyUnset {
                provider: provider.to_owned(),
                variable: variable.to_owned(),
            });
        }
        let base_url = found.endpoint.base_url().to_owned();
        match listed(&found.client, deadlines).await {
            Ok(listed) => Ok(Probe {
                provider: provider.to_owned(),
                base_url,
                with_key: found.endpoint.has_key(),
                models: listed
                    .iter()
                    .map(|name| found.endpoint.scrub(name))
                    .collect(),
            }),
            Err(error) => Err(ProbeError::Call {
                provider: provider.to_owned(),
                base_url,
                error: self.secrets().scrub_error(error),
            }),
        }
    }
}

/// The three ways in which Gavel needs a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyForm {
    /// Words.
    Text,
    /// A call of a tool that must be called.
    ToolCall,
    /// An answer that follows a schema.
    Answer,
}

impl ReplyForm {
    /// All of them, the easiest first.
    pub const ALL: [Self; 3] = [Self::Text, Self::ToolCall, Self::Answer];

    /// A name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::ToolCall => "tool call",
            Self::Answer => "structured answer",
        }
    }

    /// What is wrong with a reply of this form; nothing when it is one.
    pub fn problem(self, reply: &Reply) -> Option<String> {
        match self {
            Self::Text => reply
                .text
                .trim()
                .is_empty()
                .then(|| "no words came".to_owned()),
            Self::ToolCall => match reply.tool_calls.as_slice() {
                [] => Some("no tool was called".to_owned()),
                [call, ..] => (call.name != TOOL).then(|| format!("it called {}", call.name)),
            },
            Self::Answer => match serde_json::from_str::<Value>(&reply.text) {
                Ok(answer) => answer
                    .get("sum")
                    .and_then(Value::as_i64)
                    .is_none()
                    .then(|| "the answer does not follow the schema".to_owned()),
                Err(_) => Some("the answer is no JSON".to_owned()),
            },
        }
    }
}

const TOOL: &str = "read_file";
/// Room for a model that thinks before it speaks.
const PROBE_OUTPUT: Tokens = Tokens(512);
/// The clocks of a reply that a person waits for; a model on one's own machine may have to be loaded.
const REPLY_DEADLINES: Deadlines = Deadlines {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(120),
    idle: Duration::from_secs(60),
    total: Duration::from_secs(180),
};

/// The smallest useful request of a form, to be sent through the money door.
pub fn probe_request(model: &ModelId, form: ReplyForm) -> Request {
    let words = match form {
        ReplyForm::Text => "Reply with the word: ready",
        ReplyForm::ToolCall => "Read the file notes.txt.",
        ReplyForm::Answer => "What is 17 plus 25?",
    };
    let tool = || ToolSpec {
        name: TOOL.to_owned(),
        description: "Reads a file.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": { "path": { "type": "string" } },
            "required": ["path"],
            "additionalProperties": false,
        }),
    };
    let answer = || AnswerSchema {
        name: "sum".to_owned(),
        schema: json!({
            "type": "object",
            "properties": { "sum": { "type": "integer" } },
            "required": ["sum"],
            "additionalProperties": false,
        }),
        order: crate::FieldOrder::default(),
    };
    let calls = form == ReplyForm::ToolCall;
    Request {
        model: model.clone(),
        messages: vec![Message::text(MessageRole::User, words)],
        tools: calls.then(tool).into_iter().collect(),
        tool_choice: if calls {
            ToolChoice::Required
        } else {
            ToolChoice::Auto
        },
        answer: (form == ReplyForm::Answer).then(answer),
        limits: Limits {
            max_output: PROBE_OUTPUT,
            deadlines: REPLY_DEADLINES,
        },
    }
}

async fn listed(client: &Client, deadlines: &Deadlines) -> Result<Vec<String>, CallError> {
    let (http, outgoing) = match client {
        Client::Anthropic(client) => (
            client.http(),
            // The vendor lists twenty at a time unless asked for more.
            client.outgoing(Method::GET, "/v1/models?limit=1000", Vec::new())?,
        ),
        Client::OpenAi(client) => (
            client.http(),
            client.outgoing(Method::GET, "/models", Vec::new())?,
        ),
    };
    let list = http.json(outgoing, deadlines).await?;
    let Some(models) = list.get("data").and_then(Value::as_array) else {
        return Err(bad_reply(BadReply::Malformed, "no list of models"));
    };
    let names = models.iter().filter_map(|model| model.get("id")?.as_str());
    Ok(names.map(str::to_owned).collect())
}
