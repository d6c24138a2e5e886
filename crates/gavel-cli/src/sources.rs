//! `[[sources]]`: programs outside the project that a council may ask, from the person's own file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use gavel_agent::Source;
use gavel_mcp::{McpProgram, McpSource};
use secrecy::SecretString;
use serde::Deserialize;

use crate::environment;
use crate::providers::Whose;

const KEY: &str = "sources";

/// The sources that a person named.
#[derive(Debug, Default)]
pub(crate) struct SourceSettings(Vec<SourceSetting>);

/// A program that answers over MCP.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceSetting {
    name: String,
    /// The program and its arguments.
    command: Vec<String>,
    /// Tools that may be used beside those that say they only read.
    #[serde(default)]
    tools: Vec<String>,
    /// Variables that the program sees beside `PATH` and `HOME`.
    #[serde(default)]
    env: Vec<String>,
    /// Whether it may be asked under money caps without a question, although nobody counts what that
    /// costs.
    #[serde(default)]
    agreed: bool,
}

impl SourceSettings {
    /// Takes the sources out of a file's table, so that the plain keys remain.
    pub(crate) fn take_from(&mut self, table: &mut toml::Table, of: Whose) -> anyhow::Result<()> {
        let Some(named) = table.remove(KEY) else {
            return Ok(());
        };
        // It comes with whatever repository somebody cloned.
        if of == Whose::Project {
            bail!(
                "{KEY}: a project's file cannot name programs to be started; put them into your own \
                 config.toml"
            );
        }
        let named: Vec<SourceSetting> = named.try_into().context(KEY)?;
        let mut names = BTreeSet::new();
        for source in &named {
            source.check()?;
            if !names.insert(&source.name) {
                bail!("{KEY}: there are two sources named `{}`", source.name);
            }
        }
        self.0 = named;
        Ok(())
    }

    /// The sources; none of them is started by this.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn Source>> {
        let source = |setting: &SourceSetting| Arc::new(setting.source()) as Arc<dyn Source>;
        self.0.iter().map(source).collect()
    }

    /// The values of the variables that were listed for them: most are keys. A path is none.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        let listed = self.0.iter().flat_map(|source| &source.env);
        listed
            .filter_map(|name| environment::variable(name))
            .filter(|value| !value.starts_with('/'))
            .map(SecretString::from)
            .collect()
    }

    /// Each with its command and with what is missing for it, for people.
    pub(crate) fn told(&self) -> Vec<ToldSource> {
        self.0.iter().map(SourceSetting::told).collect()
    }
}

/// A source in words.
#[derive(Debug)]
pub(crate) struct ToldSource {
    /// `docs: npx -y some-docs`
    pub(crate) line: String,
    /// What is not there on this machine.
    pub(crate) missing: Option<String>,
}

impl SourceSetting {
    fn check(&self) -> anyhow::Result<()> {
        let name = &self.name;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > 40 || !name.chars().all(plain) {
            bail!("{KEY}: `{name}`: a name has at most 40 lower-case letters, digits and -");
        }
        let program = self.command.first().map_or("", String::as_str);
        if program.is_empty() {
            bail!(
                "{KEY}: `{name}`: command names a program and its arguments, as [\"npx\", \"…\"]"
            );
        }
        if program.contains('/') && !program.starts_with('/') {
            bail!("{KEY}: `{name}`: write the whole path of `{program}`, or its name alone");
        }
        match self
            .env
            .iter()
            .find(|name| name.is_empty() || name.contains('='))
        {
            Some(wrong) => bail!("{KEY}: `{name}`: env lists names of variables, not `{wrong}`"),
            None => Ok(()),
        }
    }

    fn source(&self) -> McpSource {
        let program = self.command.first().cloned().unwrap_or_default();
        let program = McpProgram {
            command: environment::program(&program).unwrap_or_else(|| program.into()),
            arguments: self.command.iter().skip(1).cloned().collect(),
            environment: self.environment(),
            folder: home(),
            agreed: self.agreed,
        };
        McpSource::new(&self.name, program, self.tools.iter().cloned())
    }

    /// What the program sees: enough to be found and to keep what it fetched, and what was listed.
    fn environment(&self) -> Vec<(String, SecretString)> {
        let home = home().to_str().map(SecretString::from);
        let mut seen = vec![("HOME".to_owned(), home)];
        let listed = ["PATH"]
            .into_iter()
            .chain(self.env.iter().map(String::as_str));
        seen.extend(listed.map(|name| (name.to_owned(), environment::secret(name))));
        seen.into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    fn told(&self) -> ToldSource {
        let program = self.command.first().map_or("", String::as_str);
        let is_there = match program.starts_with('/') {
            true => PathBuf::from(program).is_file(),
            false => environment::program(program).is_some(),
        };
        let mut unset = self.env.iter();
        let unset = unset.find(|name| environment::variable(name).is_none());
        let missing = match unset {
            _ if !is_there => Some(format!("{program} is not there")),
            Some(name) => Some(format!("{name} is not set")),
            None => None,
        };
        ToldSource {
            line: format!("{}: {}", self.name, self.command.join(" ")),
            missing,
        }
    }
}

/// Programs run in the person's own folder, never in a project's.
fn home() -> PathBuf {
    environment::home().unwrap_or_else(std::env::temp_dir)
}
