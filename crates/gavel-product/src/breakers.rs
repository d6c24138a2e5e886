//! Circuit breakers: each trip is a fact with its numbers and a card with ways to go on. A breaker
//! pauses; it never ends a run by itself.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, BreakerTripped, CardOption, OnTimeout, Purpose,
    QuestionCard, Role, Scope,
};
use gavel_rules::{Breaker, BreakerOption, HaltReason, Trip};
use gavel_run::{Question, RunError};

use crate::way::{Leave, Way, halt};

/// The longest wish that goes with a choice.
const MOST_BYTES: u32 = 4_000;

/// What whoever resumes answers to trouble.
const AGAIN: &str = "again";

/// How a person wants to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The same again; what they said goes along.
    Retry(Option<String>),
    /// Through the council again.
    Rethink,
    /// With the models that are configured by now.
    ChangeModel,
    /// With more of what ran out.
    Raise,
    /// Without what the breaker misses.
    Skip,
}

/// Where a breaker trips.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tripped<'a> {
    /// Its facts stand below this scope.
    pub(crate) scope: &'a Scope,
    /// The sprint, where there is one.
    pub(crate) sprint: Option<u32>,
    /// The role that it is about, where it is about one.
    pub(crate) role: Option<Role>,
    /// What happened, in words for the person who decides.
    pub(crate) told: &'a str,
}

/// Records that a breaker tripped, and nothing more: the run goes on with less.
pub(crate) async fn note(way: Way<'_>, at: Tripped<'_>, trip: &Trip) -> Result<(), RunError> {
    let key = at.scope.key(&format!("breaker-{}", id(trip.breaker)))?;
    let fact = BreakerTripped {
        breaker: trip.breaker.word().to_owned(),
        reason: trip.reason.to_owned(),
        sprint: at.sprint,
        role: at.role,
        degraded: trip.breaker.degrades(),
        numbers: trip.numbers.clone(),
    };
    // Numbers of money and time are those of the moment; the recorded ones hold.
    let effect = |_: gavel_run::Blobs| {
        let fact = fact.clone();
        async move { Ok(fact) }
    };
    let input = trip.breaker.word();
    way.run.step(key, gavel_run::Pure, &input, effect).await?;
    Ok(())
}

/// Records that a breaker tripped, and asks how to go on; whoever stops halts the run.
pub(crate) async fn trip(way: Way<'_>, at: Tripped<'_>, trip: &Trip) -> Result<Choice, Leave> {
    note(way, at, trip).await?;
    let breaker = trip.breaker;
    let options: Vec<CardOption> = breaker
        .options()
        .iter()
        .map(|option| CardOption {
            id: option_id(breaker, *option).to_owned(),
            label: label(breaker, *option).to_owned(),
        })
        .collect();
    let ids = options.iter().map(|option| option.id.clone()).collect();
    let question = Question {
        purpose: purpose(breaker),
        card: QuestionCard {
            text: format!("{} How shall it go on?", breaker.sentence()),
            why: Some(why(trip, at.told)),
            options,
        },
        shape: AnswerShape::ChoiceOrText {
            options: ids,
            max_bytes: MOST_BYTES,
        },
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let key = at.scope.key(&format!("after-{}", id(breaker)))?;
    let chosen = match way.run.ask(key, question).await?.value.value {
        // Words of their own are a wish for the next sprint.
        AnswerValue::Text { text } => {
            return Ok(Choice::Retry(Some(way.run.text(text).await?)));
        }
        AnswerValue::Option { id } if id == AGAIN => Some(BreakerOption::ChangeModel),
        AnswerValue::Option { id } => BreakerOption::from_id(&id),
        AnswerValue::Decide | AnswerValue::Limit { .. } => breaker.options().first().copied(),
    };
    Ok(match chosen {
        Some(BreakerOption::Retry) => Choice::Retry(None),
        Some(BreakerOption::Rethink) => Choice::Rethink,
        Some(BreakerOption::ChangeModel) => Choice::ChangeModel,
        Some(BreakerOption::Raise) => Choice::Raise,
        Some(BreakerOption::Skip) => Choice::Skip,
        Some(BreakerOption::Stop) | None => {
            let reason = match breaker {
                Breaker::BlankVerification => HaltReason::NoRecipe,
                // The gate had its word, twice.
                Breaker::ShipRefused => HaltReason::GateFailed,
                Breaker::CostProjection
                | Breaker::Oscillation
                | Breaker::CapBreach
                | Breaker::RoleCollision
                | Breaker::NoProvider
                | Breaker::Stall
                | Breaker::WallClock
                | Breaker::RepeatedAction => HaltReason::BreakerTripped,
            };
            let told = format!("{} ({})\n{}", breaker.sentence(), trip.reason, at.told);
            return Err(halt(way.run, reason, &told).await);
        }
    })
}

/// What the question is about, for the exit code: money is a budget, a missing provider is trouble.
fn purpose(breaker: Breaker) -> Purpose {
    match breaker {
        Breaker::CostProjection | Breaker::CapBreach => Purpose::Spend,
        Breaker::NoProvider => Purpose::Trouble,
        Breaker::Oscillation
        | Breaker::BlankVerification
        | Breaker::RoleCollision
        | Breaker::ShipRefused
        | Breaker::Stall
        | Breaker::WallClock
        | Breaker::RepeatedAction => Purpose::Breaker,
    }
}

/// The breaker's word as part of a key.
fn id(breaker: Breaker) -> String {
    breaker.word().replace('_', "-")
}

/// Trouble is answered by resuming, whatever kind it is.
const fn option_id(breaker: Breaker, option: BreakerOption) -> &'static str {
    match (breaker, option) {
        (Breaker::NoProvider, BreakerOption::ChangeModel) => AGAIN,
        (_, option) => option.id(),
    }
}

fn why(trip: &Trip, told: &str) -> String {
    let numbers: Vec<String> = trip
        .numbers
        .iter()
        .map(|(name, number)| format!("{}: {number}", name.replace('_', " ")))
        .collect();
    let mut why = told.trim().to_owned();
    if !numbers.is_empty() {
        if !why.is_empty() {
            why.push_str("\n\n");
        }
        why.push_str(&numbers.join(", "));
    }
    why.push_str("\n\nWords of your own are told to the next sprint.");
    why
}

/// What an option means for this breaker.
const fn label(breaker: Breaker, option: BreakerOption) -> &'static str {
    match option {
        BreakerOption::Retry => match breaker {
            Breaker::BlankVerification => "let the first sprint bring a test command",
            Breaker::CostProjection | Breaker::CapBreach => "go on until the cap stops it",
            Breaker::Oscillation
            | Breaker::RoleCollision
            | Breaker::NoProvider
            | Breaker::ShipRefused
            | Breaker::Stall
            | Breaker::WallClock
            | Breaker::RepeatedAction => "try one more sprint",
        },
        BreakerOption::Rethink => "let the council think again about what happened",
        BreakerOption::ChangeModel => "go on with the models that are configured now",
        BreakerOption::Raise => "allow as much once more",
        BreakerOption::Skip => match breaker {
            Breaker::Oscillation | Breaker::Stall | Breaker::RepeatedAction => {
                "leave this phase as it is and let the gate judge"
            }
            Breaker::BlankVerification
            | Breaker::CostProjection
            | Breaker::CapBreach
            | Breaker::RoleCollision
            | Breaker::NoProvider
            | Breaker::ShipRefused
            | Breaker::WallClock => "go on without it; the gate will not pass",
        },
        BreakerOption::Stop => "stop here; the branch stays as it is",
    }
}
