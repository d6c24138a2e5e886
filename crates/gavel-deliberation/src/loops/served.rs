//! The tools through which agents outside use loops.

mod opening;
mod refusing;

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{
    AgentId, Digest, ExitWhen, LoopKind, LoopStatus, Profile, Schedule, Seq, TurnOutcome,
};
use gavel_rules::KeyScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::opening::new_loop;
use self::refusing::{refused, refused_by};
use super::coordinate::{Coordinate, CoordinateIntent, coordinate};
use super::desk::{Desk, Hand};
use super::problem::LoopProblem;
use super::turns::Handed;
use super::verbs::Verb;
use super::view::LoopAnswer;

const LOOP: &str = "gavel_loop";
const COORDINATE: &str = "gavel_coordinate";

/// `gavel_loop`: everything that is done to a loop.
#[derive(Debug, Clone)]
pub struct GavelLoop {
    /// The desk of the project.
    pub desk: Arc<Desk>,
}

/// `gavel_coordinate`: opens a loop for a task.
#[derive(Debug, Clone)]
pub struct GavelCoordinate {
    /// The desk of the project.
    pub desk: Arc<Desk>,
    /// What loops run with.
    pub settings: gavel_domain::Settings,
}

/// What is wanted of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Intent {
    Open,
    Inbox,
    Brief,
    Turn,
    CompleteTurn,
    AddArtifact,
    Advance,
    Pause,
    Resume,
    Close,
    Get,
    List,
}

/// Something that is handed in.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ArtifactInput {
    /// critique, nothing_new, revision, plan_draft …: what the brief asks for.
    #[serde(rename = "type")]
    kind: String,
    /// The text.
    #[serde(default)]
    body: String,
    /// Ids from the brief that it rests on.
    #[serde(default)]
    cites: Vec<String>,
    /// plan_draft: critiques that it answers.
    #[serde(default)]
    addresses_critique: Vec<String>,
    /// plan_draft: critiques that it leaves, as {id, reason}.
    #[serde(default)]
    waived: Vec<WaivedInput>,
}

/// A critique that a plan leaves.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WaivedInput {
    id: String,
    reason: String,
}

/// A place in a loop.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SlotInput {
    role: String,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    profile: Option<Profile>,
}

/// Its arguments.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopInput {
    intent: Intent,
    /// Who you are; needed for all but get and list.
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    loop_id: Option<String>,
    /// A slot's id, or its role.
    #[serde(default)]
    slot_id: Option<String>,
    /// open
    #[serde(default)]
    kind: Option<LoopKind>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    goal: Option<String>,
    #[serde(default)]
    slots: Vec<SlotInput>,
    /// open: {phases, iteration, stop, schedule, flow} over the kind's own.
    #[serde(default)]
    protocol: Option<Map<String, Value>>,
    /// What is handed in (complete_turn, add_artifact, open).
    #[serde(default)]
    artifacts: Vec<ArtifactInput>,
    /// complete_turn: done, failed or cancelled.
    #[serde(default)]
    outcome: Option<TurnOutcome>,
    #[serde(default)]
    reason: Option<String>,
    /// advance: to this phase whatever gates say; for whoever opened it.
    #[serde(default)]
    to_phase: Option<String>,
    /// close: completed, cancelled or blocked; list: open ones only.
    #[serde(default)]
    status: Option<LoopStatus>,
    #[serde(default)]
    expected_version: Option<u64>,
    /// The same again is done once.
    #[serde(default)]
    client_request_id: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoopOutput {
    /// What was asked.
    intent: String,
    /// The checkout whose loops these are.
    project: String,
    /// ok, or partial: see result.warnings.
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<String>,
    /// From 0; texts count from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<u32>,
    /// turns, artifacts, moves, blocked, next, warnings; or the loop, loops, inbox, brief.
    result: Map<String, Value>,
}

impl ServedTool for GavelLoop {
    type Input = LoopInput;
    type Output = LoopOutput;

    const NAME: &'static str = LOOP;
    const PURPOSE: &'static str = "Deliberation loops: open, inbox (turns that wait for you), brief, turn, complete_turn, advance, get …";
    const SET: ToolSet = ToolSet::Loops;
    const HINTS: ToolHints = ToolHints::ADDS;
    const READS_WITH: Option<&'static str> = Some("the intents get, list, inbox and brief");

    fn reads(input: &LoopInput) -> bool {
        match input.intent {
            Intent::Get | Intent::List | Intent::Inbox | Intent::Brief => true,
            Intent::Open
            | Intent::Turn
            | Intent::CompleteTurn
            | Intent::AddArtifact
            | Intent::Advance
            | Intent::Pause
            | Intent::Resume
            | Intent::Close => false,
        }
    }

