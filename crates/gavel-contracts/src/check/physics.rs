//! The interface: YAML, commands and paths, and agreement with the schema.

use std::collections::BTreeSet;

use gavel_domain::ContractKind;
use serde_json::{Map, Value};

use super::{Agreement, cannot_compare, line_with};
use crate::finding::{Findings, quote, quote_all};
use crate::schema::{SchemaEntity, parse_schema};

const INFO: [&str; 3] = ["title", "version", "description"];
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];
/// What may stand beside the methods of a path.
const BESIDE_METHODS: [&str; 3] = ["summary", "description", "parameters"];

pub(crate) type Fields = Map<String, Value>;

pub(super) fn check(text: &str, agreement: &Agreement<'_>, findings: &mut Findings) {
    let root = match read(text) {
        Ok(root) => root,
        Err((line, problem)) => {
            return findings.add(
                ("yaml", line),
                problem,
                "write one YAML document, a mapping with `info` and `commands` or `paths`",
            );
        }
    };
    let mut checker = Checker { text, findings };
    checker.info(root.get("info"));
    let commands = checker.part(&root, "commands");
    let paths = checker.part(&root, "paths");
    match (commands, paths) {
        (None, None) => checker.findings.add(
            ("interface_none", None),
            "there are neither commands nor paths",
            "say under `commands` or `paths` how the product is used",
        ),
        (commands, paths) => {
            for (name, command) in commands.into_iter().flatten() {
                checker.command(name, command);
            }
            for (path, item) in paths.into_iter().flatten() {
                checker.path(path, item);
            }
        }
    }
    if let Some(schema) = agreement.shelf.get(ContractKind::Schema) {
        match parse_schema(&schema.text) {
            Ok(entities) => checker.compare(&entities, commands, paths),
            Err(_) => cannot_compare(ContractKind::Schema, checker.findings),
        }
    }
}

/// Reads a mapping; hostile texts are bounded in depth, size and aliases.
pub(crate) fn read(text: &str) -> Result<Fields, (Option<u32>, String)> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 24,
            max_events: 40_000,
            max_nodes: 20_000,
            max_anchors: 50,
            max_aliases: 50,
            max_documents: 1,
        },
    };
    let read = serde_saphyr::from_str_with_options::<Value>(text, options);
    let root = read.map_err(|error| {
        let line = error
            .location()
            .and_then(|place| u32::try_from(place.line()).ok());
        let message = error.to_string();
        let first = message.lines().next().unwrap_or("no YAML").to_owned();
        (line, first)
    })?;
    match root {
        Value::Object(fields) => Ok(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err((None, "the document is no mapping".to_owned()))
        }
    }
}

