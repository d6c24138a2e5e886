//! A review by rules, where no models debate: a checklist, no voices, no figures of confidence.

use gavel_domain::{Decision, DiscoveryAnswer, MemoryNote, ReviewMade, Scope};
use gavel_rules::{Contradiction, IDEA, contradictions};
use gavel_run::{Pure, Run, RunError};
use serde::{Deserialize, Serialize};

use crate::Topic;
use crate::record::{Planned, json_text, read_text, record_decision};
use crate::words::telling;

/// A line of the checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewItem {
    /// What kind of finding it is.
    pub kind: ReviewKind,
    /// Whether it speaks for the plan.
    pub stance: ReviewStance,
    /// What it says.
    pub text: String,
    /// Where it comes from: `answer:db-strategy`, `memory:<id>`, `criterion:<id>`, `spec`, `idea`.
    pub source: String,
    /// What follows from it, where the rules can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Decision>,
}

/// What kind of finding a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// Project memory says something about it.
    Memory,
    /// Two answers do not go together.
    Contradiction,
    /// A person answered otherwise than was recommended, or in their own words.
    PersonDecided,
    /// A criterion has no steps that show it.
    NoExample,
    /// Two criteria say the same.
    SaidTwice,
    /// Something in scope that no criterion mentions.
    NotCovered,
    /// There are no criteria.
    NoCriteria,
    /// An earlier plan for the same idea did not work out.
    Trouble,
}

/// Whether a line speaks for the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStance {
    /// For it.
    For,
    /// Against it.
    Against,
    /// Neither.
    Note,
}

/// Reviews a plan by rules and records the checklist.
///
/// The facts stand in the scope: `review`, and `decision-1` … for what follows. Both come from the
/// record on a later drive, so that new rules do not change an old review.
pub async fn review(
    run: &Run,
    scope: &Scope,
    topic: &Topic<'_>,
) -> Result<Vec<Decision>, RunError> {
    let key = scope.key("review")?;
    let items = review_topic(topic);
    let text = json_text::<ReviewMade>(&key, &items)?;
    let input = input_of(topic);
    let made = run.step(key.clone(), Pure, &input, |blobs| {
        let count = |stance| {
            let same = items.iter().filter(|item| item.stance == stance);
            u32::try_from(same.count()).unwrap_or(u32::MAX)
        };
        let made = ReviewMade {
            items: blobs.keep(text.as_str()),
            speaks_for: count(ReviewStance::For),
            speaks_against: count(ReviewStance::Against),
        };
        async move { Ok(made) }
    });
    let made = made.await?.value;
    let items = read_text::<ReviewMade, Vec<ReviewItem>>(run, &key, made.items).await?;
    let decisions: Vec<Decision> = items.into_iter().filter_map(|item| item.settled).collect();
    for (number, decision) in (1..).zip(&decisions) {
        record_decision(run, scope, number, (decision, &Planned::default())).await?;
    }
    Ok(decisions)
}

/// The checklist of a plan: contradictions, what memory says, what people decided.
pub fn review_topic(topic: &Topic<'_>) -> Vec<ReviewItem> {
    let found = contradictions(topic.idea, topic.answers);
    let mut items: Vec<ReviewItem> = found
        .iter()
        .map(|contradiction| contradicted(contradiction, topic))
        .collect();
    let about = telling(topic.idea);
    let answers = topic.answers.iter().map(|answer| telling(&answer.answer));
    let about = answers.fold(about, |mut all, words| {
        all.extend(words);
        all
    });
    for note in topic.memory {
        let shared: Vec<String> = telling(&note.text).intersection(&about).cloned().collect();
        if !shared.is_empty() {
            items.push(remembered(note, &shared));
        }
    }
    let by_person = topic.answers.iter().filter(|answer| answer.by_person);
    items.extend(by_person.map(decided));
    items.extend(topic.trouble.map(went_wrong));
    items
}

/// What the checklist depends on.
#[derive(Serialize)]
struct Input<'a> {
    idea: &'a str,
    answers: &'a [DiscoveryAnswer],
    memory: &'a [MemoryNote],
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<&'a str>,
}

