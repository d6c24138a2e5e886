//! pyproject.toml, Pipfile, setup.cfg and requirements files.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Dependency, ManifestProblem, Use, line_of, read_toml};
use crate::binding::tree::{Tree, folder_of, name_of};

/// Packages that build packages; whoever publishes one needs one of them.
const BUILDERS: [&str; 10] = [
    "setuptools",
    "wheel",
    "hatchling",
    "flit_core",
    "flit-core",
    "poetry-core",
    "pdm-backend",
    "maturin",
    "scikit-build-core",
    "uv_build",
];

pub(super) fn is_requirements(path: &str) -> bool {
    let name = name_of(path);
    let is_text = name.ends_with(".txt") || name.ends_with(".in");
    let is_list = name.starts_with("requirements") || name.starts_with("constraints");
    is_text && (is_list || name_of(folder_of(path)) == "requirements")
}

pub(super) fn read_requirements(text: &str) -> Vec<Dependency> {
    let lines = (1..).zip(text.lines());
    let requirement = |(number, line): (u32, &str)| {
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        if let Some(option) = line.strip_prefix('-') {
            let is_editable = option.starts_with("e ") || option.starts_with("-editable");
            let place = option.split_whitespace().nth(1).unwrap_or_default();
            let is_own = place.starts_with('.') && !place.contains("..");
            return (is_editable && !is_own).then(|| one(place, (number, Use::Product), None));
        }
        Some(requirement(line, (number, Use::Product)))
    };
    lines.filter_map(requirement).collect()
}

/// A requirement as pip writes it: `name[extra]>=1; marker` or `name @ address`.
fn requirement(text: &str, (line, used): (u32, Use)) -> Dependency {
    let text = text.trim();
    let end = |c: char| !(c.is_alphanumeric() || "-_.".contains(c));
    let name = text
        .get(..text.find(end).unwrap_or(text.len()))
        .unwrap_or(text);
    let address = text.split_once(" @ ").map(|(_, address)| address.trim());
    if address.is_none() && (text.contains("://") || name.is_empty() || text.contains('/')) {
        return one(text, (line, used), Some(text.to_owned()));
    }
    one(name, (line, used), address.map(str::to_owned))
}

fn one(package: &str, (line, used): (u32, Use), elsewhere: Option<String>) -> Dependency {
    Dependency {
        package: package.to_owned(),
        line,
        used,
        elsewhere,
    }
}

pub(super) fn read_pyproject(
    _path: &str,
    text: &str,
    _tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    let root = read_toml(text)?;
    let root = root.get_ref();
    let mut found = Vec::new();
    let mut list = |value: Option<&Spanned<DeValue<'_>>>, used| {
        let entries = value.and_then(|value| value.get_ref().as_array());
        for entry in entries.into_iter().flatten() {
            if let DeValue::String(written) = entry.get_ref() {
                let line = line_of(text, entry.span().start);
                found.push(requirement(written, (line, used)));
            }
        }
    };
    let project = at(root, &["project"]);
    list(
        project.and_then(|project| project.get("dependencies")),
        Use::Product,
    );
    for group in project
        .into_iter()
        .filter_map(|project| table(project, "optional-dependencies"))
    {
        group
            .values()
            .for_each(|group| list(Some(group), Use::Tests));
    }
    for group in table(root, "dependency-groups")
        .into_iter()
        .flat_map(|groups| groups.values())
    {
        list(Some(group), Use::Tests);
    }
    list(
        at(root, &["tool", "uv"]).and_then(|uv| uv.get("dev-dependencies")),
        Use::Tests,
    );
    for place in [
        &["tool", "pdm", "dev-dependencies"][..],
        &["tool", "hatch", "envs"],
    ] {
        for group in at(root, place)
            .into_iter()
            .flat_map(|groups| groups.values())
        {
            let inner = group.get_ref().as_table();
            list(
                inner
                    .and_then(|inner| inner.get("dependencies"))
                    .or(Some(group)),
                Use::Tests,
            );
        }
    }
    list(
        table(root, "build-system").and_then(|build| build.get("requires")),
        Use::Product,
    );
    found.retain(|dependency| !BUILDERS.contains(&dependency.package.as_str()));
    found.extend(poetry(root, text));
    let sources = at(root, &["tool", "uv", "sources"]);
    for (name, value) in sources.into_iter().flatten() {
        let is_workspace = value
            .get_ref()
            .as_table()
            .is_some_and(|all| all.contains_key("workspace"));
        if !is_workspace {
            let line = line_of(text, name.span().start);
            let place = Some("tool.uv.sources".to_owned());
            found.push(one(name.get_ref(), (line, Use::Product), place));
        }
    }
    Ok(found)
}

