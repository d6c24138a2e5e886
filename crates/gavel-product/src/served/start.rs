//! `gavel_start_run`: records a run and hands it to another process.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{MicroUsd, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::desk::RunDesk;
use super::next::{Next, Standing, next};
use super::status::{is_driven, line, unanswered};
use super::{RunDoor, WantedRun};

pub(super) struct StartRun(pub(super) (Arc<RunDesk>, Arc<dyn RunDoor>));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartArguments {
    /// What to build, in a few sentences.
    idea: String,
    /// A wish about language and libraries.
    stack: Option<String>,
    /// Narrows the cap of the settings.
    max_cost_usd: Option<f64>,
    /// Three phases at most.
    #[serde(default)]
    mini: bool,
    /// Debate in any case.
    #[serde(default)]
    force_council: bool,
    /// The idea changes what is in the repository.
    #[serde(default)]
    from_repo: bool,
}

/// A run that was started or driven on.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunTold {
    run: String,
    state: String,
    stage: Option<String>,
    driven: bool,
    next: Vec<Next>,
}

impl ServedTool for StartRun {
    type Input = StartArguments;
    type Output = RunTold;
    const NAME: &'static str = "gavel_start_run";
    const PURPOSE: &'static str = "Start building an idea on a branch of its own; returns at once, ask gavel_run_status after it";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(&self, visit: &Visit, input: StartArguments) -> Result<Served<RunTold>, Refused> {
        let (desk, door) = &self.0;
        let idea = input.idea.trim().to_owned();
        if idea.is_empty() {
            let message = "`idea` is empty: say in a few words what to build";
            return Err(Refused::new("bad_arguments", message));
        }
        let wanted = WantedRun {
            idea,
            stack: input.stack,
            max_cost: input.max_cost_usd.map(amount).transpose()?,
            mini: input.mini,
            force_council: input.force_council,
            from_repo: input.from_repo,
        };
        let _room = desk.room().await?;
        let run = door.begin(wanted).await?;
        launch(door.as_ref(), run).await?;
        told(desk, visit, run).await
    }
}

/// Lets a run be driven; what was recorded stays recorded, so a refusal names it.
pub(super) async fn launch(door: &dyn RunDoor, run: RunId) -> Result<(), Refused> {
    door.launch(run).await.map_err(|mut refused| {
        let arguments = json!({ "run": run.to_string(), "action": "resume" });
        refused.message = format!("run {} is recorded: {}", run.short(), refused.message);
        refused.then("gavel_control", arguments, "to try again to drive it")
    })
}

/// Where a run stands after something was done to it.
pub(super) async fn told(
    desk: &RunDesk,
    visit: &Visit,
    run: RunId,
) -> Result<Served<RunTold>, Refused> {
    let head = desk.named(&run.to_string()).await?;
    let open = unanswered(desk, visit, &head).await?;
    let driven = is_driven(desk, &head).await?;
    let told = RunTold {
        run: head.run.to_string(),
        state: head.state.to_string(),
        stage: head.stage.map(|stage| stage.to_string()),
        driven,
        next: next(Standing {
            head: &head,
            driven,
            open: &open,
        }),
    };
    Ok(Served::new(told, line(&head, driven, &open)))
}

/// Dollars as a caller writes them.
pub(super) fn amount(dollars: f64) -> Result<MicroUsd, Refused> {
    let written = format!("{dollars:.6}");
    let read = MicroUsd::parse_dollars(&written).filter(|_| dollars.is_finite() && dollars > 0.0);
    read.ok_or_else(|| {
        Refused::new(
            "bad_arguments",
            "`max_cost_usd` must be an amount above nought, such as 2.5",
        )
    })
}
