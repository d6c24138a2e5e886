//! Models: one trait, thin clients for each wire, the catalogue with its prices.
//!
//! A client speaks to one provider once: it never retries, never meters, knows nothing of runs.
//! Whatever it cannot read ends as a typed [`CallError`], never as an empty success.

mod error;
mod field_order;
mod model;
mod reply;
mod request;

mod anthropic;
mod openai;

mod answer;
mod call;
mod draft;
mod echo;
mod endpoint;
mod http;
mod meter;
mod sse;
mod status;
mod tokenizer;
mod tokens;

mod catalogue;
mod probe;
mod provider;
mod registry;
mod secrets;

pub use answer::{ANSWER_WORDS, AnswerMode, find_json, misfit};
pub use anthropic::Anthropic;
pub use call::read_kept;
pub use catalogue::{Catalogue, CatalogueError, ModelInfo, ModelOverride, PriceOverride, Tier};
pub use echo::is_echo;
pub use endpoint::{Endpoint, EndpointError};
pub use error::{BadReply, CallError, CallErrorKind, DeadlineKind};
pub use field_order::FieldOrder;
pub use http::{Http, install_tls};
pub use model::{Model, ReplyStream};
pub use openai::{MaxTokensField, OpenAi, OpenAiFlavour};
pub use probe::{Probe, ProbeError, ReplyForm, probe_request};
pub use provider::{Cost, KNOWN_PROVIDERS, KnownProvider, ProviderConfig, Wire};
pub use registry::{ConfiguredModel, Models, ModelsError};
pub use reply::{Delta, Reply, ToolCall};
pub use request::{
    AnswerSchema, Deadlines, Limits, Message, MessageRole, ModelId, ModelIdError, Part, Request,
    ToolChoice, ToolSpec,
};
pub use secrets::{KnownSecrets, SecretFilter};
pub use tokenizer::Tokenizer;
pub use tokens::input_ceiling;
