//! The spec: title, purpose, scope and criteria of an idea and what was answered to it.

use gavel_domain::{Decision, DiscoveryAnswer, MemoryNote, Spec};
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::project::{design, unmet};
use crate::criteria::criteria;
use crate::design::{Command, Design, Entity};

const OUT_OF_SCOPE: [&str; 4] = [
    "A network, a server, or a web page.",
    "Several people at once, accounts and passwords.",
    "Windows, pictures and charts.",
    "Reading and writing other file formats.",
];

pub(super) fn specify(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let answers: Vec<DiscoveryAnswer> = talk.json("answers")?;
    let decisions: Vec<Decision> = talk.json("decisions")?;
    let memory: Vec<MemoryNote> = talk.json("memory")?;
    let design = design(talk.text("idea")?, &answers)?;
    let audience = answers.iter().find(|answer| answer.question == "audience");
    let users = audience.map_or("one person at a terminal", |answer| &answer.answer);
    let mut out_of_scope: Vec<String> = unmet(&answers)
        .into_iter()
        .map(|(asked, why)| {
            let DiscoveryAnswer {
                question, answer, ..
            } = asked;
            format!("Asked for, and beyond the offline rules: {question} = {answer} ({why}).")
        })
        .collect();
    out_of_scope.extend(OUT_OF_SCOPE.map(str::to_owned));
    let spec = Spec {
        title: design.program().to_owned(),
        purpose: design.purpose().to_owned(),
        users: vec![users.to_owned()],
        in_scope: in_scope(&design),
        out_of_scope,
        assumptions: assumptions(&answers, &decisions, &memory),
        criteria: criteria(&design),
    };
    Ok(json!(spec))
}

fn in_scope(design: &Design) -> Vec<String> {
    let fields = |entity: &Entity| {
        let named = entity.fields.iter().map(|field| {
            let required = if field.required { " (required)" } else { "" };
            format!("{}{required}", field.name)
        });
        named.collect::<Vec<_>>().join(", ")
    };
    let line = |entity: &Entity| {
        let words: Vec<&str> = entity.commands.iter().map(Command::word).collect();
        let (many, fields, words) = (&entity.plural, fields(entity), words.join(", "));
        format!("Keeps {many} with {fields}; commands: {words}.")
    };
    design.entities().iter().map(line).collect()
}

fn assumptions(
    answers: &[DiscoveryAnswer],
    decisions: &[Decision],
    memory: &[MemoryNote],
) -> Vec<String> {
    let taken = answers.iter().filter(|answer| !answer.by_person);
    let taken = taken.map(|answer| {
        format!(
            "{}: {} (recommended by rules, not said by a person).",
            answer.question, answer.answer
        )
    });
    let settled = decisions.iter().map(|decision| {
        format!(
            "Decided: {}: {}.",
            decision.title,
            decision.choice.trim_end_matches('.')
        )
    });
    let remembered = memory
        .iter()
        .map(|note| format!("Remembered ({}): {}", note.kind, note.text));
    let first = "Written by Gavel's offline rules, without a language model.".to_owned();
    std::iter::once(first)
        .chain(taken)
        .chain(settled)
        .chain(remembered)
        .collect()
}
