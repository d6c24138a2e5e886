//! `[[agents]]`: agents from outside that loops may wait for before they ever came. A name starts
//! nothing and opens nothing, so a project's file may hold it too.

use anyhow::Context as _;
use gavel_domain::AgentId;
use serde::Deserialize;

const KEY: &str = "agents";

/// The agents that the settings name.
#[derive(Debug, Default)]
pub(crate) struct NamedAgents(Vec<AgentId>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedAgent {
    name: AgentId,
}

impl NamedAgents {
    /// Takes the agents out of a file's table, so that the plain keys remain.
    pub(crate) fn take_from(&mut self, table: &mut toml::Table) -> anyhow::Result<()> {
        let Some(named) = table.remove(KEY) else {
            return Ok(());
        };
        let named: Vec<NamedAgent> = named.try_into().context(KEY)?;
        self.0.extend(named.into_iter().map(|agent| agent.name));
        Ok(())
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &AgentId> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> anyhow::Result<Vec<String>> {
        let mut agents = NamedAgents::default();
        agents.take_from(&mut toml::from_str(text)?)?;
        Ok(agents.names().map(ToString::to_string).collect())
    }

    #[test]
    fn agents_have_names_and_nothing_else() {
        let two = "[[agents]]\nname = \"codex\"\n[[agents]]\nname = \"claude\"\n";
        assert_eq!(taken(two).unwrap(), ["codex", "claude"]);
        assert_eq!(taken("").unwrap(), [""; 0]);
        for wrong in [
            "[[agents]]\nname = \"a b\"\n",
            "[[agents]]\nname = \"codex\"\ncommand = [\"codex\"]\n",
            "agents = \"codex\"\n",
        ] {
            assert!(taken(wrong).is_err(), "{wrong}");
        }
    }
}
