//! The boundaries: JSON, globs and patterns that compile, and agreement with the blueprint.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::ContractKind;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::sections::layers;
use super::{Agreement, cannot_compare, line_with};
use crate::finding::{Findings, quote, quote_all};
use crate::markdown::Document;

/// Longer globs and patterns are refused before anything compiles them.
const MAX_EXPRESSION: usize = 300;
/// The most memory of one compiled pattern.
const MAX_COMPILED: usize = 1 << 20;
const MAX_NESTING: u32 = 40;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Boundaries {
    pub(crate) description: String,
    pub(crate) layers: Vec<Layer>,
    #[serde(default)]
    pub(crate) known_violations: Vec<Violation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) name: String,
    pub(crate) glob: String,
    #[serde(default)]
    pub(crate) forbidden: Vec<Forbidden>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forbidden {
    pub(crate) pattern: String,
    pub(crate) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Violation {
    pub(crate) layer: String,
    pub(crate) file: String,
    pub(crate) pattern: String,
}

pub(super) fn check(text: &str, agreement: &Agreement<'_>, findings: &mut Findings) {
    let boundaries: Boundaries = match serde_json::from_str(text) {
        Ok(boundaries) => boundaries,
        Err(error) => {
            let line = u32::try_from(error.line()).ok().filter(|line| *line > 0);
            return findings.add(
                ("json", line),
                error.to_string(),
                "write one JSON object with description, layers and known_violations",
            );
        }
    };
    let mut checker = Checker { text, findings };
    if boundaries.description.trim().is_empty() {
        checker.add(
            "description_empty",
            "\"description\"",
            "the description is empty",
        );
    }
    if boundaries.layers.is_empty() {
        checker.add("layer_none", "\"layers\"", "there is no layer");
    }
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for layer in &boundaries.layers {
        let patterns = layer.forbidden.iter().map(|rule| rule.pattern.as_str());
        if known.insert(&layer.name, patterns.collect()).is_some() {
            checker.about("layer_twice", &layer.name, "a layer stands twice: ");
        }
        checker.layer(layer);
    }
    for violation in &boundaries.known_violations {
        checker.violation(violation, &known);
    }
    if let Some(blueprint) = agreement.shelf.get(ContractKind::Blueprint) {
        match layers(&Document::parse(&blueprint.text)) {
            Some(planned) => checker.compare(&known, &planned),
            None => cannot_compare(ContractKind::Blueprint, checker.findings),
        }
    }
}

struct Checker<'a> {
    text: &'a str,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    fn layer(&mut self, layer: &Layer) {
        if layer.name.trim().is_empty() {
            self.add("layer_name", "\"name\"", "a layer has no name");
        }
        if let Err(problem) = compile_glob(&layer.glob) {
            self.found("glob", &layer.glob, &problem);
        }
        for rule in &layer.forbidden {
            if let Err(problem) = compile_pattern(&rule.pattern) {
                self.found("pattern", &rule.pattern, &problem);
            }
            if rule.reason.trim().is_empty() {
                self.about("reason_empty", &rule.pattern, "no reason is given for ");
            }
        }
    }

    fn violation(&mut self, violation: &Violation, known: &BTreeMap<&str, BTreeSet<&str>>) {
        let Violation {
            layer,
            file,
            pattern,
        } = violation;
        match known.get(layer.as_str()) {
            None => self.about(
                "violation_layer",
                layer,
                "a known violation names no layer: ",
            ),
            Some(patterns) if !patterns.contains(pattern.as_str()) => {
                self.about("violation_pattern", pattern, "the layer does not forbid ");
            }
            Some(_) if file.trim().is_empty() => {
                self.add(
                    "violation_file",
                    "\"file\"",
                    "a known violation names no file",
                );
            }
            Some(_) => {}
        }
    }

    fn compare(&mut self, known: &BTreeMap<&str, BTreeSet<&str>>, planned: &BTreeSet<String>) {
        let all = quote_all(planned.iter().map(String::as_str));
        for name in known.keys().filter(|name| !planned.contains(**name)) {
            let line = self.line_of(name);
            self.findings.add(
                ("layer_unknown", line),
                format!("{} is no layer of the blueprint", quote(name)),
                format!("the blueprint's layers are {all}"),
            );
        }
        for name in planned
            .iter()
            .filter(|name| !known.contains_key(name.as_str()))
        {
            self.findings.add(
                ("layer_missing", None),
                format!("the blueprint's layer {} is missing", quote(name)),
                format!("name each of {all} once"),
            );
        }
    }

    fn add(&mut self, rule: &'static str, needle: &str, message: &str) {
        let line = line_with(self.text, needle);
        let help = "fill it in, as the format says";
        self.findings.add((rule, line), message, help);
    }

    fn about(&mut self, rule: &'static str, value: &str, message: &str) {
        let line = self.line_of(value);
        let message = format!("{message}{}", quote(value));
        self.findings
            .add((rule, line), message, "mend or remove it");
    }

    fn found(&mut self, rule: &'static str, value: &str, problem: &str) {
        let line = self.line_of(value);
        let help = match rule {
            "glob" => "write a glob relative to the repository, such as `src/store/**`",
            _ => "write a regular expression without look-around, such as `use crate::store`",
        };
        let message = format!("{} does not compile: {problem}", quote(value));
        self.findings.add((rule, line), message, help);
    }

    /// The last line that holds a string of the JSON text.
    fn line_of(&self, value: &str) -> Option<u32> {
        let written = serde_json::to_string(value).ok()?;
        super::line_at(self.text, self.text.rfind(&written)?)
    }
}

/// Compiles a layer's glob, or says what is wrong with it.
pub(crate) fn compile_glob(glob: &str) -> Result<GlobSet, String> {
    if glob.trim().is_empty() || glob.len() > MAX_EXPRESSION {
        return Err(format!("it must have 1 to {MAX_EXPRESSION} bytes"));
    }
    if glob.starts_with('/') || glob.split('/').any(|part| part == "..") {
        return Err("it must stay inside the repository".to_owned());
    }
    let parsed = GlobBuilder::new(glob).literal_separator(true).build();
    let parsed = parsed.map_err(|error| error.kind().to_string())?;
    // A set reports a glob that grows too large, where a single matcher would panic.
    let set = GlobSetBuilder::new().add(parsed).build();
    set.map_err(|error| error.kind().to_string())
}

/// Compiles a forbidden pattern, or says what is wrong with it.
pub(crate) fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    if pattern.is_empty() || pattern.len() > MAX_EXPRESSION {
        return Err(format!("it must have 1 to {MAX_EXPRESSION} bytes"));
    }
    let compiled = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build();
    compiled.map_err(|error| last_line(&error.to_string()))
}

/// Errors of patterns draw a picture; what is wrong stands in its last line.
fn last_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}
