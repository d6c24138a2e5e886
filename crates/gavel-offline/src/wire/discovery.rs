//! Discovery: is the idea within reach, and what follows from it for each question.

use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::project::{outlines, read_idea};
use crate::contracts::{Plan, write_contract};
use crate::criteria::criteria;
use crate::design::Design;
use crate::understand::{CAN_DO, Understood};

/// Files that a new project may have.
const NOT_CODE: [&str; 5] = ["gavel.toml", ".gavel/", "README", "LICENSE", ".gitignore"];
/// The most bytes that a contract may have.
const CONTRACT_LIMIT: usize = 40_000;

pub(super) fn discover(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let (_, understood) = read_idea(talk.text("idea")?);
    let design = match understood {
        Understood::InReach(design) => design,
        Understood::Vague { missing } => return Ok(vague(missing)),
        Understood::BeyondReach { reasons, .. } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            return Ok(beyond(&reasons.join("; ")));
        }
    };
    let own = |path: &str| NOT_CODE.iter().any(|start| path.starts_with(start));
    let mut files = talk.some_text("repository").lines().map(str::trim);
    if let Some(file) = files.find(|path| !path.is_empty() && !own(path)) {
        return Ok(beyond(&format!(
            "the offline rules only write new programs, and the repository holds code already ({file})"
        )));
    }
    if let Some(why) = too_large(&design) {
        return Ok(beyond(&why));
    }
    Ok(json!({
        "reach": "within",
        "reach_reason": format!("Rule: every word of the idea is accounted for: {}", outlines(&design)),
        "title": design.program(),
        "recommendations": recommendations(&design),
    }))
}

/// The criteria of many things do not fit into one contract.
fn too_large(design: &Design) -> Option<String> {
    let plan = Plan {
        design: design.clone(),
        criteria: criteria(design),
        answers: Vec::new(),
        memory: Vec::new(),
    };
    let bytes = write_contract(gavel_domain::ContractKind::Phases, &plan).len();
    (bytes > CONTRACT_LIMIT).then(|| {
        let count = design.entities().len();
        format!(
            "{count} kinds of things at once are too many: their criteria take {bytes} bytes, a contract has \
             {CONTRACT_LIMIT} at most; begin with fewer"
        )
    })
}

fn vague(question: &str) -> Value {
    json!({"reach": "vague", "reach_reason": question, "title": "", "recommendations": []})
}

fn beyond(why: &str) -> Value {
    let reason = format!("Rule: {why}. The offline rules can build {CAN_DO}.");
    json!({"reach": "beyond", "reach_reason": reason, "title": "", "recommendations": []})
}

fn recommendations(design: &Design) -> Vec<Value> {
    let things = outlines(design);
    let program = design.program();
    let kept = format!("read from the idea: {things}");
    let table: [(&str, &str, String, &[&str]); 10] = [
        ("product-type", "cli-tool", format!("`{program}` keeps {things}; lists need no more than commands"), &[]),
        ("target-platform", "a terminal on Linux, macOS or Windows", "the program uses nothing but Rust's standard library, which is the same on all three".to_owned(), &[]),
        ("audience", "one person at their own terminal", "nothing in the idea speaks of several people".to_owned(), &[]),
        ("backend-architecture", "one program, no server", "nothing in the idea has to run all the time or be reached from elsewhere".to_owned(), &[]),
        ("backend-stack", "Rust, standard library only", "the offline rules write no other language, and no dependency has to be fetched".to_owned(), &[]),
        ("db-strategy", "one text file", format!("{} can be read and mended by hand; it is replaced as a whole, so a crash loses nothing", plurals(design)), &[]),
        ("frontend-approach", "none: commands with a help text", "the commands are all there is to see".to_owned(), &[]),
        ("ba-status", &kept, "these things and fields are named in the idea or belong to its words; what is missing can be said here".to_owned(), &[]),
        ("design-status", "none needed", "a program without pictures is designed by its commands and their help".to_owned(), &[]),
        ("deployment", "cargo install --path .", "the build is one binary and needs no service".to_owned(), &["copy the binary from target/release"]),
    ];
    let recommend = |(question, answer, why, alternatives): (&str, &str, String, &[&str])| json!({"question": question, "answer": answer, "why": format!("Rule: {why}."), "alternatives": alternatives});
    table.into_iter().map(recommend).collect()
}

fn plurals(design: &Design) -> String {
    let names: Vec<&str> = design
        .entities()
        .iter()
        .map(|entity| entity.plural.as_str())
        .collect();
    names.join(" and ")
}
