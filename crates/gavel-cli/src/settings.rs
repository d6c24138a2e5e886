//! Where settings come from: files, variables, flags. Which wins is decided in `gavel-rules`.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use gavel_domain::Settings;
use gavel_rules::{Effective, Layer, Origin, SettingProblem, resolve, run_settings, variables};
use gavel_run::PaidConsent;
use gavel_workspace::VerifySettings;
use rustix::fs::OFlags;
use serde_json::Value;

use crate::args::General;
use crate::earlier::Earlier;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::named_agents::NamedAgents;
use crate::notify::NotifySettings;
use crate::providers::{ModelSettings, Whose};
use crate::sources::SourceSettings;

/// Everything that was set.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) effective: Vec<Effective>,
    pub(crate) models: ModelSettings,
    pub(crate) sources: SourceSettings,
    pub(crate) agents: NamedAgents,
    pub(crate) notify: NotifySettings,
}

/// What stands in tables of their own beside the plain keys.
#[derive(Debug, Default)]
struct Tables {
    models: ModelSettings,
    sources: SourceSettings,
    agents: NamedAgents,
    notify: NotifySettings,
}

impl Loaded {
    /// The settings that a run records.
    pub(crate) fn of_run(&self) -> Settings {
        run_settings(&self.effective)
    }

    /// Whether somebody agreed to spend money at all.
    pub(crate) fn paid(&self) -> PaidConsent {
        let value = self
            .effective
            .iter()
            .find(|value| value.key == "models.paid");
        match value.and_then(|value| value.value.as_str()) {
            Some("agreed") => PaidConsent::Given,
            Some(_) | None => PaidConsent::Ask,
        }
    }

    /// Whose earlier runs a new one is told of.
    pub(crate) fn earlier(&self) -> Earlier {
        let mut values = self.effective.iter();
        let value = values.find(|value| value.key == "memory.across_projects");
        match value.and_then(|value| value.value.as_str()) {
            Some("on") => Earlier::OfAllProjects,
            Some(_) | None => Earlier::OfThisProject,
        }
    }

    /// What one command may add to the disk, in bytes.
    pub(crate) fn disk_bytes(&self) -> Result<u64, Failure> {
        let mut values = self.effective.iter();
        let set = values.find(|value| value.key == "sandbox.disk_mib");
        let mib = set.and_then(|set| set.value.as_u64());
        mib.and_then(|mib| mib.checked_mul(1 << 20)).ok_or_else(|| {
            let problem = anyhow::anyhow!("the setting sandbox.disk_mib has no number");
            Failure::new(Exit::Bug, problem)
        })
    }

    /// Credential files that commands of this person's runs may read.
    pub(crate) fn revealed(&self) -> Vec<String> {
        let value = self
            .effective
            .iter()
            .find(|value| value.key == "sandbox.reveal");
        let paths = value.and_then(|value| value.value.as_array());
        let paths = paths.into_iter().flatten();
        paths
            .filter_map(|path| path.as_str().map(str::to_owned))
            .collect()
    }

    /// How many days the texts of ended runs are kept.
    pub(crate) fn retention_days(&self) -> i64 {
        let value = self
            .effective
            .iter()
            .find(|value| value.key == "usage.retention_days");
        value.and_then(|value| value.value.as_i64()).unwrap_or(14)
    }
}

/// Reads every layer.
pub(crate) fn load(general: &General, directory: &Path) -> Result<Loaded, Failure> {
    let mut tables = Tables::default();
    let mut layers = Vec::new();
    if let Some(path) = user_file() {
        layers.extend(file_layer(&path, Whose::User, &mut tables)?);
    }
    if let Some(path) = project_file(directory) {
        layers.extend(file_layer(&path, Whose::Project, &mut tables)?);
    }
    for (variable, key) in variables() {
        if let Some(value) = environment::variable(&variable) {
            let values = BTreeMap::from([(key.to_owned(), Value::String(value))]);
            layers.push(Layer {
                origin: Origin::Environment(variable),
                values,
            });
        }
    }
    for flag in &general.config {
        let Some((key, value)) = flag.split_once('=') else {
            return Err(Failure::usage(format!("-c takes KEY=VALUE, not `{flag}`")));
        };
        let values = BTreeMap::from([(key.trim().to_owned(), value.trim().into())]);
        layers.push(Layer {
            origin: Origin::Flag(format!("-c {flag}")),
            values,
        });
    }
    for flag in &general.flags {
        layers.push(Layer {
            origin: Origin::Flag(flag.flag.to_owned()),
            values: BTreeMap::from([(flag.key.clone(), flag.value.clone())]),
        });
    }
    match resolve(layers) {
        Ok(effective) => Ok(Loaded {
            effective,
            models: tables.models,
            sources: tables.sources,
            agents: tables.agents,
            notify: tables.notify,
        }),
        Err(problems) => Err(unusable(&problems)),
    }
}

/// Where the person's own settings lie.
pub(crate) fn user_file() -> Option<PathBuf> {
    let folder = environment::folder("XDG_CONFIG_HOME", ".config")?;
    Some(folder.join("gavel/config.toml"))
}

