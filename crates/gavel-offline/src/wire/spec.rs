//! The spec, by rules: what the idea says, how one sees that it is done, what was taken for granted.

use gavel_domain::{AnswerSource, Criterion, DiscoveryAnswer};
use serde_json::{Value, json};

use super::asks::claims;
use super::conversation::{Conversation, Halt};
use super::project::{design, joined, said_words, unmet};
use super::stack::{self, Wish};
use crate::criteria::criteria;
use crate::design::{Command, Design, Entity, Field};

const OUT_OF_SCOPE: [&str; 4] = [
    "A network, a server, or a web page.",
    "Several people at once, accounts and passwords.",
    "Graphical windows, pictures and charts.",
    "Reading and writing other file formats.",
];
/// The questions on whose answers the program rests.
const RESTS_ON: [&str; 6] = [
    "target-platform",
    "audience",
    "backend-architecture",
    "backend-stack",
    "db-strategy",
    "deployment",
];
/// What a program of lists is for, by the ends of its criteria's ids; then what people do every day.
const CORE: [&str; 5] = ["is_listed", "is_found", "is_marked_", "refers_by_", "total"];
const DAILY: [&str; 5] = [
    "is_shown",
    "is_edited",
    "is_deleted",
    "is_filtered",
    "needs_its_fields",
];
/// The rules build in two phases, a sprint each.
const SPRINTS: u32 = 2;
const NOBODY_SAID: &str = "ask the person who had the idea";

pub(super) fn specify(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let answers: Vec<DiscoveryAnswer> = talk.list("answers")?;
    let idea = talk.text("idea")?;
    let design = design(idea, &answers)?;
    let said = |question: &str, otherwise: &str| {
        let answer = answers.iter().find(|answer| answer.question == question);
        let answer = answer.map(|one| one.answer.clone());
        let answer = answer.filter(|answer| !answer.trim().is_empty());
        answer.unwrap_or_else(|| otherwise.to_owned())
    };
    let asked = unmet(&answers).into_iter();
    let asked =
        asked.map(|what| format!("Said by a person, and beyond the offline rules: {what}."));
    let asked = asked.chain(unused(idea));
    let criteria = criteria(&design);
    let claims = claims(talk, &design, &criteria)?;
    let weighed = criteria.iter().map(|one| {
        let asks = claims.served.get(&one.id).cloned().unwrap_or_default();
        weighed(&design, one, &asks)
    });
    let users = [said("audience", "one person at a terminal")];
    let out_of_scope: Vec<String> = asked.chain(OUT_OF_SCOPE.map(str::to_owned)).collect();
    let in_scope: Vec<String> = design.entities().iter().map(in_scope).collect();
    Ok(json!({
        "title": design.program(),
        "purpose": design.purpose(),
        "users": users,
        "in_scope": in_scope,
        "out_of_scope": out_of_scope,
        "later": [],
        "architecture": "One program: arguments, one form for each thing, one data file. Laid out by \
            Gavel's offline rules, without a language model.",
        "interface": "Commands with options go in; lines of text and an exit code come out: 0 done, 1 \
            not found or damaged, 2 not understood.",
        "folders": ["src: the program", "tests: a test for each criterion"],
        // What was asked for instead stands among what is out of scope.
        "stack": stack::BUILT,
        "sprint_estimate": SPRINTS,
        "assumptions": assumptions(&design, idea, &answers),
        "criteria": weighed.collect::<Vec<_>>(),
        "left_out": claims.left_out,
        "guessed": claims.guessed,
    }))
}

/// What the program is for weighs three, everyday actions two, the rest one.
fn weighed(design: &Design, criterion: &Criterion, asks: &[String]) -> Value {
    let of_entity = |entity: &Entity| {
        let prefix = format!("{}_", entity.name.replace('-', "_"));
        criterion.id.strip_prefix(&prefix)
    };
    let what = design.entities().iter().find_map(of_entity);
    let is =
        |names: &[&str]| what.is_some_and(|what| names.iter().any(|name| what.starts_with(name)));
    let weight = match () {
        () if is(&CORE) => 3,
        () if is(&DAILY) => 2,
        () => 1,
    };
    json!({
        "id": criterion.id, "statement": criterion.statement, "example": criterion.example,
        "weight": weight, "asks": asks,
    })
}

fn in_scope(entity: &Entity) -> String {
    let required = |field: &Field| if field.required { " (required)" } else { "" };
    let field = |field: &Field| format!("{}{}", field.name, required(field));
    let fields = joined(entity.fields.iter().map(field), ", ");
    let words = joined(entity.commands.iter().map(Command::word), ", ");
    format!("Keeps {} with {fields}; commands: {words}.", entity.plural)
}

/// Libraries that the idea wishes for, and that are not used.
fn unused(idea: &str) -> Vec<String> {
    let (_, wishes) = stack::apart(idea);
    let told = wishes
        .into_iter()
        .filter_map(|wish| match stack::read(wish) {
            Wish::Rust { unused } => stack::not_used(&unused),
            Wish::Other => None,
        });
    told.map(|told| format!("{told}.")).collect()
}

/// What the rules added to the words of the idea, and what they left apart.
fn additions(design: &Design, words: &[String]) -> Vec<String> {
    let is_said = |part: &str| words.iter().any(|word| word.contains(part));
    let said = |field: &&Field| field.target().is_some() || field.name.split('-').any(is_said);
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

/// What nobody said: none of it is sure, and one thing of it a test can show.
fn assumptions(design: &Design, idea: &str, answers: &[DiscoveryAnswer]) -> Vec<Value> {
    let assume = |claim: String, confidence: &str, how: &str| json!({"claim": claim, "confidence": confidence, "how_to_validate": how});
    let mut all: Vec<Value> = additions(design, &said_words(idea, answers))
        .into_iter()
        .map(|claim| assume(claim, "medium", NOBODY_SAID))
        .collect();
    if let Some(first) = design.entities().first() {
        let claim = format!(
            "One text file keeps the {} from one start to the next.",
            first.plural
        );
        let shown_by = format!("{}_is_listed", first.name.replace('-', "_"));
        all.push(assume(claim, "medium", &shown_by));
    }
    let taken = answers.iter().filter(|answer| {
        RESTS_ON.contains(&answer.question.as_str())
            && !answer.by_person
            && matches!(
                answer.source,
                AnswerSource::Recommended | AnswerSource::Council
            )
    });
    all.extend(taken.map(
        |DiscoveryAnswer {
             question, answer, ..
         }| {
            let claim =
                format!("{question}: {answer} (recommended by rules, not said by a person).");
            assume(claim, "low", NOBODY_SAID)
        },
    ));
    all
}
