//! What a run knows of its project: the idea in the person's words, and what was answered since.

use std::fmt::Display;

use gavel_domain::DiscoveryAnswer;

use super::conversation::Halt;
use crate::design::{Command, Design, DesignParts, Entity, Field};
use crate::understand::{Barrier, Understood, understand};

/// The question whose answer may say more about what is kept, if it begins like this.
const CONTENT: &str = "ba-status";
const ADDING: [&str; 5] = ["also ", "and ", "plus ", "add ", "with "];
/// How a paragraph begins that says what to change in a spec.
const CHANGE: &str = "Change: ";
/// Questions whose answers may ask for more than the rules have.
const ABOUT_MEANS: &str = "product-type target-platform backend-architecture backend-stack \
    db-strategy frontend-approach deployment";

pub(super) fn joined<T: Display>(items: impl IntoIterator<Item = T>, between: &str) -> String {
    let items = items.into_iter().map(|item| item.to_string());
    items.collect::<Vec<_>>().join(between)
}

/// Reads an idea to which a person may have added paragraphs: what was unclear, a wish about the
/// stack, or `also …`.
///
/// Paragraphs that say nothing are left out as soon as another one says something.
pub(super) fn read_idea(idea: &str) -> Understood {
    let vague = |text: &str| matches!(understand(text), Understood::Vague { .. });
    let ours = |text: &str| text.starts_with("Stack:") && text.to_lowercase().contains("rust");
    let said = idea
        .split("\n\n")
        .map(|text| text.trim().trim_end_matches('.'));
    let mut wishes = said.clone().filter_map(|text| text.strip_prefix(CHANGE));
    if wishes.any(|wish| addition(wish).is_none()) {
        let missing =
            "the offline rules can only add, so say `also …`, for example `also a rating`";
        return Understood::Vague { missing };
    }
    let said = said.map(|text| text.strip_prefix(CHANGE).unwrap_or(text));
    let said = said.filter(|text| !text.is_empty() && !ours(text));
    let (added, told): (Vec<&str>, _) = said.partition(|text| addition(text).is_some());
    let told = joined(told.into_iter().filter(|text| !vague(text)), ". ");
    let text = if told.is_empty() { idea } else { &told };
    added
        .into_iter()
        .fold(understand(text), |understood, more| match understood {
            Understood::InReach(design) => merged(&design, more).map_or_else(
                || understand(&format!("{text}. {more}")),
                Understood::InReach,
            ),
            outside @ (Understood::Vague { .. } | Understood::BeyondReach { .. }) => outside,
        })
}

/// The design of an idea, with what a person's answers add to it where the rules understand them.
pub(super) fn design(idea: &str, answers: &[DiscoveryAnswer]) -> Result<Design, Halt> {
    let design = match read_idea(idea) {
        Understood::InReach(design) => design,
        Understood::Vague { missing } => return Err(Halt::cannot(missing)),
        Understood::BeyondReach { reasons, can_do } => {
            let reasons = joined(&reasons, "; ");
            return Err(Halt::cannot(format!("{reasons}; they can do {can_do}")));
        }
    };
    let said = answers
        .iter()
        .filter(|one| one.by_person && one.question == CONTENT);
    Ok(said.fold(design, |design, one| {
        merged(&design, &one.answer).unwrap_or(design)
    }))
}

/// What an answer like `also ratings` adds.
fn addition(answer: &str) -> Option<String> {
    let lower = answer.trim().trim_end_matches('.').to_lowercase();
    ADDING
        .iter()
        .find_map(|word| lower.strip_prefix(word).map(str::to_owned))
}

/// A design with the fields, commands and entities that `also …` adds to its idea.
fn merged(design: &Design, more: &str) -> Option<Design> {
    let idea = format!("{} and {}", design.purpose(), addition(more)?);
    let Understood::InReach(larger) = understand(&idea) else {
        return None;
    };
    let mut parts = DesignParts::from(design.clone());
    for entity in DesignParts::from(larger).entities {
        let Some(own) = parts
            .entities
            .iter_mut()
            .find(|own| own.name == entity.name)
        else {
            parts.entities.push(entity);
            continue;
        };
        let new = |field: &Field| own.field(&field.name).is_none();
        let fields: Vec<Field> = entity.fields.into_iter().filter(new).collect();
        own.fields.extend(fields);
        let commands = entity.commands.into_iter();
        let commands: Vec<Command> = commands.filter(|one| !own.commands.contains(one)).collect();
        own.commands.extend(commands);
    }
    Design::new(parts).ok()
}

/// All entities with their fields: `bookmark (title, url, tags)`.
pub(super) fn outline(design: &Design) -> String {
    let fields = |entity: &Entity| joined(entity.fields.iter().map(|field| &field.name), ", ");
    let all = design.entities().iter();
    joined(
        all.map(|entity| format!("{} ({})", entity.name, fields(entity))),
        ", ",
    )
}

/// What a person said that the rules do not heed, and why.
pub(super) fn unmet(answers: &[DiscoveryAnswer]) -> Vec<String> {
    let said = answers.iter().filter(|one| one.by_person);
    let unmet = said.filter_map(
        |DiscoveryAnswer {
             question, answer, ..
         }| {
            let why = match question.as_str() {
                CONTENT if addition(answer).is_none() => "the rules only read `also …`".to_owned(),
                other if ABOUT_MEANS.contains(other) => barriers(answer)?,
                _ => return None,
            };
            Some(format!("{question} = {answer}: {why}"))
        },
    );
    unmet.collect()
}

/// What in an answer needs more than the rules have; an answer that says no asks for nothing.
fn barriers(answer: &str) -> Option<String> {
    let lower = answer.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| ["no", "none", "not", "without"].contains(&word)) {
        return None;
    }
    let Understood::BeyondReach { reasons, .. } = understand(answer) else {
        return None;
    };
    let known = reasons
        .iter()
        .filter(|reason| reason.barrier != Barrier::NotUnderstood);
    Some(joined(known, "; ")).filter(|known| !known.is_empty())
}