/// The nearest `gavel.toml` at or above a folder and inside its repository. Without a repository
/// only the folder itself counts: what lies above, such as a shared temporary folder, may be anybody's.
pub(crate) fn project_file(directory: &Path) -> Option<PathBuf> {
    let top = repository_root(directory).unwrap_or(directory);
    directory
        .ancestors()
        .take_while(|folder| folder.starts_with(top))
        .map(|folder| folder.join("gavel.toml"))
        // A link counts, so that it is refused instead of passed over or written through.
        .find(|file| {
            let found = file.symlink_metadata();
            found.is_ok_and(|found| found.is_file() || found.is_symlink())
        })
}

/// Reads a project's settings; `None` when there are none.
///
/// A link is refused before anything behind it is read: it comes with whatever was cloned, may lead
/// anywhere, and what is wrong with a file is told with a piece of it.
pub(crate) fn read_project_file(file: &Path) -> Result<Option<String>, Failure> {
    let mut text = String::new();
    let mut options = OpenOptions::new();
    let opened = no_link(options.read(true)).open(file);
    let read = opened.and_then(|mut opened| opened.read_to_string(&mut text));
    match read {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unread(file, error)),
    }
}

/// Opens no symlink, also none that appears meanwhile.
pub(crate) fn no_link(options: &mut OpenOptions) -> &mut OpenOptions {
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    options.custom_flags(flags)
}

/// Why a project's settings could not be read or written.
pub(crate) fn unread(file: &Path, error: std::io::Error) -> Failure {
    if file.is_symlink() {
        let link = anyhow::anyhow!(
            "{} is a symbolic link, and settings of a project are neither read nor written through one",
            file.display()
        );
        return Failure::new(Exit::Refused, link).hint("put a plain file in its place");
    }
    let error = anyhow::Error::new(error).context(file.display().to_string());
    Failure::new(Exit::Failed, error)
}

/// The nearest folder with a `.git` entry.
pub(crate) fn repository_root(directory: &Path) -> Option<&Path> {
    directory
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The text of a file of settings; nothing when there is none.
pub(crate) fn read_settings_file(path: &Path, whose: Whose) -> Result<Option<String>, Failure> {
    match whose {
        Whose::User => read_own_file(path),
        Whose::Project => read_project_file(path),
    }
}

/// Refuses a text that could not be read as settings of that kind.
pub(crate) fn check_settings(text: &str, path: &Path, whose: Whose) -> Result<(), Failure> {
    let layer = text_layer(text, path, (whose, &mut Tables::default()))?;
    resolve(vec![layer])
        .map(drop)
        .map_err(|problems| unusable(&problems))
}

fn unusable(problems: &[SettingProblem]) -> Failure {
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    Failure::new(Exit::Usage, anyhow::anyhow!(problems.join("; ")))
}

fn file_layer(path: &Path, whose: Whose, tables: &mut Tables) -> Result<Option<Layer>, Failure> {
    let text = read_settings_file(path, whose)?;
    text.map(|text| text_layer(&text, path, (whose, tables)))
        .transpose()
}

fn text_layer(
    text: &str,
    path: &Path,
    (whose, tables): (Whose, &mut Tables),
) -> Result<Layer, Failure> {
    let unreadable = |error: anyhow::Error| Failure::new(Exit::Usage, error);
    let mut table: toml::Table = toml::from_str(text)
        .with_context(|| format!("{} is not valid TOML", path.display()))
        .map_err(unreadable)?;
    tables
        .models
        .take_from(&mut table, whose)
        .and_then(|()| tables.sources.take_from(&mut table, whose))
        .and_then(|()| tables.agents.take_from(&mut table))
        .and_then(|()| tables.notify.take_from(&mut table, whose))
        .with_context(|| path.display().to_string())
        .map_err(unreadable)?;
    table.remove("project");
    // How a project is verified belongs to its tree; what cannot be read is said before a run starts.
    if whose == Whose::Project && table.remove("verify").is_some() {
        VerifySettings::read(text)
            .with_context(|| path.display().to_string())
            .map_err(unreadable)?;
    }
    crate::seal_keys::leave_out(&mut table, whose);
    let mut values = BTreeMap::new();
    flatten("", &toml::Value::Table(table), &mut values);
    let path = path.display().to_string();
    let origin = match whose {
        Whose::User => Origin::User(path),
        Whose::Project => Origin::Project(path),
    };
    Ok(Layer { origin, values })
}

/// Reads the person's own settings, wherever they keep them.
fn read_own_file(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let error = anyhow::Error::new(error).context(path.display().to_string());
            Err(Failure::new(Exit::Failed, error))
        }
    }
}

/// Turns nested tables into dotted keys.
fn flatten(prefix: &str, value: &toml::Value, values: &mut BTreeMap<String, Value>) {
    let toml::Value::Table(table) = value else {
        let plain = serde_json::to_value(value).unwrap_or(Value::Null);
        values.insert(prefix.to_owned(), plain);
        return;
    };
    for (name, value) in table {
        let key = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        flatten(&key, value, values);
    }
}
