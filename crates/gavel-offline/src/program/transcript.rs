//! Criteria as transcripts: the form in which a program's own tests state them.

use std::collections::BTreeSet;

use super::code::ident;
use super::scope;
use crate::criteria::Criterion;
use crate::design::Design;

/// The steps of a criterion, a line for each run and each expectation.
pub fn transcript(criterion: &Criterion) -> String {
    let mut out = String::new();
    if let Some(file) = &criterion.file {
        out += &format!("file {}\n", quoted(file));
    }
    for step in &criterion.steps {
        let words: Vec<String> = step.args.iter().map(|word| quoted(word)).collect();
        out += &format!("$ {}\n", words.join(" "));
        if step.exit != 0 {
            out += &format!("exit {}\n", step.exit);
        }
        for (verb, texts) in [
            ("has", &step.has),
            ("lacks", &step.lacks),
            ("error", &step.error),
        ] {
            out.extend(
                texts
                    .iter()
                    .map(|text| format!("{verb} {}\n", quoted(text))),
            );
        }
    }
    out
}

/// The test file: one test for each criterion.
pub(super) fn tests(design: &Design, criteria: &[Criterion]) -> String {
    let mut taken = BTreeSet::from(["check".to_owned(), "split".to_owned()]);
    let mut tests = String::new();
    for criterion in criteria {
        let mut name = test_name(&criterion.name);
        while !taken.insert(name.clone()) {
            name.push_str("_again");
        }
        tests += &test(&name, criterion);
    }
    scope(design)
        .text("tests", tests)
        .render(include_str!("templates/cli.rs.txt"))
}

fn test(name: &str, criterion: &Criterion) -> String {
    let statement = criterion
        .statement
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let text = transcript(criterion);
    // As many hashes as it takes for no quote in the text to end it.
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    let head = format!("\n/// {statement}\n#[test]\nfn {name}() {{\n    let name = \"{name}\";\n");
    format!(
        "{head}    let transcript = r{hashes}\"\n{text}\"{hashes};\n    check(name, transcript);\n}}\n"
    )
}

/// A name that a function can have, from whatever somebody called the criterion.
fn test_name(name: &str) -> String {
    let fits = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(fits).collect();
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase()) && ident(&name) == name;
    if plain {
        name
    } else {
        format!("criterion_{name}")
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "\"{}\"",
        escaped
            .replace('\n', "\\n")
            .replace('\t', "\\t")
            .replace('\r', "\\r")
    )
}