fn poetry(root: &DeTable<'_>, text: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let Some(poetry) = at(root, &["tool", "poetry"]) else {
        return found;
    };
    let groups = table(poetry, "group")
        .into_iter()
        .flat_map(|groups| groups.values());
    let groups = groups.filter_map(|group| table(group.get_ref().as_table()?, "dependencies"));
    let dev = table(poetry, "dev-dependencies").into_iter().chain(groups);
    let product = table(poetry, "dependencies").into_iter();
    let all = product.map(|packages| (packages, Use::Product));
    for (packages, used) in all.chain(dev.map(|packages| (packages, Use::Tests))) {
        found.extend(packages_of(packages, text, used));
    }
    found
}

/// Packages as keys, with a version or a table behind each.
fn packages_of(packages: &DeTable<'_>, text: &str, used: Use) -> Vec<Dependency> {
    let all = packages.iter().map(|(name, value)| {
        let fields = value.get_ref().as_table();
        let field = |name: &str| fields?.get(name)?.get_ref().as_str();
        let elsewhere = ["git", "url", "path", "file"]
            .iter()
            .find_map(|name| field(name));
        let line = line_of(text, name.span().start);
        one(name.get_ref(), (line, used), elsewhere.map(str::to_owned))
    });
    all.filter(|dependency| dependency.package != "python")
        .collect()
}

pub(super) fn read_pipfile(
    _path: &str,
    text: &str,
    _tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    let root = read_toml(text)?;
    let parts = [("packages", Use::Product), ("dev-packages", Use::Tests)];
    let parts = parts
        .into_iter()
        .filter_map(|(name, used)| Some((table(root.get_ref(), name)?, used)));
    Ok(parts
        .flat_map(|(packages, used)| packages_of(packages, text, used))
        .collect())
}

/// The lists below `install_requires` and the like.
pub(super) fn read_setup_cfg(text: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let (mut section, mut used) = ("", None);
    for (number, line) in (1..).zip(text.lines()) {
        let is_indented = line.starts_with([' ', '\t']);
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(title) = bare.strip_prefix('[').filter(|_| !is_indented) {
            section = title.trim_end_matches(']');
            used = None;
        } else if is_indented {
            found.extend(used.map(|used| requirement(bare, (number, used))));
        } else if let Some((key, value)) = bare.split_once('=') {
            used = match (section, key.trim()) {
                ("options", "install_requires" | "setup_requires") => Some(Use::Product),
                ("options", "tests_require") | ("options.extras_require", _) => Some(Use::Tests),
                _ => None,
            };
            let value = value.trim();
            if !value.is_empty() {
                found.extend(used.map(|used| requirement(value, (number, used))));
            }
        }
    }
    found.retain(|dependency| !BUILDERS.contains(&dependency.package.as_str()));
    found
}

fn table<'t, 'i>(of: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    of.get(name)?.get_ref().as_table()
}

fn at<'t, 'i>(root: &'t DeTable<'i>, path: &[&str]) -> Option<&'t DeTable<'i>> {
    path.iter().try_fold(root, |of, name| table(of, name))
}
