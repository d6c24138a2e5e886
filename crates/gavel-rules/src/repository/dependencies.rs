//! The names of what a manifest depends on, read by line: a manifest that is slightly broken still
//! tells most of it, and nothing more is needed than names.

use serde_json::Value;

use super::Ecosystem;

/// The most names that are kept of one manifest.
const MOST: usize = 40;

/// The names of the dependencies in a manifest's text, each once, in the order of the text.
pub fn dependency_names(ecosystem: Ecosystem, text: &str) -> Vec<String> {
    let names = match ecosystem {
        Ecosystem::Rust => tables(text, |table| table.ends_with("dependencies")),
        Ecosystem::Python => python(text),
        Ecosystem::Node => json_keys(text, &["dependencies", "devDependencies"]),
        Ecosystem::Php => json_keys(text, &["require", "require-dev"]),
        Ecosystem::Go => go(text),
        Ecosystem::Maven => maven(text),
        Ecosystem::DotNet => quoted_after(text, "<PackageReference Include="),
        Ecosystem::Ruby => quoted_after(text, "gem "),
        Ecosystem::Gradle => gradle(text),
    };
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        let name = name.trim().to_owned();
        if !name.is_empty() && !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept.truncate(MOST);
    kept
}

/// Keys of the TOML tables whose name fits, and tables below them: `[dependencies.serde]`.
fn tables(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let table = header.trim_end_matches(']').trim();
            inside = fits(table);
            let below = table.rsplit_once('.').filter(|(above, _)| fits(above));
            names.extend(below.map(|(_, name)| name.to_owned()));
        } else if inside
            && !line.starts_with('#')
            && let Some((key, _)) = line.split_once('=')
        {
            let name = key.split('.').next().unwrap_or(key);
            names.push(name.trim_matches(['"', '\'', ' ']).to_owned());
        }
    }
    names
}

fn python(text: &str) -> Vec<String> {
    let bare = |line: &str| {
        let end = line.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c)));
        line.get(..end.unwrap_or(line.len()))
            .unwrap_or_default()
            .to_owned()
    };
    if !text.lines().any(|line| line.trim_start().starts_with('[')) {
        let lines = text.lines().map(str::trim);
        let told = lines.filter(|line| !line.starts_with(['#', '-']) && !line.contains("import"));
        return told.map(bare).collect();
    }
    let mut names = tables(text, |table| {
        table.starts_with("tool.poetry") && table.ends_with("dependencies")
    });
    names.retain(|name| name != "python");
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        let list = line.strip_prefix("dependencies").map(str::trim_start);
        let list = list.and_then(|rest| rest.strip_prefix('='));
        inside |= list.is_some();
        if inside {
            let quoted = list.unwrap_or(line).split('"').skip(1).step_by(2);
            names.extend(quoted.map(bare));
            inside = !line.ends_with(']');
        }
    }
    names
}

fn json_keys(text: &str, fields: &[&str]) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let objects = fields
        .iter()
        .filter_map(|field| value.get(field)?.as_object());
    let names = objects.flat_map(serde_json::Map::keys);
    // PHP itself and its extensions are no packages.
    let names = names.filter(|name| *name != "php" && !name.starts_with("ext-"));
    names.cloned().collect()
}

fn go(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in text.lines().map(str::trim) {
        let one = line.strip_prefix("require ").map(str::trim);
        match one {
            Some(list) if list.starts_with('(') => inside = true,
            Some(one) => names.extend(one.split(' ').next().map(str::to_owned)),
            None if line == ")" => inside = false,
            None if inside => names.extend(line.split(' ').next().map(str::to_owned)),
            None => {}
        }
    }
    names
}

fn maven(text: &str) -> Vec<String> {
    let blocks = text.split("<dependency>").skip(1);
    let name = |block: &str| {
        let (_, rest) = block.split_once("<artifactId>")?;
        let (name, _) = rest.split_once('<')?;
        Some(name.to_owned())
    };
    blocks.filter_map(name).collect()
}

fn gradle(text: &str) -> Vec<String> {
    let starts = [
        "implementation",
        "api",
        "compileOnly",
        "runtimeOnly",
        "testImplementation",
    ];
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| starts.iter().any(|start| line.starts_with(start)));
    lines.filter_map(|line| between_quotes(line, 0)).collect()
}

fn quoted_after(text: &str, start: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let found = lines.filter_map(|line| between_quotes(line, line.find(start)?));
    found.collect()
}

/// What stands between the first two quotes behind a place.
fn between_quotes(line: &str, from: usize) -> Option<String> {
    let mut parts = line.get(from..)?.split(['"', '\'']);
    parts.next();
    parts.next().map(str::to_owned)
}
