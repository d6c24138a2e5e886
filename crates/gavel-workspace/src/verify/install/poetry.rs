//! Poetry: its lock file gives the versions, its manifest the names. The program itself is not run, so
//! that no plugin that a tree asks for is either.

use toml::{Table, Value};

use super::requirements::Requirements;
use super::{InstallProblem, Installer, Tree};

impl Installer<'_> {
    /// Installs the project where it is a package, and gives what it wants with what its groups name,
    /// bound to the versions of the lock.
    pub(super) async fn poetry(&mut self, tree: &Tree) -> Result<Requirements, InstallProblem> {
        let manifest = tree.text("pyproject.toml").unwrap_or_default();
        let manifest = manifest.parse::<Table>().unwrap_or_default();
        let mut wanted = match is_package(&manifest) {
            true => self.project(tree).await?,
            false => Requirements::default(),
        };
        let named = names(&manifest);
        let more = Requirements::of(named.iter().map(String::as_str));
        wanted.named.extend(more.named);
        let lock = tree.text("poetry.lock").unwrap_or_default();
        wanted.bounds.extend(versions(&lock));
        Ok(wanted)
    }
}

fn poetry_table(manifest: &Table) -> Option<&Value> {
    manifest.get("tool")?.get("poetry")
}

fn is_package(manifest: &Table) -> bool {
    let mode = poetry_table(manifest).and_then(|table| table.get("package-mode"));
    mode.and_then(Value::as_bool).unwrap_or(true)
}

/// The names that a manifest lists by itself and in its groups; the lock knows their versions.
fn names(manifest: &Table) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |list: Option<&Value>| {
        let list = list.and_then(Value::as_table).into_iter().flatten();
        for (name, value) in list {
            let optional = value.get("optional").and_then(Value::as_bool);
            if name != "python" && optional != Some(true) {
                let extras = value.get("extras").and_then(Value::as_array);
                let extras = extras.map(|list| super::python::strings(list).join(","));
                found.push(match extras {
                    Some(extras) => format!("{name}[{extras}]"),
                    None => name.clone(),
                });
            }
        }
    };
    let table = poetry_table(manifest);
    add(table.and_then(|table| table.get("dependencies")));
    add(table.and_then(|table| table.get("dev-dependencies")));
    let groups = table.and_then(|table| table.get("group"));
    for (_, group) in groups.and_then(Value::as_table).into_iter().flatten() {
        let optional = group.get("optional").and_then(Value::as_bool);
        if optional != Some(true) {
            add(group.get("dependencies"));
        }
    }
    let list = |value: Option<&Value>| {
        let list = value.and_then(Value::as_array);
        list.map(|list| super::python::strings(list))
            .unwrap_or_default()
    };
    found.extend(list(
        manifest.get("project").and_then(|p| p.get("dependencies")),
    ));
    let groups = manifest.get("dependency-groups").and_then(Value::as_table);
    for (_, group) in groups.into_iter().flatten() {
        found.extend(list(Some(group)));
    }
    found
}

/// The versions of a lock; a name with several of them is not bound.
fn versions(lock: &str) -> Vec<String> {
    let lock = lock.parse::<Table>().unwrap_or_default();
    let packages = lock.get("package").and_then(Value::as_array);
    let mut found: Vec<(String, String)> = Vec::new();
    for package in packages.into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        if let (Some(name), Some(version), None) =
            (text("name"), text("version"), package.get("source"))
        {
            found.push((name.to_owned(), version.to_owned()));
        }
    }
    let once = |name: &str| found.iter().filter(|(other, _)| other == name).count() == 1;
    let bound = found.iter().filter(|(name, _)| once(name));
    bound
        .map(|(name, version)| format!("{name}=={version}"))
        .collect()
}

#[cfg(test)]
#[path = "poetry_tests.rs"]
mod tests;
