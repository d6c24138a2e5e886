//! Trouble: a model, its provider, the network or this machine failed. A person says whether to try again; each
//! try is a scope of its own, so that nothing on record is asked for twice.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, FaultClass, OnTimeout, Purpose, QuestionCard, Scope,
};
use gavel_rules::HaltReason;
use gavel_run::{Question, RunError, StepError};

use crate::model_trouble::ModelTrouble;
use crate::staffing::Staff;
use crate::way::{Leave, Way, halt};

/// The most of a problem that a card tells; a model's words may go on for pages.
const MOST_TOLD: usize = 600;
const ANOTHER_MODEL: &str = "To go on with another model: gavel resume -c \
    models.slots.leader=PROVIDER/MODEL, or with models.slots.coder, models.slots.auditor.";

const MENDED: &str = "it is mended: try again";

/// What one try came to.
#[derive(Debug)]
pub(crate) enum Tried<T> {
    /// It is done.
    Done(T),
    /// It cannot be done like this; the sentence says why.
    Stuck(String),
}

/// Tries until it is done or a person says stop, with the models that are configured by then.
/// `name` names the scopes: `spec-1`, `spec-2` …
pub(crate) async fn persist<T>(
    way: Way<'_>,
    name: &str,
    staff: &mut Staff,
    attempt: impl AsyncFn(Scope, &Staff) -> Result<Tried<T>, Leave>,
) -> Result<T, Leave> {
    let mut number = 1;
    loop {
        let scope = way.run.scope(name, number)?;
        let problem = match attempt(scope.clone(), &*staff).await {
            Ok(Tried::Done(value)) => return Ok(value),
            // A model that does not do what it is asked for: another one may.
            Ok(Tried::Stuck(problem)) => Problem::new(Purpose::Trouble, problem),
            Err(Leave::Run(RunError::Failed(error))) => Problem::from(&*error),
            Err(leave) => return Err(leave),
        };
        ask_for_another(way, &scope, staff, problem).await?;
        number += 1;
    }
}

/// Tries what needs no model until it is done or a person says stop: git, a command, this machine.
pub(crate) async fn until_mended<T>(
    way: Way<'_>,
    name: &str,
    attempt: impl AsyncFn(Scope) -> Result<Tried<T>, Leave>,
) -> Result<T, Leave> {
    let mut number = 1;
    loop {
        let scope = way.run.scope(name, number)?;
        let problem = match attempt(scope.clone()).await {
            Ok(Tried::Done(value)) => return Ok(value),
            Ok(Tried::Stuck(problem)) => Problem::new(Purpose::Machine, problem),
            Err(Leave::Run(RunError::Failed(error))) => Problem::from(&*error),
            Err(leave) => return Err(leave),
        };
        ask_again(way, &scope, &problem, (problem.told(), MENDED)).await?;
        number += 1;
    }
}

/// Asks whether to try again; returns with the models to try with, or leaves.
pub(crate) async fn try_again(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    problem: Problem,
) -> Result<(), Leave> {
    ask_for_another(way, scope, staff, problem).await
}

/// Asks whether to try again what needs no model.
pub(crate) async fn mended(way: Way<'_>, scope: &Scope, problem: &str) -> Result<(), Leave> {
    let problem = Problem::new(Purpose::Machine, problem.to_owned());
    ask_again(way, scope, &problem, (problem.told(), MENDED)).await
}

/// What went wrong, and whose trouble it is: the exit code says so.
#[derive(Debug)]
pub(crate) struct Problem {
    purpose: Purpose,
    /// Why the model could not be asked, where that is what happened.
    model: Option<ModelTrouble>,
    text: String,
}

impl Problem {
    const fn new(purpose: Purpose, text: String) -> Self {
        Self {
            purpose,
            model: None,
            text,
        }
    }

    const fn title(&self) -> &'static str {
        match self.model {
            Some(trouble) => trouble.title(),
            None => "This step did not succeed. Try it again?",
        }
    }

    /// What helps, before another model is thought of.
    const fn remedy(&self) -> &'static str {
        match self.model {
            Some(trouble) => trouble.general_remedy(),
            None => "",
        }
    }

    /// Its beginning, on lines that fit a card.
    fn told(&self) -> String {
        let told: String = self.text.chars().take(MOST_TOLD).collect();
        if told.len() < self.text.len() {
            format!("{told} …")
        } else {
            told
        }
    }
}

impl From<&StepError> for Problem {
    fn from(error: &StepError) -> Self {
        let purpose = match error.fault.class {
            FaultClass::Failed | FaultClass::Invalid => Purpose::Machine,
            FaultClass::Moved => Purpose::Moved,
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
        Self {
            model: ModelTrouble::of(error.fault.class),
            ..Self::new(purpose, error.to_string())
        }
    }
}

async fn ask_for_another(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    problem: Problem,
) -> Result<(), Leave> {
    let (why, label) = match problem.purpose {
        // Another model would meet the same trouble.
        Purpose::Machine | Purpose::Moved => (problem.told(), MENDED),
        Purpose::Trouble
        | Purpose::Choice
        | Purpose::Approval
        | Purpose::Cap
        | Purpose::Spend
        | Purpose::Once
        | Purpose::Model
        | Purpose::Breaker => (
            match problem.remedy() {
                "" => format!("{}\n\n{ANOTHER_MODEL}", problem.told()),
                remedy => format!("{}\n\n{remedy}\n\n{ANOTHER_MODEL}", problem.told()),
            },
            "try again, with the same or another model",
        ),
    };
    ask_again(way, scope, &problem, (why, label)).await?;
    Ok(staff.choose_again(way, scope).await?)
}

async fn ask_again(
    way: Way<'_>,
    scope: &Scope,
    problem: &Problem,
    (why, again): (String, &str),
) -> Result<(), Leave> {
    let run = way.run;
    let card = QuestionCard::with_options(
        problem.title().to_owned(),
        Some(why),
        &[
            ("again", again),
            ("stop", "stop here; everything so far is kept"),
        ],
    );
    let question = Question {
        purpose: problem.purpose,
        card,
        shape: AnswerShape::Choice {
            options: vec!["again".to_owned(), "stop".to_owned()],
        },
        recommended: Some("again".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("trouble")?, question).await?;
    let again = match answer.value.value {
        AnswerValue::Option { id } => id == "again",
        AnswerValue::Decide => true,
        AnswerValue::Text { .. } | AnswerValue::Limit { .. } => false,
    };
    if again {
        Ok(())
    } else {
        Err(halt(run, HaltReason::Stuck, &problem.text).await)
    }
}
