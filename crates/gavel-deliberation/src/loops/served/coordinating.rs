//! `gavel_coordinate`: a loop for a task in one call.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{AgentId, ExitWhen, Profile, Schedule, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::coordinate::{Coordinate, CoordinateIntent, coordinate};
use super::super::desk::{Desk, Hand};
use super::super::problem::LoopProblem;
use super::caller::{agent_named, named, request};
use super::out::{LoopOutput, Out};
use super::refusing::{Asked, refused};

const COORDINATE: &str = "gavel_coordinate";

/// `gavel_coordinate`: opens a loop for a task.
#[derive(Debug, Clone)]
pub struct GavelCoordinate {
    /// The desk of the project.
    pub desk: Arc<Desk>,
    /// What loops run with.
    pub settings: Settings,
}

/// The arguments of `gavel_coordinate`.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoordinateInput {
    intent: CoordinateIntent,
    /// The proposal, the question, or what was changed.
    task: String,
    /// Who you are.
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    goal: Option<String>,
    /// Other agents; without any you play every part.
    #[serde(default)]
    target_agents: Vec<String>,
    #[serde(default)]
    profiles: Vec<Profile>,
    #[serde(default)]
    schedule: Option<Schedule>,
    #[serde(default)]
    max_iterations: Option<u32>,
    #[serde(default)]
    exit_when: Option<ExitWhen>,
    #[serde(default)]
    reframe: bool,
    /// The same again is done once.
    #[serde(default)]
    client_request_id: Option<String>,
}

impl ServedTool for GavelCoordinate {
    type Input = CoordinateInput;
    type Output = LoopOutput;

    const NAME: &'static str = COORDINATE;
    const PURPOSE: &'static str = "Open a loop for a task: ideate (critics argue from memory), consult, review; gives your brief";
    const SET: ToolSet = ToolSet::Loops;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(
        &self,
        visit: &Visit,
        input: CoordinateInput,
    ) -> Result<Served<LoopOutput>, Refused> {
        let desk = &self.desk;
        let who = named(input.agent_id.as_deref(), visit);
        let agent = who.and_then(agent_named);
        let asked = Asked::new(COORDINATE, &input, agent.as_ref().ok().cloned());
        let refuse = |problem: LoopProblem| refused(&problem, &asked, None);
        let agent = agent.map_err(refuse)?;
        desk.see(&agent).await.map_err(refuse)?;
        let targets = input.target_agents.iter();
        let targets: Result<Vec<AgentId>, _> =
            targets.map(|name| agent_named(Some(name))).collect();
        let targets = targets.map_err(refuse)?;
        let hand = Hand {
            request: request(input.client_request_id.as_deref(), &input),
            agent: agent.clone(),
            speaker: visit.speaker,
            expected: None,
        };
        let ask = Coordinate {
            goal: input.goal.clone(),
            targets,
            profiles: input.profiles.clone(),
            schedule: input.schedule,
            max_iterations: input.max_iterations,
            exit_when: input.exit_when,
            reframe: input.reframe,
            settings: self.settings.clone(),
            ..Coordinate::new(input.intent, input.task.as_str())
        };
        let answer = coordinate(desk, &hand, ask).await.map_err(refuse)?;
        let intent = match input.intent {
            CoordinateIntent::Ideate => "ideate",
            CoordinateIntent::Consult => "consult",
            CoordinateIntent::Review => "review",
        };
        Ok(Out::new(desk, intent).answered(&answer, &agent))
    }
}
