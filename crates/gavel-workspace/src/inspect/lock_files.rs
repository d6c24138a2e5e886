//! Lock files as lists of packages.

use gavel_rules::work::LockedPackage;
use serde_json::Value;

/// Reads a lock file; empty when its format is not known or it is broken.
pub(super) fn read(path: &str, text: &str) -> Vec<LockedPackage> {
    match path.rsplit('/').next().unwrap_or(path) {
        "Cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => toml_packages(text),
        "package-lock.json" | "npm-shrinkwrap.json" => npm_packages(text),
        "Pipfile.lock" => pipfile_packages(text),
        "yarn.lock" => yarn_packages(text),
        "pnpm-lock.yaml" => pnpm_packages(text),
        "bun.lock" => bun_packages(text),
        "go.sum" => go_sums(text),
        _ => Vec::new(),
    }
}

fn text_of(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn toml_packages(text: &str) -> Vec<LockedPackage> {
    let table = text.parse::<toml::Table>().ok();
    let value = table.and_then(|table| serde_json::to_value(table).ok());
    let packages = value.as_ref().and_then(|value| value.get("package"));
    let all = packages.and_then(Value::as_array).into_iter().flatten();
    all.map(|package| LockedPackage {
        name: text_of(package, "name"),
        version: text_of(package, "version"),
        source: toml_source(package.get("source")),
        integrity: first_text(&[
            text_of(package, "checksum"),
            text_of(package, "files"),
            format!(
                "{}{}",
                text_of(package, "sdist"),
                text_of(package, "wheels")
            ),
        ]),
    })
    .collect()
}

fn first_text(all: &[String]) -> String {
    let said = all.iter().find(|text| !text.is_empty());
    said.cloned().unwrap_or_default()
}

/// A text in Cargo's lock, a table in those of Python: the address, or the kind with the address.
fn toml_source(source: Option<&Value>) -> String {
    match source {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(table)) => {
            let pair = |key: &str| table.get(key).and_then(Value::as_str);
            if let Some(registry) = pair("registry") {
                return registry.to_owned();
            }
            // Members of the project itself.
            let own = ["virtual", "editable", "directory"];
            if own.iter().any(|key| matches!(pair(key), Some("." | "./"))) {
                return String::new();
            }
            let kind = pair("type").unwrap_or_default();
            let address = ["url", "git", "path", "editable", "directory", "virtual"];
            let address = address.iter().find_map(|key| Some((*key, pair(key)?)));
            match address {
                Some(("url", url)) if kind == "git" => format!("git+{url}"),
                Some(("url", url)) => url.to_owned(),
                Some((key, place)) => format!("{key}+{place}"),
                None => kind.to_owned(),
            }
        }
        Some(_) | None => String::new(),
    }
}

fn npm_packages(text: &str) -> Vec<LockedPackage> {
    let Ok(lock) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let packages = lock.get("packages").or_else(|| lock.get("dependencies"));
    let mut found = Vec::new();
    for (place, package) in packages.and_then(Value::as_object).into_iter().flatten() {
        // The project itself and the members of its workspace.
        let is_member = !place.contains("node_modules") && lock.get("packages").is_some();
        if is_member {
            continue;
        }
        let is_link = package.get("link") == Some(&Value::Bool(true));
        let resolved = text_of(package, "resolved");
        found.push(LockedPackage {
            name: place.clone(),
            version: text_of(package, "version"),
            source: if is_link {
                format!("link:{resolved}")
            } else {
                resolved
            },
            integrity: text_of(package, "integrity"),
        });
    }
    found
}

fn pipfile_packages(text: &str) -> Vec<LockedPackage> {
    let Ok(lock) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let index = lock.pointer("/_meta/sources/0/url").and_then(Value::as_str);
    let index = index.unwrap_or_default().to_owned();
    let groups = ["default", "develop"];
    let groups = groups.iter().filter_map(|key| lock.get(*key)?.as_object());
    groups
        .flatten()
        .map(|(name, package)| LockedPackage {
            name: name.clone(),
            version: text_of(package, "version"),
            source: first_text(&[
                text_of(package, "git"),
                text_of(package, "file"),
                text_of(package, "path"),
                index.clone(),
            ]),
            integrity: text_of(package, "hashes"),
        })
        .collect()
}

