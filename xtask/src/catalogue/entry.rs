//! One line of the catalogue, read from one entry of the price list.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::choose::{PROVIDERS, is_current};
use super::decimal::micro_dollars_per_million;

/// An entry of the list: fields as raw text, since a price read as a float is no longer exact.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Listed<'a>(#[serde(borrow)] BTreeMap<String, &'a RawValue>);

/// A model that we know by heart.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) provider: &'static str,
    tier: &'static str,
    context: u64,
    max_output: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<&'static str>,
    price: Price,
}

/// Micro-dollars per million tokens.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Price {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
}

/// Families whose tokenizer is public.
const O200K: [&str; 6] = ["gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4"];
const FAST_BELOW: u64 = 6_000_000;
const PREMIUM_FROM: u64 = 20_000_000;

impl Entry {
    /// Reads an entry; `None` if it is not for us: another provider or trade, no tools, its end has
    /// passed, a limit or a price that is not known.
    pub(super) fn read(name: &str, listed: &Listed<'_>, today: &str) -> Result<Option<Self>> {
        let Some((provider, model)) = who(name, listed) else {
            return Ok(None);
        };
        let talks = listed.text("mode").as_deref() == Some("chat");
        let ended = listed
            .text("deprecation_date")
            .is_some_and(|end| end.as_str() <= today);
        if !talks || ended || !listed.is_true("supports_function_calling") || !is_current(model) {
            return Ok(None);
        }
        let limits = (
            listed.number("max_input_tokens"),
            listed.number("max_output_tokens"),
        );
        let ((Some(context), Some(max_output)), Some(price)) = (limits, Price::read(listed)?)
        else {
            return Ok(None);
        };
        // One price per model: the context ends where that price does.
        let context = listed
            .cheap_tokens()
            .map_or(context, |cheap| cheap.min(context));
        Ok(Some(Self {
            id: format!("{provider}/{model}"),
            provider,
            tier: tier(price.output),
            context,
            max_output: max_output.min(context),
            tokenizer: tokenizer(provider, model),
            price,
        }))
    }
}

impl Entry {
    /// True if both cost and hold the same.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.price == other.price && self.context == other.context
    }
}

impl Price {
    /// A price of zero is a price that nobody wrote down. Unknown cache prices count as plain input.
    fn read(listed: &Listed<'_>) -> Result<Option<Self>> {
        let price = |field: &str| -> Result<Option<u64>> {
            let Some(text) = listed.raw(field) else {
                return Ok(None);
            };
            let price = micro_dollars_per_million(text).with_context(|| field.to_owned())?;
            Ok((price > 0).then_some(price))
        };
        let (input, output) = (
            price("input_cost_per_token")?,
            price("output_cost_per_token")?,
        );
        let (Some(input), Some(output)) = (input, output) else {
            return Ok(None);
        };
        let reasoning = price("output_cost_per_reasoning_token")?.unwrap_or(output);
        Ok(Some(Self {
            input,
            cache_read: price("cache_read_input_token_cost")?.unwrap_or(input),
            cache_write: price("cache_creation_input_token_cost")?.unwrap_or(input),
            output: output.max(reasoning),
        }))
    }
}

impl Listed<'_> {
    fn raw(&self, field: &str) -> Option<&str> {
        let raw = self.0.get(field).map(|raw| raw.get());
        raw.filter(|raw| *raw != "null")
    }

    fn text(&self, field: &str) -> Option<String> {
        serde_json::from_str(self.raw(field)?).ok()
    }

    fn number(&self, field: &str) -> Option<u64> {
        self.raw(field)?.parse().ok()
    }

    fn is_true(&self, field: &str) -> bool {
        self.raw(field) == Some("true")
    }

    /// The input size from which a request costs more per token.
    fn cheap_tokens(&self) -> Option<u64> {
        let thousands = self.0.keys().filter_map(|field| {
            let (_, rest) = field.split_once("_per_token_above_")?;
            rest.strip_suffix("k_tokens")?.parse::<u64>().ok()
        });
        thousands.min().map(|thousands| thousands * 1000)
    }
}

fn who<'a>(name: &'a str, listed: &Listed<'_>) -> Option<(&'static str, &'a str)> {
    let theirs = listed.text("litellm_provider")?;
    let &(_, ours, prefix) = PROVIDERS.iter().find(|(name, _, _)| *name == theirs)?;
    Some((ours, name.strip_prefix(prefix).unwrap_or(name)))
}

fn tier(output: u64) -> &'static str {
    match output {
        price if price < FAST_BELOW => "fast",
        price if price < PREMIUM_FROM => "balanced",
        _ => "premium",
    }
}

fn tokenizer(provider: &str, model: &str) -> Option<&'static str> {
    let public = provider == "openai" && O200K.iter().any(|family| model.starts_with(family));
    public.then_some("o200k")
}
