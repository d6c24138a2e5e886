//! A synthesis that failed, and somebody who can say whether it is tried again.

use gavel_domain::{AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, Scope};
use gavel_run::{Question, Run, RunError};

const AGAIN: &str = "again";
const WITHOUT: &str = "without";
const OPTIONS: [(&str, &str); 2] = [
    (AGAIN, "try again: the leader is asked twice more"),
    (
        WITHOUT,
        "go on without: the votes stand as they were counted",
    ),
];

/// Asks whether to try again; what was debated is on record either way.
pub(super) async fn wanted(
    run: &Run,
    scope: &Scope,
    number: u32,
    problem: &str,
) -> Result<bool, RunError> {
    let text = "The debate is over, but it could not be drawn together. Try again?";
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(
            text.to_owned(),
            Some(format!("Why: {problem}")),
            &OPTIONS,
        ),
        shape: AnswerShape::Choice {
            options: OPTIONS.map(|(id, _)| id.to_owned()).to_vec(),
        },
        // Nothing that costs is taken for somebody who did not choose it.
        recommended: Some(WITHOUT.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let key = scope.key(&format!("synthesis/again-{number}"))?;
    Ok(match run.ask(key, question).await?.value.value {
        AnswerValue::Option { id } => id == AGAIN,
        AnswerValue::Decide | AnswerValue::Text { .. } | AnswerValue::Limit { .. } => false,
    })
}
