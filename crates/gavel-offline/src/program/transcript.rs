//! Criteria as transcripts: the form in which a program's own tests state them.

use super::code::ident;
use super::filling;
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
    let tests: String = criteria.iter().map(test).collect();
    filling(design)
        .text("tests", tests)
        .render(include_str!("templates/cli.rs.txt"))
}

fn test(criterion: &Criterion) -> String {
    let statement = criterion
        .statement
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let name = ident(&criterion.name);
    let text = transcript(criterion);
    let text = text.trim_end();
    // As many hashes as it takes for no quote in the text to end it.
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!(
        "\n/// {statement}\n#[test]\nfn {name}() {{\n    let transcript = r{hashes}\"\n{text}\n\"{hashes};\n    check(\"{name}\", transcript);\n}}\n"
    )
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\t', "\\t"))
}
