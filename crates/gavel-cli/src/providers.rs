//! Which models can be reached: keys from the vendors' usual variables, endpoints and prices from
//! the files. A key makes a model available, never the default.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use gavel_models::{
    AnswerMode, Catalogue, Cost, KNOWN_PROVIDERS, KnownProvider, MaxTokensField, ModelId,
    ModelOverride, Models, ModelsError, ProviderConfig, Wire,
};
use secrecy::SecretString;
use serde::Deserialize;

use crate::environment;

/// `[models.endpoints.NAME]` and `[[models.catalogue]]` of the files; later files win by name.
#[derive(Debug, Default)]
pub(crate) struct ModelSettings {
    endpoints: BTreeMap<String, EndpointSetting>,
    overrides: Vec<ModelOverride>,
}

/// Where to put what a project's file may not say.
const OWN_FILE: &str = "put it into your own config.toml";

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The person's own.
    User,
    /// The checkout's.
    Project,
}

/// An endpoint that somebody configured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndpointSetting {
    url: String,
    wire: Option<Wire>,
    /// The variable that holds the key.
    key_variable: Option<String>,
    #[serde(default)]
    free: bool,
}

impl ModelSettings {
    /// Takes the model tables out of a file's table, so that the plain keys remain.
    ///
    /// A project's file comes with whatever repository somebody cloned: it may name an endpoint
    /// that needs no key, but never say where a key is sent or what anything costs. The price of its
    /// endpoint is unknown, so a money cap asks a person.
    pub(crate) fn take_from(&mut self, table: &mut toml::Table, of: Whose) -> anyhow::Result<()> {
        let Some(toml::Value::Table(models)) = table.get_mut("models") else {
            return Ok(());
        };
        if let Some(endpoints) = models.remove("endpoints") {
            let endpoints: BTreeMap<String, EndpointSetting> =
                endpoints.try_into().context("models.endpoints")?;
            for (name, endpoint) in &endpoints {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                if name.is_empty() || !name.chars().all(plain) {
                    bail!("models.endpoints.{name}: a name has lower-case letters, digits and -");
                }
                if of == Whose::Project {
                    self.check_projects_endpoint(name, endpoint)?;
                }
            }
            self.endpoints.extend(endpoints);
        }
        if let Some(overrides) = models.remove("catalogue") {
            if of == Whose::Project {
                bail!(
                    "models.catalogue: a project's file cannot say what a model costs; {OWN_FILE}"
                );
            }
            let overrides: Vec<ModelOverride> = overrides.try_into().context("models.catalogue")?;
            self.overrides.extend(overrides);
        }
        Ok(())
    }

    fn check_projects_endpoint(
        &self,
        name: &str,
        endpoint: &EndpointSetting,
    ) -> anyhow::Result<()> {
        if endpoint.key_variable.is_some() || KnownProvider::named(name).is_some() {
            bail!(
                "models.endpoints.{name}: a project's file cannot say where a key is sent; {OWN_FILE}"
            );
        }
        if endpoint.free {
            bail!(
                "models.endpoints.{name}: a project's file cannot say that a server is free; {OWN_FILE}"
            );
        }
        // Prices of that name in the person's file were meant for the person's server.
        if self.endpoints.contains_key(name) {
            bail!(
                "models.endpoints.{name}: your own config.toml names this server already; \
                 give the project's another name"
            );
        }
        Ok(())
    }

    /// The catalogue with a person's own values over it.
    pub(crate) fn catalogue(&self) -> anyhow::Result<Catalogue> {
        Ok(Catalogue::built_in()?.with_overrides(&self.overrides)?)
    }

    /// Every provider that can be spoken to.
    pub(crate) fn providers(&self) -> Vec<ProviderConfig> {
        let known = KNOWN_PROVIDERS
            .iter()
            .filter(|known| !known.key_variables.is_empty());
        let mut configs: BTreeMap<String, ProviderConfig> = known
            .filter_map(|known| {
                let key = known
                    .key_variables
                    .iter()
                    .find_map(|name| environment::secret(name))?;
                Some((known.name.to_owned(), known.config(Some(key))))
            })
            .collect();
        for (name, endpoint) in &self.endpoints {
            configs.insert(name.clone(), endpoint.config(name));
        }
        configs.into_values().collect()
    }

