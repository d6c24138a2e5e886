//! package.json: dependencies of every kind, aliases and other sources included.

use serde_json::{Map, Value};

use super::{Dependency, ManifestProblem, Use, line_of};
use crate::binding::tree::{Tree, folder_of, resolve};

const PRODUCT: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];
const LISTS: [&str; 2] = ["bundledDependencies", "bundleDependencies"];
/// Where one package is put in the place of another.
const REPLACED: [&str; 2] = ["overrides", "resolutions"];

pub(super) fn read(
    path: &str,
    text: &str,
    tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    let root: Map<String, Value> = serde_json::from_str(text).map_err(|error| ManifestProblem {
        line: u32::try_from(error.line()).unwrap_or(1).max(1),
        problem: error.to_string(),
    })?;
    let mut found = Vec::new();
    let parts = PRODUCT.iter().map(|name| (*name, Use::Product));
    for (part, used) in parts.chain([("devDependencies", Use::Tests)]) {
        let packages = root.get(part).and_then(Value::as_object);
        for (name, version) in packages.into_iter().flatten() {
            let source = Source::of(name, version.as_str().unwrap_or_default());
            if source.is_own(folder_of(path), tree) {
                continue;
            }
            found.push(Dependency {
                package: source.package,
                line: line_in(text, part, name),
                used,
                elsewhere: source.elsewhere,
            });
        }
    }
    for part in LISTS {
        let packages = root.get(part).and_then(Value::as_array);
        let names = packages.into_iter().flatten().filter_map(Value::as_str);
        found.extend(names.map(|name| plain(name, line_in(text, part, name))));
    }
    let pnpm = root.get("pnpm").and_then(|pnpm| pnpm.get("overrides"));
    let replaced = REPLACED
        .iter()
        .filter_map(|part| Some((*part, root.get(*part)?)));
    for (part, packages) in replaced.chain(pnpm.map(|packages| ("overrides", packages))) {
        for name in packages.as_object().into_iter().flat_map(Map::keys) {
            found.push(Dependency {
                elsewhere: Some(part.to_owned()),
                ..plain(name, line_in(text, part, name))
            });
        }
    }
    Ok(found)
}

fn plain(name: &str, line: u32) -> Dependency {
    Dependency {
        package: name.to_owned(),
        line,
        used: Use::Product,
        elsewhere: None,
    }
}

/// Where the version of a package leads.
struct Source {
    package: String,
    elsewhere: Option<String>,
    /// A folder of the tree, as it is written.
    folder: Option<String>,
    is_workspace: bool,
}

impl Source {
    fn of(name: &str, version: &str) -> Self {
        let mut source = Self {
            package: name.to_owned(),
            elsewhere: None,
            folder: None,
            is_workspace: false,
        };
        if let Some(alias) = version.strip_prefix("npm:") {
            let at = alias.rfind('@').filter(|at| *at > 0).unwrap_or(alias.len());
            source.package = alias.get(..at).unwrap_or(alias).to_owned();
        } else if let Some(folder) = ["file:", "link:", "portal:"]
            .iter()
            .find_map(|start| version.strip_prefix(start))
        {
            source.folder = Some(folder.to_owned());
            source.elsewhere = Some(version.to_owned());
        } else if version.starts_with("workspace:") {
            source.is_workspace = true;
        } else if version.contains([':', '/']) {
            source.elsewhere = Some(version.to_owned());
        }
        source
    }

    fn is_own(&self, from: &str, tree: &Tree<'_>) -> bool {
        let has = |folder: String| {
            let is_foreign = folder
                .split('/')
                .any(|part| part == "vendor" || part == "node_modules");
            !is_foreign && tree.has(&format!("{folder}/package.json"))
        };
        let folder = self
            .folder
            .as_deref()
            .and_then(|folder| resolve(from, folder));
        // A package of the workspace is one that the tree has a manifest of.
        let in_workspace = || {
            let wanted = Value::from(self.package.as_str()).to_string();
            tree.texts().any(|(path, text)| {
                path.ends_with("/package.json")
                    && !path.split('/').any(|part| part == "node_modules")
                    && text.contains("\"name\"")
                    && text.contains(&wanted)
            })
        };
        folder.is_some_and(has) || (self.is_workspace && in_workspace())
    }
}

/// The line of a name below a key, as far as a search can tell; else the key's.
fn line_in(text: &str, part: &str, name: &str) -> u32 {
    let written = |text: &str| Value::from(text).to_string();
    let Some(start) = text.rfind(&written(part)) else {
        return 1;
    };
    let below = text.get(start..).unwrap_or_default();
    let at = below.find(&written(name)).unwrap_or(0);
    line_of(text, start + at)
}
