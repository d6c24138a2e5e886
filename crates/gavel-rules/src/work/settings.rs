//! What the work did to settings of linters, coverage and test runs, and to continuous integration.
//!
//! Whatever takes a rule away or weakens it is a finding, and so is a change that cannot be
//! understood. Rules that were added are none. Which program runs the tests is compared elsewhere
//! (`compare_runners`).

mod levels;

use std::collections::BTreeMap;

use super::files::{Setting, SettingValue, SettingsRead, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};
use crate::repository::name_of;
use levels::{Direction, direction};

/// Words of settings and commands by which tests are left out, or a run passes without them.
const SWITCHES: [&str; 33] = [
    "passWithNoTests",
    "--pass-with-no-tests",
    "--no-tests=pass",
    "--no-tests pass",
    "--if-present",
    "|| true",
    "|| exit 0",
    "; true",
    "continue-on-error: true",
    "allow_failure: true",
    "testPathIgnorePatterns",
    "testNamePattern",
    "--testPathIgnorePatterns",
    "--deselect",
    "--ignore=",
    "--ignore-glob",
    "collect_ignore",
    "norecursedirs",
    "--suppress-no-test-exit-code",
    "--no-run",
    "--skip ",
    "--exclude ",
    "-p no:",
    "autotests = false",
    "autotests=false",
    "harness = false",
    "harness=false",
    "test = false",
    "test=false",
    "required-features",
    "default-filter",
    "dangerouslyIgnoreUnhandledErrors",
    "-k \"not",
];
/// Files of linters that count as a whole where they cannot be taken apart.
const LINTERS: [&str; 17] = [
    "clippy.toml",
    ".clippy.toml",
    "deny.toml",
    "eslint",
    ".eslint",
    "biome.json",
    ".oxlintrc",
    "stylelint",
    ".stylelint",
    ".flake8",
    "ruff.toml",
    ".ruff.toml",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    ".golangci",
    ".rubocop",
];
const MORE_LINTERS: [&str; 3] = ["pylintrc", ".pylintrc", ".pre-commit-config.yaml"];
/// Beginnings of keys that are settings of linters in files for many tools.
const LINT_KEYS: [&str; 17] = [
    "lints.",
    "workspace.lints.",
    "eslintConfig.",
    "stylelint.",
    "tool.ruff.",
    "tool.mypy.",
    "tool.pylint.",
    "tool.pyright.",
    "tool.basedpyright.",
    "tool.flake8.",
    "tool.bandit.",
    "flake8.",
    "mypy.",
    "mypy-",
    "pylint.",
    "compilerOptions.",
    "lint.",
];
/// Files of coverage, as a whole.
const COVERAGE: [&str; 8] = [
    ".coveragerc",
    ".nycrc",
    ".nycrc.json",
    ".c8rc.json",
    "codecov.yml",
    ".codecov.yml",
    "tarpaulin.toml",
    ".tarpaulin.toml",
];
/// Parts of keys that are settings of coverage.
const COVERAGE_KEYS: [&str; 10] = [
    "tool.coverage.",
    "coverage:",
    "coverageThreshold",
    "coveragePathIgnorePatterns",
    "collectCoverage",
    "thresholds",
    "fail_under",
    "fail-under",
    "nyc.",
    "c8.",
];

/// Compares every file of settings and of continuous integration.
pub(super) fn compare_settings(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let paths: std::collections::BTreeSet<&str> = before
        .iter()
        .chain(after.iter())
        .map(|file| file.path.as_str())
        .collect();
    let mut findings = Vec::new();
    for path in paths {
        let (was, is) = (before.get(path), after.get(path));
        if let (Some(was), Some(is)) = (was, is)
            && was.content == is.content
        {
            continue;
        }
        let Some(any) = is.or(was) else { continue };
        match any.role() {
            FileRole::Ci => findings.push(ci_changed(path, was, is)),
            FileRole::Settings => {
                findings.extend(settings_changed(path, was, is));
                findings.extend(switches(path, was, is));
                findings.extend(cargo_targets(path, was, is));
            }
            FileRole::Other | FileRole::Product if is_script(path) => {
                findings.extend(switches(path, was, is));
            }
            FileRole::Test
            | FileRole::Snapshot
            | FileRole::Fixture
            | FileRole::Lock
            | FileRole::Document
            | FileRole::Product
            | FileRole::Other => {}
        }
    }
    findings
}

fn is_script(path: &str) -> bool {
    let endings = [
        ".sh", ".mk", ".ini", ".cfg", ".yml", ".yaml", ".toml", ".bat", ".ps1",
    ];
    endings.iter().any(|ending| path.ends_with(ending))
}

