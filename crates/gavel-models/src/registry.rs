//! The models that this program can reach.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gavel_domain::{Price, Tokens};
use secrecy::SecretString;

use crate::provider::{Cost, ProviderConfig, Wire};
use crate::{
    Anthropic, CallError, Catalogue, Endpoint, EndpointError, Http, KnownSecrets, Model, ModelId,
    ModelInfo, OpenAi, OpenAiFlavour, Request,
};

/// A model with its client.
#[derive(Clone)]
pub struct ConfiguredModel {
    /// What is known about it.
    pub info: ModelInfo,
    /// Its client.
    pub model: Arc<dyn Model>,
    counter: Option<Anthropic>,
}

impl ConfiguredModel {
    /// Asks the provider how many input tokens it would bill; `None` where it offers no counting.
    pub async fn count_tokens(&self, request: &Request) -> Result<Option<Tokens>, CallError> {
        match &self.counter {
            Some(counter) => counter.count_tokens(request).await.map(Some),
            None => Ok(None),
        }
    }
}

impl fmt::Debug for ConfiguredModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfiguredModel")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// Models by id, and the providers behind them. Nothing is sent, and no HTTP client made, before the
/// first call.
#[derive(Debug, Clone, Default)]
pub struct Models {
    by_id: BTreeMap<ModelId, ConfiguredModel>,
    providers: BTreeMap<String, Provider>,
    /// Servers that need no settings: they count once a model of theirs is named.
    on_demand: BTreeMap<String, Provider>,
    /// Variables that are to hold a key and are not set, by provider.
    unset_keys: BTreeMap<String, String>,
    secrets: KnownSecrets,
}

/// A provider that cannot be configured, or a model that nobody serves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// Correct the provider's settings.
    #[error("provider {provider}: {problem}")]
    Endpoint {
        /// The provider.
        provider: String,
        /// What is wrong.
        #[source]
        problem: EndpointError,
    },
    /// Set the variable: without the key nothing is sent.
    #[error("{variable}, which holds the key of {provider}, is not set: {id} cannot be asked")]
    KeyUnset {
        /// The model that was asked for.
        id: ModelId,
        /// The provider that its id names.
        provider: String,
        /// The variable that its settings name.
        variable: String,
    },
    /// Set the provider's key, or name a model of a configured one.
    #[error("no provider {provider} is configured for {id}")]
    NoProvider {
        /// The model that was asked for.
        id: ModelId,
        /// The provider that its id names.
        provider: String,
    },
}

/// A provider with its client.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) client: Client,
    pub(crate) endpoint: Endpoint,
    cost: Cost,
}

/// A client of either wire.
#[derive(Debug, Clone)]
pub(crate) enum Client {
    Anthropic(Anthropic),
    OpenAi(OpenAi),
}

impl Models {
    /// All listed models of these providers; the same provider twice keeps the later one.
    pub fn new(configs: Vec<ProviderConfig>, catalogue: &Catalogue) -> Result<Self, ModelsError> {
        let http = Arc::new(Http::default());
        let mut models = Self::default();
        for config in configs {
            let name = config.name.clone();
            let provider = Provider::new(config, &http)?;
            for info in catalogue.of_provider(&name) {
                models.add(info.clone(), &provider);
            }
            models.providers.insert(name, provider);
        }
        Ok(models.with_secrets(&[]))
    }

    /// Adds servers that need no settings. They are no providers of the person's until a model of theirs
    /// is named; who configures one of the same name means that one.
    pub fn with_on_demand(mut self, configs: Vec<ProviderConfig>) -> Result<Self, ModelsError> {
        let http = Arc::new(Http::default());
        for config in configs {
            let name = config.name.clone();
            let provider = Provider::new(config, &http)?;
            self.on_demand.insert(name, provider);
        }
        Ok(self)
    }

