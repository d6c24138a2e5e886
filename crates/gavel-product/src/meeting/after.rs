//! The card after a debate: follow it up, make a plan of it, carry the plan out, or leave it.

use gavel_deliberation::{Council, Held};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, Scope, SynthesisOutcome,
};
use gavel_rules::council::{AfterDebate, NextAction, recommend_next};
use gavel_run::Question;

use super::{Room, plan};
use crate::way::Leave;

/// The longest question that follows one up.
const MOST_BYTES: u32 = 4_000;
const FOLLOW_UP: &str = "follow-up";
const PLAN: &str = "plan";
const EXECUTE: &str = "execute";
const SAVE: &str = "save";

/// What follows a debate.
#[derive(Debug)]
pub(super) enum Next {
    /// Nothing more.
    Done,
    /// Another debate about this.
    Ask(String),
}

/// Asks what to do now, where somebody is there to say it.
pub(super) async fn follow(
    room: Room<'_>,
    number: u32,
    (council, held): (&Council, &Held),
) -> Result<Next, Leave> {
    let Room { run, brief, .. } = room;
    if !brief.attended {
        return Ok(Next::Done);
    }
    let scope = run.scope("after", number)?;
    let mut asked = 1;
    let mut note = String::new();
    loop {
        let offer = Offer::of(room, held);
        let key = scope.key(&format!("next-{asked}"))?;
        let answer = run.ask(key, offer.question(held, &note)).await?;
        let chosen = match answer.value.value {
            AnswerValue::Option { id } => id,
            AnswerValue::Text { text } => return Ok(Next::Ask(run.text(text).await?)),
            AnswerValue::Decide | AnswerValue::Limit { .. } => SAVE.to_owned(),
        };
        let at = scope.scope("plan", asked)?;
        let approved = match chosen.as_str() {
            FOLLOW_UP => return Ok(Next::Ask(asked_on(room, &at).await?)),
            PLAN | EXECUTE => plan::agree(room, &at, (council, held)).await?,
            _ => return Ok(Next::Done),
        };
        match approved {
            plan::Agreed::Yes | plan::Agreed::KeepOnly => return Ok(Next::Done),
            plan::Agreed::NoPlan(why) => note = format!("No plan could be made: {why}"),
        }
        asked += 1;
    }
}

/// What can be done after this debate.
struct Offer {
    options: Vec<(&'static str, &'static str)>,
    /// What `--yes` takes: never something that costs or builds.
    recommended: &'static str,
    advised: &'static str,
}

impl Offer {
    fn of(room: Room<'_>, held: &Held) -> Self {
        let outcome = &held.outcome;
        let sections = &held.plan.output_shape.sections;
        let is_empty = |key: &String| outcome.sections.get(key).is_none_or(is_blank);
        let has_plan = outcome.plan.is_some();
        let next = recommend_next(&AfterDebate {
            synthesised: held.synthesis != SynthesisOutcome::Failed,
            criteria_unmet: held.criteria_unmet,
            empty_sections: sections.iter().any(|section| is_empty(&section.key)),
            badge: held.badge,
            has_plan,
            kind: outcome.kind,
        });
        let mut options = Vec::new();
        options.push((FOLLOW_UP, "ask on: another debate that knows this one"));
        // Without a repository there is nothing to carry a plan out in.
        let builds = room.brief.checkout.is_some();
        options.push(match (has_plan, builds) {
            (true, true) => (
                EXECUTE,
                "carry the plan out: each step a run, after you agreed",
            ),
            (true, false) | (false, _) => (PLAN, "make a plan of it"),
        });
        options.push((SAVE, "leave it at that; it stays on record"));
        let advised = match next {
            NextAction::RetrySynthesis => "Advised: ask on; it could not be drawn together.",
            NextAction::FollowUp => "Advised: ask on; something is missing or little was checked.",
            NextAction::MakePlan => "Advised: make a plan of it.",
            NextAction::Execute => "Advised: carry the plan out.",
            NextAction::Save => "Advised: leave it at that.",
        };
        Self {
            options,
            recommended: SAVE,
            advised,
        }
    }

    fn question(&self, held: &Held, note: &str) -> Question {
        let ids = self
            .options
            .iter()
            .map(|(id, _)| (*id).to_owned())
            .collect();
        let parts = [note, held.summary.trim(), self.advised];
        let why: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Question {
            purpose: Purpose::Choice,
            card: QuestionCard::with_options(
                "The council has met. What now? Or type a question that follows it up.".to_owned(),
                Some(why.join("\n\n")),
                &self.options,
            ),
            shape: AnswerShape::ChoiceOrText {
                options: ids,
                max_bytes: MOST_BYTES,
            },
            recommended: Some(self.recommended.to_owned()),
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        }
    }
}

/// What a person wants to know further.
async fn asked_on(room: Room<'_>, scope: &Scope) -> Result<String, Leave> {
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options("What do you want to know further?".to_owned(), None, &[]),
        shape: AnswerShape::Text {
            max_bytes: MOST_BYTES,
        },
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = room.run.ask(scope.key("question")?, question).await?;
    match answer.value.value {
        AnswerValue::Text { text } => Ok(room.run.text(text).await?),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
            Ok(room.brief.topic.clone())
        }
    }
}

fn is_blank(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::String(text) => text.trim().is_empty(),
        serde_json::Value::Array(items) => items.is_empty(),
        serde_json::Value::Object(fields) => fields.is_empty(),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => false,
    }
}
