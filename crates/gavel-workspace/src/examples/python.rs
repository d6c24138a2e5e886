//! Python: an entry of `[project.scripts]`, a package that can be run, or one plain script.

use std::path::PathBuf;

use toml::Table;

use super::program::{ProgramError, ProgramFound, Site, none};

/// Calls what an entry names, as its installed script does; the tree's own modules come first.
const CALL: &str = "import sys, importlib; root, module, name = sys.argv[1:4]; sys.path[0] = root; \
    sys.argv[:5] = [sys.argv[4]]; run = importlib.import_module(module)\n\
    for part in name.split('.'): run = getattr(run, part)\n\
    sys.exit(run())";
/// Runs a package as `python -m` does, from another folder.
const RUN: &str = "import sys, runpy; root, module = sys.argv[1:3]; sys.path[0] = root; \
    del sys.argv[1:3]; runpy.run_module(module, run_name='__main__', alter_sys=True)";

pub(super) fn program(site: &Site<'_>) -> Result<Option<ProgramFound>, ProgramError> {
    let text = site.text("pyproject.toml").unwrap_or_default();
    let manifest: Table = text.parse().unwrap_or_default();
    let name = manifest
        .get("project")
        .and_then(|project| project.get("name"))
        .and_then(toml::Value::as_str)
        .unwrap_or_default();
    match entry(&manifest, name) {
        Entry::One(entry) => return start_entry(site, &entry).map(Some),
        Entry::Several(names) => return Ok(Some(ProgramFound::Several(names))),
        Entry::None => {}
    }
    let mut packages = packages(site);
    if packages.len() > 1 {
        return Ok(Some(ProgramFound::Several(
            packages.into_iter().map(|(_, name)| name).collect(),
        )));
    }
    let root = site.root().display().to_string();
    if let Some((folder, package)) = packages.pop() {
        let root = site.root().join(folder).display().to_string();
        let words = [python(site), "-c".to_owned(), RUN.to_owned(), root, package];
        return site.found(words).map(Some);
    }
    let scripts = [
        "main.py".to_owned(),
        "cli.py".to_owned(),
        format!("{}.py", module(name)),
    ];
    let mut there = scripts.into_iter().filter(|file| site.file(file).is_some());
    match (there.next(), there.next()) {
        (Some(file), None) => {
            let words = [python(site), format!("{root}/{file}")];
            site.found(words).map(Some)
        }
        (Some(first), Some(second)) => Ok(Some(ProgramFound::Several(vec![first, second]))),
        (None, _) if text.is_empty() => Ok(None),
        (None, _) => Ok(Some(none("pyproject.toml names no script"))),
    }
}

/// A script that the project declares.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    name: String,
    module: String,
    function: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Entry {
    None,
    One(Declared),
    Several(Vec<String>),
}

/// The only script, or the one that is called like the project.
fn entry(manifest: &Table, project: &str) -> Entry {
    let tables = [
        manifest.get("project").and_then(|own| own.get("scripts")),
        manifest
            .get("tool")
            .and_then(|tool| tool.get("poetry"))
            .and_then(|poetry| poetry.get("scripts")),
    ];
    let scripts = tables
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table);
    let all: Vec<Declared> = scripts
        .flatten()
        .filter_map(|(name, target)| {
            let (module, function) = target.as_str()?.split_once(':')?;
            let function = function.split('[').next().unwrap_or(function);
            Some(Declared {
                name: name.clone(),
                module: module.trim().to_owned(),
                function: function.trim().to_owned(),
            })
        })
        .collect();
    match all.as_slice() {
        [] => Entry::None,
        [only] => Entry::One(only.clone()),
        several => match several.iter().find(|one| one.name == project) {
            Some(one) => Entry::One(one.clone()),
            None => Entry::Several(several.iter().map(|one| one.name.clone()).collect()),
        },
    }
}

/// The installed script, or what it would call.
fn start_entry(site: &Site<'_>, entry: &Declared) -> Result<ProgramFound, ProgramError> {
    let installed = environments(site)
        .into_iter()
        .map(|folder| folder.join("bin").join(&entry.name))
        .find(|script| script.is_file());
    if let Some(script) = installed {
        return site.found([script.display().to_string()]);
    }
    let in_source = format!("src/{}", entry.module.split('.').next().unwrap_or_default());
    let is_there = |folder: &str| site.root().join(folder).exists();
    let root = match is_there(&in_source) || is_there(&format!("{in_source}.py")) {
        true => site.root().join("src"),
        false => site.root().to_owned(),
    };
    site.found([
        python(site),
        "-c".to_owned(),
        CALL.to_owned(),
        root.display().to_string(),
        entry.module.clone(),
        entry.function.clone(),
        entry.name.clone(),
    ])
}

/// Packages with a `__main__.py`: the folder that holds each, and its name.
fn packages(site: &Site<'_>) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    for folder in ["", "src"] {
        for name in site.names_in(folder) {
            let path = match folder {
                "" => format!("{name}/__main__.py"),
                folder => format!("{folder}/{name}/__main__.py"),
            };
            let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            if is_name && site.file(&path).is_some() {
                found.push((folder, name));
            }
        }
    }
    found
}

/// Where dependencies were installed: by us, or by uv, which alone makes one in the tree.
fn environments(site: &Site<'_>) -> Vec<PathBuf> {
    let mut folders = vec![site.cache().join("venv")];
    if site.text("uv.lock").is_some() {
        folders.push(site.root().join(".venv"));
    }
    folders
}

fn python(site: &Site<'_>) -> String {
    environments(site)
        .into_iter()
        .map(|folder| folder.join("bin/python"))
        .find(|python| python.exists())
        .map_or_else(|| "python3".to_owned(), |path| path.display().to_string())
}

/// A project's name as a module is called.
fn module(name: &str) -> String {
    name.replace(['-', '.'], "_").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_script_is_declared_or_the_one_of_the_project() {
        let declared = |name: &str, module: &str, function: &str| {
            Entry::One(Declared {
                name: name.to_owned(),
                module: module.to_owned(),
                function: function.to_owned(),
            })
        };
        for (text, wanted) in [
            ("", Entry::None),
            ("[project]\nname = 'p'", Entry::None),
            (
                "[project.scripts]\nx = 'a.b:main'",
                declared("x", "a.b", "main"),
            ),
            (
                "[tool.poetry.scripts]\nx = 'a:App.run'",
                declared("x", "a", "App.run"),
            ),
            (
                "[project.scripts]\nx = 'a:x'\np = 'a:p'",
                declared("p", "a", "p"),
            ),
            (
                "[project.scripts]\nx = 'a:x'\ny = 'a:y'",
                Entry::Several(vec!["x".to_owned(), "y".to_owned()]),
            ),
        ] {
            let manifest: Table = text.parse().unwrap();
            assert_eq!(entry(&manifest, "p"), wanted, "{text}");
        }
    }
}
