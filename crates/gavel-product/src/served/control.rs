//! `gavel_control`: pauses a run, lets it go on, gives it up, ships it.
//!
//! Anybody who may start runs may also let one go on. Whether a run stops, ends or goes to the gate is
//! for a person: at the command line, or by a key that may decide.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{Head, Role, RunState};
use gavel_rules::may_decide;
use gavel_run::Delivery;
use gavel_store::InboxKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::RunDoor;
use super::answer::not_taken;
use super::desk::{RunDesk, speaker};
use super::start::{RunTold, launch, told};
use super::status::is_driven;

/// The longest reason, in bytes.
const MOST_REASON: usize = 4_000;

pub(super) struct Control(pub(super) (Arc<RunDesk>, Arc<dyn RunDoor>));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ControlArguments {
    action: Action,
    run: Option<String>,
    /// Why it is given up.
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Pause,
    Resume,
    Abort,
    Ship,
}

impl Action {
    const fn word(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Abort => "abort",
            Self::Ship => "ship",
        }
    }
}

impl ServedTool for Control {
    type Input = ControlArguments;
    type Output = RunTold;
    const NAME: &'static str = "gavel_control";
    const PURPOSE: &'static str =
        "Let a run go on (resume); pause, abort and ship are for a person or a key that may decide";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::ENDS;

    async fn call(
        &self,
        visit: &Visit,
        input: ControlArguments,
    ) -> Result<Served<RunTold>, Refused> {
        let (desk, door) = &self.0;
        let head = desk.meant(visit, input.run.as_deref()).await?;
        if !may(input.action, visit) {
            return Err(for_a_person(input.action, &head));
        }
        if input.action == Action::Ship && head.state == RunState::Sealed {
            return Err(at_a_terminal(&head));
        }
        let kind = match input.action {
            Action::Resume => {
                let driven = is_driven(desk, &head).await?;
                let _room = match driven || head.state.is_final() {
                    true => None,
                    false => Some(desk.room().await?),
                };
                drive_on(desk, door.as_ref(), &head).await?;
                return told(desk, visit, head.run).await;
            }
            Action::Pause => InboxKind::Pause,
            Action::Abort => InboxKind::Abort {
                reason: reason(input.reason)?,
            },
            Action::Ship => InboxKind::Ship,
        };
        let done = desk.mailbox(visit).control(head.run, kind).await;
        let delivery = done.map_err(|error| not_taken(head.run, &error))?;
        // A run that nobody drives takes it up only when somebody does; one that shall rest, rests.
        if delivery == Delivery::Kept && input.action != Action::Pause {
            drive_on(desk, door.as_ref(), &head).await?;
        }
        let told = told(desk, visit, head.run).await?;
        let line = format!("{}: {}", input.action.word(), told.line);
        Ok(Served { line, ..told })
    }
}

fn may(action: Action, visit: &Visit) -> bool {
    let by = speaker(visit);
    match action {
        Action::Resume => true,
        Action::Pause | Action::Abort => by.role != Role::Guest,
        Action::Ship => may_decide(by),
    }
}

fn for_a_person(action: Action, head: &Head) -> Refused {
    let (word, short) = (action.word(), head.run.short());
    let message = format!(
        "{word} is for a person: ask yours to type `gavel {word} {short}`, or come with a key that \
         may decide"
    );
    let arguments = json!({ "run": head.run.to_string() });
    let refused = Refused::new("person_only", message);
    refused.then("gavel_run_status", arguments, "once the person did it")
}

/// A key that may decide has not looked at a result: only a person at a terminal approves what is sealed.
fn at_a_terminal(head: &Head) -> Refused {
    let short = head.run.short();
    let message = format!(
        "run {short} is sealed: a person who looks at it approves it in a terminal, with \
         `gavel seal approve {short}`"
    );
    let arguments = json!({ "run": head.run.to_string() });
    let refused = Refused::new("person_only", message);
    refused.then("gavel_run_status", arguments, "to see what was sealed")
}

async fn drive_on(desk: &RunDesk, door: &dyn RunDoor, head: &Head) -> Result<(), Refused> {
    if head.state.is_final() {
        let message = format!(
            "run {} is {}: it does not go on",
            head.run.short(),
            head.state
        );
        let arguments = json!({ "run": head.run.to_string() });
        let refused = Refused::new("over", message);
        return Err(refused.then("gavel_run_status", arguments, "to see what it came to"));
    }
    if is_driven(desk, head).await? {
        return Ok(());
    }
    launch(door, head.run).await
}

fn reason(given: Option<String>) -> Result<Option<String>, Refused> {
    let given = given.map(|text| text.trim().to_owned());
    match given.filter(|text| !text.is_empty()) {
        Some(text) if text.len() > MOST_REASON => {
            let message = format!("`reason` is longer than {MOST_REASON} bytes");
            Err(Refused::new("bad_arguments", message))
        }
        reason => Ok(reason),
    }
}