    /// Says which providers are to have a key that is nowhere, with the variable that should hold it:
    /// none of their models can be had.
    #[must_use]
    pub fn with_unset_keys(mut self, unset: BTreeMap<String, String>) -> Self {
        self.by_id
            .retain(|id, _| !unset.contains_key(id.provider()));
        self.unset_keys = unset;
        self
    }

    /// The variable that should hold the key of a provider and is not set.
    pub fn unset_key(&self, provider: &str) -> Option<&str> {
        self.unset_keys.get(provider).map(String::as_str)
    }

    /// Adds values that no reply may bring into a journal or onto a screen, beside the keys of all
    /// providers: any of these may answer with the key of another.
    #[must_use]
    pub fn with_secrets(mut self, others: &[SecretString]) -> Self {
        let keys = self.providers.values();
        let keys = keys.filter_map(|provider| provider.endpoint.key());
        self.secrets = KnownSecrets::new(keys.chain(others));
        self
    }

    /// What no reply may bring into a journal or onto a screen.
    pub const fn secrets(&self) -> &KnownSecrets {
        &self.secrets
    }

    /// Adds a model, or replaces the one of the same id.
    pub fn insert(&mut self, info: ModelInfo, model: Arc<dyn Model>) {
        let configured = ConfiguredModel {
            model,
            counter: None,
            info,
        };
        self.by_id.insert(configured.info.id.clone(), configured);
    }

    /// Makes a model of a configured provider available although no list knows it, and returns it. Its
    /// price stays unknown unless the provider is declared free.
    pub fn ensure(&mut self, id: &ModelId) -> Result<&ConfiguredModel, ModelsError> {
        let no_provider = || ModelsError::NoProvider {
            id: id.clone(),
            provider: id.provider().to_owned(),
        };
        if let Some(variable) = self.unset_keys.get(id.provider()) {
            return Err(ModelsError::KeyUnset {
                id: id.clone(),
                provider: id.provider().to_owned(),
                variable: variable.clone(),
            });
        }
        if !self.by_id.contains_key(id) {
            let provider = self.provider(id.provider()).cloned();
            let provider = provider.ok_or_else(no_provider)?;
            self.add(ModelInfo::unlisted(id.clone()), &provider);
        }
        self.get(id).ok_or_else(no_provider)
    }

    /// Finds a model.
    pub fn get(&self, id: &ModelId) -> Option<&ConfiguredModel> {
        self.by_id.get(id)
    }

    /// All models, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &ConfiguredModel> {
        self.by_id.values()
    }

    /// The names of the configured providers.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }

    pub(crate) fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers
            .get(name)
            .or_else(|| self.on_demand.get(name))
    }

    fn add(&mut self, mut info: ModelInfo, provider: &Provider) {
        if provider.cost == Cost::Free {
            info.price = Some(Price::FREE);
        }
        let configured = match provider.client.clone() {
            Client::Anthropic(client) => ConfiguredModel {
                model: Arc::new(client.clone()),
                counter: Some(client),
                info,
            },
            Client::OpenAi(client) => ConfiguredModel {
                model: Arc::new(client),
                counter: None,
                info,
            },
        };
        self.by_id.insert(configured.info.id.clone(), configured);
    }
}

impl Provider {
    fn new(config: ProviderConfig, http: &Arc<Http>) -> Result<Self, ModelsError> {
        let endpoint = Endpoint::new(&config.base_url, config.key).map_err(|problem| {
            ModelsError::Endpoint {
                provider: config.name,
                problem,
            }
        })?;
        let http = Arc::clone(http);
        let client = match config.wire {
            Wire::Anthropic => {
                Client::Anthropic(Anthropic::new(http, endpoint.clone(), config.answers))
            }
            Wire::OpenAi => {
                let flavour = OpenAiFlavour {
                    answers: config.answers,
                    max_tokens: config.max_tokens,
                };
                Client::OpenAi(OpenAi::new(http, endpoint.clone(), flavour))
            }
        };
        Ok(Self {
            client,
            endpoint,
            cost: config.cost,
        })
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