    /// Servers on this machine at their usual ports; an endpoint of that name is meant instead.
    fn local_servers(&self) -> Vec<ProviderConfig> {
        let known = KNOWN_PROVIDERS.iter().filter(|known| known.is_local());
        let free = known.filter(|known| !self.endpoints.contains_key(known.name));
        free.map(|known| known.config(None)).collect()
    }

    /// Endpoints whose key is to be in a variable that is not set.
    fn unset_keys(&self) -> BTreeMap<String, String> {
        let named = self.endpoints.iter().filter_map(|(name, endpoint)| {
            let variable = endpoint.key_variable.as_ref()?;
            Some((name.clone(), variable.clone()))
        });
        named
            .filter(|(_, variable)| environment::secret(variable).is_none())
            .collect()
    }

    /// Where to look for servers on this machine: the usual ports, and endpoints of the person's own.
    pub(crate) fn places_to_look(&self) -> Vec<String> {
        let local = self.local_servers().into_iter().map(|known| known.name);
        local.chain(self.endpoints.keys().cloned()).collect()
    }

    /// What to do so that a model can be reached.
    pub(crate) fn remedy(&self, error: &ModelsError) -> String {
        match error {
            ModelsError::KeyUnset { variable, .. } => {
                format!("put the key into {variable}, or correct key_variable in your config.toml")
            }
            ModelsError::NoProvider { provider, .. } => {
                let known = KnownProvider::named(provider);
                match known.and_then(|known| known.key_variables.first()) {
                    Some(variable) => format!("put your key into {variable}"),
                    None => format!(
                        "gavel config set models.endpoints.{provider}.url URL names its server; \
                         gavel models list shows what is there"
                    ),
                }
            }
            ModelsError::Endpoint { .. } => "correct its url in your config.toml".to_owned(),
        }
    }

    /// Every provider's key that lies in this program's environment, whether it is used or not.
    pub(crate) fn keys(&self) -> Vec<SecretString> {
        let usual = KNOWN_PROVIDERS.iter().flat_map(|known| known.key_variables);
        let own = self.endpoints.values();
        let own = own.filter_map(|endpoint| endpoint.key_variable.as_deref());
        let variables = usual.copied().chain(own);
        variables.filter_map(environment::secret).collect()
    }

    /// The models that the person's files tell of.
    pub(crate) fn listed(&self) -> Vec<ModelId> {
        self.overrides.iter().map(|own| own.id.clone()).collect()
    }

    /// The models of those providers, and the rules, which are always there.
    pub(crate) fn models(&self) -> anyhow::Result<Models> {
        let mut models = Models::new(self.providers(), &self.catalogue()?)?;
        models.insert(gavel_offline::info()?, Arc::new(gavel_offline::Offline));
        let models = models.with_on_demand(self.local_servers())?;
        Ok(models.with_unset_keys(self.unset_keys()))
    }
}

impl EndpointSetting {
    /// Starts from a known provider of that name, if there is one.
    fn config(&self, name: &str) -> ProviderConfig {
        let known = KnownProvider::named(name);
        let variables = known.map_or(&[][..], |known| known.key_variables);
        let key = match &self.key_variable {
            Some(variable) => environment::secret(variable),
            None => variables
                .iter()
                .find_map(|variable| environment::secret(variable)),
        };
        let wire = self
            .wire
            .or(known.map(|known| known.wire))
            .unwrap_or(Wire::OpenAi);
        ProviderConfig {
            name: name.to_owned(),
            wire,
            base_url: self.url.clone(),
            key,
            answers: known.map_or(AnswerMode::Native, |known| known.answers),
            max_tokens: known.map_or(MaxTokensField::MaxTokens, |known| known.max_tokens),
            cost: if self.free { Cost::Free } else { Cost::Listed },
        }
    }
}
