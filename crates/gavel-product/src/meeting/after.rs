//! The card after a debate: follow it up, make a plan of it, carry the plan out, or leave it.

use gavel_deliberation::{Council, Held};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, MicroUsd, OnTimeout, Purpose, QuestionCard, Scope,
    SynthesisOutcome,
};
use gavel_rules::council::{AfterDebate, NextAction, recommend_next};
use gavel_run::{Question, Spend};

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

/// A debate that was held.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debated<'a> {
    /// Counted from one.
    pub(super) number: u32,
    /// What it was about.
    pub(super) question: &'a str,
    pub(super) held: &'a Held,
}

/// Asks what to do now, where somebody is there to say it.
pub(super) async fn follow(
    room: Room<'_>,
    council: &Council,
    debated: Debated<'_>,
) -> Result<Next, Leave> {
    let Room { run, brief, .. } = room;
    let held = debated.held;
    if !brief.attended {
        return Ok(Next::Done);
    }
    let scope = run.scope("after", debated.number)?;
    let mut asked = 1;
    let mut note = String::new();
    loop {
        let offer = Offer::of(room, held);
        let key = scope.key(&format!("next-{asked}"))?;
        let cost = cost_told(&run.usage().await?.total);
        let question = offer.question(held, &[&note, &cost]);
        let answer = run.ask(key, question).await?;
        let chosen = match answer.value.value {
            AnswerValue::Option { id } => id,
            AnswerValue::Text { text } => return Ok(Next::Ask(run.text(text).await?)),
            AnswerValue::Decide | AnswerValue::Limit { .. } => SAVE.to_owned(),
        };
        let at = scope.scope("plan", asked)?;
        let approved = match chosen.as_str() {
            FOLLOW_UP => return Ok(Next::Ask(asked_on(room, &at).await?)),
            PLAN | EXECUTE => plan::agree(room, &at, (council, debated)).await?,
            _ => return Ok(Next::Done),
        };
        match approved {
            plan::Agreed::Yes | plan::Agreed::KeepOnly => return Ok(Next::Done),
            plan::Agreed::NoPlan(why) => note = format!("No plan could be made: {why}"),
        }
        asked += 1;
    }
}

/// What the run cost so far, for a card.
fn cost_told(spent: &Spend) -> String {
    const CENT: u64 = 10_000;
    let cost = match spent.cost {
        MicroUsd(0) => String::new(),
        MicroUsd(1..CENT) => "less than $0.01".to_owned(),
        cost => MicroUsd(cost.0.div_ceil(CENT) * CENT).to_string(),
    };
    match (cost.as_str(), spent.unpriced + spent.unmetered) {
        ("", 0) => "It cost nothing so far.".to_owned(),
        ("", calls) => format!("It took {calls} calls so far, whose price is not known."),
        (cost, 0) => format!("It cost {cost} so far."),
        (cost, calls) => {
            format!("It cost {cost} so far, and {calls} calls whose price is not known.")
        }
    }
}

/// What can be done after this debate.
struct Offer {
    options: Vec<(&'static str, &'static str)>,
    recommended: &'static str,
    /// Why that.
    advised: &'static str,
}

impl Offer {
    fn of(room: Room<'_>, held: &Held) -> Self {
        let outcome = &held.outcome;
        let has_plan = outcome.plan.is_some();
        let next = recommend_next(&AfterDebate {
            synthesised: held.synthesis != SynthesisOutcome::Failed,
            criteria_unmet: held.criteria_unmet,
            empty_sections: held.empty_sections,
            badge: held.badge,
            has_plan,
            kind: outcome.kind,
        });
        let mut options = Vec::new();
        options.push((FOLLOW_UP, "ask on: another debate that knows this one"));
        // Without a repository there is nothing to carry a plan out in.
        let builds = room.brief.checkout.is_some();
        let plan = match (has_plan, builds) {
            (true, true) => (
                EXECUTE,
                "carry the plan out: each step a run, after you agreed",
            ),
            (true, false) | (false, _) => (PLAN, "make a plan of it"),
        };
        options.push(plan);
        options.push((SAVE, "leave it at that; it stays on record"));
        let (advised, why) = match next {
            NextAction::RetrySynthesis => (
                FOLLOW_UP,
                "It could not be drawn together, and you were asked whether to try that again. \
                 Advised: ask on; the next debate is told what this one came to.",
            ),
            NextAction::FollowUp => (
                FOLLOW_UP,
                "Advised: ask on; something is missing or little was checked.",
            ),
            NextAction::MakePlan => (PLAN, "Advised: make a plan of it."),
            NextAction::Execute => (plan.0, "Advised: carry the plan out."),
            NextAction::Save => (SAVE, "Advised: leave it at that."),
        };
        // Nothing that costs or builds is taken for somebody who is not there.
        let recommended = match room.run.takes_recommended() {
            true => SAVE,
            false => advised,
        };
        Self {
            options,
            recommended,
            advised: why,
        }
    }

    fn question(&self, held: &Held, [note, cost]: &[&str; 2]) -> Question {
        let ids = self
            .options
            .iter()
            .map(|(id, _)| (*id).to_owned())
            .collect();
        let advice = match held.outcome.recommendation.trim() {
            "" => String::new(),
            advice => format!("Recommendation: {advice}"),
        };
        let parts = [
            *note,
            held.summary.trim(),
            advice.as_str(),
            *cost,
            self.advised,
        ];
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
