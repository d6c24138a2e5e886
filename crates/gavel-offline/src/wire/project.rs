//! What a run knows of its project: the idea in the person's words, and what was answered since.

use std::fmt::Display;

use gavel_domain::DiscoveryAnswer;
use gavel_rules::apart_from_left_out;

use super::conversation::Halt;
use super::discovery::recommends;
use super::edits::{self, CHANGE};
use super::stack::{self, Wish};
use crate::design::{Command, Design, DesignParts, Entity, Field};
use crate::understand::{
    Barrier, CAN_DO, Reason, Understood, names_entity, offer, singular, understand, without,
};

/// The question whose answer may say more about what is kept, if it begins like this.
const CONTENT: &str = "ba-status";
const ADDING: [&str; 5] = ["also ", "and ", "plus ", "add ", "with "];
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
    let (idea, wishes) = stack::apart(idea);
    let other = wishes
        .into_iter()
        .find(|wish| stack::read(wish) == Wish::Other);
    if let Some(other) = other {
        let reason = Reason {
            barrier: Barrier::Beyond(stack::OTHER),
            words: other.to_owned(),
        };
        return Understood::BeyondReach {
            reasons: vec![reason],
            can_do: CAN_DO,
        };
    }
    let (idea, edits) = edits::apart(&idea);
    edits.iter().fold(
        read_words(&without(&idea)),
        |understood, edit| match understood {
            Understood::InReach(design) => match edit.apply(design) {
                Ok(design) => Understood::InReach(design),
                Err(missing) => Understood::Vague { missing },
            },
            outside @ (Understood::Vague { .. } | Understood::BeyondReach { .. }) => outside,
        },
    )
}

/// The spans without which an idea would be within reach, as they were said.
pub(super) fn offered(idea: &str) -> Vec<String> {
    let (idea, wishes) = stack::apart(idea);
    let other = wishes
        .into_iter()
        .any(|wish| stack::read(wish) == Wish::Other);
    let (_, before) = apart_from_left_out(&idea);
    if other || !before.is_empty() {
        return Vec::new();
    }
    offer(&idea, read_words)
}

/// Reads an idea without wishes about the stack.
fn read_words(idea: &str) -> Understood {
    let vague = |text: &str| matches!(understand(text), Understood::Vague { .. });
    let said = idea
        .split("\n\n")
        .map(|text| text.trim().trim_end_matches('.'));
    let mut wishes = said.clone().filter_map(|text| text.strip_prefix(CHANGE));
    if wishes.any(|wish| addition(wish).is_none()) {
        let missing = "the offline rules add (`also a rating`), take away (`remove the field rating`) and rename \
             (`rename title to name`)";
        return Understood::Vague {
            missing: missing.to_owned(),
        };
    }
    let said = said.map(|text| text.strip_prefix(CHANGE).unwrap_or(text));
    let said = said.filter(|text| !text.is_empty());
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
    let added = addition(more)?;
    let many = added.split_whitespace().last().is_some_and(names_entity);
    // What is known of a thing, unless it is many of something.
    let joined = if many { "and" } else { "with" };
    let idea = format!("{} {joined} {added}", design.purpose());
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
    let unmet = said.filter_map(|one| {
        let why = why_not(one)?;
        let DiscoveryAnswer {
            question, answer, ..
        } = one;
        Some(format!("{question} = {answer}: {why}"))
    });
    unmet.collect()
}

/// Why the rules do not do what an answer says, whoever gave it; `None` when they do.
pub(super) fn why_not(
    DiscoveryAnswer {
        question, answer, ..
    }: &DiscoveryAnswer,
) -> Option<String> {
    if recommends(question, answer) {
        return None;
    }
    match question.as_str() {
        CONTENT if addition(answer).is_none() => Some("the rules only read `also …`".to_owned()),
        "backend-stack" => stack::unmet(answer),
        "db-strategy" => barriers(answer).or_else(|| kept_elsewhere(answer)),
        other if ABOUT_MEANS.contains(other) => barriers(answer),
        _ => None,
    }
}

/// What a person said about the things that are kept, as words and as one of each.
pub(super) fn said_words(idea: &str, answers: &[DiscoveryAnswer]) -> Vec<String> {
    let (idea, _) = stack::apart(idea);
    let told = answers
        .iter()
        .filter(|one| one.by_person && one.question == CONTENT);
    let text = told.fold(idea, |text, one| format!("{text} {}", one.answer));
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .flat_map(|word| [word.to_owned(), singular(word)])
        .collect()
}

/// A file is all that the rules keep things in.
fn kept_elsewhere(answer: &str) -> Option<String> {
    const OURS: [&str; 8] = [
        "file", "files", "text", "flat", "plain", "no", "none", "nothing",
    ];
    let lower = answer.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let ours = words.any(|word| OURS.contains(&word));
    (!ours).then(|| "the rules keep everything in one text file".to_owned())
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
