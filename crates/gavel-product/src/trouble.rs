//! Trouble: a model, its provider, the network or this machine failed. A person says whether to try again; each
//! try is a scope of its own, so that nothing on record is asked for twice.

use gavel_domain::{AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, Scope};
use gavel_rules::HaltReason;
use gavel_run::{Question, RunError};

use crate::staffing::Staff;
use crate::way::{Leave, Way, halt};

/// The most of a problem that a card tells; a model's words may go on for pages.
const MOST_TOLD: usize = 600;
const ANOTHER_MODEL: &str = "To go on with another model: gavel resume -c \
    models.slots.leader=PROVIDER/MODEL, or with models.slots.coder, models.slots.auditor.";

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
            Ok(Tried::Stuck(problem)) => problem,
            Err(Leave::Run(RunError::Failed(error))) => error.to_string(),
            Err(leave) => return Err(leave),
        };
        try_again(way, &scope, staff, &problem).await?;
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
            Ok(Tried::Stuck(problem)) => problem,
            Err(Leave::Run(RunError::Failed(error))) => error.to_string(),
            Err(leave) => return Err(leave),
        };
        mended(way, &scope, &problem).await?;
        number += 1;
    }
}

/// Asks whether to try again; returns with the models to try with, or leaves.
pub(crate) async fn try_again(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    problem: &str,
) -> Result<(), Leave> {
    let why = format!("{}\n\n{ANOTHER_MODEL}", told(problem));
    let label = "try again, with the same or another model";
    ask_again(way, scope, problem, (why, label)).await?;
    Ok(staff.choose_again(way, scope).await?)
}

/// Asks whether to try again what needs no model.
pub(crate) async fn mended(way: Way<'_>, scope: &Scope, problem: &str) -> Result<(), Leave> {
    ask_again(
        way,
        scope,
        problem,
        (told(problem), "it is mended: try again"),
    )
    .await
}

async fn ask_again(
    way: Way<'_>,
    scope: &Scope,
    problem: &str,
    (why, again): (String, &str),
) -> Result<(), Leave> {
    let run = way.run;
    let card = QuestionCard::with_options(
        "This step did not succeed. Try it again?".to_owned(),
        Some(why),
        &[
            ("again", again),
            ("stop", "stop here; everything so far is kept"),
        ],
    );
    let question = Question {
        purpose: Purpose::Trouble,
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
        Err(halt(run, HaltReason::Stuck, problem).await)
    }
}

/// The beginning of a problem, on lines that fit a card.
fn told(problem: &str) -> String {
    let told: String = problem.chars().take(MOST_TOLD).collect();
    if told.len() < problem.len() {
        format!("{told} …")
    } else {
        told
    }
}