fn text(file: Option<&WorkFile>) -> String {
    let content = file.map(|file| String::from_utf8_lossy(&file.content).into_owned());
    content.unwrap_or_default()
}

fn ci_changed(path: &str, was: Option<&WorkFile>, is: Option<&WorkFile>) -> WorkFinding {
    let what = match (was, is) {
        (None, _) => "continuous integration was added",
        (Some(_), None) => "continuous integration was removed",
        (Some(_), Some(_)) => "continuous integration was changed",
    };
    WorkFinding::new(WorkFindingKind::CiChanged, path, "")
        .saying(what)
        .changed(&text(was), &text(is))
}

fn settings_changed(path: &str, was: Option<&WorkFile>, is: Option<&WorkFile>) -> Vec<WorkFinding> {
    let keys = |file: Option<&WorkFile>| match file.map(|file| &file.settings) {
        Some(SettingsRead::Keys(keys)) => Some(keys.clone()),
        Some(SettingsRead::Opaque) => None,
        None => Some(Vec::new()),
    };
    match (keys(was), keys(is)) {
        (Some(old), Some(new)) => keys_changed(path, &old, &new),
        _ => opaque_changed(path, was, is),
    }
}

/// A file that is not taken apart: as a whole where it is a linter's or coverage's own, and by its
/// numbers where it may set thresholds among other things.
fn opaque_changed(path: &str, was: Option<&WorkFile>, is: Option<&WorkFile>) -> Vec<WorkFinding> {
    let (old, new) = (text(was), text(is));
    let kind = file_kind(path);
    if let (Some(kind), Some(_)) = (kind, was) {
        let what = if is.is_none() { "removed" } else { "changed" };
        let finding = WorkFinding::new(kind, path, "")
            .saying(format!(
                "{path} was {what}, and cannot be compared rule by rule"
            ))
            .changed(&old, &new);
        return vec![finding];
    }
    let (was, is) = (thresholds(&old), thresholds(&new));
    let lowered = was.iter().filter(|(name, old)| {
        let now = is.get(*name);
        now.is_none_or(|now| now < *old)
    });
    lowered
        .map(|(name, old)| {
            let now = is.get(name).map_or("gone".to_owned(), ToString::to_string);
            WorkFinding::new(WorkFindingKind::CoverageLoosened, path, name)
                .saying(format!("{name} was {old} and is {now}"))
                .changed(&old.to_string(), &now)
        })
        .collect()
}

/// Thresholds of coverage in the text of a configuration that is code: the lowest of each name.
fn thresholds(text: &str) -> BTreeMap<String, f64> {
    const NAMES: [&str; 4] = ["lines", "branches", "functions", "statements"];
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    for name in NAMES {
        for (at, _) in text.match_indices(name) {
            let rest = text.get(at + name.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['"', '\'', ' ', ':', '=', '\t']);
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
            let number = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if let Ok(number) = number.parse::<f64>() {
                let lowest = found.entry(name.to_owned()).or_insert(number);
                *lowest = lowest.min(number);
            }
        }
    }
    found
}

fn file_kind(path: &str) -> Option<WorkFindingKind> {
    let name = name_of(path);
    if LINTERS.iter().any(|linter| name.starts_with(linter)) || MORE_LINTERS.contains(&name) {
        Some(WorkFindingKind::LintLoosened)
    } else if COVERAGE.contains(&name) {
        Some(WorkFindingKind::CoverageLoosened)
    } else {
        None
    }
}

fn key_kind(path: &str, key: &str) -> Option<WorkFindingKind> {
    if COVERAGE_KEYS.iter().any(|part| key.contains(part)) {
        return Some(WorkFindingKind::CoverageLoosened);
    }
    if LINT_KEYS.iter().any(|start| key.starts_with(start)) {
        return Some(WorkFindingKind::LintLoosened);
    }
    file_kind(path)
}

fn keys_changed(path: &str, was: &[Setting], is: &[Setting]) -> Vec<WorkFinding> {
    let by_key = |all: &[Setting]| -> BTreeMap<String, SettingValue> {
        let pairs = all.iter().map(|one| (one.key.clone(), one.value.clone()));
        pairs.collect()
    };
    let (was, is) = (by_key(was), by_key(is));
    let keys: std::collections::BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let mut findings = Vec::new();
    for key in keys {
        let Some(kind) = key_kind(path, key) else {
            continue;
        };
        let (old, new) = (was.get(key), is.get(key));
        match direction(key, old, new) {
            Direction::Same | Direction::Stricter => continue,
            Direction::Looser | Direction::Unclear => {}
        }
        let (old, new) = (shown(old), shown(new));
        let message = match (old.as_str(), new.as_str()) {
            ("", new) => format!("{key} is now {new}"),
            (old, "") => format!("{key} = {old} was removed"),
            (old, new) => format!("{key} was {old} and is {new}"),
        };
        let finding = WorkFinding::new(kind, path, key)
            .saying(message)
            .changed(&old, &new);
        findings.push(finding);
    }
    findings
}

