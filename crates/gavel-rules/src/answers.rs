//! Whether an answer may be taken: who gives it, and whether it has the asked form.

use gavel_domain::{
    AnswerReply, AnswerShape, Audience, Door, OnTimeout, QuestionAsked, Role, Speaker,
};

/// Why an answer is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerProblem {
    /// Only a person may answer.
    #[error(
        "only a person may answer this question, at the command line or with a key that may decide"
    )]
    PersonOnly,
    /// No such option.
    #[error("`{given}` is not an option; the options are: {}", options.join(", "))]
    UnknownOption {
        /// What was given.
        given: String,
        /// What is on the card.
        options: Vec<String>,
    },
    /// The question takes options only.
    #[error("this question takes one of its options: {}", options.join(", "))]
    OptionWanted {
        /// What is on the card.
        options: Vec<String>,
    },
    /// The text is empty.
    #[error("the answer is empty")]
    Empty,
    /// The text is too long.
    #[error("the answer has {bytes} bytes, at most {max} fit")]
    TooLong {
        /// Its size.
        bytes: usize,
        /// The most.
        max: u32,
    },
    /// The new limit does not help.
    #[error("the limit must be above {above}")]
    LimitTooLow {
        /// The old limit.
        above: u64,
    },
    /// The question cannot be left to Gavel.
    #[error("this question needs an answer: it cannot be left to Gavel")]
    CannotDecide,
}

/// Checks an answer before it is posted, and again when the driver takes it.
pub fn check_answer(
    asked: &QuestionAsked,
    by: Speaker,
    reply: &AnswerReply,
) -> Result<(), AnswerProblem> {
    if asked.audience == Audience::Person && !may_decide(by) {
        return Err(AnswerProblem::PersonOnly);
    }
    match reply {
        AnswerReply::Option { id } => check_option(&asked.shape, id),
        AnswerReply::Text { text } => check_text(&asked.shape, text),
        AnswerReply::Limit { limit } => check_limit(&asked.shape, *limit),
        AnswerReply::Decide => check_decide(asked),
    }
}

/// True for a person at the command line, for a key that carries the scope `decide`, and for a bridge that its
/// person lets decide.
pub fn may_decide(by: Speaker) -> bool {
    match by.door {
        Door::Cli => by.role == Role::Person,
        Door::Http | Door::Bridge => by.decides,
        Door::Engine | Door::Mcp | Door::Acp => false,
    }
}

fn check_option(shape: &AnswerShape, id: &str) -> Result<(), AnswerProblem> {
    if shape.options().iter().any(|option| option == id) {
        return Ok(());
    }
    Err(AnswerProblem::UnknownOption {
        given: id.to_owned(),
        options: shape.options().to_vec(),
    })
}

fn check_text(shape: &AnswerShape, text: &str) -> Result<(), AnswerProblem> {
    match shape {
        AnswerShape::Choice { options } | AnswerShape::Limit { options, .. } => {
            Err(AnswerProblem::OptionWanted {
                options: options.clone(),
            })
        }
        AnswerShape::ChoiceOrText { .. } | AnswerShape::Text { .. } if text.trim().is_empty() => {
            Err(AnswerProblem::Empty)
        }
        AnswerShape::ChoiceOrText { max_bytes, .. } | AnswerShape::Text { max_bytes } => {
            if u64::try_from(text.len()).is_ok_and(|bytes| bytes <= u64::from(*max_bytes)) {
                Ok(())
            } else {
                Err(AnswerProblem::TooLong {
                    bytes: text.len(),
                    max: *max_bytes,
                })
            }
        }
    }
}

fn check_limit(shape: &AnswerShape, limit: u64) -> Result<(), AnswerProblem> {
    match shape {
        AnswerShape::Limit { above, .. } if limit > *above => Ok(()),
        AnswerShape::Limit { above, .. } => Err(AnswerProblem::LimitTooLow { above: *above }),
        AnswerShape::Choice { .. }
        | AnswerShape::ChoiceOrText { .. }
        | AnswerShape::Text { .. } => Err(AnswerProblem::OptionWanted {
            options: shape.options().to_vec(),
        }),
    }
}

/// Words that stand in the place of an answer and are none by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interjected {
    /// Somebody asks something back.
    Asks,
    /// Somebody goes along with what is recommended.
    Agrees,
}

/// Reads words that are none of a person's own: `why?` where a change may be said is no change, and `ok` is
/// no new idea.
pub fn interjected(words: &str) -> Option<Interjected> {
    let words = words.trim().to_lowercase();
    let asks = words.ends_with('?');
    let plain = words.trim_end_matches(['.', '!', '?']).trim_end();
    match plain {
        "" if asks => Some(Interjected::Asks),
        "why"
        | "why this"
        | "why that"
        | "why not"
        | "how"
        | "how so"
        | "what"
        | "what is this"
        | "what does it mean"
        | "what does this mean"
        | "huh"
        | "help"
        | "explain" => Some(Interjected::Asks),
        "abort" | "stop" | "quit" | "ship" | "skip" | "cancel" if asks => Some(Interjected::Asks),
        "ok" | "okay" | "k" | "agree" | "agreed" | "sure" | "fine" | "go ahead" | "looks good"
        | "as recommended" => Some(Interjected::Agrees),
        _ => None,
    }
}

/// A question for persons is never left to Gavel; others may be, when the clock may decide too or
/// an option is recommended.
fn check_decide(asked: &QuestionAsked) -> Result<(), AnswerProblem> {
    let decidable = asked.recommended.is_some() || asked.on_timeout == OnTimeout::Decide;
    if asked.audience == Audience::Any && decidable {
        Ok(())
    } else {
        Err(AnswerProblem::CannotDecide)
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
