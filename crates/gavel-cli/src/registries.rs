//! Which registries install steps may reach: those of the person's own package managers, and hosts of
//! the person's own settings.

use std::path::PathBuf;

use gavel_rules::{Destination, Effective, NamedBy};
use gavel_workspace::{OpenNetwork, ProjectCommands, Toolchains, registries_of};
use serde_json::Value;

use crate::environment;

/// Fills in what was found. A project's file cannot name any of the settings that are read here.
pub(crate) fn find(settings: &[Effective], toolchains: &mut Toolchains) {
    let found = registries_of(&environment::variable, &text);
    toolchains.env.extend(found.env);
    toolchains.registries = found.registries;
    let value = |key: &str| {
        let found = settings.iter().find(|setting| setting.key == key);
        found.map_or(&Value::Null, |setting| &setting.value)
    };
    let hosts = value("install.hosts").as_array();
    let hosts = hosts.into_iter().flatten().filter_map(Value::as_str);
    for host in hosts.filter_map(|host| Destination::parse(host, 443)) {
        toolchains.registries.reach.allow(host, NamedBy::Person);
    }
    if value("install.open_network") == "agreed" {
        toolchains.registries.open_network = OpenNetwork::Agreed;
    }
    if value("install.project_commands") == "registries" {
        toolchains.registries.project_commands = ProjectCommands::Registries;
    }
}

/// The text of a file by its path, in which `~/` is the home.
fn text(path: &str) -> Option<String> {
    let cargo_home = || {
        let set = environment::variable("CARGO_HOME").map(PathBuf::from);
        set.or_else(|| Some(environment::home()?.join(".cargo")))
    };
    let path = match (path.strip_prefix("~/"), path.strip_prefix("$CARGO_HOME/")) {
        (Some(below), _) => environment::home()?.join(below),
        (None, Some(below)) => cargo_home()?.join(below),
        (None, None) => PathBuf::from(path),
    };
    std::fs::read_to_string(path).ok()
}
