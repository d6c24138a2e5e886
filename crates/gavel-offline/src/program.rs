//! From a design and its criteria to a program: a dependency-free Rust crate that builds offline,
//! with a test for every criterion. The same design always gives the same bytes.

mod code;
mod paper;
mod tests_file;

use gavel_domain::Criterion;
use serde::{Deserialize, Serialize};

pub(crate) use self::code::is_keyword;
pub(crate) use self::paper::{call, meaning, purpose};
use crate::design::{Command, Design, Field, Kind};
use crate::template::Scope;

/// A file of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path in the crate, with `/`.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// Writes the whole crate.
pub fn write_program(design: &Design, criteria: &[Criterion]) -> Vec<File> {
    let mut files = paper::files(design);
    files.extend(code::files(design));
    files.push(file("tests/cli.rs", tests_file::tests(design, criteria)));
    files
}

fn file(path: impl Into<String>, content: String) -> File {
    File {
        path: path.into(),
        content,
    }
}

/// What every template may ask for.
fn scope(design: &Design) -> Scope {
    let fields = || design.entities().iter().flat_map(|entity| &entity.fields);
    let any = |kind: &Kind| fields().any(|field| field.kind == *kind);
    let commands = || design.entities().iter().flat_map(|entity| &entity.commands);
    let special = [Kind::Amount, Kind::Date, Kind::Tags, Kind::Flag];
    let can = |word: &str| design.entities().iter().any(|entity| entity.can(word));
    let dated = |command: &Command| matches!(command, Command::Total { day: Some(_), .. });
    Scope::default()
        .flag("amount", any(&Kind::Amount))
        .flag("date", any(&Kind::Date))
        .flag("tags", any(&Kind::Tags))
        .flag("flag", any(&Kind::Flag))
        .flag("integer", any(&Kind::Integer))
        .flag("reference", fields().any(|field| field.target().is_some()))
        .flag("values", special.iter().any(any))
        .flag("typed", fields().any(is_typed))
        .flag("default", fields().any(has_default))
        .flag(
            "optional",
            fields().any(|field| !field.required && !has_default(field)),
        )
        .flag(
            "total",
            commands().any(|command| matches!(command, Command::Total { .. })),
        )
        .flag("edit", can("edit"))
        .flag("delete", can("delete"))
        .flag("search", can("search"))
        .flag(
            "change",
            can("edit")
                || design
                    .entities()
                    .iter()
                    .any(|entity| entity.marks().count() > 0),
        )
        .flag("period", commands().any(dated))
        .text("program", design.program())
        .text("purpose", one_line(design))
        .text("variable", variable(design))
}

/// The environment variable that names the data file.
pub(crate) fn variable(design: &Design) -> String {
    format!("{}_FILE", design.program().to_uppercase().replace('-', "_"))
}

/// The purpose without line breaks.
pub(crate) fn one_line(design: &Design) -> String {
    let words: Vec<&str> = design.purpose().split_whitespace().collect();
    if words.is_empty() {
        design.program().to_owned()
    } else {
        words.join(" ")
    }
}

/// True if an unset field has a value of its own.
fn has_default(field: &Field) -> bool {
    matches!(field.kind, Kind::Tags | Kind::Flag) && !field.required
}

/// True if a typed text has to be read before it can be compared.
fn is_typed(field: &Field) -> bool {
    !matches!(field.kind, Kind::Text | Kind::Tags)
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
