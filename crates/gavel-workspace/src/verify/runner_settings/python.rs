//! Python: pytest's settings, and hooks that are loaded into it.

use gavel_rules::{RunnerChoice, RunnerSetting};
use toml::{Table, Value};

use super::{TreeFiles, name_of, whole};

/// Keys of pytest's settings that say what is found and shown, and load nothing.
const HARMLESS: [&str; 20] = [
    "markers",
    "filterwarnings",
    "testpaths",
    "minversion",
    "xfail_strict",
    "asyncio_mode",
    "asyncio_default_fixture_loop_scope",
    "log_cli",
    "log_cli_level",
    "log_level",
    "log_format",
    "norecursedirs",
    "python_files",
    "python_classes",
    "python_functions",
    "pythonpath",
    "usefixtures",
    "DJANGO_SETTINGS_MODULE",
    "console_output_style",
    "timeout",
];
/// Beginnings of options that change what is shown or how fast it goes.
const OPTIONS: [&str; 16] = [
    "-q",
    "-v",
    "-r",
    "-s",
    "-x",
    "-n",
    "auto",
    "--tb=",
    "--durations",
    "--cov",
    "--strict",
    "--color=",
    "--maxfail=",
    "--import-mode=",
    "--doctest-modules",
    "--timeout=",
];

/// Where a project names modules that pytest loads, once it is installed.
pub(super) const PLUGINS: [&str; 2] = [
    "project.entry-points.pytest11",
    "tool.poetry.plugins.pytest11",
];

pub(super) fn settings(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    for file in ["pytest.ini", ".pytest.ini"] {
        found.extend(of_section(tree, file, "pytest"));
    }
    found.extend(of_section(tree, "tox.ini", "pytest"));
    found.extend(of_section(tree, "setup.cfg", "tool:pytest"));
    found.extend(of_toml(tree, "pyproject.toml", &["tool", "pytest"]));
    for file in ["pytest.toml", ".pytest.toml"] {
        found.extend(of_toml(tree, file, &["pytest"]));
    }
    found.extend(plugins(tree));
    let hooks = tree.entries.keys();
    for file in hooks.filter(|path| name_of(path) == "conftest.py") {
        let text = tree.text(file).unwrap_or_default();
        if text.contains("pytest_") || text.contains("_pytest") {
            found.extend(whole(tree, file, "its hooks"));
        }
    }
    found
}

/// Modules that pytest loads because the project, or what lies beside it as if it were installed,
/// names them.
fn plugins(tree: &TreeFiles) -> Vec<RunnerSetting> {
    let mut found = Vec::new();
    let file = "pyproject.toml";
    let table: Table = tree
        .text(file)
        .unwrap_or_default()
        .parse()
        .unwrap_or_default();
    for name in PLUGINS {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|part| table.get(part));
        let value = parts.fold(first, |at, part| at.and_then(|at| at.get(part)));
        if let Some(value) = value {
            let value = value.to_string();
            found.push(RunnerSetting::new(file, name, &value, RunnerChoice::Other));
        }
    }
    for file in ["setup.cfg", "setup.py"] {
        let text = tree.text(file).unwrap_or_default();
        if text.contains("pytest11") {
            found.extend(whole(tree, file, "plugins of pytest"));
        }
    }
    let installed = tree.entries.keys().filter(|path| {
        let folder = path.strip_suffix("/entry_points.txt").unwrap_or_default();
        folder.ends_with(".egg-info") || folder.ends_with(".dist-info")
    });
    found.extend(installed.filter_map(|path| whole(tree, path, "plugins of pytest")));
    found
}

fn setting(file: &str, key: &str, value: &str) -> Option<RunnerSetting> {
    let known = |word: &str| {
        let number = word.chars().all(|c| c.is_ascii_digit());
        number || OPTIONS.iter().any(|option| word.starts_with(option))
    };
    let chooses = match key {
        key if HARMLESS.contains(&key) => return None,
        "addopts" if words(value).all(known) => RunnerChoice::Known,
        _ => RunnerChoice::Other,
    };
    Some(RunnerSetting::new(file, key, value, chooses))
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    let words = value.split(|c: char| c.is_whitespace() || "\"',[]".contains(c));
    words.filter(|word| !word.is_empty())
}

/// The keys of a section of an INI file, with the lines that continue them.
fn of_section(tree: &TreeFiles, file: &str, section: &str) -> Vec<RunnerSetting> {
    let header = format!("[{section}]");
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in tree.text(file).unwrap_or_default().lines() {
        if line.starts_with('[') {
            inside = line.trim() == header;
        } else if inside && line.starts_with(char::is_whitespace) {
            if let Some((_, value)) = keys.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let (true, Some((key, value))) = (inside, line.split_once(['=', ':'])) {
            keys.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    let settings = keys.iter();
    settings
        .filter_map(|(key, value)| setting(file, key, value))
        .collect()
}

fn of_toml(tree: &TreeFiles, file: &str, path: &[&str]) -> Vec<RunnerSetting> {
    let Some(text) = tree.text(file) else {
        return Vec::new();
    };
    let Ok(table) = text.parse::<Table>() else {
        let unreadable = RunnerSetting::new(file, "its content", text, RunnerChoice::Other);
        return vec![unreadable];
    };
    let mut at = Some(&table);
    for part in path {
        at = at
            .and_then(|table| table.get(*part))
            .and_then(Value::as_table);
    }
    let mut found = Vec::new();
    for (key, value) in at.into_iter().flatten() {
        // The settings stand in a table of their own, in older and newer forms.
        let inner = value.as_table().filter(|_| key == "ini_options");
        if let Some(inner) = inner {
            let inner = inner.iter();
            found.extend(inner.filter_map(|(key, value)| of_value(file, key, value)));
        } else {
            found.extend(of_value(file, key, value));
        }
    }
    found
}

fn of_value(file: &str, key: &str, value: &Value) -> Option<RunnerSetting> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    setting(file, key, &text)
}
