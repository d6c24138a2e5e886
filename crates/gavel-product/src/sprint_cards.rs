//! What a person is asked around a sprint: more sprints, and a word on a phase.

use gavel_build::PhaseEnd;
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, OnTimeout, Phase, Purpose, QuestionCard, Scope,
};
use gavel_rules::HaltReason;
use gavel_run::Question;

use crate::way::{Leave, Way, halt};

/// How many open criteria a card lists.
const MOST_LISTED: usize = 12;
/// The longest word on a phase.
const MOST_BYTES: u32 = 4_000;

/// The sprints are used up: more, or stop. Nobody but a person gives more.
pub(crate) async fn ask_for_more(
    way: Way<'_>,
    scope: &Scope,
    (used, more): (u32, u32),
    open: &[String],
) -> Result<bool, Leave> {
    let listed: Vec<&str> = open.iter().take(MOST_LISTED).map(String::as_str).collect();
    let card = QuestionCard::with_options(
        format!("All {used} sprints are used up, and the work is not done. Go on?"),
        Some(format!("Still open:\n{}", listed.join("\n"))),
        &[
            ("stop", "stop here; the branch stays as it is"),
            ("more", &format!("allow {more} more sprints")),
        ],
    );
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: vec!["stop".to_owned(), "more".to_owned()],
        },
        recommended: Some("stop".to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = way.run.ask(scope.key("more-sprints")?, question).await?;
    Ok(answer.value.value
        == AnswerValue::Option {
            id: "more".to_owned(),
        })
}

/// A person's word on a phase.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PhaseWord {
    Good,
    Change(String),
}

/// `--review-phases`: the phase is done by what was proven; a person looks at it too.
pub(crate) async fn ask_for_verdict(
    way: Way<'_>,
    scope: &Scope,
    phase: &Phase,
    end: &PhaseEnd,
) -> Result<PhaseWord, Leave> {
    let run = way.run;
    let why = format!(
        "{}\n\n{} tests passed. Look at it: git diff {}..{}",
        phase.objective, end.verify.passed, way.place.base, way.place.branch,
    );
    let card = QuestionCard::with_options(
        format!(
            "Phase {} ({}) is done. Good, or say what to change.",
            phase.number, phase.name
        ),
        Some(why),
        &[("good", "go on"), ("stop", "stop here")],
    );
    let question = Question {
        purpose: Purpose::Approval,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: vec!["good".to_owned(), "stop".to_owned()],
            max_bytes: MOST_BYTES,
        },
        recommended: Some("good".to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("verdict")?, question).await?;
    match answer.value.value {
        AnswerValue::Text { text } => Ok(PhaseWord::Change(run.text(text).await?)),
        AnswerValue::Option { id } if id == "stop" => {
            let told = format!("phase {} was not accepted", phase.number);
            Err(halt(run, HaltReason::PhaseFailed, &told).await)
        }
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            Ok(PhaseWord::Good)
        }
    }
}
