//! The catalogue: what is known about models without asking anybody.
//!
//! Compiled in, reduced from a public price list by `cargo xtask catalogue`. People override it by
//! values of their own; an unknown price stays unknown.

use std::collections::BTreeMap;

use gavel_domain::{MicroUsd, Price, Tokens};
use serde::{Deserialize, Serialize};

use crate::{ModelId, Tokenizer};

/// The compiled-in list.
const LIST: &str = include_str!("catalogue.json");

/// What an unlisted model is taken to hold, so that it is not overrun.
const UNLISTED_CONTEXT: Tokens = Tokens(8192);

/// What an unlisted model is asked for at most.
const UNLISTED_OUTPUT: Tokens = Tokens(4096);

/// How capable and how dear a model is among its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Quick and cheap.
    Fast,
    /// The usual choice.
    Balanced,
    /// The most capable.
    Premium,
}

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its id.
    pub id: ModelId,
    /// Its tier.
    pub tier: Tier,
    /// The most tokens of a request and its reply together.
    pub context: Tokens,
    /// The most tokens of a reply.
    pub max_output: Tokens,
    /// Its price; `None` when it is unknown, which is not the same as free.
    pub price: Option<Price>,
    /// How its text is cut into tokens, where that is public.
    pub tokenizer: Tokenizer,
}

impl ModelInfo {
    /// A model that no list knows: small limits, no price.
    pub fn unlisted(id: ModelId) -> Self {
        Self {
            tokenizer: Tokenizer::of(&id),
            id,
            tier: Tier::Balanced,
            context: UNLISTED_CONTEXT,
            max_output: UNLISTED_OUTPUT,
            price: None,
        }
    }
}

/// All models that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    by_id: BTreeMap<ModelId, ModelInfo>,
}

/// A catalogue that cannot be read, or an override that makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// Run `cargo xtask catalogue` again: the compiled-in list is damaged.
    #[error("the built-in catalogue cannot be read")]
    BuiltIn(#[source] serde_json::Error),
    /// Correct the override.
    #[error(
        "models: `{price}` is no price for {id} (dollars per million tokens, such as \"2.50\")"
    )]
    Price {
        /// The model.
        id: ModelId,
        /// What was given.
        price: String,
    },
    /// Correct the override.
    #[error("models: {id} cannot be free and have a price")]
    FreeAndPriced {
        /// The model.
        id: ModelId,
    },
}

#[derive(Deserialize)]
struct Entry {
    id: ModelId,
    tier: Tier,
    context: Tokens,
    max_output: Tokens,
    #[serde(default)]
    price: Option<Price>,
}

/// What a person knows better, or knows at all. Fields that are not given stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelOverride {
    /// Which model.
    pub id: ModelId,
    /// Its tier.
    #[serde(default)]
    pub tier: Option<Tier>,
    /// Its context.
    #[serde(default)]
    pub context: Option<Tokens>,
    /// Its longest reply.
    #[serde(default)]
    pub max_output: Option<Tokens>,
    /// What it costs.
    #[serde(default)]
    pub price: Option<PriceOverride>,
    /// True for a model that costs nothing, such as one on this machine.
    #[serde(default)]
    pub free: bool,
}

/// Prices in dollars per million tokens, written as decimal text: `"2.50"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceOverride {
    /// Plain input.
    pub input: String,
    /// Output.
    pub output: String,
    /// Input read from a cache; as plain input when not given.
    #[serde(default)]
    pub cache_read: Option<String>,
    /// Input written to a cache; a quarter above plain input when not given, the dearest that is
    /// usual, so that a reservation never falls short.
    #[serde(default)]
    pub cache_write: Option<String>,
}

impl Catalogue {
    /// The compiled-in list.
    pub fn built_in() -> Result<Self, CatalogueError> {
        let entries: Vec<Entry> = serde_json::from_str(LIST).map_err(CatalogueError::BuiltIn)?;
        let infos = entries.into_iter().map(|entry| ModelInfo {
            tokenizer: Tokenizer::of(&entry.id),
            id: entry.id,
            tier: entry.tier,
            context: entry.context,
            max_output: entry.max_output,
            price: entry.price,
        });
        Ok(Self {
            by_id: infos.map(|info| (info.id.clone(), info)).collect(),
        })
    }

    /// The list with a person's own values over it.
    pub fn with_overrides(mut self, overrides: &[ModelOverride]) -> Result<Self, CatalogueError> {
        for own in overrides {
            let price = own.price()?;
            let info = self
                .by_id
                .entry(own.id.clone())
                .or_insert_with(|| ModelInfo::unlisted(own.id.clone()));
            info.tier = own.tier.unwrap_or(info.tier);
            info.context = own.context.unwrap_or(info.context);
            info.max_output = own.max_output.unwrap_or(info.max_output);
            info.price = price.or(info.price);
        }
        Ok(self)
    }

    /// A listed model.
    pub fn get(&self, id: &ModelId) -> Option<&ModelInfo> {
        self.by_id.get(id)
    }

    /// All listed models, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &ModelInfo> {
        self.by_id.values()
    }

    /// The listed models of one provider.
    pub fn of_provider<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a ModelInfo> {
        self.iter()
            .filter(move |info| info.id.provider() == provider)
    }
}

impl ModelOverride {
    fn price(&self) -> Result<Option<Price>, CatalogueError> {
        let Some(own) = &self.price else {
            return Ok(self.free.then_some(Price::FREE));
        };
        if self.free {
            return Err(CatalogueError::FreeAndPriced {
                id: self.id.clone(),
            });
        }
        let amount = |text: &str| match MicroUsd::parse_dollars(text) {
            Some(amount) => Ok(amount.0),
            None => Err(CatalogueError::Price {
                id: self.id.clone(),
                price: text.to_owned(),
            }),
        };
        let input = amount(&own.input)?;
        let or = |text: &Option<String>, other| text.as_deref().map_or(Ok(other), amount);
        Ok(Some(Price {
            input,
            cache_read: or(&own.cache_read, input)?,
            cache_write: or(&own.cache_write, input.saturating_add(input.div_ceil(4)))?,
            output: amount(&own.output)?,
        }))
    }
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
