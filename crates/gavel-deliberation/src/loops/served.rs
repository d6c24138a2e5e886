//! The tools through which agents outside use loops.

mod caller;
mod coordinating;
mod input;
mod opening;
mod out;
mod refusing;

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::RunId;
use gavel_rules::KeyScope;

pub use self::caller::request_digest;
use self::caller::{agent, hand, needed};
pub use self::coordinating::GavelCoordinate;
pub(super) use self::input::LoopInput;
use self::input::{Intent, slot_of, verb, word_of};
use self::opening::new_loop;
use self::out::{LoopOutput, Out};
use self::refusing::refused;
use super::desk::Desk;
use super::problem::LoopProblem;

const LOOP: &str = "gavel_loop";

/// `gavel_loop`: everything that is done to a loop.
#[derive(Debug, Clone)]
pub struct GavelLoop {
    /// The desk of the project.
    pub desk: Arc<Desk>,
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

async fn loop_of(desk: &Desk, input: &LoopInput) -> Result<RunId, LoopProblem> {
    match input.loop_id.as_deref() {
        Some(name) => desk.find_here(name).await,
        None => Err(LoopProblem::Missing {
            what: "loop_id",
            why: "intent list shows the loops, intent inbox the turns that wait for you",
        }),
    }
}
