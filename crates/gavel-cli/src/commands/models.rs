//! `gavel models list|probe`.

use gavel_domain::{MicroUsd, Price};
use gavel_models::ModelInfo;
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::slots::OFFLINE;
use crate::ui::{Cell, Look, cell};

pub(crate) fn list(context: &Context, all: bool) -> Result<Exit, Failure> {
    let settings = context.settings()?.models;
    let unusable = |error| Failure::new(Exit::Usage, error);
    let models = settings.models().map_err(unusable)?;
    let there = models.iter().map(|configured| configured.info.clone());
    let mut infos: Vec<ModelInfo> = there.collect();
    if all {
        let listed = settings.catalogue().map_err(unusable)?;
        let others = listed.iter().filter(|info| models.get(&info.id).is_none());
        infos.extend(others.cloned());
        infos.sort_by(|left, right| left.id.cmp(&right.id));
    }
    let known = |info: &ModelInfo| match models.get(&info.id) {
        Some(_) if info.id.as_str() == OFFLINE => Reach::BuiltIn,
        Some(_) => Reach::Configured,
        None => Reach::Listed,
    };
    let mut rows = vec![header()];
    rows.extend(infos.iter().map(|info| row(info, known(info))));
    context.ui.table(&rows);
    if models.providers().next().is_none() {
        context.ui.line("");
        context
            .ui
            .line("no provider is configured: set one's key, or name an endpoint");
        context
            .ui
            .line("gavel models list --all shows what the catalogue knows");
    }
    let data: Vec<Value> = infos
        .iter()
        .map(|info| as_json(info, known(info)))
        .collect();
    let providers: Vec<&str> = models.providers().collect();
    context
        .ui
        .data("models", &json!({ "providers": providers, "models": data }));
    Ok(Exit::Done)
}

/// How a model can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It is part of the program.
    BuiltIn,
    /// Its provider is configured.
    Configured,
    /// The catalogue knows it.
    Listed,
}

fn header() -> Vec<Cell> {
    [
        "model",
        "tier",
        "context",
        "in / M",
        "out / M",
        "configured",
    ]
    .map(|title| (title.to_owned(), Look::Faint))
    .to_vec()
}

fn row(info: &ModelInfo, reach: Reach) -> Vec<Cell> {
    let price = |pick: fn(&Price) -> u64| match &info.price {
        Some(price) => cell(MicroUsd(pick(price))),
        None => ("unknown".to_owned(), Look::Warn),
    };
    let tier = serde_json::to_value(info.tier).unwrap_or_default();
    vec![
        (info.id.to_string(), Look::Strong),
        cell(tier.as_str().unwrap_or("-")),
        cell(info.context),
        price(|price| price.input),
        price(|price| price.output),
        match reach {
            Reach::BuiltIn => ("built in".to_owned(), Look::Good),
            Reach::Configured => ("yes".to_owned(), Look::Good),
            Reach::Listed => ("no".to_owned(), Look::Faint),
        },
    ]
}

fn as_json(info: &ModelInfo, reach: Reach) -> Value {
    json!({
        "id": info.id,
        "tier": info.tier,
        "context": info.context,
        "max_output": info.max_output,
        "price_micro_usd_per_million": info.price,
        "configured": reach != Reach::Listed,
        "built_in": reach == Reach::BuiltIn,
    })
}

pub(crate) async fn probe(context: &Context, provider: Option<String>) -> Result<Exit, Failure> {
    let settings = context.settings()?.models;
    let models = settings
        .models()
        .map_err(|error| Failure::new(Exit::Usage, error))?;
    let names: Vec<String> = match provider {
        Some(name) => vec![name],
        None => models.providers().map(str::to_owned).collect(),
    };
    if names.is_empty() {
        return Err(
            Failure::new(Exit::Provider, anyhow::anyhow!("no provider is configured")).hint(
                "set a key such as ANTHROPIC_API_KEY, or [models.endpoints.NAME] in your config.toml",
            ),
        );
    }
    gavel_models::install_tls();
    let mut failed = None;
    let mut data = Vec::new();
    for name in names {
        match models.probe(&name).await {
            Ok(probe) => {
                let (good, count) = (context.ui.look("answers", Look::Good), probe.models.len());
                context.ui.line(format!(
                    "{name}  {good}  {}  {count} models",
                    probe.base_url
                ));
                data.push(json!({ "provider": name, "answers": true, "models": probe.models }));
            }
            Err(error) => {
                context.ui.line(format!(
                    "{name}  {}",
                    context.ui.look(&error.to_string(), Look::Bad)
                ));
                let problem = error.to_string();
                data.push(json!({ "provider": name, "answers": false, "problem": problem }));
                failed = Some(error);
            }
        }
    }
    context.ui.data("probe", &json!({ "providers": data }));
    match failed {
        Some(gavel_models::ProbeError::NotConfigured(_)) => Ok(Exit::Usage),
        Some(gavel_models::ProbeError::Call { .. }) => Ok(Exit::Provider),
        None => Ok(Exit::Done),
    }
}
