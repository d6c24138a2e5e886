//! Trouble in a meeting: a person says whether to try again. Each try is a scope of its own.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, FaultClass, OnTimeout, Purpose, QuestionCard, Scope,
};
use gavel_rules::HaltReason;
use gavel_run::{Question, Run, StepError};

use crate::model_trouble::ModelTrouble;
use crate::way::{Leave, halt};

/// The most of a problem that a card tells.
const MOST_TOLD: usize = 1_200;
const AGAIN: &str = "again";
const STOP: &str = "stop";

/// What went wrong, and whose trouble it is: the exit code says so.
#[derive(Debug)]
pub(super) struct Problem {
    purpose: Purpose,
    /// Why the model could not be asked, where that is what happened.
    model: Option<ModelTrouble>,
    text: String,
}

impl Problem {
    /// No seat said anything that can be used.
    pub(super) const fn of_models(text: String) -> Self {
        Self {
            purpose: Purpose::Trouble,
            model: None,
            text,
        }
    }
}

impl From<&StepError> for Problem {
    fn from(error: &StepError) -> Self {
        let purpose = match error.fault.class {
            FaultClass::Failed | FaultClass::Invalid | FaultClass::Moved => Purpose::Machine,
            FaultClass::RateLimited
            | FaultClass::Overloaded
            | FaultClass::Network
            | FaultClass::BadReply
            | FaultClass::ReplyTooLong
            | FaultClass::Timeout
            | FaultClass::Unauthorized
            | FaultClass::UnknownModel
            | FaultClass::WrongAddress
            | FaultClass::ContextTooLong
            | FaultClass::Refused => Purpose::Trouble,
        };
        let text = error.to_string();
        Self {
            purpose,
            model: ModelTrouble::of(error.fault.class),
            text,
        }
    }
}

/// Asks whether to try again; halts when not.
pub(super) async fn try_again(run: &Run, scope: &Scope, problem: &Problem) -> Result<(), Leave> {
    let mut told: String = problem.text.chars().take(MOST_TOLD).collect();
    if let Some(trouble) = problem.model {
        told = format!("{told}\n\n{}", trouble.general_remedy());
    }
    let title = problem.model.map_or(
        "The council could not meet. Try again?",
        ModelTrouble::title,
    );
    let why = match problem.purpose {
        Purpose::Machine => told,
        Purpose::Trouble
        | Purpose::Choice
        | Purpose::Approval
        | Purpose::Cap
        | Purpose::Spend
        | Purpose::Once
        | Purpose::Model
        | Purpose::Moved
        | Purpose::Breaker => format!(
            "{told}\n\nTo go on with other models: gavel resume --model PROVIDER/MODEL, or \
             gavel resume -c models.slots.stances=PROVIDER/MODEL,PROVIDER/MODEL."
        ),
    };
    let card = QuestionCard::with_options(
        title.to_owned(),
        Some(why),
        &[
            (
                AGAIN,
                "try again, with the models that are configured by then",
            ),
            (STOP, "stop here; everything so far is kept"),
        ],
    );
    let question = Question {
        purpose: problem.purpose,
        card,
        shape: AnswerShape::Choice {
            options: vec![AGAIN.to_owned(), STOP.to_owned()],
        },
        recommended: Some(AGAIN.to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("trouble")?, question).await?;
    let again = match answer.value.value {
        AnswerValue::Option { id } => id == AGAIN,
        AnswerValue::Decide => true,
        AnswerValue::Text { .. } | AnswerValue::Limit { .. } => false,
    };
    if again {
        Ok(())
    } else {
        Err(halt(run, HaltReason::Stuck, &problem.text).await)
    }
}
