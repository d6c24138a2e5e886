//! Audits: what the verification, the tests, the help and the sources say against a phase.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::code::{Demand, demand};
use super::conversation::{Conversation, Done, Halt};
use crate::design::{Command, Design};

const SEARCH: &str = "search_code";
const SUBMIT: &str = "submit_audit";
const TESTS: &str = "tests/**/*.rs";
/// Marks of work that is not done, with the colon or bracket that tells them from a title.
const LEFTOVERS: &str = r"\b(TODO|FIXME|XXX|HACK)\b\s*[:(]|\b(todo|unimplemented)!\s*[(\[{]";
/// So many names fit into one pattern.
const NAMES: usize = 40;

/// A line that a search found.
struct Hit {
    file: String,
    line: u64,
    text: String,
}

pub(super) fn audit(talk: &Conversation<'_>) -> Result<String, Halt> {
    let findings = match findings(talk) {
        // What the rules cannot read, they do not let pass.
        Err(Halt::Cannot(why)) => vec![finding(
            ".gavel/contracts",
            0,
            &why,
            "the audit could not be made",
        )],
        found => found?,
    };
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    let audit = json!({"verdict": verdict, "findings": findings});
    match talk.answer(SUBMIT, &audit) {
        None => Err(Halt::Call(vec![(SUBMIT, audit)])),
        Some(refused) => {
            let said = refused.said.lines().next().unwrap_or_default();
            Err(Halt::cannot(format!("the audit was not taken: {said}")))
        }
    }
}

fn findings(talk: &Conversation<'_>) -> Result<Vec<Value>, Halt> {
    let verification = talk.some_text("verification").to_owned();
    let Demand {
        design, criteria, ..
    } = demand(talk)?;
    let ids: Vec<&str> = criteria.iter().map(|one| one.id.as_str()).collect();
    let tests = tests(talk, &ids)?;
    let mut findings = failed(&verification, &tests);
    let named: BTreeSet<&str> = tests.iter().filter_map(|hit| function(&hit.text)).collect();
    for id in ids.iter().filter(|id| !named.contains(*id)) {
        let message = format!("the criterion `{id}` has no test of its name");
        findings.push(finding(
            "tests/cli.rs",
            0,
            &message,
            &format!("no function {id} in tests/"),
        ));
    }
    findings.extend(unknown_commands(talk, &design)?);
    let [left] = talk.need(&[(SEARCH, json!({"pattern": LEFTOVERS, "glob": "**/*.rs"}))])?;
    for Hit { file, line, text } in hits(left)? {
        if !text.contains(design.purpose()) {
            findings.push(finding(
                &file,
                line,
                "work is left unfinished here",
                text.trim(),
            ));
        }
    }
    Ok(findings)
}

/// The functions of the tests, as far as they are named like criteria.
fn tests(talk: &Conversation<'_>, ids: &[&str]) -> Result<Vec<Hit>, Halt> {
    let mut all = Vec::new();
    for names in ids.chunks(NAMES) {
        let pattern = format!(r"^\s*fn ({})\s*\(", names.join("|"));
        let [found] = talk.need(&[(SEARCH, json!({"pattern": pattern, "glob": TESTS}))])?;
        all.extend(hits(found)?);
    }
    Ok(all)
}

fn function(line: &str) -> Option<&str> {
    let (name, _) = line.trim().strip_prefix("fn ")?.split_once('(')?;
    Some(name.trim())
}

/// Every failed test by its name; a verification that did not pass is never let pass.
fn failed(verification: &str, tests: &[Hit]) -> Vec<Value> {
    let mut findings = Vec::new();
    for name in failed_tests(verification) {
        let last = name.rsplit("::").next().unwrap_or(&name);
        let place = tests.iter().find(|hit| function(&hit.text) == Some(last));
        let (file, line) = place.map_or(("tests/cli.rs", 0), |hit| (hit.file.as_str(), hit.line));
        let message = format!("the test `{name}` fails");
        findings.push(finding(
            file,
            line,
            &message,
            &format!("test {name} failed"),
        ));
    }
    let verdict = verification
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("none")
        .trim();
    if findings.is_empty()
        && !verdict
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "passed")
    {
        findings.push(finding(
            "tests/cli.rs",
            0,
            "the verification did not pass",
            verdict,
        ));
    }
    findings
}

/// The names after `failed:`, and those that the output of the tests calls failed.
fn failed_tests(verification: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let line = line.trim();
        let by_output = line
            .strip_prefix("test ")
            .and_then(|line| line.strip_suffix(" ... FAILED"));
        let by_list = || {
            line.strip_prefix("failed: ")
                .or_else(|| line.strip_prefix("failed test: "))
        };
        by_output.or_else(by_list).map(str::to_owned)
    };
    verification.lines().filter_map(name).collect()
}

/// Commands of this phase that the help or the sources do not mention.
fn unknown_commands(talk: &Conversation<'_>, design: &Design) -> Result<Vec<Value>, Halt> {
    let mut findings = Vec::new();
    for entity in design.entities() {
        let words: Vec<&str> = entity.commands.iter().map(Command::word).collect();
        let (name, any) = (&entity.name, words.join("|"));
        let help = json!({"pattern": format!("^{name} ({any})\\b"), "glob": "src/**"});
        let code = json!({"pattern": format!("\"({any})\""), "glob": "src/**/*.rs"});
        let [help, code] = talk.need(&[(SEARCH, help), (SEARCH, code)])?;
        let more = code.said.contains("there are more");
        let (help, code) = (hits(help)?, hits(code)?);
        for word in words {
            let call = format!("{name} {word}");
            let in_help = help.iter().any(|hit| hit.text.starts_with(&call));
            let in_code = more
                || code
                    .iter()
                    .any(|hit| hit.text.contains(&format!("\"{word}\"")));
            if !in_help || !in_code {
                let place = if in_help {
                    "src/main.rs"
                } else {
                    "src/help.txt"
                };
                let message = format!("the command `{call}` of physics is not there");
                findings.push(finding(place, 0, &message, "no line of src/ names it"));
            }
        }
    }
    Ok(findings)
}

/// The lines of a search, without those of the contracts.
fn hits(search: &Done) -> Result<Vec<Hit>, Halt> {
    if search.ok && !search.said.contains("<data") {
        return Ok(Vec::new());
    }
    let text = search.whole()?;
    let hit = |line: &str| {
        let (file, rest) = line.split_once(':')?;
        let (line, text) = rest.split_once(": ")?;
        Some(Hit {
            file: file.to_owned(),
            line: line.parse().ok()?,
            text: text.to_owned(),
        })
    };
    let own = |hit: &Hit| !hit.file.starts_with(".gavel/");
    Ok(text.lines().filter_map(hit).filter(own).collect())
}

fn finding(file: &str, line: u64, message: &str, evidence: &str) -> Value {
    json!({"file": file, "line": line, "severity": "error", "message": message, "evidence": evidence})
}
