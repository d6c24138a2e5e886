//! `gavel_council`: starts a council, or tells what one came to.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{Badge, Head, OptionsReviewed, RunState, Seq};
use gavel_rules::council::{Cited, OptionsReview};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::desk::{RunDesk, unread};
use super::next::{Next, Standing, next};
use super::start::{amount, launch};
use super::status::{is_driven, line, unanswered};
use super::{RunDoor, WantedCouncil};
use gavel_view::Report;
use gavel_view::{CouncilTold, Text};

pub(super) struct Council(pub(super) (Arc<RunDesk>, Arc<dyn RunDoor>));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CouncilArguments {
    /// What to decide: starts a council.
    topic: Option<String>,
    /// A council that was started: tells what it came to.
    run: Option<String>,
    /// Narrows the cap of the settings.
    max_cost_usd: Option<f64>,
    /// You will answer questions about the topic.
    #[serde(default)]
    clarify: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CouncilAnswer {
    run: String,
    state: String,
    /// Once it is closed.
    outcome: Option<Outcome>,
    next: Vec<Next>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Outcome {
    summary: String,
    recommendation: String,
    decisions: Vec<Decided>,
    dissent: Vec<String>,
    /// What rules found, where no models debated.
    findings: Vec<String>,
    /// How much of it was checked.
    badge: Option<String>,
    /// From 0 to 1.
    confidence: Option<f64>,
    /// A person should look at it.
    needs_person: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Decided {
    title: String,
    choice: String,
    why: String,
}

impl ServedTool for Council {
    type Input = CouncilArguments;
    type Output = CouncilAnswer;
    const NAME: &'static str = "gavel_council";
    const PURPOSE: &'static str = "Have a question debated: give `topic` to start (returns at once), `run` to read the outcome";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::ADDS;
    const READS_WITH: Option<&'static str> = Some("`run`, which tells what a council came to");

    fn reads(input: &CouncilArguments) -> bool {
        topic(input).is_none() && input.run.is_some()
    }

    async fn call(
        &self,
        visit: &Visit,
        input: CouncilArguments,
    ) -> Result<Served<CouncilAnswer>, Refused> {
        let (desk, door) = &self.0;
        let head = match (topic(&input), &input.run) {
            (Some(topic), None) => {
                let wanted = WantedCouncil {
                    topic: topic.to_owned(),
                    max_cost: input.max_cost_usd.map(amount).transpose()?,
                    attended: input.clarify,
                };
                let _room = desk.room().await?;
                let run = door.convene(wanted).await?;
                launch(door.as_ref(), run).await?;
                desk.named(&run.to_string()).await?
            }
            (None, Some(run)) => desk.named(run).await?,
            (Some(_), Some(_)) | (None, None) => {
                let message = "give either `topic`, to start a council, or `run`, to read one";
                return Err(Refused::new("bad_arguments", message));
            }
        };
        let outcome = match head.state {
            RunState::Closed | RunState::Sealed => outcome_of(desk, &head).await?,
            RunState::Running
            | RunState::Waiting
            | RunState::Paused
            | RunState::Halted
            | RunState::Faulted
            | RunState::Aborted => None,
        };
        if outcome.is_none() && head.state.is_final() {
            let message = format!("nobody debated in run {}", head.run.short());
            let arguments = json!({ "topic": "<what to decide>" });
            let refused = Refused::new("no_debate", message);
            return Err(refused.then("gavel_council", arguments, "to have something debated"));
        }
        let open = unanswered(desk, visit, &head).await?;
        let driven = is_driven(desk, &head).await?;
        let mut next = next(Standing {
            head: &head,
            driven,
            open: &open,
        });
        next.retain(|next| next.tool != Self::NAME);
        let line = match &outcome {
            Some(outcome) => outcome.line(),
            None => line(&head, driven, &open),
        };
        let answer = CouncilAnswer {
            run: head.run.to_string(),
            state: head.state.to_string(),
            outcome,
            next,
        };
        Ok(Served::new(answer, line))
    }
}

/// What a council is wanted for, when one is.
fn topic(input: &CouncilArguments) -> Option<&str> {
    let topic = input.topic.as_deref().map(str::trim);
    topic.filter(|topic| !topic.is_empty())
}

impl Outcome {
    fn line(&self) -> String {
        let decided = self.decisions.first();
        let choice = decided.map(|decided| format!("{}: {}", decided.title, decided.choice));
        let rest = [&self.recommendation, &self.summary];
        let mut told = choice.into_iter().chain(rest.into_iter().cloned());
        let first = told.find(|text| !text.trim().is_empty());
        first.unwrap_or_else(|| "closed without a decision".to_owned())
    }
}

/// What a run's debate came to, or what rules found where nobody debated.
async fn outcome_of(desk: &RunDesk, head: &Head) -> Result<Option<Outcome>, Refused> {
    if let Some(review) = review_of(desk, head).await? {
        return Ok(Some(reviewed(&review)));
    }
    let report = desk.report(head).await?;
    Ok((!report.debate.is_empty()).then(|| debated(&report)))
}

async fn review_of(desk: &RunDesk, head: &Head) -> Result<Option<OptionsReview>, Refused> {
    let records = desk.store().records(head.run, Seq::ZERO, u32::MAX).await;
    let records = records.map_err(|error| unread(&error))?;
    let mut records = records.iter();
    let Some(made) = records.find_map(|record| record.read::<OptionsReviewed>().ok()) else {
        return Ok(None);
    };
    let text = desk.store().blob(made.review.digest).await;
    let text = text.map_err(|error| unread(&error))?;
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

/// A review by rules: evidence with citations, no voices.
fn reviewed(review: &OptionsReview) -> Outcome {
    let chosen = review.recommended_name();
    let decisions = chosen.map(|choice| Decided {
        title: review.topic.clone(),
        choice: choice.to_owned(),
        why: review.why.clone(),
    });
    let about = |option: &str, how: &str, cited: &[Cited]| -> Vec<String> {
        let told = cited.iter();
        let told = told.map(|cited| format!("{how} {option}: {} [{}]", cited.text, cited.cite));
        told.collect()
    };
    let findings = review.options.iter().flat_map(|option| {
        let pro = about(&option.name, "for", &option.speaks_for);
        let contra = about(&option.name, "against", &option.speaks_against);
        pro.into_iter().chain(contra)
    });
    Outcome {
        summary: review.why.clone(),
        recommendation: chosen.unwrap_or_default().to_owned(),
        decisions: decisions.into_iter().collect(),
        dissent: Vec::new(),
        findings: findings.chain(review.unknown.iter().cloned()).collect(),
        badge: None,
        confidence: None,
        needs_person: chosen.is_none(),
    }
}

/// What the last debate of a run came to.
fn debated(report: &Report) -> Outcome {
    let debate = &report.debate;
    let council = debate.councils.last();
    let drawn = council.and_then(|council| council.outcome.as_ref()?.kept());
    let verdict = council.and_then(|council| council.verdict.as_ref());
    let kept = debate
        .decisions
        .iter()
        .filter_map(|told| told.decision.kept());
    let decisions = kept.map(|decision| Decided {
        title: decision.title.clone(),
        choice: decision.choice.clone(),
        why: decision.why.clone(),
    });
    let dissent = council.into_iter().flat_map(CouncilTold::dissent);
    let findings = debate
        .reviews
        .iter()
        .filter_map(|review| review.items.kept());
    let summary = drawn.map(|drawn| drawn.summary.clone());
    let said = debate.summary.as_ref().and_then(Text::kept).cloned();
    Outcome {
        summary: summary.or(said).unwrap_or_default(),
        recommendation: drawn
            .map(|drawn| drawn.recommendation.clone())
            .unwrap_or_default(),
        decisions: decisions.collect(),
        dissent: dissent
            .map(|dissent| format!("{}: {}", dissent.who, dissent.why))
            .collect(),
        findings: findings.flatten().map(|item| item.text.clone()).collect(),
        badge: council
            .and_then(|council| council.badge)
            .map(Badge::word)
            .map(str::to_owned),
        confidence: verdict
            .and_then(|verdict| verdict.confidence)
            .map(|hundredths| f64::from(hundredths) / 100.0),
        needs_person: verdict.is_some_and(|verdict| verdict.needs_person),
    }
}
