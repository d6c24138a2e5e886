//! What a project's own mutation settings leave out: cargo-mutants, Stryker, mutmut.
//!
//! Pure: texts in, answers out. Whoever asks decides whose texts count; settings that the work itself
//! wrote would be a way around the measurement.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use crate::path::RepoPath;
use crate::syntax::SourceLanguage;

use super::place::{FaultPlace, MutationError, find_fault_places};

/// A program that plants faults, and has settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationTool {
    /// cargo-mutants, for Rust.
    CargoMutants,
    /// Stryker, for JavaScript and TypeScript.
    Stryker,
    /// mutmut, for Python.
    Mutmut,
}

/// Why something gets no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// Whose settings say so.
    pub tool: MutationTool,
    /// The file in which they stand.
    pub settings: String,
    /// What they say: a glob, an expression, `#[mutants::skip]`.
    pub rule: String,
}

/// Everything that a project's settings leave out. The default leaves out nothing.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    rules: Vec<Rule>,
    marked: BTreeSet<(RepoPath, String)>,
}

#[derive(Debug, Clone)]
struct Rule {
    tool: MutationTool,
    settings: &'static str,
    applies: Applies,
}

#[derive(Debug, Clone)]
enum Applies {
    /// These files are left out.
    Without(Vec<NamedGlob>),
    /// All other files are left out.
    Only(Vec<NamedGlob>),
    /// Faults whose name matches are left out.
    Name(Regex),
}

#[derive(Debug, Clone)]
struct NamedGlob {
    glob: GlobMatcher,
    text: String,
}

impl MutationTool {
    /// The files in which settings stand, below the root of a tree. Scripts that compute them are not
    /// read.
    pub const SETTINGS: [(Self, &'static str); 6] = [
        (Self::CargoMutants, ".cargo/mutants.toml"),
        (Self::Stryker, "stryker.conf.json"),
        (Self::Stryker, "stryker.config.json"),
        (Self::Stryker, ".stryker.conf.json"),
        (Self::Mutmut, "pyproject.toml"),
        (Self::Mutmut, "setup.cfg"),
    ];

    fn is_for(self, file: &RepoPath) -> bool {
        let language = SourceLanguage::of_path(file);
        match self {
            Self::CargoMutants => language == Some(SourceLanguage::Rust),
            Self::Mutmut => language == Some(SourceLanguage::Python),
            Self::Stryker => matches!(
                language,
                Some(SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx)
            ),
        }
    }
}

impl Exclusions {
    /// Reads the settings of a tree. `text_of` gives the text of a file by its path, as far as there is
    /// one.
    pub fn read(text_of: impl Fn(&str) -> Option<String>) -> Result<Self, MutationError> {
        let mut rules = Vec::new();
        for (tool, settings) in MutationTool::SETTINGS {
            let Some(text) = text_of(settings) else {
                continue;
            };
            let found = match (tool, settings) {
                (MutationTool::CargoMutants, _) => cargo_mutants(&text),
                (MutationTool::Stryker, _) => stryker(&text),
                (MutationTool::Mutmut, "setup.cfg") => mutmut_section(&text),
                (MutationTool::Mutmut, _) => mutmut_table(&text),
            };
            let found = found.map_err(|problem| MutationError::Settings {
                file: settings.to_owned(),
                problem,
            })?;
            rules.extend(found.into_iter().map(|applies| Rule {
                tool,
                settings,
                applies,
            }));
        }
        Ok(Self {
            rules,
            marked: BTreeSet::new(),
        })
    }

    /// Adds the functions that a version of a source file marks `#[mutants::skip]`.
    pub fn add_marked(&mut self, file: &RepoPath, source: &str) -> Result<(), MutationError> {
        if SourceLanguage::of_path(file) == Some(SourceLanguage::Rust) {
            let places = find_fault_places(SourceLanguage::Rust, file, source)?;
            let marked = places.into_iter().filter(|place| place.marked_skip);
            self.marked
                .extend(marked.map(|place| (place.file, place.function)));
        }
        Ok(())
    }

    /// Why a file is left out, if it is.
    pub fn of_file(&self, file: &RepoPath) -> Option<Exclusion> {
        let rules = self.rules.iter().filter(|rule| rule.tool.is_for(file));
        rules
            .filter_map(|rule| {
                let text = match &rule.applies {
                    Applies::Without(globs) => {
                        let found = globs
                            .iter()
                            .find(|named| named.glob.is_match(file.as_str()));
                        found?.text.clone()
                    }
                    Applies::Only(globs) => {
                        if globs.iter().any(|named| named.glob.is_match(file.as_str())) {
                            return None;
                        }
                        let texts: Vec<_> = globs.iter().map(|named| named.text.as_str()).collect();
                        format!("only {}", texts.join(", "))
                    }
                    Applies::Name(_) => return None,
                };
                Some(rule.says(text))
            })
            .next()
    }

