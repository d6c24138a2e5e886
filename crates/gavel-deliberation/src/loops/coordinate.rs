//! Opening a loop for a task: the right protocol, a slot for everybody who takes part, and what is
//! put forward already handed in. The loop then moves itself.

use gavel_domain::{
    AgentId, ExitWhen, Flow, Profile, Protocol, Schedule, Settings, Slot, StopCondition, Word,
};
use gavel_rules::deliberation::{
    AUTHOR, CHAMPION, CHANGE_SUMMARY, CRITIC, PROPOSAL, QUESTION, REFRAMER, REVIEWER, consult,
    ideation, review, word,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::desk::{Desk, Hand, NewLoop};
use super::problem::LoopProblem;
use super::turns::Handed;
use super::view::{LoopAnswer, Warning};

/// What a loop is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoordinateIntent {
    /// A proposal is held against memory until nothing new comes up.
    Ideate,
    /// Others are asked for advice.
    Consult,
    /// A change is reviewed.
    Review,
}

/// A task for a loop.
#[derive(Debug, Clone)]
pub struct Coordinate {
    /// The loop's id, when it is known before.
    pub id: Option<gavel_domain::RunId>,
    /// What for.
    pub intent: CoordinateIntent,
    /// The proposal, the question or the change.
    pub task: String,
    /// What it is to achieve.
    pub goal: Option<String>,
    /// Who else takes part; without anybody, whoever asks plays every part.
    pub targets: Vec<AgentId>,
    /// What the critics look out for, in turn; with nobody else, one slot each.
    pub profiles: Vec<Profile>,
    /// Whether critics work side by side.
    pub schedule: Option<Schedule>,
    /// At most so many iterations.
    pub max_iterations: Option<u32>,
    /// When the cycle ends before that.
    pub exit_when: Option<ExitWhen>,
    /// Whether somebody looks at it from what the project is for.
    pub reframe: bool,
    /// Another end than the protocol's own.
    pub stop: Option<StopCondition>,
    /// What the loop runs with.
    pub settings: Settings,
}

impl Coordinate {
    /// A task with nothing but its text.
    pub fn new(intent: CoordinateIntent, task: impl Into<String>) -> Self {
        Self {
            id: None,
            intent,
            task: task.into(),
            goal: None,
            targets: Vec::new(),
            profiles: Vec::new(),
            schedule: None,
            max_iterations: None,
            exit_when: None,
            reframe: false,
            stop: None,
            settings: Settings::default(),
        }
    }
}

/// Opens a loop for a task.
///
/// An agent that never came here gets its turn like all others, and the loop waits until it comes: a
/// warning says so, since a name may be a slip of the pen.
pub async fn coordinate(
    desk: &Desk,
    hand: &Hand,
    ask: Coordinate,
) -> Result<LoopAnswer, LoopProblem> {
    let task = ask.task.trim();
    if task.is_empty() {
        return Err(LoopProblem::Missing {
            what: "the task",
            why: "say what is proposed, asked or changed",
        });
    }
    let mut warnings = Vec::new();
    if ask.targets.is_empty() && !hand.agent.is_gavel() {
        warnings.push(alone());
    }
    let slots = slots(&ask, &hand.agent, &ask.targets);
    let mut protocol = protocol(&ask)?;
    protocol.flow = Flow::Auto;
    let first = Handed {
        kind: word(match ask.intent {
            CoordinateIntent::Ideate => PROPOSAL,
            CoordinateIntent::Consult => QUESTION,
            CoordinateIntent::Review => CHANGE_SUMMARY,
        }),
        body: task.to_owned(),
        cites: Vec::new(),
        addresses: Vec::new(),
        waived: Vec::new(),
    };
    let new = NewLoop {
        id: ask.id,
        protocol,
        slots,
        title: task.lines().next().unwrap_or(task).to_owned(),
        goal: ask.goal,
        first: Some(first),
        warnings,
        settings: ask.settings,
    };
    desk.open(hand, new).await
}

/// Whoever criticises what it put forward itself sees less.
fn alone() -> Warning {
    Warning {
        code: "single_agent".to_owned(),
        message: "you play every part of this loop yourself: name others in target_agents, and \
                  somebody else looks at it"
            .to_owned(),
    }
}

/// One slot for whoever asks, one for each of the others; with nobody else, whoever asks plays
/// their part too.
fn slots(ask: &Coordinate, asks: &AgentId, others: &[AgentId]) -> Vec<Slot> {
    let (first, other) = match ask.intent {
        CoordinateIntent::Ideate => (CHAMPION, CRITIC),
        CoordinateIntent::Consult => (CHAMPION, "adviser"),
        CoordinateIntent::Review => (AUTHOR, REVIEWER),
    };
    let mut slots: Vec<(Word, AgentId, Option<Profile>)> = vec![(word(first), asks.clone(), None)];
    let critics = ask.intent == CoordinateIntent::Ideate;
    let profile = |place: usize| match critics && !ask.profiles.is_empty() {
        true => ask.profiles.iter().cycle().nth(place).copied(),
        false => None,
    };
    if others.is_empty() {
        let count = if critics {
            ask.profiles.len().max(1)
        } else {
            1
        };
        for place in 0..count {
            slots.push((word(other), asks.clone(), profile(place)));
        }
    }
    for (place, agent) in others.iter().enumerate() {
        slots.push((word(other), agent.clone(), profile(place)));
    }
    if critics && ask.reframe {
        slots.push((word(REFRAMER), asks.clone(), None));
    }
    let number = |(place, (role, agent, profile))| Slot {
        id: format!("slot-{}", place + 1),
        role,
        agent: Some(agent),
        profile,
    };
    slots.into_iter().enumerate().map(number).collect()
}

fn protocol(ask: &Coordinate) -> Result<Protocol, LoopProblem> {
    let mut protocol = match ask.intent {
        CoordinateIntent::Ideate => ideation(ask.reframe),
        CoordinateIntent::Review => review(),
        CoordinateIntent::Consult => {
            let mut protocol = consult();
            // A loop that moves itself is over once each of them was heard.
            protocol.stop = StopCondition::Manual;
            protocol
        }
    };
    if let Some(schedule) = ask.schedule {
        protocol.schedule = schedule;
    }
    if let Some(stop) = &ask.stop {
        protocol.stop = stop.clone();
    }
    match (&mut protocol.iteration, ask.max_iterations, ask.exit_when) {
        (_, None, None) => {}
        (Some(rule), most, exit) => {
            rule.max_iterations = most.unwrap_or(rule.max_iterations);
            rule.exit_when = exit.unwrap_or(rule.exit_when);
        }
        (None, _, _) => {
            return Err(LoopProblem::Missing {
                what: "a cycle",
                why: "max_iterations and exit_when are for ideation",
            });
        }
    }
    Ok(protocol)
}
