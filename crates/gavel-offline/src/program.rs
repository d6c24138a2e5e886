//! From a design and its criteria to a program: a dependency-free Rust crate that builds offline,
//! with a test for every criterion. The same design always gives the same bytes.

mod layout;
mod rust;
mod usage;
mod view;

use gavel_domain::Criterion;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use self::rust::is_keyword;
pub(crate) use self::view::view;
use crate::design::Design;
use crate::template::{merge, parts, render, text};

/// A file of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path in the crate, with `/`.
    pub path: String,
    /// Its text.
    pub content: String,
}

const FILES: [(&str, &str); 15] = [
    (
        "Cargo.toml",
        include_str!("program/templates/Cargo.toml.txt"),
    ),
    (
        "Cargo.lock",
        include_str!("program/templates/Cargo.lock.txt"),
    ),
    (
        ".gitignore",
        "/target\n/@program@.txt\n/@program@.txt.lock\n",
    ),
    ("LICENSE", include_str!("program/templates/LICENSE.txt")),
    ("README.md", include_str!("program/templates/README.md.txt")),
    ("src/help.txt", include_str!("program/templates/help.txt")),
    ("src/main.rs", include_str!("program/templates/main.rs.txt")),
    ("src/args.rs", include_str!("program/templates/args.rs.txt")),
    (
        "src/commands.rs",
        include_str!("program/templates/commands.rs.txt"),
    ),
    ("src/form.rs", include_str!("program/templates/form.rs.txt")),
    ("src/help.rs", include_str!("program/templates/help.rs.txt")),
    (
        "src/layout.rs",
        include_str!("program/templates/layout.rs.txt"),
    ),
    (
        "src/model.rs",
        include_str!("program/templates/model.rs.txt"),
    ),
    (
        "src/store.rs",
        include_str!("program/templates/store.rs.txt"),
    ),
    ("tests/cli.rs", include_str!("program/templates/cli.rs.txt")),
];

/// Writes the whole crate.
pub fn write_program(design: &Design, criteria: &[Criterion]) -> Vec<File> {
    let mut view = view(design);
    merge(
        &mut view,
        json!({"test": criteria.iter().map(test).collect::<Value>()}),
    );
    let file = |path: &str, template: &str, scope: &Value| File {
        path: path.to_owned(),
        content: render(template, scope),
    };
    let mut files: Vec<File> = FILES
        .iter()
        .map(|(path, template)| file(path, template, &view))
        .collect();
    if view.get("values") == Some(&json!(true)) {
        let values = include_str!("program/templates/values.rs.txt");
        files.push(file("src/values.rs", values, &view));
    }
    for entity in parts(&view, "entity") {
        let path = format!("src/commands/{}.rs", text(entity, "module"));
        let commands = include_str!("program/templates/entity.rs.txt");
        files.push(file(&path, commands, entity));
    }
    files
}

/// A test under the id of its criterion.
fn test(criterion: &Criterion) -> Value {
    let words: Vec<&str> = criterion.statement.split_whitespace().collect();
    // As many hashes as it takes for no quote in the text to end it.
    let mut hashes = String::from("#");
    while criterion.example.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    let example = criterion.example.trim_end();
    json!({"id": criterion.id, "statement": words.join(" "), "hashes": hashes, "example": example})
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
