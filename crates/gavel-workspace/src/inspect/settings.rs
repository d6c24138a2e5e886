//! Files of settings as keys and values: TOML, JSON and INI. Everything else is opaque.

use gavel_rules::work::{Setting, SettingValue, SettingsRead};

/// Deeper keys are one value.
const MOST_DEPTH: usize = 12;

/// Reads a file of settings.
pub(super) fn read(path: &str, text: &str) -> SettingsRead {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ini = [
        "setup.cfg",
        "tox.ini",
        ".flake8",
        "mypy.ini",
        ".mypy.ini",
        ".coveragerc",
        "pytest.ini",
        ".pylintrc",
        "pylintrc",
    ];
    let keys = if name.ends_with(".toml") {
        text.parse::<toml::Table>()
            .ok()
            .and_then(|table| serde_json::to_value(table).ok())
            .map(|value| flattened(&value))
    } else if name.ends_with(".json") || matches!(name, ".nycrc" | ".eslintrc" | ".c8rc") {
        let value = serde_json::from_str(text).ok();
        value.map(|value: serde_json::Value| flattened(&value))
    } else if ini.contains(&name) {
        Some(ini_settings(text))
    } else {
        None
    };
    match keys {
        Some(keys) => SettingsRead::Keys(keys),
        None => SettingsRead::Opaque,
    }
}

fn flattened(value: &serde_json::Value) -> Vec<Setting> {
    let mut found = Vec::new();
    flatten(value, "", 0, &mut found);
    found
}

fn flatten(value: &serde_json::Value, key: &str, depth: usize, found: &mut Vec<Setting>) {
    use serde_json::Value;
    let joined = |part: &str| {
        if key.is_empty() {
            part.to_owned()
        } else {
            format!("{key}.{part}")
        }
    };
    match value {
        Value::Object(map) if depth < MOST_DEPTH => {
            // A level with its priority: `{ level = "deny", priority = -1 }`.
            if let Some(level) = map.get("level").and_then(Value::as_str) {
                found.push(Setting {
                    key: key.to_owned(),
                    value: SettingValue::One(level.to_owned()),
                });
            }
            for (part, inner) in map.iter().filter(|(part, _)| *part != "level") {
                flatten(inner, &joined(part), depth + 1, found);
            }
        }
        Value::Array(all) => {
            let is_rule = key.contains("rules.");
            let first = all.first().and_then(|first| match first {
                Value::String(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
            });
            // A rule of eslint: its level, then its options.
            if let (true, Some(level)) = (is_rule, first) {
                found.push(Setting {
                    key: key.to_owned(),
                    value: SettingValue::One(level),
                });
                let options = all.iter().skip(1).map(shown).collect::<Vec<_>>();
                if !options.is_empty() {
                    found.push(Setting {
                        key: joined("options"),
                        value: SettingValue::One(options.join(" ")),
                    });
                }
            } else {
                found.push(Setting {
                    key: key.to_owned(),
                    value: SettingValue::List(all.iter().map(shown).collect()),
                });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            found.push(Setting {
                key: key.to_owned(),
                value: SettingValue::One(shown(value)),
            });
        }
    }
}

fn shown(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Sections, keys and values; lines that are indented go on with the value. A value of several
/// words or lines is a list.
fn ini_settings(text: &str) -> Vec<Setting> {
    let mut section = String::new();
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name.trim().to_owned();
        } else if line.starts_with([' ', '\t']) && !found.is_empty() {
            if let Some((_, value)) = found.last_mut() {
                value.push(' ');
                value.push_str(trimmed);
            }
        } else {
            let (key, value) = trimmed.split_once(['=', ':']).unwrap_or((trimmed, ""));
            let key = format!("{section}.{}", key.trim());
            found.push((key, value.trim().to_owned()));
        }
    }
    found
        .into_iter()
        .map(|(key, value)| {
            let parts: Vec<String> = value
                .split([',', ' '])
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect();
            let value = match parts.as_slice() {
                [] => SettingValue::One(String::new()),
                [only] => SettingValue::One(only.clone()),
                _ => SettingValue::List(parts),
            };
            Setting { key, value }
        })
        .collect()
}
