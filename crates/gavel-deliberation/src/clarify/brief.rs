//! The brief of a debate: written by a model, or put together from the topic and the answers.

use gavel_domain::{ClarifiedMatter, ClarifyAnswer};

use super::shapes::{MOST_GAPS, MatterAnswer, plain};

/// A brief that a person refused, and why.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    pub(super) problem: String,
    pub(super) criteria: Vec<String>,
    pub(super) reason: String,
}

/// Who wrote a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenBy {
    Model,
    /// No model gave a usable one; what was wrong with the last.
    Rules(String),
}

/// A brief as a model wrote it, with what was open before.
pub(super) fn from_answer(
    answer: MatterAnswer,
    answers: Vec<ClarifyAnswer>,
    open: &[String],
) -> ClarifiedMatter {
    let trimmed = |texts: Vec<String>| texts.iter().map(|text| text.trim().to_owned()).collect();
    ClarifiedMatter {
        problem: answer.problem.trim().to_owned(),
        constraints: trimmed(answer.constraints),
        criteria: trimmed(answer.criteria),
        scope: answer.scope.trim().to_owned(),
        answers,
        gaps: gaps(open, &answer.gaps),
    }
}

/// The brief where no model gave one: what was typed, as it stands.
pub(super) fn by_rules(
    topic: &str,
    answers: Vec<ClarifyAnswer>,
    (open, refused): (&[String], &[Refused]),
) -> ClarifiedMatter {
    let topic = topic.trim();
    // A guess binds nobody: only what a person said must hold.
    let said = answers.iter().filter(|answer| answer.by_person);
    let said = said.map(|answer| format!("{} {}", answer.question, answer.answer));
    let reasons = refused.iter().map(|refused| refused.reason.clone());
    ClarifiedMatter {
        problem: topic.to_owned(),
        constraints: said.chain(reasons).collect(),
        criteria: vec![format!("The question is answered: {topic}")],
        scope: String::new(),
        answers,
        gaps: gaps(open, &[]),
    }
}

/// What is open, each once.
fn gaps(open: &[String], more: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for gap in open.iter().chain(more) {
        let known = all.iter().any(|known| plain(known) == plain(gap));
        if !known && all.len() < MOST_GAPS {
            all.push(gap.trim().to_owned());
        }
    }
    all
}
