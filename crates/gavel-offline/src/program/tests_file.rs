//! The tests of a program: one for each criterion, under the criterion's id.

use gavel_domain::Criterion;

use super::scope;
use crate::design::Design;

pub(super) fn tests(design: &Design, criteria: &[Criterion]) -> String {
    let tests: String = criteria.iter().map(test).collect();
    scope(design)
        .text("tests", tests)
        .render(include_str!("templates/cli.rs.txt"))
}

fn test(criterion: &Criterion) -> String {
    let words: Vec<&str> = criterion.statement.split_whitespace().collect();
    let (id, statement) = (&criterion.id, words.join(" "));
    let text = criterion.example.trim_end();
    // As many hashes as it takes for no quote in the text to end it.
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    let head = format!("\n/// {statement}\n#[test]\nfn {id}() {{\n    let name = \"{id}\";\n");
    format!(
        "{head}    let transcript = r{hashes}\"\n{text}\n\"{hashes};\n    promise::check(name, transcript);\n}}\n"
    )
}
