//! The effective settings that a run records when it starts and changes only by a fact.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Cap, CapScope, MicroUsd, Tokens};

/// The caps of a run. `None` means that somebody lifted the cap on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Money for this run.
    pub run_usd: Option<MicroUsd>,
    /// Money for the UTC month, over all projects.
    pub month_usd: Option<MicroUsd>,
    /// Tokens for this run.
    pub run_tokens: Option<Tokens>,
}

impl Default for Caps {
    /// The built-in caps: five dollars a run, fifty a month, until somebody sets others.
    fn default() -> Self {
        Self {
            run_usd: Some(MicroUsd::dollars(5)),
            month_usd: Some(MicroUsd::dollars(50)),
            run_tokens: None,
        }
    }
}

impl Caps {
    /// The caps that are set, as a list.
    pub fn list(&self) -> Vec<Cap> {
        let cap = |scope, limit: Option<u64>| limit.map(|limit| Cap { scope, limit });
        [
            cap(CapScope::RunUsd, self.run_usd.map(|usd| usd.0)),
            cap(CapScope::MonthUsd, self.month_usd.map(|usd| usd.0)),
            cap(CapScope::RunTokens, self.run_tokens.map(|tokens| tokens.0)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// True when a money cap is in force.
    pub const fn limits_money(&self) -> bool {
        self.run_usd.is_some() || self.month_usd.is_some()
    }

    /// Sets one cap.
    pub fn set(&mut self, cap: Cap) {
        match cap.scope {
            CapScope::RunUsd => self.run_usd = Some(MicroUsd(cap.limit)),
            CapScope::MonthUsd => self.month_usd = Some(MicroUsd(cap.limit)),
            CapScope::RunTokens => self.run_tokens = Some(Tokens(cap.limit)),
        }
    }
}

/// The settings a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Its caps.
    pub caps: Caps,
    /// The largest request, in tokens, that may be sent.
    pub max_input: Tokens,
    /// Every other effective value, by its name in `gavel.toml`.
    #[serde(default)]
    pub values: BTreeMap<String, serde_json::Value>,
}

/// The setting under which a run records that it began with `--yes`.
const YES: &str = "start.yes";

impl Settings {
    /// Records that whoever began the run takes what is recommended (`--yes`).
    pub fn record_yes(&mut self) {
        self.values
            .insert(YES.to_owned(), serde_json::Value::Bool(true));
    }

    /// True for a run that began with `--yes`, and recorded it.
    pub fn began_with_yes(&self) -> bool {
        self.values.get(YES) == Some(&serde_json::Value::Bool(true))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            caps: Caps::default(),
            max_input: Tokens(80_000),
            values: BTreeMap::new(),
        }
    }
}
