//! `gavel models list|use|probe`.

mod use_model;

use std::collections::BTreeMap;

use gavel_domain::{MicroUsd, Price};
use gavel_models::{ModelId, ModelInfo, Models, Probe, ProbeError, ProviderConfig};
use gavel_product::{ModelTrouble, Slots};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::providers::ModelSettings;
use crate::slots::{OFFLINE, slots_of};
use crate::ui::{Cell, Look, cell};

pub(crate) use use_model::{MODEL_TRIAL, use_model};

pub(crate) async fn list(context: &Context, all: bool) -> Result<Exit, Failure> {
    let loaded = context.settings()?;
    let settings = &loaded.models;
    let unusable = |error| Failure::new(Exit::Usage, error);
    let slots = slots_of(&loaded.of_run().values)?;
    let work = work_of(&slots);
    let mut models = settings.models().map_err(unusable)?;
    let catalogue = settings.catalogue().map_err(unusable)?;
    let named = work.keys().cloned().chain(settings.listed());
    let own: Vec<ModelId> = named.filter(|id| id.as_str() != OFFLINE).collect();
    // Who is named works, though no list knows the model; who cannot be reached is listed as that.
    for id in &own {
        if let Err(error) = models.ensure(id) {
            tracing::debug!(%error, "a model that is named cannot be reached");
        }
    }
    let there = models.iter().map(|there| there.info.clone());
    let mut infos: BTreeMap<ModelId, ModelInfo> = by_id(there);
    let unreached = own.iter().filter(|id| models.get(id).is_none());
    infos.extend(by_id(unreached.map(|id| {
        let listed = catalogue.get(id).cloned();
        listed.unwrap_or_else(|| ModelInfo::unlisted(id.clone()))
    })));
    if all {
        let others = catalogue
            .iter()
            .filter(|info| models.get(&info.id).is_none());
        infos.extend(by_id(others.cloned()));
    }
    let mut infos: Vec<ModelInfo> = infos.into_values().collect();
    // What the person named comes first.
    infos.sort_by_key(|info| !own.contains(&info.id));
    let listed = Listed {
        infos,
        work,
        found: found(&models, settings).await,
        models,
    };
    listed.show(context);
    Ok(Exit::Done)
}

fn by_id(infos: impl Iterator<Item = ModelInfo>) -> BTreeMap<ModelId, ModelInfo> {
    infos.map(|info| (info.id.clone(), info)).collect()
}

/// What each model is to do, in words.
fn work_of(slots: &Slots) -> BTreeMap<ModelId, Vec<&'static str>> {
    let mut work: BTreeMap<ModelId, Vec<&'static str>> = BTreeMap::new();
    let single = [
        ("leader", &slots.leader),
        ("coder", &slots.coder),
        ("auditor", &slots.auditor),
        ("judge", &slots.judge),
        ("researcher", &slots.researcher),
    ];
    let seats = slots.stances.iter().map(|id| ("seat", id));
    for (name, id) in single.into_iter().chain(seats) {
        let names = work.entry(id.clone()).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    work
}

/// Servers beside the models that the settings name.
struct Found {
    /// Servers on this machine that answered just now.
    servers: Vec<Probe>,
    /// Endpoints of which no model is named, and that did not answer or were not asked.
    silent: Vec<ProviderConfig>,
    /// Endpoints whose key is nowhere, with the variable that should hold it.
    unset: Vec<(String, String)>,
}

/// Looks for servers on this machine. Endpoints elsewhere are not asked: their models are known to them
/// alone.
async fn found(models: &Models, settings: &ModelSettings) -> Found {
    let named = |name: &str| {
        let mut ids = models.iter().map(|there| &there.info.id);
        ids.any(|id| id.provider() == name)
    };
    let mut places = settings.places_to_look();
    places.retain(|name| !named(name) && models.unset_key(name).is_none());
    gavel_models::install_tls();
    let servers = models.look_around(places).await;
    let answers = |name: &str| servers.iter().any(|probe| probe.provider == name);
    let providers = settings.providers().into_iter();
    let (unset, others): (Vec<_>, Vec<_>) =
        providers.partition(|provider| models.unset_key(&provider.name).is_some());
    let unset = unset.into_iter().filter_map(|provider| {
        let variable = models.unset_key(&provider.name)?.to_owned();
        Some((provider.name, variable))
    });
    let others = others.into_iter();
    let silent = others.filter(|provider| !named(&provider.name) && !answers(&provider.name));
    Found {
        unset: unset.collect(),
        silent: silent.collect(),
        servers,
    }
}

/// What `gavel models list` tells.
struct Listed {
    infos: Vec<ModelInfo>,
    work: BTreeMap<ModelId, Vec<&'static str>>,
    found: Found,
    models: Models,
}

impl Listed {
    fn reach(&self, info: &ModelInfo) -> Reach {
        match self.models.get(&info.id) {
            Some(_) if info.id.as_str() == OFFLINE => Reach::BuiltIn,
            Some(_) => Reach::Configured,
            None => Reach::Listed,
        }
    }

    fn work(&self, info: &ModelInfo) -> &[&'static str] {
        self.work.get(&info.id).map_or(&[], Vec::as_slice)
    }

