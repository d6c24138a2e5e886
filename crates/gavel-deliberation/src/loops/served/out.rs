//! What the tools of loops answer.

use gavel_agent::Served;
use gavel_domain::AgentId;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::super::desk::Desk;
use super::super::view::LoopAnswer;
use super::next::{calls, waits_for};

/// What came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoopOutput {
    /// What was asked.
    pub(super) intent: String,
    /// The checkout whose loops these are.
    pub(super) project: String,
    /// ok; what somebody should know stands in result.warnings.
    pub(super) outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loop_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<String>,
    /// From 0; texts count from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iteration: Option<u32>,
    /// turns, artifacts, moves, blocked, next, waits_for, warnings; or the loop, loops, inbox, brief.
    pub(super) result: Map<String, Value>,
}

/// An output that is put together.
pub(super) struct Out(pub(super) LoopOutput);

impl Out {
    pub(super) fn new(desk: &Desk, intent: &str) -> Self {
        Self(LoopOutput {
            intent: intent.to_owned(),
            project: desk.checkout().display().to_string(),
            outcome: "ok".to_owned(),
            loop_id: None,
            version: None,
            status: None,
            phase: None,
            iteration: None,
            result: Map::new(),
        })
    }

    pub(super) fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.0.result.insert(name.to_owned(), value);
        self
    }

    /// What a call did. `next` are the caller's own calls.
    pub(super) fn answered(mut self, answer: &LoopAnswer, caller: &AgentId) -> Served<LoopOutput> {
        self.0.outcome.clone_from(&answer.outcome);
        self.0.loop_id = Some(answer.loop_id.clone());
        self.0.version = Some(answer.version);
        self.0.status = Some(answer.status.to_string());
        self.0.phase = Some(answer.phase.to_string());
        self.0.iteration = Some(answer.iteration);
        let line = format!(
            "loop {} is {} in {}",
            answer.loop_id, answer.status, answer.phase
        );
        self.with("turns", &answer.turns)
            .with("artifacts", &answer.artifacts)
            .with("moves", &answer.moves)
            .with("blocked", &answer.blocked)
            .with("next", &calls(&answer.loop_id, &answer.next, Some(caller)))
            .with("waits_for", &waits_for(&answer.next))
            .with("warnings", &answer.warnings)
            .with("duplicate", &answer.duplicate)
            .served(line)
    }

    pub(super) fn served(self, line: String) -> Served<LoopOutput> {
        Served::new(self.0, line)
    }
}