    async fn call(&self, visit: &Visit, input: LoopInput) -> Result<Served<LoopOutput>, Refused> {
        let desk = &self.desk;
        let refuse = |problem: LoopProblem| refused(&problem, &input);
        let agent = agent(&input, visit).map_err(refuse)?;
        // Whoever may only read leaves nothing behind, not even a name.
        if let Some(agent) = agent.filter(|_| visit.scope > KeyScope::Read) {
            desk.see(&agent).await.map_err(refuse)?;
        }
        let out = Out::new(desk, word_of(input.intent));
        match input.intent {
            Intent::List => {
                let loops = desk.list(input.status.is_some()).await.map_err(refuse)?;
                let line = match loops.len() {
                    1 => "1 loop".to_owned(),
                    several => format!("{several} loops"),
                };
                Ok(out.with("loops", &loops).served(line))
            }
            Intent::Get => {
                let id = loop_of(desk, &input).await.map_err(refuse)?;
                let view = desk.get(id).await.map_err(refuse)?;
                let line = format!("{} {} in {}", view.kind, view.status, view.phase);
                let mut out = out.with("loop", &view);
                out.0.loop_id = Some(view.loop_id.clone());
                out.0.version = Some(view.version);
                out.0.status = Some(view.status.to_string());
                out.0.phase = Some(view.phase.to_string());
                out.0.iteration = Some(view.iteration);
                Ok(out.served(line))
            }
            Intent::Inbox => {
                let agent = needed(&input, visit).map_err(refuse)?;
                let waiting = desk.inbox(&agent).await.map_err(refuse)?;
                let line = match waiting.len() {
                    1 => format!("1 turn waits for {agent}"),
                    several => format!("{several} turns wait for {agent}"),
                };
                Ok(out.with("inbox", &waiting).served(line))
            }
            Intent::Brief => {
                let id = loop_of(desk, &input).await.map_err(refuse)?;
                let slot = slot_of(&input).map_err(refuse)?;
                let brief = desk.brief(id, slot).await.map_err(refuse)?;
                let line = format!("the brief of {slot}");
                let mut out = out.with("brief", &brief);
                out.0.loop_id = Some(id.to_string());
                Ok(out.served(line))
            }
            Intent::Open => {
                let hand = hand(&input, visit, &input).map_err(refuse)?;
                let new = new_loop(&input, &hand).map_err(refuse)?;
                let answer = desk.open(&hand, new).await.map_err(refuse)?;
                Ok(out.answered(&answer))
            }
            Intent::Turn
            | Intent::CompleteTurn
            | Intent::AddArtifact
            | Intent::Advance
            | Intent::Pause
            | Intent::Resume
            | Intent::Close => {
                let id = loop_of(desk, &input).await.map_err(refuse)?;
                let hand = hand(&input, visit, &input).map_err(refuse)?;
                let verb = verb(&input).map_err(refuse)?;
                let answer = desk.act(id, &hand, verb).await.map_err(refuse)?;
                Ok(out.answered(&answer))
            }
        }
    }
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
        let refuse = |problem: LoopProblem| refused_by(&problem, Vec::new());
        let who = named(input.agent_id.as_deref(), visit).map_err(refuse)?;
        let agent = agent_named(who).map_err(refuse)?;
        desk.see(&agent).await.map_err(refuse)?;
        let targets = input.target_agents.iter();
        let targets: Result<Vec<AgentId>, _> =
            targets.map(|name| agent_named(Some(name))).collect();
        let targets = targets.map_err(refuse)?;
        let hand = Hand {
            request: request(input.client_request_id.as_deref(), &input),
            agent,
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
        Ok(Out::new(desk, intent).answered(&answer))
    }
}

/// An output that is put together.
struct Out(LoopOutput);

impl Out {
    fn new(desk: &Desk, intent: &str) -> Self {
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

    fn with(mut self, name: &str, value: &impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or(Value::Null);
        self.0.result.insert(name.to_owned(), value);
        self
    }

    fn answered(mut self, answer: &LoopAnswer) -> Served<LoopOutput> {
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
            .with("next", &answer.next)
            .with("warnings", &answer.warnings)
            .with("duplicate", &answer.duplicate)
            .served(line)
    }

    fn served(self, line: String) -> Served<LoopOutput> {
        Served::new(self.0, line)
    }
}

fn word_of(intent: Intent) -> &'static str {
    match intent {
        Intent::Open => "open",
        Intent::Inbox => "inbox",
        Intent::Brief => "brief",
        Intent::Turn => "turn",
        Intent::CompleteTurn => "complete_turn",
        Intent::AddArtifact => "add_artifact",
        Intent::Advance => "advance",
        Intent::Pause => "pause",
        Intent::Resume => "resume",
        Intent::Close => "close",
        Intent::Get => "get",
        Intent::List => "list",
    }
}

/// Whoever calls: as their session has it, or as they say. A session is not left by an argument.
fn named<'a>(said: Option<&'a str>, visit: &'a Visit) -> Result<Option<&'a str>, LoopProblem> {
    match (visit.session.agent.as_deref(), said) {
        (Some(session), Some(agent)) if session != agent => Err(LoopProblem::OtherAgent {
            session: session.to_owned(),
            agent: agent.chars().take(80).collect(),
        }),
        (Some(session), _) => Ok(Some(session)),
        (None, said) => Ok(said),
    }
}

