//! What a run knows of its project: the idea in the person's words, and what was answered since.

use gavel_domain::DiscoveryAnswer;

use super::conversation::Halt;
use crate::design::{Design, Entity, Field};
use crate::understand::{Barrier, Understood, understand};

/// Questions whose answers may say more about what is kept.
const ABOUT_CONTENT: [&str; 2] = ["product-type", "ba-status"];

/// Reads an idea to which a person may have added paragraphs.
///
/// Paragraphs that say nothing are left out as soon as another one says something.
pub(super) fn read_idea(idea: &str) -> (String, Understood) {
    let paragraphs: Vec<&str> = idea.split("\n\n").map(str::trim).collect();
    let clear =
        |text: &&str| !text.is_empty() && !matches!(understand(text), Understood::Vague { .. });
    let mut clear: Vec<&str> = paragraphs.into_iter().filter(clear).collect();
    if clear.is_empty() {
        clear.push(idea);
    }
    let text = joined(&clear);
    let understood = understand(&text);
    (text, understood)
}

/// The design of an idea, with what a person's answers add to it where the rules understand them.
pub(super) fn design(idea: &str, answers: &[DiscoveryAnswer]) -> Result<Design, Halt> {
    let (mut text, understood) = read_idea(idea);
    let mut design = match understood {
        Understood::InReach(design) => design,
        Understood::Vague { missing } => return Err(Halt::cannot(missing)),
        Understood::BeyondReach { reasons, can_do } => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            let reasons = reasons.join("; ");
            return Err(Halt::cannot(format!("{reasons}; they can do {can_do}")));
        }
    };
    let content = |answer: &&DiscoveryAnswer| {
        answer.by_person && ABOUT_CONTENT.contains(&answer.question.as_str())
    };
    for answer in answers.iter().filter(content) {
        let more = joined(&[&text, &answer.answer]);
        if let Understood::InReach(larger) = understand(&more)
            && extends(&larger, &design)
        {
            (text, design) = (more, larger);
        }
    }
    Ok(design)
}

/// True if nothing of the smaller design is lost in the larger one.
fn extends(larger: &Design, smaller: &Design) -> bool {
    let field = |entity: &Entity, field: &Field| entity.field(&field.name).is_some();
    let kept = |entity: &Entity| {
        let larger = larger.entity(&entity.name);
        larger.is_some_and(|larger| entity.fields.iter().all(|one| field(larger, one)))
    };
    larger != smaller && smaller.entities().iter().all(kept)
}

fn joined(paragraphs: &[&str]) -> String {
    let ends = paragraphs.iter().map(|text| text.trim_end_matches('.'));
    ends.collect::<Vec<_>>().join(". ")
}

/// An entity with its fields: `bookmark (title, url, tags)`.
pub(super) fn outline(entity: &Entity) -> String {
    let names: Vec<&str> = entity
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    format!("{} ({})", entity.name, names.join(", "))
}

/// All entities with their fields.
pub(super) fn outlines(design: &Design) -> String {
    let all: Vec<String> = design.entities().iter().map(outline).collect();
    all.join(", ")
}

/// What a person asked for that the rules do not build: question, answer and why.
pub(super) fn unmet(answers: &[DiscoveryAnswer]) -> Vec<(&DiscoveryAnswer, String)> {
    const ABOUT_MEANS: [&str; 7] = [
        "product-type",
        "target-platform",
        "backend-architecture",
        "backend-stack",
        "db-strategy",
        "frontend-approach",
        "deployment",
    ];
    let asked = answers
        .iter()
        .filter(|answer| answer.by_person && ABOUT_MEANS.contains(&answer.question.as_str()));
    asked
        .filter_map(|answer| Some((answer, barriers(&answer.answer)?)))
        .collect()
}

/// What in an answer needs more than the rules have; an answer that says no asks for nothing.
fn barriers(answer: &str) -> Option<String> {
    let mut words = answer.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| ["no", "none", "not", "without"].contains(&word.to_lowercase().as_str())) {
        return None;
    }
    let Understood::BeyondReach { reasons, .. } = understand(answer) else {
        return None;
    };
    let known = reasons
        .iter()
        .filter(|reason| reason.barrier != Barrier::NotUnderstood);
    let known: Vec<String> = known.map(ToString::to_string).collect();
    (!known.is_empty()).then(|| known.join("; "))
}