    fn show(&self, context: &Context) {
        let ui = &context.ui;
        let mut rows = vec![header()];
        let infos = self.infos.iter();
        rows.extend(infos.map(|info| row(info, self.reach(info), self.work(info))));
        ui.table(&rows);
        for probe in &self.found.servers {
            let name = ui.look(&probe.provider, Look::Strong);
            ui.line("");
            ui.line(format!(
                "{name}  {}  answers on this machine",
                probe.base_url
            ));
            for model in probe.models.iter().take(SHOWN_OF_A_SERVER) {
                ui.line(format!("    gavel models use {}/{model}", probe.provider));
            }
            if probe.models.len() > SHOWN_OF_A_SERVER {
                let more = probe.models.len() - SHOWN_OF_A_SERVER;
                ui.line(format!(
                    "    and {more} more: gavel models probe {}",
                    probe.provider
                ));
            }
        }
        for (name, variable) in &self.found.unset {
            let name = ui.look(name, Look::Strong);
            ui.line("");
            ui.line(format!(
                "{name}  {variable}, which holds its key, is not set"
            ));
        }
        for endpoint in &self.found.silent {
            let name = ui.look(&endpoint.name, Look::Strong);
            ui.line("");
            ui.line(format!(
                "{name}  {}  none of its models is named in your settings",
                endpoint.base_url
            ));
            ui.line(format!(
                "    gavel models probe {0} asks what it has; name one as {0}/MODEL",
                endpoint.name
            ));
        }
        if self.models.providers().next().is_none() && self.found.servers.is_empty() {
            ui.line("");
            ui.line(
                "no provider is configured, and no server on this machine answers at a usual port",
            );
            ui.line("put a key into a variable such as ANTHROPIC_API_KEY, or start a server (llama.cpp, Ollama)");
            ui.line("gavel models list --all shows what the catalogue knows");
        }
        let infos = self.infos.iter();
        let data: Vec<Value> = infos
            .map(|info| as_json(info, self.reach(info), self.work(info)))
            .collect();
        let providers: Vec<&str> = self.models.providers().collect();
        let servers: Vec<Value> = self
            .found
            .servers
            .iter()
            .map(|probe| {
                json!({ "name": probe.provider, "url": probe.base_url, "models": probe.models })
            })
            .collect();
        let all = json!({ "providers": providers, "models": data, "servers": servers });
        ui.data("models", &all);
    }
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
        "works as",
    ]
    .map(|title| (title.to_owned(), Look::Faint))
    .to_vec()
}

fn row(info: &ModelInfo, reach: Reach, work: &[&str]) -> Vec<Cell> {
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
            // It is to work and cannot.
            Reach::Listed if !work.is_empty() => ("no".to_owned(), Look::Warn),
            Reach::Listed => ("no".to_owned(), Look::Faint),
        },
        cell(if work.is_empty() {
            "-".to_owned()
        } else {
            work.join(", ")
        }),
    ]
}

fn as_json(info: &ModelInfo, reach: Reach, work: &[&str]) -> Value {
    json!({
        "id": info.id,
        "tier": info.tier,
        "context": info.context,
        "max_output": info.max_output,
        "price_micro_usd_per_million": info.price,
        "configured": reach != Reach::Listed,
        "built_in": reach == Reach::BuiltIn,
        "works_as": work,
    })
}

/// As many names are shown of a server that was found.
const SHOWN_OF_A_SERVER: usize = 5;
/// As many names are shown of a provider; some list hundreds.
const SHOWN: usize = 20;

fn show_probe(context: &Context, name: &str, probe: &Probe) {
    let ui = &context.ui;
    let good = ui.look("answers", Look::Good);
    let count = match probe.models.len() {
        1 => "1 model".to_owned(),
        count => format!("{count} models"),
    };
    ui.line(format!("{name}  {good}  {}  {count}", probe.base_url));
    for model in probe.models.iter().take(SHOWN) {
        ui.line(format!("    {name}/{model}"));
    }
    let more = probe.models.len().saturating_sub(SHOWN);
    if more > 0 {
        ui.line(format!("    and {more} more: --json lists them all"));
    }
}

/// What a person does about a provider that does not list its models.
fn probe_remedy(error: &ProbeError) -> Option<String> {
    match error {
        ProbeError::NotConfigured(_) => None,
        ProbeError::KeyUnset { variable, .. } => Some(format!("put the key into {variable}")),
        ProbeError::Call {
            provider, error, ..
        } => {
            let model = format!("{provider}/any").parse::<ModelId>().ok()?;
            Some(ModelTrouble::of(error.class())?.remedy(&model))
        }
    }
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
                show_probe(context, &name, &probe);
                data.push(json!({ "provider": name, "answers": true, "models": probe.models }));
            }
            Err(error) => {
                context.ui.line(format!(
                    "{name}  {}",
                    context.ui.look(&error.to_string(), Look::Bad)
                ));
                if let Some(remedy) = probe_remedy(&error) {
                    context.ui.line(format!("    {remedy}"));
                }
                let problem = error.to_string();
                data.push(json!({ "provider": name, "answers": false, "problem": problem }));
                failed = Some(error);
            }
        }
    }
    context.ui.data("probe", &json!({ "providers": data }));
    match failed {
        Some(ProbeError::NotConfigured(_)) => Ok(Exit::Usage),
        Some(ProbeError::Call { .. } | ProbeError::KeyUnset { .. }) => Ok(Exit::Provider),
        None => Ok(Exit::Done),
    }
}