struct Checker<'a> {
    text: &'a str,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn info(&mut self, info: Option<&Value>) {
        let line = self.line_of("info");
        let help = "give `info` a title, a version and a description";
        let Some(Value::Object(info)) = info else {
            return self.findings.add(("info", line), "`info` is missing", help);
        };
        for name in INFO {
            if !info.get(name).is_some_and(is_said) {
                self.findings
                    .add(("info", line), format!("`info` has no {name}"), help);
            }
        }
    }

    /// A mapping of the root; an empty one counts as none.
    fn part<'v>(&mut self, root: &'v Fields, name: &str) -> Option<&'v Fields> {
        match root.get(name)? {
            Value::Object(fields) if fields.is_empty() => None,
            Value::Object(fields) => Some(fields),
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let line = self.line_of(name);
                let help = "write one key for each, with a mapping below it";
                let message = format!("`{name}` is no mapping");
                self.findings.add(("interface_form", line), message, help);
                None
            }
        }
    }

    fn command(&mut self, name: &str, command: &Value) {
        let is_whole = command.get("summary").is_some_and(is_said);
        if !is_whole {
            let line = self.line_of(name);
            self.findings.add(
                ("command_summary", line),
                format!("the command {} has no summary", quote(name)),
                "say below it what it does: `summary: …`",
            );
        }
    }

    fn path(&mut self, path: &str, item: &Value) {
        let line = self.line_of(path);
        if let Err(problem) = check_path(path) {
            self.findings.add(
                ("path_form", line),
                format!("{}: {problem}", quote(path)),
                "write a path such as `/notes/{id}`",
            );
        }
        let Value::Object(item) = item else {
            return self.no_method(path, line);
        };
        let is_method = |name: &str| METHODS.contains(&name);
        if !item.keys().any(|name| is_method(name)) {
            self.no_method(path, line);
        }
        for (name, operation) in item {
            if is_method(name) {
                self.operation((path, name), line, operation);
            } else if !BESIDE_METHODS.contains(&name.as_str()) && !name.starts_with("x-") {
                self.findings.add(
                    ("method_unknown", line),
                    format!("{} of {} is no method", quote(name), quote(path)),
                    format!("use {}", METHODS.join(", ")),
                );
            }
        }
    }

    fn no_method(&mut self, path: &str, line: Option<u32>) {
        self.findings.add(
            ("method_none", line),
            format!("the path {} has no method", quote(path)),
            "add a method with a summary and responses below it",
        );
    }

    fn operation(&mut self, (path, name): (&str, &str), line: Option<u32>, operation: &Value) {
        let answers = match operation.get("responses") {
            Some(Value::Object(responses)) => !responses.is_empty(),
            Some(_) | None => false,
        };
        if !operation.get("summary").is_some_and(is_said) || !answers {
            self.findings.add(
                ("method_form", line),
                format!("{name} {} needs a summary and responses", quote(path)),
                "write `summary: …` and `responses: {200: …}`",
            );
        }
    }

    fn compare(
        &mut self,
        entities: &[SchemaEntity],
        commands: Option<&Fields>,
        paths: Option<&Fields>,
    ) {
        let names = || entities.iter().map(|entity| entity.name.as_str());
        let mut reached = BTreeSet::new();
        for (name, command) in commands.into_iter().flatten() {
            let Some(entity) = command.get("entity").and_then(Value::as_str) else {
                continue;
            };
            if names().any(|known| known == entity) {
                reached.insert(entity);
            } else {
                let line = self.line_of(name);
                self.findings.add(
                    ("entity_unknown", line),
                    format!("the command {} names no entity of the schema", quote(name)),
                    format!("name one of {}", quote_all(names())),
                );
            }
        }
        let mut segments = paths
            .into_iter()
            .flat_map(|paths| paths.keys())
            .flat_map(|path| path.split('/'))
            .collect::<BTreeSet<_>>();
        segments.remove("");
        for entity in entities {
            if !reached.contains(entity.name.as_str()) && !segments.contains(entity.plural.as_str())
            {
                let (name, plural) = (&entity.name, &entity.plural);
                self.findings.add(
                    ("entity_unreached", None),
                    format!("no command and no path leads to the entity {}", quote(name)),
                    format!("add a command with `entity: {name}`, or a path with /{plural}"),
                );
            }
        }
    }

    fn line_of(&self, key: &str) -> Option<u32> {
        line_of_key(self.text, key)
    }
}

/// The line of a key, as far as a search can tell.
pub(crate) fn line_of_key(text: &str, key: &str) -> Option<u32> {
    let starts = |line: &str| {
        let line = line.trim_start().trim_start_matches(['"', '\'']);
        let rest = line.strip_prefix(key)?;
        rest.trim_start_matches(['"', '\''])
            .starts_with(':')
            .then_some(())
    };
    let place = text.lines().position(|line| starts(line).is_some());
    match place {
        Some(place) => u32::try_from(place + 1).ok(),
        None => line_with(text, key),
    }
}

fn is_said(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(_) => true,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    if !path.starts_with('/') || path.contains(char::is_whitespace) {
        return Err("a path begins with / and has no spaces");
    }
    let unpaired = "braces in a path come in pairs, with a name between them";
    let mut seen = BTreeSet::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').ok_or(unpaired)?;
        if before.contains('}') || name.is_empty() || name.contains(['{', '/']) {
            return Err(unpaired);
        }
        if !seen.insert(name) {
            return Err("a name in braces stands twice");
        }
        rest = tail;
    }
    if rest.contains('}') {
        return Err(unpaired);
    }
    Ok(())
}
