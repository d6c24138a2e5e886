//! Audits: what the verification, the tests, the help and the sources say against a phase.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::code::{Demand, demand};
use super::conversation::{Call, Conversation, Halt};
use super::project::joined;
use crate::design::{Command, Design};

/// Marks of work that is not done, with the colon or bracket that tells them from a title.
const LEFTOVERS: &str = r"\b(TODO|FIXME|XXX|HACK)\b\s*[:(]|\b(todo|unimplemented)!\s*[(\[{]";
/// So many names go into one pattern.
const NAMES: usize = 40;
/// More findings are not taken.
const MOST_FINDINGS: usize = 50;
const TESTS: &str = "tests/cli.rs";

/// A line that a search found.
struct Hit<'a> {
    file: &'a str,
    line: u64,
    text: &'a str,
}

pub(super) fn audit(talk: &Conversation<'_>) -> Result<String, Halt> {
    let mut findings = match findings(talk) {
        // What the rules cannot read, they do not let pass.
        Err(Halt::Cannot(why)) => vec![finding((".gavel/contracts", 0), &why, "not audited")],
        found => found?,
    };
    findings.truncate(MOST_FINDINGS);
    let verdict = if findings.is_empty() { "pass" } else { "fail" };
    let audit = json!({"verdict": verdict, "findings": findings});
    let call = ("submit_audit", audit);
    Err(match talk.answer(&call) {
        None => Halt::Call(vec![call]),
        Some(refused) => Halt::cannot(format!("the audit is refused: {}", refused.first_words())),
    })
}

fn findings(talk: &Conversation<'_>) -> Result<Vec<Value>, Halt> {
    let Demand {
        design, criteria, ..
    } = demand(talk)?;
    let mut tests = String::new();
    for ids in criteria.chunks(NAMES) {
        let names = joined(ids.iter().map(|criterion| &criterion.id), "|");
        let [found] = talk.texts([search(&format!(r"^\s*fn ({names})\s*\("), "tests/**")])?;
        tests.push_str(&found);
    }
    let tests: Vec<Hit<'_>> = hits(&tests).collect();
    let verification = talk.some_text("verification");
    let mut findings = failed(verification, &tests);
    // A function that no runner ran is no test.
    let lost: BTreeSet<&str> = listed(verification, "criteria without a test:").collect();
    for id in criteria.iter().map(|criterion| criterion.id.as_str()) {
        if lost.contains(id) || !tests.iter().any(|hit| hit.function() == Some(id)) {
            let message = format!("the criterion `{id}` has no test of its name");
            let evidence = format!("no test {id} in tests/");
            findings.push(finding((TESTS, 0), &message, &evidence));
        }
    }
    findings.extend(unknown_commands(talk, &design)?);
    let [left] = talk.texts([search(LEFTOVERS, "**/*.rs")])?;
    let left = hits(&left).filter(|hit| !hit.text.contains(design.purpose()));
    findings.extend(left.map(|Hit { file, line, text }| {
        finding((file, line), "work is left unfinished", text.trim())
    }));
    Ok(findings)
}

/// Every failed test by its name; a verification that did not pass is never let pass.
fn failed(verification: &str, tests: &[Hit<'_>]) -> Vec<Value> {
    let cite = |name: &str| {
        let last = name.rsplit("::").next();
        let place = tests.iter().find(|hit| hit.function() == last);
        let place = place.map_or((TESTS, 0), |hit| (hit.file, hit.line));
        let (message, evidence) = (
            format!("the test `{name}` fails"),
            format!("test {name} failed"),
        );
        finding(place, &message, &evidence)
    };
    let mut findings: Vec<Value> = listed(verification, "failed tests:").map(cite).collect();
    let verdict = verification.lines().next().unwrap_or_default();
    if findings.is_empty() && !verdict.starts_with("verdict: passed") {
        findings.push(finding(
            (TESTS, 0),
            "the verification did not pass",
            verdict,
        ));
    }
    findings
}

/// The names below a title.
fn listed<'a>(verification: &'a str, title: &str) -> impl Iterator<Item = &'a str> {
    let after = verification.lines().skip_while(move |line| *line != title);
    after.skip(1).map_while(|line| line.strip_prefix("- "))
}

/// Commands of this phase that the help or the sources do not know.
fn unknown_commands(talk: &Conversation<'_>, design: &Design) -> Result<Vec<Value>, Halt> {
    let mut findings = Vec::new();
    for entity in design.entities() {
        let (name, words) = (&entity.name, || entity.commands.iter().map(Command::word));
        let any = joined(words(), "|");
        let help = search(&format!("^{name} ({any})\\b"), "src/**");
        let code = search(&format!("\\[\"({any})\""), "src/**/*.rs");
        let [help, code] = talk.texts([help, code])?;
        for word in words() {
            let (call, quoted) = (format!("{name} {word}"), format!("[\"{word}\""));
            let in_help = hits(&help).any(|hit| hit.text.starts_with(&call));
            if !in_help || !hits(&code).any(|hit| hit.text.contains(&quoted)) {
                let message = format!("the command `{call}` of physics is not there");
                findings.push(finding(
                    ("src/help.txt", 0),
                    &message,
                    "no line of src/ names it",
                ));
            }
        }
    }
    Ok(findings)
}

impl Hit<'_> {
    /// The name of the function that begins here.
    fn function(&self) -> Option<&str> {
        let (name, _) = self.text.trim().strip_prefix("fn ")?.split_once('(')?;
        Some(name.trim())
    }
}

fn search(pattern: &str, glob: &str) -> Call {
    ("search_code", json!({"pattern": pattern, "glob": glob}))
}

/// Lines like `path:12: text`.
fn hits(found: &str) -> impl Iterator<Item = Hit<'_>> {
    found.lines().filter_map(|line| {
        let (file, rest) = line.split_once(':')?;
        let (line, text) = rest.split_once(": ")?;
        let line = line.parse().ok()?;
        Some(Hit { file, line, text })
    })
}

fn finding((file, line): (&str, u64), message: &str, evidence: &str) -> Value {
    json!({"file": file, "line": line, "severity": "error", "message": message,
        "evidence": evidence})
}
