//! An open question as programs see it.

use gavel_agent::OpenQuestion as Elicited;
use gavel_domain::{AnswerShape, Audience, RunId};
use gavel_run::OpenQuestion;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Pending {
    /// Its id.
    id: String,
    text: String,
    why: Option<String>,
    options: Vec<PendingOption>,
    /// The id of the recommended option.
    recommended: Option<String>,
    /// True when words of your own are taken.
    own_words: bool,
    /// `any`, or `person`: then only a person may answer.
    audience: String,
    /// What a person types.
    command: String,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct PendingOption {
    id: String,
    label: String,
}

impl Pending {
    pub(super) fn of(run: RunId, question: &OpenQuestion) -> Self {
        let options = question.card.options.iter().map(|option| PendingOption {
            id: option.id.clone(),
            label: option.label.clone(),
        });
        let how = match &question.asked.shape {
            AnswerShape::Choice { .. } => "--option N",
            AnswerShape::ChoiceOrText { .. } | AnswerShape::Text { .. } => "\"…\"",
            AnswerShape::Limit { .. } => "--limit AMOUNT",
        };
        let command = format!(
            "gavel answer {} {} {how} --resume",
            run.short(),
            question.id
        );
        Self {
            id: question.id.to_string(),
            text: question.card.text.clone(),
            why: question.card.why.clone(),
            options: options.collect(),
            recommended: question.asked.recommended.clone(),
            own_words: takes_words(&question.asked.shape),
            audience: word(question.asked.audience).to_owned(),
            command,
        }
    }
}

impl Pending {
    /// What a person types.
    pub(super) fn command(&self) -> &str {
        &self.command
    }
}

const fn word(audience: Audience) -> &'static str {
    match audience {
        Audience::Person => "person",
        Audience::Any => "any",
    }
}

pub(super) const fn takes_words(shape: &AnswerShape) -> bool {
    match shape {
        AnswerShape::ChoiceOrText { .. } | AnswerShape::Text { .. } => true,
        AnswerShape::Choice { .. } | AnswerShape::Limit { .. } => false,
    }
}

/// The first question that anybody may answer, for a client that can put it to its user.
pub(super) fn to_ask(run: RunId, open: &[OpenQuestion]) -> Option<Elicited> {
    let question = open
        .iter()
        .find(|question| question.asked.audience == Audience::Any)?;
    let message = match &question.card.why {
        Some(why) => format!("{}\n{why}", question.card.text),
        None => question.card.text.clone(),
    };
    let labels = question
        .card
        .options
        .iter()
        .map(|option| option.label.clone());
    let mut arguments = Map::new();
    arguments.insert("run".to_owned(), Value::String(run.to_string()));
    arguments.insert(
        "question".to_owned(),
        Value::String(question.id.to_string()),
    );
    Some(Elicited {
        name: format!("{}-{}", run.short(), question.id).replace('/', "-"),
        message,
        options: labels.collect(),
        tool: "gavel_answer",
        arguments,
        answer_field: "answer",
    })
}
