//! Discovery and spec: is the idea within reach, what follows from it, how one sees that it is done.

use gavel_domain::{ContractKind, Decision, DiscoveryAnswer, MemoryNote, Spec};
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::project::{design, joined, outline, read_idea, unmet};
use crate::contracts::{Plan, write_contract};
use crate::criteria::criteria;
use crate::design::{Command, Design, Entity, Field};
use crate::template::render;
use crate::understand::{CAN_DO, Understood};

/// What a repository may hold and still be new.
const NOT_CODE: [&str; 5] = ["gavel.toml", ".gavel/", "README", "LICENSE", ".gitignore"];
/// The most bytes of a contract.
const CONTRACT_LIMIT: usize = 40_000;
/// A row for each question: id, answer, why, alternative.
const ANSWERS: &str = include_str!("answers.txt");
const OUT_OF_SCOPE: [&str; 4] = [
    "A network, a server, or a web page.",
    "Several people at once, accounts and passwords.",
    "Graphical windows, pictures and charts.",
    "Reading and writing other file formats.",
];

pub(super) fn discover(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let outside = |reach: &str, reason: String| {
        Ok(json!({"reach": reach, "reach_reason": reason, "title": "", "recommendations": []}))
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
        Understood::Vague { missing } => return outside("vague", missing.to_owned()),
        Understood::BeyondReach { reasons, .. } => return beyond(joined(&reasons, "; ")),
    };
    if let Some(why) = too_large(&design) {
        return beyond(why);
    }
    Ok(json!({
        "reach": "within",
        "reach_reason": format!("Rule: every word of the idea is accounted for: {}", outline(&design)),
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

pub(super) fn specify(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let answers: Vec<DiscoveryAnswer> = talk.list("answers")?;
    let design = design(talk.text("idea")?, &answers)?;
    let audience = answers.iter().find(|answer| answer.question == "audience");
    let users = audience.map_or("one person at a terminal", |answer| &answer.answer);
    let asked = unmet(&answers).into_iter();
    let asked =
        asked.map(|what| format!("Said by a person, and beyond the offline rules: {what}."));
    Ok(json!(Spec {
        title: design.program().to_owned(),
        purpose: design.purpose().to_owned(),
        users: vec![users.to_owned()],
        in_scope: design.entities().iter().map(in_scope).collect(),
        out_of_scope: asked.chain(OUT_OF_SCOPE.map(str::to_owned)).collect(),
        assumptions: assumptions(talk, &design, &answers)?,
        criteria: criteria(&design),
        ..Spec::default()
    }))
}

fn in_scope(entity: &Entity) -> String {
    let required = |field: &Field| if field.required { " (required)" } else { "" };
    let field = |field: &Field| format!("{}{}", field.name, required(field));
    let fields = joined(entity.fields.iter().map(field), ", ");
    let words = joined(entity.commands.iter().map(Command::word), ", ");
    format!("Keeps {} with {fields}; commands: {words}.", entity.plural)
}

/// What the rules added to the words of the idea, and what they left apart.
fn additions(design: &Design) -> Vec<String> {
    let idea = design.purpose().to_lowercase();
    let said = |field: &&Field| {
        field.target().is_some() || field.name.split('-').any(|word| idea.contains(word))
    };
    let added = |entity: &Entity| {
        let fields = entity.fields.iter().filter(|field| !said(field));
        let fields = joined(fields.map(|field| field.name.as_str()), ", ");
        let told = format!("Not said, but usual for {}: {fields}.", entity.plural);
        (!fields.is_empty()).then_some(told)
    };
    let alone = |entity: &&Entity| {
        let refers = entity.fields.iter().any(|field| field.target().is_some());
        design.entities().len() > 1 && !refers && design.referring(&entity.name).next().is_none()
    };
    let apart = design.entities().iter().filter(alone);
    let apart = apart.map(|entity| {
        format!(
            "The {} stand for themselves: the idea does not say what they belong to.",
            entity.plural
        )
    });
    design
        .entities()
        .iter()
        .filter_map(added)
        .chain(apart)
        .collect()
}

fn assumptions(
    talk: &Conversation<'_>,
    design: &Design,
    answers: &[DiscoveryAnswer],
) -> Result<Vec<String>, Halt> {
    let decisions: Vec<Decision> = talk.list("decisions")?;
    let memory: Vec<MemoryNote> = talk.list("memory")?;
    let mut all = vec!["Written by Gavel's offline rules, without a language model.".to_owned()];
    all.extend(additions(design));
    let taken = answers.iter().filter(|answer| !answer.by_person);
    all.extend(taken.map(
        |DiscoveryAnswer {
             question, answer, ..
         }| {
            format!("{question}: {answer} (recommended by rules, not said by a person).")
        },
    ));
    all.extend(
        decisions
            .iter()
            .map(|one| format!("Decided: {}: {}", one.title, one.choice)),
    );
    all.extend(
        memory
            .iter()
            .map(|note| format!("Remembered ({}): {}", note.kind, note.text)),
    );
    Ok(all)
}