fn agent(input: &LoopInput, visit: &Visit) -> Result<Option<AgentId>, LoopProblem> {
    match named(input.agent_id.as_deref(), visit)? {
        Some(name) => agent_named(Some(name)).map(Some),
        None => Ok(None),
    }
}

fn needed(input: &LoopInput, visit: &Visit) -> Result<AgentId, LoopProblem> {
    agent_named(named(input.agent_id.as_deref(), visit)?)
}

/// Nobody outside speaks as Gavel itself.
fn agent_named(name: Option<&str>) -> Result<AgentId, LoopProblem> {
    let Some(name) = name else {
        return Err(LoopProblem::Missing {
            what: "agent_id",
            why: "every change of a loop is somebody's; gavel_set_session can keep it",
        });
    };
    let agent: AgentId = name.parse()?;
    if agent.is_gavel() {
        return Err(LoopProblem::Missing {
            what: "an agent_id of your own",
            why: "`gavel` is Gavel itself",
        });
    }
    Ok(agent)
}

fn hand(input: &LoopInput, visit: &Visit, asked: &impl Serialize) -> Result<Hand, LoopProblem> {
    Ok(Hand {
        agent: needed(input, visit)?,
        speaker: visit.speaker,
        expected: input.expected_version.map(Seq),
        request: request(input.client_request_id.as_deref(), asked),
    })
}

/// The key, and a digest of everything that was asked: objects by their sorted names, at any depth.
fn request(key: Option<&str>, asked: &impl Serialize) -> Option<(String, Digest)> {
    let key = key?;
    let asked = serde_json::to_value(asked).unwrap_or(Value::Null);
    Some((key.to_owned(), request_digest(&asked)))
}

/// A digest of a call: the same for the same call, whatever the order of its fields.
pub fn request_digest(asked: &Value) -> Digest {
    Digest::of(canonical(asked))
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let part = |name: &&String| {
                let value = fields.get(name.as_str()).map(canonical).unwrap_or_default();
                format!("{}:{value}", Value::from(name.as_str()))
            };
            let parts: Vec<String> = names.iter().map(part).collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

async fn loop_of(desk: &Desk, input: &LoopInput) -> Result<gavel_domain::RunId, LoopProblem> {
    match input.loop_id.as_deref() {
        Some(name) => desk.find_here(name).await,
        None => Err(LoopProblem::Missing {
            what: "loop_id",
            why: "intent list shows the loops, intent inbox the turns that wait for you",
        }),
    }
}

fn slot_of(input: &LoopInput) -> Result<&str, LoopProblem> {
    input.slot_id.as_deref().ok_or(LoopProblem::Missing {
        what: "slot_id",
        why: "a slot's id or its role; intent get shows them",
    })
}

fn verb(input: &LoopInput) -> Result<Verb, LoopProblem> {
    let handed: Result<Vec<Handed>, _> = input.artifacts.iter().map(handed).collect();
    let artifacts = handed?;
    let reason = input.reason.clone();
    Ok(match input.intent {
        Intent::CompleteTurn => Verb::Complete {
            slot: slot_of(input)?.to_owned(),
            outcome: input.outcome.unwrap_or(TurnOutcome::Done),
            artifacts,
            reason,
        },
        Intent::AddArtifact => Verb::Add {
            slot: input.slot_id.clone(),
            artifacts,
        },
        Intent::Advance => Verb::Advance {
            to: input.to_phase.as_deref().map(str::parse).transpose()?,
        },
        Intent::Pause => Verb::Pause { reason },
        Intent::Resume => Verb::Resume,
        Intent::Close => Verb::Close {
            status: closing(input.status)?,
            reason,
        },
        Intent::Turn
        | Intent::Open
        | Intent::Inbox
        | Intent::Brief
        | Intent::Get
        | Intent::List => Verb::Turn {
            slot: slot_of(input)?.to_owned(),
            note: reason,
        },
    })
}

fn closing(status: Option<LoopStatus>) -> Result<LoopStatus, LoopProblem> {
    let status = status.unwrap_or(LoopStatus::Completed);
    if status.is_final() {
        return Ok(status);
    }
    Err(LoopProblem::Missing {
        what: "a final status",
        why: "a loop is closed as completed, cancelled or blocked",
    })
}

fn handed(input: &ArtifactInput) -> Result<Handed, LoopProblem> {
    Ok(Handed {
        kind: input.kind.parse()?,
        body: input.body.clone(),
        cites: input.cites.clone(),
        addresses: input.addresses_critique.clone(),
        waived: input
            .waived
            .iter()
            .map(|left| (left.id.clone(), left.reason.clone()))
            .collect(),
    })
}
