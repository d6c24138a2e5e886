//! Providers: where they are, how they speak, and which variable usually holds their key.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::{AnswerMode, MaxTokensField};

/// How an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions, as OpenAI defined them.
    OpenAi,
}

/// What calls to an endpoint cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// What the catalogue says; unknown when it says nothing.
    Listed,
    /// Nothing, by declaration: a server on one's own machine.
    Free,
}

/// One provider, ready to be spoken to. `Debug` never prints the key.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// The first part of its model ids.
    pub name: String,
    /// How it speaks.
    pub wire: Wire,
    /// Where it is.
    pub base_url: String,
    /// The key; servers on this machine often take none.
    pub key: Option<SecretString>,
    /// How it takes answer schemas.
    pub answers: AnswerMode,
    /// How it is told the output maximum (chat completions only).
    pub max_tokens: MaxTokensField,
    /// What it costs.
    pub cost: Cost,
}

/// A provider that Gavel knows by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProvider {
    /// The first part of its model ids.
    pub name: &'static str,
    /// How it speaks.
    pub wire: Wire,
    /// Where it is, unless told otherwise.
    pub base_url: &'static str,
    /// The variables that usually hold its key, the first one set wins; none for local servers.
    pub key_variables: &'static [&'static str],
    /// How it takes answer schemas.
    pub answers: AnswerMode,
    /// How it is told the output maximum.
    pub max_tokens: MaxTokensField,
    /// What it costs.
    pub cost: Cost,
}

impl KnownProvider {
    /// Finds a provider by name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KNOWN_PROVIDERS.iter().find(|known| known.name == name)
    }

    /// True for a server on this machine, which takes no key.
    pub const fn is_local(&self) -> bool {
        self.key_variables.is_empty()
    }

    /// The provider with this key.
    pub fn config(&self, key: Option<SecretString>) -> ProviderConfig {
        ProviderConfig {
            name: self.name.to_owned(),
            wire: self.wire,
            base_url: self.base_url.to_owned(),
            key,
            answers: self.answers,
            max_tokens: self.max_tokens,
            cost: self.cost,
        }
    }
}

/// A vendor whose endpoint speaks chat completions.
const fn vendor(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    answers: AnswerMode,
) -> KnownProvider {
    KnownProvider {
        name,
        wire: Wire::OpenAi,
        base_url,
        key_variables,
        answers,
        max_tokens: MaxTokensField::MaxTokens,
        cost: Cost::Listed,
    }
}

/// A server on this machine.
const fn local(name: &'static str, base_url: &'static str) -> KnownProvider {
    KnownProvider {
        cost: Cost::Free,
        ..vendor(name, base_url, &[], AnswerMode::Native)
    }
}

/// The providers that work without any further word than a key.
pub const KNOWN_PROVIDERS: &[KnownProvider] = &[
    KnownProvider {
        wire: Wire::Anthropic,
        ..vendor(
            "anthropic",
            "https://api.anthropic.com",
            &["ANTHROPIC_API_KEY"],
            AnswerMode::Native,
        )
    },
    KnownProvider {
        max_tokens: MaxTokensField::MaxCompletionTokens,
        ..vendor(
            "openai",
            "https://api.openai.com/v1",
            &["OPENAI_API_KEY"],
            AnswerMode::Native,
        )
    },
    vendor(
        "google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        AnswerMode::Native,
    ),
    vendor(
        "mistral",
        "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"],
        AnswerMode::Native,
    ),
    vendor(
        "xai",
        "https://api.x.ai/v1",
        &["XAI_API_KEY"],
        AnswerMode::Native,
    ),
    // DeepSeek's JSON mode takes no schema.
    vendor(
        "deepseek",
        "https://api.deepseek.com/v1",
        &["DEEPSEEK_API_KEY"],
        AnswerMode::Tool,
    ),
    vendor(
        "groq",
        "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"],
        AnswerMode::Tool,
    ),
    // Which models behind it enforce a schema differs; all that call tools can be made to.
    vendor(
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        AnswerMode::Tool,
    ),
    local("ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "http://127.0.0.1:1234/v1"),
    local("llamacpp", "http://127.0.0.1:8080/v1"),
    local("vllm", "http://127.0.0.1:8000/v1"),
];
