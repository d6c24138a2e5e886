//! Tells whether a provider can be reached, without buying anything.
//!
//! Listing models is free with every vendor. Whether a model also *answers* is a call that may cost
//! money, so it goes through the money door like any other: [`probe_request`] is what to send.

use std::time::Duration;

use gavel_domain::Tokens;
use reqwest::Method;
use serde_json::Value;

use crate::error::bad_reply;
use crate::registry::Client;
use crate::{
    BadReply, CallError, Deadlines, Limits, Message, MessageRole, ModelId, Models, Request,
    ToolChoice,
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

impl Models {
    /// Asks a provider for its list of models.
    pub async fn probe(&self, provider: &str) -> Result<Probe, ProbeError> {
        let Some(found) = self.provider(provider) else {
            return Err(ProbeError::NotConfigured(provider.to_owned()));
        };
        let base_url = found.endpoint.base_url().to_owned();
        match listed(&found.client).await {
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

/// The smallest useful request: one word, to be sent through the money door.
pub fn probe_request(model: &ModelId) -> Request {
    Request {
        model: model.clone(),
        messages: vec![Message::text(
            MessageRole::User,
            "Reply with the word: ready",
        )],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(16),
            deadlines: PROBE_DEADLINES,
        },
    }
}

async fn listed(client: &Client) -> Result<Vec<String>, CallError> {
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
    let list = http.json(outgoing, &PROBE_DEADLINES).await?;
    let Some(models) = list.get("data").and_then(Value::as_array) else {
        return Err(bad_reply(BadReply::Malformed, "no list of models"));
    };
    let names = models.iter().filter_map(|model| model.get("id")?.as_str());
    Ok(names.map(str::to_owned).collect())
}