const fn input_of<'a>(topic: &Topic<'a>) -> Input<'a> {
    Input {
        idea: topic.idea,
        answers: topic.answers,
        memory: topic.memory,
        trouble: topic.trouble,
    }
}

/// A person is never overruled by a rule; otherwise the side that decides less yields.
fn contradicted(found: &Contradiction, topic: &Topic<'_>) -> ReviewItem {
    let answer = |question: &str| {
        topic
            .answers
            .iter()
            .find(|given| given.question == question)
    };
    let by_person =
        |question: &str| question == IDEA || answer(question).is_some_and(|given| given.by_person);
    let words = |question: &str| match answer(question) {
        Some(given) => format!("`{question}` is \"{}\"", given.answer),
        None => "the idea stands".to_owned(),
    };
    let (stays, yields) = if by_person(found.yields) && !by_person(found.stays) {
        (found.yields, found.stays)
    } else {
        (found.stays, found.yields)
    };
    let both = by_person(stays) && by_person(yields);
    let choice = if both {
        format!(
            "both stay as they were said: {}; {}",
            words(stays),
            words(yields)
        )
    } else {
        format!("{}; the answer to `{yields}` yields to it", words(stays))
    };
    let dissent = if both {
        format!("a person said both, and {}", found.why)
    } else {
        String::new()
    };
    ReviewItem {
        kind: ReviewKind::Contradiction,
        stance: ReviewStance::Against,
        text: format!(
            "{}: {}; {}",
            found.why,
            words(found.stays),
            words(found.yields)
        ),
        source: format!("answer:{}", found.yields),
        settled: Some(Decision {
            title: format!("{stays} against {yields}"),
            choice,
            why: format!("rule: {}", found.why),
            dissent,
        }),
    }
}

/// Shared words show that memory speaks of it; what that means follows from the kind.
fn remembered(note: &MemoryNote, shared: &[String]) -> ReviewItem {
    let shared = shared.join(", ");
    let settle = |order: &str, why: &str| {
        Some(Decision {
            title: format!("{} {}", note.kind, note.id),
            choice: format!("{order}: {}", note.text),
            why: format!("rule: {why}, and the plan speaks of {shared}"),
            dissent: String::new(),
        })
    };
    let (stance, settled) = match note.kind.as_str() {
        "trap" | "feedback" => (
            ReviewStance::Against,
            settle("heed it", "project memory warns of it"),
        ),
        "constraint" => (
            ReviewStance::Note,
            settle("keep to it", "project memory says that it must hold"),
        ),
        "vision" | "plan" => (ReviewStance::For, None),
        _ => (ReviewStance::Note, None),
    };
    ReviewItem {
        kind: ReviewKind::Memory,
        stance,
        text: format!("{}: {} (shared words: {shared})", note.kind, note.text),
        source: format!("memory:{}", note.id),
        settled,
    }
}

fn decided(answer: &DiscoveryAnswer) -> ReviewItem {
    ReviewItem {
        kind: ReviewKind::PersonDecided,
        stance: ReviewStance::Note,
        text: format!("a person decided `{}`: {}", answer.question, answer.answer),
        source: format!("answer:{}", answer.question),
        settled: Some(Decision {
            title: answer.question.clone(),
            choice: answer.answer.clone(),
            why: "a person said so".to_owned(),
            dissent: String::new(),
        }),
    }
}

/// Rules cannot say what follows from it; whoever builds next must see it.
fn went_wrong(trouble: &str) -> ReviewItem {
    ReviewItem {
        kind: ReviewKind::Trouble,
        stance: ReviewStance::Against,
        text: format!("an earlier plan did not work out: {trouble}"),
        source: "trouble".to_owned(),
        settled: Some(Decision {
            title: "what went wrong before".to_owned(),
            choice: format!("do not repeat it: {trouble}"),
            why: "rule: the plan before this one was stopped for it".to_owned(),
            dissent: String::new(),
        }),
    }
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
