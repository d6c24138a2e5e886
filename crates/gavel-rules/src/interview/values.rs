//! What an answer says, read out of a person's or a model's words.
//!
//! Answers stay sentences. Beside each stands its normal form, by which answers are compared and
//! rules decide. Words that a closed list does not know are told back with the list.

use super::questions::question;
use super::table::{FORMS, Form};
use crate::contradictions::Said;

/// The normal form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normal {
    /// The values that it says, in the order of the list; for free words the words themselves.
    pub values: Vec<String>,
}

impl Normal {
    /// True when it says this value.
    pub fn has(&self, value: &str) -> bool {
        self.values.iter().any(|one| one == value)
    }

    /// True when it says one of these values.
    pub fn has_one_of(&self, values: &[&str]) -> bool {
        values.iter().any(|value| self.has(value))
    }

    /// The same for two answers that mean the same.
    pub fn key(&self) -> String {
        self.values.join(" ")
    }
}

/// An answer that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    /// Ask one of the ten.
    #[error("`{id}` is none of the ten questions")]
    NoSuchQuestion {
        /// What was asked for.
        id: String,
    },
    /// Say something.
    #[error("the answer to `{question}` is empty")]
    Empty {
        /// The question.
        question: &'static str,
    },
    /// Say one of these.
    #[error("`{given}` is no answer to `{question}`; say one of: {}", allowed.join(", "))]
    NotAllowed {
        /// The question.
        question: &'static str,
        /// The beginning of what was said.
        given: String,
        /// What can be said.
        allowed: Vec<&'static str>,
    },
}

/// The values that a question takes; empty where any words will do.
pub fn allowed_values(id: &str) -> Vec<&'static str> {
    match form_of(id) {
        Some(Form::OneOf(values) | Form::Some(values)) => {
            values.iter().map(|(value, _)| *value).collect()
        }
        Some(Form::WordsOr(..) | Form::Words(_)) | None => Vec::new(),
    }
}

/// Reads an answer to a question.
pub fn check_answer_value(id: &str, text: &str) -> Result<Normal, ValueProblem> {
    let (Some(asked), Some(form)) = (question(id), form_of(id)) else {
        return Err(ValueProblem::NoSuchQuestion { id: id.to_owned() });
    };
    let question = asked.id;
    if !text.chars().any(char::is_alphanumeric) {
        return Err(ValueProblem::Empty { question });
    }
    let said = Said::read(text);
    let says = |values: &[(&'static str, &'static str)]| -> Vec<String> {
        let named = values.iter().filter(|(value, _)| begins_with(text, value));
        let said = values.iter().filter(|(_, words)| said.says(words));
        let mut found: Vec<String> = Vec::new();
        for (value, _) in named.chain(said) {
            if !found.iter().any(|known| known == value) {
                found.push((*value).to_owned());
            }
        }
        found
    };
    let not_allowed = || ValueProblem::NotAllowed {
        question,
        given: text.trim().chars().take(80).collect(),
        allowed: allowed_values(id),
    };
    // A bare no is the value `none` wherever that is one.
    let none = |values: &[(&str, &str)]| {
        let has_none = values.iter().any(|(value, _)| *value == NONE);
        (has_none && said.denies()).then(|| vec![NONE.to_owned()])
    };
    let values = match form {
        Form::OneOf(values) => {
            let mut found = says(values);
            found.truncate(1);
            Some(found)
                .filter(|found| !found.is_empty())
                .or(none(values))
        }
        Form::Some(values) => Some(says(values))
            .filter(|found| !found.is_empty())
            .or(none(values)),
        Form::WordsOr(values, otherwise) => {
            let mut found = says(values);
            found.truncate(1);
            let found = Some(found)
                .filter(|found| !found.is_empty())
                .or(none(values));
            Some(found.unwrap_or_else(|| vec![(*otherwise).to_owned()]))
        }
        Form::Words(values) => {
            let found = says(values);
            Some(if found.is_empty() { plain(text) } else { found })
        }
    };
    values
        .map(|values| Normal { values })
        .ok_or_else(not_allowed)
}

const NONE: &str = "none";

fn form_of(id: &str) -> Option<&'static Form> {
    FORMS
        .iter()
        .find(|(question, _)| *question == id)
        .map(|(_, form)| form)
}

/// True when a text begins with the value itself, as a word of its own.
fn begins_with(text: &str, value: &str) -> bool {
    let text = text.trim();
    let rest = text.get(value.len()..);
    let same = text.get(..value.len());
    same.is_some_and(|same| same.eq_ignore_ascii_case(value))
        && rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// The words of a text in order, lower case.
fn plain(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