    /// Why a place is left out, if it is.
    pub fn of_place(&self, place: &FaultPlace) -> Option<Exclusion> {
        if let Some(exclusion) = self.of_file(&place.file) {
            return Some(exclusion);
        }
        if self
            .marked
            .contains(&(place.file.clone(), place.function.clone()))
        {
            return Some(Exclusion {
                tool: MutationTool::CargoMutants,
                settings: place.file.to_string(),
                rule: "#[mutants::skip]".to_owned(),
            });
        }
        let name = mutant_name(place);
        let rules = self.rules.iter();
        let mut rules = rules.filter(|rule| rule.tool.is_for(&place.file));
        rules.find_map(|rule| match &rule.applies {
            Applies::Name(expression) if expression.is_match(&name) => {
                Some(rule.says(expression.as_str().to_owned()))
            }
            Applies::Name(_) | Applies::Without(_) | Applies::Only(_) => None,
        })
    }
}

impl Rule {
    fn says(&self, rule: String) -> Exclusion {
        Exclusion {
            tool: self.tool,
            settings: self.settings.to_owned(),
            rule,
        }
    }
}

/// As cargo-mutants names what it does, which is what `exclude_re` is compared with.
fn mutant_name(place: &FaultPlace) -> String {
    let FaultPlace {
        file,
        line,
        function,
        before,
        after,
        ..
    } = place;
    format!("{file}:{line}: replace {before} with {after} in {function}")
}

fn cargo_mutants(text: &str) -> Result<Vec<Applies>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    // A glob without a folder is about the name of a file, wherever it is.
    let anywhere = |glob: String| match glob.contains('/') {
        true => glob.trim_start_matches('/').to_owned(),
        false => format!("**/{glob}"),
    };
    let globs = |key: &str| -> Result<Vec<NamedGlob>, String> {
        let texts = texts(table.get(key)).into_iter();
        texts
            .map(|text| named(&anywhere(text), Stars::OneFolder))
            .collect()
    };
    let mut found = Vec::new();
    found.extend(without(globs("exclude_globs")?));
    found.extend(only(globs("examine_globs")?));
    for expression in texts(table.get("exclude_re")) {
        let expression = Regex::new(&expression).map_err(|error| error.to_string())?;
        found.push(Applies::Name(expression));
    }
    Ok(found)
}

fn stryker(text: &str) -> Result<Vec<Applies>, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let patterns = value.get("mutate").and_then(serde_json::Value::as_array);
    let patterns = patterns
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_str);
    let (mut out, mut inside) = (Vec::new(), Vec::new());
    for pattern in patterns {
        let relative = |pattern: &str| pattern.trim_start_matches("./").to_owned();
        match pattern.strip_prefix('!') {
            // A range of lines leaves out a part of a file, which would be the whole here.
            Some(pattern) if has_lines(pattern) => {}
            Some(pattern) => out.push(named(&relative(pattern), Stars::OneFolder)?),
            None => {
                let pattern = pattern.split(':').next().unwrap_or(pattern);
                inside.push(named(&relative(pattern), Stars::OneFolder)?);
            }
        }
    }
    Ok(without(out).into_iter().chain(only(inside)).collect())
}

/// True for `src/a.js:10-20`.
fn has_lines(pattern: &str) -> bool {
    let lines = pattern.rsplit_once(':').map(|(_, lines)| lines);
    lines.is_some_and(|lines| lines.starts_with(|first: char| first.is_ascii_digit()))
}

fn mutmut_table(text: &str) -> Result<Vec<Applies>, String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let settings = table.get("tool").and_then(|tool| tool.get("mutmut"));
    let of_key = |key: &str| texts(settings.and_then(|settings| settings.get(key)));
    mutmut(&of_key("paths_to_mutate"), &of_key("do_not_mutate"))
}

fn mutmut_section(text: &str) -> Result<Vec<Applies>, String> {
    let (mut paths, mut not) = (Vec::new(), Vec::new());
    let (mut here, mut key) = (false, String::new());
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            here = trimmed == "[mutmut]";
            key.clear();
            continue;
        }
        if !here || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let values = match trimmed.split_once('=') {
            Some((name, values)) if !line.starts_with([' ', '\t']) => {
                name.trim().clone_into(&mut key);
                values
            }
            Some(_) | None => trimmed,
        };
        let values = values.split(',').map(str::trim);
        let values = values.filter(|value| !value.is_empty()).map(str::to_owned);
        match key.as_str() {
            "paths_to_mutate" => paths.extend(values),
            "do_not_mutate" => not.extend(values),
            _ => {}
        }
    }
    mutmut(&paths, &not)
}

fn mutmut(paths: &[String], not: &[String]) -> Result<Vec<Applies>, String> {
    let out: Result<Vec<_>, _> = not.iter().map(|glob| named(glob, Stars::Folders)).collect();
    let mut inside = Vec::new();
    for path in paths {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        inside.push(named(path, Stars::Folders)?);
        let below = if path.is_empty() || path == "." {
            "**".to_owned()
        } else {
            format!("{path}/**")
        };
        inside.push(named(&below, Stars::Folders)?);
    }
    Ok(without(out?).into_iter().chain(only(inside)).collect())
}

fn without(globs: Vec<NamedGlob>) -> Option<Applies> {
    (!globs.is_empty()).then_some(Applies::Without(globs))
}

fn only(globs: Vec<NamedGlob>) -> Option<Applies> {
    (!globs.is_empty()).then_some(Applies::Only(globs))
}

/// What `*` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stars {
    /// Anything inside of one folder.
    OneFolder,
    /// Anything, `/` included.
    Folders,
}

fn named(text: &str, stars: Stars) -> Result<NamedGlob, String> {
    let glob = GlobBuilder::new(text)
        .literal_separator(stars == Stars::OneFolder)
        .build()
        .map_err(|error| error.to_string())?;
    Ok(NamedGlob {
        glob: glob.compile_matcher(),
        text: text.to_owned(),
    })
}

/// A text, or a list of texts.
fn texts(value: Option<&toml::Value>) -> Vec<String> {
    match value {
        Some(toml::Value::String(text)) => vec![text.clone()],
        Some(toml::Value::Array(values)) => {
            let values = values.iter().filter_map(toml::Value::as_str);
            values.map(str::to_owned).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

#[cfg(test)]
#[path = "exclusions_tests.rs"]
mod tests;
