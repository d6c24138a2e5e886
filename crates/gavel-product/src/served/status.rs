//! `gavel_run_status`: where a run stands.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{Head, Key, MicroUsd, RunState};
use gavel_rules::{AskThread, ThreadAsk};
use gavel_run::OpenQuestion;
use gavel_store::InboxKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::desk::{RunDesk, unread};
use super::next::{Next, Standing, next};
use super::question::{Pending, to_ask};
use crate::meeting;

/// How much of an idea is told.
const IDEA_CHARS: usize = 300;
/// How many asks that are not covered are told.
const ASKS: usize = 12;
/// How many other runs are told.
const OTHERS: usize = 5;

pub(super) struct RunStatus(pub(super) Arc<RunDesk>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusArguments {
    /// Its id or the end of it; without it, yours or the newest.
    run: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StatusTold {
    run: String,
    /// `build` or `council`.
    kind: String,
    state: String,
    stage: Option<String>,
    /// True while some process drives it.
    driven: bool,
    idea: Option<String>,
    branch: Option<String>,
    /// What is known; null when nothing is known of what was spent.
    spent_usd: Option<f64>,
    /// Calls whose price nobody knows.
    unpriced_calls: u64,
    /// What was asked for and is not covered; null before a spec, and for councils.
    asks: Option<AskedTold>,
    cap_usd: Option<f64>,
    updated_at: String,
    pending_question: Option<Pending>,
    /// How many more questions are open.
    more_questions: usize,
    next: Vec<Next>,
    /// Other runs of the project.
    others: Vec<OtherRun>,
}

/// How much of what was asked for has criteria.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AskedTold {
    all: usize,
    covered: usize,
    /// The others: the person's words, and what became of them.
    not_covered: Vec<String>,
}

impl AskedTold {
    fn of(thread: &AskThread) -> Self {
        Self {
            all: thread.standing(),
            covered: thread.covered(),
            not_covered: thread.uncovered().take(ASKS).map(ThreadAsk::line).collect(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OtherRun {
    run: String,
    state: String,
}

impl ServedTool for RunStatus {
    type Input = StatusArguments;
    type Output = StatusTold;
    const NAME: &'static str = "gavel_run_status";
    const PURPOSE: &'static str =
        "Where a run stands: state, stage, spend, open question, what to call next";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: StatusArguments,
    ) -> Result<Served<StatusTold>, Refused> {
        let desk = &self.0;
        let head = desk.asked(visit, input.run.as_deref()).await?;
        let open = unanswered(desk, visit, &head).await?;
        let driven = is_driven(desk, &head).await?;
        let idea = desk.given(&head).await?.map(|given| given.idea);
        let others = match input.run {
            Some(_) => Vec::new(),
            None => desk.heads(false, OTHERS + 1).await?,
        };
        let others = others.iter().filter(|other| other.run != head.run);
        let asks = if head.driver == crate::DRIVER {
            let report = desk.report_among(&head).await?;
            report.and_then(|report| report.thread.as_ref().map(AskedTold::of))
        } else {
            None
        };
        let kind = if head.driver == meeting::DRIVER {
            "council"
        } else {
            "build"
        };
        let told = StatusTold {
            run: head.run.to_string(),
            kind: kind.to_owned(),
            state: head.state.to_string(),
            stage: head.stage.map(|stage| stage.to_string()),
            driven,
            idea: idea.map(|idea| idea.chars().take(IDEA_CHARS).collect()),
            branch: head.branch.clone(),
            spent_usd: head.known_spent().map(dollars),
            unpriced_calls: head.unpriced,
            asks,
            cap_usd: head.cap_usd.map(dollars),
            updated_at: head.updated_at.to_string(),
            pending_question: open.first().map(|first| Pending::of(head.run, first)),
            more_questions: open.len().saturating_sub(1),
            next: next(Standing {
                head: &head,
                driven,
                open: &open,
            }),
            others: others
                .map(|other| OtherRun {
                    run: other.run.to_string(),
                    state: other.state.to_string(),
                })
                .collect(),
        };
        let served = Served::new(told, line(&head, driven, &open));
        Ok(match to_ask(head.run, &open) {
            Some(question) => served.asking(question),
            None => served,
        })
    }
}

/// Where a run stands, in one line.
pub(super) fn line(head: &Head, driven: bool, open: &[OpenQuestion]) -> String {
    let mut line = format!("run {} is {}", head.run.short(), head.state);
    if let Some(stage) = head.stage.filter(|_| !head.state.is_final()) {
        line.push_str(&format!(" in {stage}"));
    }
    if let Some(question) = open.first() {
        line.push_str(&format!(" and asks: {}", question.card.text));
    } else if !driven && !head.state.is_final() {
        line.push_str(", and nobody drives it");
    } else if head.state == RunState::Waiting {
        line.push_str(", and takes up what was answered");
    }
    line
}

pub(super) async fn open_questions(
    desk: &RunDesk,
    visit: &Visit,
    head: &Head,
) -> Result<Vec<OpenQuestion>, Refused> {
    if head.questions.is_empty() {
        return Ok(Vec::new());
    }
    let asked = desk.mailbox(visit).questions(head.run).await;
    asked.map_err(|error| Refused::from_error("unavailable", &error))
}

/// The open questions that nobody answered yet. An answer lies in the inbox until a driver takes it;
/// whoever read the question in the meantime would answer it a second time.
pub(super) async fn unanswered(
    desk: &RunDesk,
    visit: &Visit,
    head: &Head,
) -> Result<Vec<OpenQuestion>, Refused> {
    let mut open = open_questions(desk, visit, head).await?;
    if open.is_empty() {
        return Ok(open);
    }
    let posted = desk.store().pending(head.run).await;
    let posted = posted.map_err(|error| unread(&error))?;
    let answered = |id: &Key| {
        let mut kinds = posted.iter().map(|row| &row.kind);
        kinds.any(|kind| matches!(kind, InboxKind::Answer { question, .. } if *question == *id))
    };
    open.retain(|question| !answered(&question.id));
    Ok(open)
}

pub(super) async fn is_driven(desk: &RunDesk, head: &Head) -> Result<bool, Refused> {
    let driver = desk.store().driver(head.run).await;
    Ok(driver.map_err(|error| unread(&error))?.is_some())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "dollars as programs read them; the ledger keeps the whole number"
)]
pub(super) fn dollars(amount: MicroUsd) -> f64 {
    amount.0 as f64 / 1_000_000.0
}