/// Both formats of yarn: an entry begins at the margin, its fields are indented.
fn yarn_packages(text: &str) -> Vec<LockedPackage> {
    let mut found: Vec<LockedPackage> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if !line.starts_with(' ') {
            let first = trimmed.trim_matches(['"', ':']).split(',').next();
            let first = first.unwrap_or_default().trim_matches(['"', ' ']);
            let at = first.char_indices().skip(1).find(|(_, c)| *c == '@');
            let name = at.map_or(first, |(at, _)| first.get(..at).unwrap_or(first));
            found.push(package_named(name));
            continue;
        }
        let Some(last) = found.last_mut() else {
            continue;
        };
        let (key, value) = trimmed.split_once([' ', ':']).unwrap_or((trimmed, ""));
        let value = value.trim().trim_matches('"').to_owned();
        match key.trim_matches('"') {
            "version" => last.version = value,
            // `resolution: "left-pad@npm:1.3.0"`: the protocol tells where it comes from.
            "resolution" => last.source = yarn_source(&value),
            "resolved" => last.source = value.split('#').next().unwrap_or_default().to_owned(),
            "integrity" | "checksum" => last.integrity = value,
            _ => {}
        }
    }
    found.retain(|one| one.name != "__metadata");
    found
}

fn yarn_source(resolution: &str) -> String {
    let at = resolution.char_indices().skip(1).find(|(_, c)| *c == '@');
    let source = at.and_then(|(at, _)| resolution.get(at + 1..));
    match source {
        Some(source) if source.starts_with("npm:") => "https://registry.yarnpkg.com/".to_owned(),
        Some(source) if source.starts_with("workspace:") => String::new(),
        Some(source) => source.to_owned(),
        None => resolution.to_owned(),
    }
}

fn package_named(name: &str) -> LockedPackage {
    LockedPackage {
        name: name.to_owned(),
        version: String::new(),
        source: String::new(),
        integrity: String::new(),
    }
}

/// `packages:` of pnpm: a key with name and version, and a `resolution` below it.
fn pnpm_packages(text: &str) -> Vec<LockedPackage> {
    let mut found: Vec<LockedPackage> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with(' ') && !line.trim().is_empty() {
            inside = line.starts_with("packages:");
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if !inside || trimmed.is_empty() {
            continue;
        }
        if depth == 2 {
            let key = trimmed.trim_end_matches(':').trim_matches(['\'', '"', '/']);
            let at = key.char_indices().skip(1).filter(|(_, c)| *c == '@').last();
            let (name, version) = at.map_or((key, ""), |(at, _)| {
                let version = key.get(at + 1..).unwrap_or_default();
                (key.get(..at).unwrap_or(key), version)
            });
            let is_plain = version.starts_with(|c: char| c.is_ascii_digit());
            found.push(LockedPackage {
                version: version.to_owned(),
                source: if is_plain {
                    "https://registry.npmjs.org/".to_owned()
                } else {
                    version.to_owned()
                },
                ..package_named(name)
            });
        } else if let (Some(last), Some(resolution)) =
            (found.last_mut(), trimmed.strip_prefix("resolution:"))
        {
            let field = |key: &str| {
                let rest = resolution.split_once(key)?.1.trim_start();
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                Some(rest.get(..end)?.trim().trim_matches(['\'', '"']).to_owned())
            };
            last.integrity = field("integrity:").unwrap_or_default();
            if let Some(other) = field("tarball:").or_else(|| field("repo:")) {
                last.source = other;
            } else if let Some(folder) = field("directory:") {
                last.source = format!("directory+{folder}");
            }
        }
    }
    found
}

/// `"name": ["name@version", "registry", {…}, "integrity"]`, one entry a line.
fn bun_packages(text: &str) -> Vec<LockedPackage> {
    let packages = text
        .split_once("\"packages\":")
        .map_or("", |(_, rest)| rest);
    let entries = packages.lines().filter_map(|line| {
        let (key, rest) = line.trim().split_once(": [")?;
        let parts: Vec<&str> = rest.split('"').collect();
        let resolved = parts.get(1)?;
        let at = resolved.char_indices().skip(1).find(|(_, c)| *c == '@')?.0;
        let version = resolved.get(at + 1..)?;
        let registry = parts.get(3).copied().unwrap_or_default();
        let is_plain = version.starts_with(|c: char| c.is_ascii_digit());
        let source = match (is_plain, registry) {
            (true, "") => "https://registry.npmjs.org/",
            (true, registry) => registry,
            (false, _) => version,
        };
        let integrity = parts.iter().rev().find(|part| part.starts_with("sha"));
        Some(LockedPackage {
            version: version.to_owned(),
            source: source.to_owned(),
            integrity: integrity.map_or_else(String::new, |text| (*text).to_owned()),
            ..package_named(key.trim_matches('"'))
        })
    });
    entries.collect()
}

fn go_sums(text: &str) -> Vec<LockedPackage> {
    let entries = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, version, sum) = (words.next()?, words.next()?, words.next()?);
        Some(LockedPackage {
            version: version.to_owned(),
            integrity: sum.to_owned(),
            ..package_named(name)
        })
    });
    entries.collect()
}
