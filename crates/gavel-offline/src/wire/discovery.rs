//! Discovery: is the idea within reach, and what follows from it?

use gavel_domain::ContractKind;
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::project::{joined, offered, outline, read_idea};
use crate::change::read_change;
use crate::contracts::{Plan, write_contract};
use crate::criteria::criteria;
use crate::design::Design;
use crate::template::render;
use crate::understand::{CAN_DO, Understood};

/// What a repository may hold and still be new.
const NOT_CODE: [&str; 5] = ["gavel.toml", ".gavel/", "README", "LICENSE", ".gitignore"];
/// A list of so many files may be the beginning of a longer one.
const NAMED_FILES: usize = 100;
/// The most bytes of a contract.
const CONTRACT_LIMIT: usize = 40_000;
/// A row for each question: id, answer, why, alternative.
const ANSWERS: &str = include_str!("answers.txt");

pub(super) fn discover(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let outside = |reach: &str, reason: String| {
        Ok(json!({
            "reach": reach, "reach_reason": reason, "title": "", "size": "trivial",
            "recommendations": [],
        }))
    };
    let beyond = |why: String| {
        outside(
            "beyond",
            format!("Rule: {why}. The offline rules can build {CAN_DO}."),
        )
    };
    let own = |path: &str| NOT_CODE.iter().any(|start| path.starts_with(start));
    let mut files = talk.some_text("repository").lines().map(str::trim);
    let code = files.find(|path| !path.is_empty() && !own(path));
    if let Some(file) = missing_file(talk)? {
        return outside(
            "beyond",
            format!("Rule: there is no file {file} here: check its name."),
        );
    }
    let understood = read_idea(talk.text("idea")?);
    if let Some(file) = code {
        // No other words for the idea would help here, so this comes first.
        let first = format!(
            "the offline rules only write new programs, and the repository holds more already ({file})"
        );
        return beyond(match understood {
            Understood::InReach(_) | Understood::Vague { .. } => first,
            Understood::BeyondReach { reasons, .. } => {
                format!("{first}; {}", joined(&reasons, "; "))
            }
        });
    }
    let design = match understood {
        Understood::InReach(design) => design,
        Understood::Vague { missing } => return outside("vague", missing),
        Understood::BeyondReach { reasons, .. } => {
            let mut reply = beyond(joined(&reasons, "; "))?;
            let spans = offered(talk.text("idea")?);
            if let (false, Value::Object(fields)) = (spans.is_empty(), &mut reply) {
                fields.insert("without".to_owned(), json!(spans));
            }
            return Ok(reply);
        }
    };
    if let Some(why) = too_large(&design) {
        return beyond(why);
    }
    Ok(json!({
        "reach": "within",
        "reach_reason": format!("Rule: every word of the idea is accounted for: {}", outline(&design)),
        "title": design.program(),
        // The rules build one kind of program, so there is little to choose.
        "size": "trivial",
        "recommendations": recommendations(&design),
    }))
}

/// The file that a small change names, if the repository does not hold it.
fn missing_file(talk: &Conversation<'_>) -> Result<Option<String>, Halt> {
    let idea = talk.text("idea")?;
    let files = talk.some_text("repository");
    let there = |file: &str| files.lines().any(|path| path.trim() == file);
    // Of a large repository not every file is named.
    let whole = !talk.is_cut("repository") && files.lines().count() < NAMED_FILES;
    let change = read_change(idea.trim()).filter(|_| whole);
    Ok(change.map(|change| change.file).filter(|file| !there(file)))
}

/// True for an answer that the rules recommend themselves.
pub(super) fn recommends(question: &str, answer: &str) -> bool {
    own_answer(question).is_some_and(|own| match own.split_once('@') {
        // What stands behind is different for every idea.
        Some((start, _)) => !start.is_empty() && answer.starts_with(start),
        None => own == answer.trim(),
    })
}

/// What the rules recommend, as its row says it.
pub(super) fn own_answer(question: &str) -> Option<&'static str> {
    let mut rows = ANSWERS.lines().map(|row| row.split('|').map(str::trim));
    let mut row = rows.find(|row| row.clone().next() == Some(question))?;
    row.nth(1)
}

/// Three seats of the same rules would say the same three times.
pub(super) fn vote(_: &Conversation<'_>) -> Result<Value, Halt> {
    Err(Halt::cannot(
        "the offline rules have one opinion, so they take no seat among three",
    ))
}

/// The criteria of many things do not fit into one contract.
fn too_large(design: &Design) -> Option<String> {
    let plan = Plan {
        design: design.clone(),
        criteria: criteria(design),
        answers: Vec::new(),
        memory: Vec::new(),
        one_phase: false,
    };
    let bytes = write_contract(ContractKind::Phases, &plan).len();
    (bytes > CONTRACT_LIMIT).then(|| {
        format!("the criteria of so many things take {bytes} bytes, {CONTRACT_LIMIT} fit: begin with fewer")
    })
}

fn recommendations(design: &Design) -> Vec<Value> {
    let scope = json!({"program": design.program(), "things": outline(design)});
    let rows = render(ANSWERS, &scope);
    let row = |row: &str| {
        let mut cells = row.split('|').map(str::trim);
        let mut next = || cells.next().unwrap_or_default().to_owned();
        let (question, answer, why, other) = (next(), next(), next(), next());
        let other: Vec<String> = Some(other)
            .filter(|other| !other.is_empty())
            .into_iter()
            .collect();
        let why = format!("Rule: {why}.");
        json!({"question": question, "answer": answer, "why": why, "alternatives": other})
    };
    rows.lines().map(row).collect()
}
