//! Intake: the idea is scored by local rules; where they cannot read it, a model says whether it is
//! clear.

use gavel_agent::{Ask, Asked};
use gavel_domain::{IntakeClassified, Key, Role, RouteDecided, Scope, Stage, Tokens};
use gavel_rules::{Circumstances, Clarity, CouncilWish, Intake, Route, ground_of, score_intake_in};
use gavel_run::RunError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::discovery::data;
use crate::money;
use crate::repository::files_at_base;
use crate::staffing::Staff;
use crate::way::{Leave, Way, keep_json, unusable};

const SYSTEM: &str = "A person asks for work on a software project, in whatever language. Say whether \
    a developer who knows the project could begin at once. `clear` means: one small change, and it is \
    plain what is to be changed and what it is to be afterwards. `vague` means everything else: a new \
    product, several changes, an aim without a change, or a text that you cannot read. When in doubt \
    it is `vague`. Give the reason in one short English sentence.";

/// Everything that the route rests on, as it is kept.
#[derive(Debug, Serialize)]
struct Inputs<'a> {
    prompt: &'a str,
    circumstances: Circumstances,
    scores: &'a Intake,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    clarity: Word,
    /// Why, in one sentence.
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Word {
    Clear,
    Vague,
}

/// Scores the idea and records the route, with all that it rests on.
pub(crate) async fn intake(way: Way<'_>) -> Result<Route, Leave> {
    let Way { run, brief, .. } = way;
    way.enter(Stage::Intake).await?;
    let files = files_at_base(way).await?;
    let mut known = Circumstances {
        max_sprints: Some(way.choices.max_sprints),
        council: if brief.force_council {
            CouncilWish::Forced
        } else {
            CouncilWish::AsScored
        },
        ground: ground_of(&brief.idea, files.iter().map(String::as_str)),
        ..Circumstances::default()
    };
    let mut scores = score_intake_in(&brief.idea, &known);
    if !scores.scored {
        known.clarity = classify(way).await?;
        scores = score_intake_in(&brief.idea, &known);
    }
    let inputs = Inputs {
        prompt: &brief.idea,
        circumstances: known,
        scores: &scores,
    };
    let recorded = keep_json(run, Key::new("intake/route")?, &inputs, |inputs| {
        RouteDecided {
            route: scores.route.word().to_owned(),
            sufficient: scores.sufficient,
            missing: scores
                .missing
                .iter()
                .map(|gap| gap.word().to_owned())
                .collect(),
            complexity: scores.complexity.label.word().to_owned(),
            size: scores.size.label.word().to_owned(),
            reasons: scores
                .reasons
                .iter()
                .map(|why| why.word().to_owned())
                .collect(),
            inputs: Some(inputs),
        }
    })
    .await?;
    // The run takes the way that is on record, whatever the rules of a newer version would say.
    let word = &recorded.value.route;
    Route::from_word(word).ok_or_else(|| {
        let newer =
            format!("its route `{word}` is of a newer version; use the gavel that chose it");
        unusable(run, &newer).into()
    })
}

/// Asks the leader once. Whatever goes wrong with it is no trouble: nobody vouches then, and the
/// council asks.
async fn classify(way: Way<'_>) -> Result<Option<Clarity>, Leave> {
    let run = way.run;
    let scope = run.scope("intake", 1)?;
    let staff = Staff::choose_in(way, &scope).await?;
    // This may be the first call that costs money.
    money::preview(way, &staff).await?;
    let clarity = match ask(way, &scope.scope("clarity", 1)?, &staff).await {
        Ok(Asked::Answered(reply)) => Some(reply.clarity),
        Ok(Asked::Unusable { .. }) | Err(RunError::Failed(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let fact = IntakeClassified {
        model: staff.leader.id.to_string(),
        clarity: clarity.map(|word| {
            match word {
                Word::Clear => "clear",
                Word::Vague => "vague",
            }
            .to_owned()
        }),
    };
    run.decide(scope.key("classified")?, fact).await?;
    Ok(clarity.map(|word| match word {
        Word::Clear => Clarity::Clear,
        Word::Vague => Clarity::Vague,
    }))
}

async fn ask(way: Way<'_>, scope: &Scope, staff: &Staff) -> Result<Asked<Reply>, RunError> {
    let task = data(way, "prompt", &way.brief.idea);
    let ask = Ask {
        model: &staff.leader,
        role: Role::Leader,
        shape: "clarity",
        system: SYSTEM,
        task: &task,
        max_output: Tokens(1_000),
    };
    let check = |reply: &Reply| {
        if reply.reason.trim().is_empty() {
            Err("`reason` is empty: say why".to_owned())
        } else {
            Ok(())
        }
    };
    ask.answer(way.run, scope, (&way.place.context, check))
        .await
}

#[cfg(test)]
#[path = "intake_tests.rs"]
mod tests;
