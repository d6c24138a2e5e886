//! Three seats recommend: one for what is plain, one for what grows, one for what is cheap.

use std::collections::BTreeSet;

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, FaultClass, OnTimeout, Purpose, QuestionCard,
    RecommendersChosen, Scope, Stage,
};
use gavel_models::ModelInfo;
use gavel_rules::{HaltReason, Recommender, council_fits, recommender_guard};
use gavel_run::{Blobs, Pure, Question, StepFailure};

use super::interview::Interview;
use super::sitting::{STANCES, Sat, Sitting};
use crate::staffing::Staff;
use crate::way::{Leave, Way, halt};

/// Rules have one opinion: three seats of theirs would be staged.
const OFFLINE: &str = "offline";
/// Lets three seats weigh the questions that are theirs, where that is possible and affordable.
pub(super) async fn weigh(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    interview: &mut Interview<'_>,
) -> Result<(), Leave> {
    let questions = interview.for_a_council();
    if questions.is_empty() {
        return Ok(());
    }
    let chosen = choose(way, scope, staff).await?;
    if chosen.by != "council" {
        if chosen.reason == "guard" {
            interview.notes.push(format!(
                "Recommending has cost {} of {} that it may cost, so the leader recommends alone.",
                chosen.spent, chosen.guard
            ));
        }
        return Ok(());
    }
    let task = interview.material.task(way, &questions).await?;
    let mut number = 1;
    loop {
        let room = scope.scope("council", number)?;
        let seats = seats_of(staff, way.choices.recommender);
        let sitting = Sitting {
            way,
            scope: &room,
            staff,
            task: &task,
            questions: &questions,
        };
        match sitting.sit(&seats).await? {
            Sat::Recommended(proposals) => {
                interview.propose(proposals);
                return Ok(());
            }
            Sat::NoKey(told) if try_again(way, &room, &told).await? => {
                staff.choose_again(way, &room).await?;
            }
            Sat::NoKey(_) => {
                let told = "A seat's key was not accepted, so the leader recommends alone.";
                interview.notes.push(told.to_owned());
                return Ok(());
            }
        }
        number += 1;
    }
}

/// Who recommends, with what it has really cost so far; on record before anybody is asked.
async fn choose(way: Way<'_>, scope: &Scope, staff: &Staff) -> Result<RecommendersChosen, Leave> {
    let run = way.run;
    let seats = seats_of(staff, way.choices.recommender);
    let names: Vec<String> = seats.iter().map(|model| model.id.to_string()).collect();
    let cap = run.caps().run_usd;
    let reason = if way.choices.recommender == Recommender::Leader {
        "setting"
    } else if seats.is_empty() && is_rules(&staff.leader) {
        "rules"
    } else if seats.is_empty() {
        "one_model"
    } else {
        ""
    };
    let effect = |_: Blobs| {
        let names = names.clone();
        async move {
            let usage = run.usage().await;
            let usage = usage.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
            let spend = usage.by_stage.get(Stage::Discovery.word());
            let spent = spend.map(|spend| spend.cost + spend.interrupted_ceiling);
            let spent = spent.unwrap_or_default();
            let reason = if reason.is_empty() && !council_fits(spent, cap) {
                "guard"
            } else {
                reason
            };
            let council = reason.is_empty();
            Ok(RecommendersChosen {
                by: if council { "council" } else { "leader" }.to_owned(),
                reason: reason.to_owned(),
                seats: if council { names } else { Vec::new() },
                spent,
                guard: recommender_guard(cap),
            })
        }
    };
    let key = scope.key("recommenders")?;
    Ok(run.step(key, Pure, &(reason, &names), effect).await?.value)
}

/// The models of the three seats; none when there are not enough for different opinions.
fn seats_of(staff: &Staff, recommender: Recommender) -> Vec<ModelInfo> {
    let models = staff.seats.iter().chain([&staff.leader]);
    let mut models: Vec<&ModelInfo> = models.filter(|model| !is_rules(model)).collect();
    let mut known = BTreeSet::new();
    models.retain(|model| known.insert(model.id.to_string()));
    let enough = match recommender {
        Recommender::Auto => models.len() >= 2,
        Recommender::Council => !models.is_empty(),
        Recommender::Leader => false,
    };
    if !enough {
        return Vec::new();
    }
    let repeated = models.into_iter().cycle();
    repeated.take(STANCES.len()).cloned().collect()
}

fn is_rules(model: &ModelInfo) -> bool {
    model.id.as_str() == OFFLINE
}

/// Asks what to do about a key; false when the leader is to recommend alone.
async fn try_again(way: Way<'_>, scope: &Scope, told: &str) -> Result<bool, Leave> {
    let run = way.run;
    let options = [
        ("again", "the key is mended: try again"),
        ("leader", "go on with the leader's recommendations"),
        ("stop", "stop here; everything so far is kept"),
    ];
    let text = "A model's key was not accepted. Try again?";
    let question = Question {
        purpose: Purpose::Trouble,
        card: QuestionCard::with_options(text.to_owned(), Some(told.to_owned()), &options),
        shape: AnswerShape::Choice {
            options: options.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: Some("again".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("trouble")?, question).await?;
    match answer.value.value {
        AnswerValue::Decide => Ok(true),
        AnswerValue::Option { id } if id == "again" => Ok(true),
        AnswerValue::Option { id } if id == "leader" => Ok(false),
        AnswerValue::Option { .. } | AnswerValue::Text { .. } | AnswerValue::Limit { .. } => {
            Err(halt(run, HaltReason::Stuck, told).await)
        }
    }
}