fn shown(value: Option<&SettingValue>) -> String {
    match value {
        None => String::new(),
        Some(SettingValue::One(text)) if text.is_empty() => "(empty)".to_owned(),
        Some(SettingValue::One(text)) => text.clone(),
        Some(SettingValue::List(all)) => format!("[{}]", all.join(", ")),
    }
}

/// What cargo takes as library and tests, where a manifest from before the run says something else now:
/// another file in their place, or a member of the workspace that is left out.
fn cargo_targets(path: &str, was: Option<&WorkFile>, is: Option<&WorkFile>) -> Vec<WorkFinding> {
    let (Some(was), Some(is)) = (was, is) else {
        return Vec::new();
    };
    if name_of(path) != "Cargo.toml" {
        return Vec::new();
    }
    let (old, new) = (text(Some(was)), text(Some(is)));
    let mut changed = Vec::new();
    for section in ["[lib]", "[[test]]", "[[bin]]"] {
        let (before, after) = (target_lines(&old, section), target_lines(&new, section));
        changed.extend(after.into_iter().filter(|line| !before.contains(line)));
    }
    let said = |text: &str, key: &str| {
        let from = text.find(key).and_then(|at| text.get(at..));
        let list = from
            .and_then(|rest| rest.split(']').next())
            .unwrap_or_default();
        let names = list.split('"').skip(1).step_by(2).map(str::to_owned);
        names.collect::<std::collections::BTreeSet<String>>()
    };
    let members = |text: &str| said(text, "members");
    changed.extend(
        members(&old)
            .difference(&members(&new))
            .map(|name| format!("members without {name}")),
    );
    let excluded = |text: &str| said(text, "exclude");
    changed.extend(
        excluded(&new)
            .difference(&excluded(&old))
            .map(|name| format!("exclude {name}")),
    );
    let findings = changed.into_iter().map(|line| {
        WorkFinding::new(WorkFindingKind::TestsLeftOut, path, &line)
            .saying(format!(
                "what cargo takes as library or tests is another: `{line}`"
            ))
            .changed("", &line)
    });
    findings.collect()
}

/// Lines of a manifest's sections that say which file stands for a target, and whether it is tested.
fn target_lines(text: &str, section: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let plain: String = line.split_whitespace().collect();
        if plain.starts_with('[') {
            inside = plain == section;
        } else if inside {
            let keys = ["path=", "test=", "harness=", "required-features="];
            if keys.iter().any(|key| plain.starts_with(key)) {
                lines.push(plain);
            }
        }
    }
    lines
}

/// Words by which tests are left out, said more often than before, and lower limits in commands.
fn switches(path: &str, was: Option<&WorkFile>, is: Option<&WorkFile>) -> Vec<WorkFinding> {
    let (old, new) = (text(was), text(is));
    let more = SWITCHES
        .iter()
        .filter(|word| new.matches(**word).count() > old.matches(**word).count());
    let mut findings: Vec<WorkFinding> = more
        .map(|word| {
            let said = new.lines().zip(1..).filter(|(line, _)| line.contains(word));
            let (line, number) = said.last().unwrap_or_default();
            WorkFinding::new(WorkFindingKind::TestsLeftOut, path, word)
                .at(number)
                .saying(format!(
                    "tests may be left out or not count: `{}`",
                    word.trim()
                ))
                .changed("", line.trim())
        })
        .collect();
    let limit = |text: &str| {
        let places = text.split("fail-under").skip(1);
        let numbers = places.filter_map(|rest| {
            let rest = rest.trim_start_matches(['=', ' ', '"', ':']);
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            rest.get(..end.unwrap_or(rest.len()))?.parse::<f64>().ok()
        });
        numbers.reduce(f64::min)
    };
    if let Some(wanted) = limit(&old)
        && limit(&new).is_none_or(|now| now < wanted)
    {
        let now = limit(&new).map_or("gone".to_owned(), |now| now.to_string());
        let finding = WorkFinding::new(WorkFindingKind::CoverageLoosened, path, "fail-under")
            .saying(format!("fail-under was {wanted} and is {now}"))
            .changed(&wanted.to_string(), &now);
        findings.push(finding);
    }
    findings
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
