//! `gavel doctor`: what this machine offers, and what is missing.

use std::path::Path;
use std::time::Duration;

use gavel_domain::SandboxLevel;
use gavel_store::{Access, Checked, Damage};
use gavel_workspace::{Commands, GitVersion, SandboxDoor, WithoutSandbox};
use serde::Serialize;
use serde_json::json;

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flows::{RunsOf, undrivable_runs};
use crate::ui::{Look, cell};

/// How long the store is looked at: every run of it, the newest first.
const STORE_TIME: Duration = Duration::from_secs(30);

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// One check.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    verdict: Verdict,
    found: String,
    hint: Option<String>,
}

impl Check {
    fn new(name: &'static str, verdict: Verdict, found: impl std::fmt::Display) -> Self {
        Self {
            name,
            verdict,
            found: found.to_string(),
            hint: None,
        }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

pub(crate) async fn run(context: &Context) -> Result<Exit, Failure> {
    let mut checks = vec![
        Check::new("gavel", Verdict::Ok, crate::context::VERSION),
        git(context).await,
        sandbox().await,
    ];
    checks.extend(store(context).await);
    checks.extend(undrivable(context).await);
    checks.push(settings(context));
    checks.push(providers(context));
    checks.extend(sources(context));
    checks.extend([("rust", "cargo"), ("node", "node"), ("python", "python3")].map(toolchain));
    let mut rows = Vec::new();
    for check in &checks {
        let (word, look) = match check.verdict {
            Verdict::Ok => ("ok", Look::Good),
            Verdict::Warn => ("note", Look::Warn),
            Verdict::Fail => ("fail", Look::Bad),
        };
        rows.push(vec![
            (word.to_owned(), look),
            (check.name.to_owned(), Look::Strong),
            cell(&check.found),
        ]);
        if let Some(hint) = &check.hint {
            rows.push(vec![cell(""), cell(""), (hint.clone(), Look::Faint)]);
        }
    }
    context.ui.table(&rows);
    context.ui.data("doctor", &json!({ "checks": checks }));
    let failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

async fn git(context: &Context) -> Check {
    let Ok(program) = context.git() else {
        return Check::new("git", Verdict::Fail, "not in PATH").hint("install git");
    };
    match GitVersion::of(&program).await {
        Ok(version) if version.is_supported => Check::new(
            "git",
            Verdict::Ok,
            format!("{} ({})", version.text, program.display()),
        ),
        Ok(version) => Check::new("git", Verdict::Fail, version.text).hint("a newer git is needed"),
        Err(error) => Check::new("git", Verdict::Fail, error),
    }
}

async fn sandbox() -> Check {
    let Ok(door) = crate::environment::own_program() else {
        return Check::new("sandbox", Verdict::Fail, "this program cannot find itself");
    };
    let scratch = std::env::temp_dir();
    let commands = Commands::detect(SandboxDoor(door), scratch, WithoutSandbox::Refuse).await;
    let confinement = commands.confinement();
    let gaps: Vec<String> = confinement.gaps().iter().map(ToString::to_string).collect();
    let mut found = confinement.to_string();
    if !gaps.is_empty() {
        found.push_str(&format!("; left open: {}", gaps.join(", ")));
    }
    match confinement.level() {
        SandboxLevel::Landlock | SandboxLevel::Bubblewrap => {
            Check::new("sandbox", Verdict::Ok, found)
        }
        SandboxLevel::None => Check::new("sandbox", Verdict::Warn, found)
            .hint("commands of unattended runs are refused here"),
    }
}

async fn store(context: &Context) -> Vec<Check> {
    let place = context.state().join("gavel.db");
    let store = match context.store(Access::ReadOnly).await {
        Ok(store) => store,
        Err(failure) => return vec![Check::new("store", Verdict::Fail, failure.message())],
    };
    let checked = match store.check_within(STORE_TIME).await {
        Ok(checked) => checked,
        Err(error) => return vec![Check::new("store", Verdict::Fail, error)],
    };
    let found = told_of(&place, &checked);
    let verdict = match (checked.damage.is_empty(), checked.cut) {
        (true, false) => Verdict::Ok,
        (true, true) => Verdict::Warn,
        (false, _) => Verdict::Fail,
    };
    let mut checks = vec![Check::new("store", verdict, found)];
    checks.extend(checked.damage.iter().map(|damage| {
        let hint = match damage.runs().first() {
            None => "nothing was repaired: restore a copy, or move the file away".to_owned(),
            Some(run) => format!(
                "nothing else stops: gavel runs export {run} FILE saves what can be read, gavel runs \
                 drop {run} removes it"
            ),
        };
        Check::new("damage", Verdict::Fail, damage).hint(hint)
    }));
    checks
}

/// How much was looked at.
fn told_of(place: &Path, checked: &Checked) -> String {
    let (runs, looked_at) = (checked.runs, checked.looked_at);
    let mut damaged: Vec<_> = checked.damage.iter().flat_map(Damage::runs).collect();
    damaged.sort_unstable();
    damaged.dedup();
    let mut told = format!("{}, {runs} runs", place.display());
    if checked.cut {
        let seconds = STORE_TIME.as_secs();
        told.push_str(&format!(
            ", the newest {looked_at} looked at within {seconds} seconds, the rest not"
        ));
    }
    if !damaged.is_empty() {
        told.push_str(&format!(", {} damaged", damaged.len()));
    }
    told
}

/// Runs under way that this release cannot drive on, over all projects.
async fn undrivable(context: &Context) -> Vec<Check> {
    // A store that cannot be read has its own line.
    let Ok(store) = context.store(Access::ReadOnly).await else {
        return Vec::new();
    };
    match undrivable_runs(&store, RunsOf::Everybody).await {
        Ok(runs) => runs
            .into_iter()
            .map(|run| Check::new("run", Verdict::Warn, run.describe()).hint(run.remedy()))
            .collect(),
        Err(failure) => vec![Check::new("run", Verdict::Fail, failure.message())],
    }
}

fn settings(context: &Context) -> Check {
    match context.settings() {
        Ok(_) => {
            let file = crate::settings::project_file(context.directory());
            let found = file.map_or("no gavel.toml here".to_owned(), |f| f.display().to_string());
            Check::new("settings", Verdict::Ok, found)
        }
        Err(failure) => Check::new("settings", Verdict::Fail, failure.message()),
    }
}

fn providers(context: &Context) -> Check {
    let Ok(settings) = context.settings() else {
        return Check::new(
            "providers",
            Verdict::Warn,
            "not read: the settings are wrong",
        );
    };
    let names: Vec<_> = settings
        .models
        .providers()
        .into_iter()
        .map(|p| p.name)
        .collect();
    if names.is_empty() {
        return Check::new("providers", Verdict::Warn, "none configured").hint(
            "set a key such as ANTHROPIC_API_KEY, or [models.endpoints.NAME] in your config.toml",
        );
    }
    Check::new("providers", Verdict::Ok, names.join(", "))
}

/// Sources are listed, not started: only a council that asks them does that.
fn sources(context: &Context) -> Vec<Check> {
    let told = context.settings().map(|settings| settings.sources.told());
    let told = told.unwrap_or_default().into_iter();
    told.map(|source| match source.missing {
        None => Check::new("source", Verdict::Ok, source.line),
        Some(missing) => {
            let found = format!("{} ({missing})", source.line);
            Check::new("source", Verdict::Warn, found).hint("see [[sources]] in your config.toml")
        }
    })
    .collect()
}

fn toolchain((name, program): (&'static str, &'static str)) -> Check {
    match environment::program(program) {
        Some(path) => Check::new(name, Verdict::Ok, path.display()),
        None => Check::new(name, Verdict::Warn, format!("{program} is not in PATH")),
    }
}
