//! The tools through which agents outside use loops.

mod caller;
mod coordinating;
mod input;
mod next;
mod opening;
mod out;
mod protocol;
mod refusing;

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{AgentId, RunId, Slot};
use gavel_memory::Kind;
use gavel_rules::KeyScope;
use serde_json::Value;

pub use self::caller::request_digest;
use self::caller::{agent, hand, needed};
pub use self::coordinating::GavelCoordinate;
pub(super) use self::input::LoopInput;
use self::input::{Intent, PromoteAs, slot_of, verb, word_of};
use self::next::{calls, waits_for};
use self::opening::new_loop;
use self::out::{LoopOutput, Out};
use self::refusing::{Asked, refused};
use super::desk::{Desk, Hand};
use super::problem::LoopProblem;
use super::promote::PromoteError;
use super::view::{NextStep, next_steps};

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
    const PURPOSE: &'static str = "Deliberation loops: open, inbox (what waits for you), brief, turn, complete_turn, advance, promote, get …";
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
            | Intent::Close
            | Intent::Promote => false,
        }
    }

    async fn call(&self, visit: &Visit, input: LoopInput) -> Result<Served<LoopOutput>, Refused> {
        match self.answered(visit, &input).await {
            Ok(served) => Ok(served),
            Err(problem) => {
                let asked = Asked::new(LOOP, &input, agent(&input, visit).ok().flatten());
                // What the loop waits for helps most; one that cannot be read has nothing to say.
                let state = match loop_of(&self.desk, &input).await {
                    Ok(id) => self.desk.state(id).await.ok(),
                    Err(_) => None,
                };
                Err(refused(&problem, &asked, state.as_ref()))
            }
        }
    }
}

impl GavelLoop {
    async fn answered(
        &self,
        visit: &Visit,
        input: &LoopInput,
    ) -> Result<Served<LoopOutput>, LoopProblem> {
        let desk = &self.desk;
        let caller = agent(input, visit)?;
        // Whoever may only read leaves nothing behind, not even a name.
        if let Some(agent) = caller.as_ref().filter(|_| visit.scope > KeyScope::Read) {
            desk.see(agent).await?;
        }
        let out = Out::new(desk, word_of(input.intent));
        match input.intent {
            Intent::List => {
                let loops = desk.list(input.status.is_some()).await?;
                let line = match loops.len() {
                    1 => "1 loop".to_owned(),
                    several => format!("{several} loops"),
                };
                Ok(out.with("loops", &loops).served(line))
            }
            Intent::Get => self.shown(input, caller.as_ref()).await,
            Intent::Inbox => self.waiting(&needed(input, visit)?).await,
            Intent::Brief => self.brief(input, caller.as_ref()).await,
            Intent::Promote => self.promoted(input, &hand(input, visit, input)?).await,
            Intent::Open => {
                let hand = hand(input, visit, input)?;
                let new = new_loop(input, &hand)?;
                let answer = desk.open(&hand, new).await?;
                Ok(out.answered(&answer, &hand.agent))
            }
            Intent::Turn
            | Intent::CompleteTurn
            | Intent::AddArtifact
            | Intent::Advance
            | Intent::Pause
            | Intent::Resume
            | Intent::Close => {
                let id = loop_of(desk, input).await?;
                let hand = hand(input, visit, input)?;
                let answer = desk.act(id, &hand, verb(input)?).await?;
                Ok(out.answered(&answer, &hand.agent))
            }
        }
    }

    /// A loop as it stands.
    async fn shown(
        &self,
        input: &LoopInput,
        caller: Option<&AgentId>,
    ) -> Result<Served<LoopOutput>, LoopProblem> {
        let view = self.desk.get(loop_of(&self.desk, input).await?).await?;
        let line = format!("{} {} in {}", view.kind, view.status, view.phase);
        let next = calls(&view.loop_id, &view.next, caller);
        let waits = waits_for(&view.next);
        let mut told = serde_json::to_value(&view).unwrap_or_default();
        if let Some(fields) = told.as_object_mut() {
            fields.remove("next");
        }
        let out = Out::new(&self.desk, word_of(input.intent));
        let mut out = out
            .with("loop", &told)
            .with("next", &next)
            .with("waits_for", &waits)
            .with("warnings", &view.warnings);
        out.0.version = Some(view.version);
        out.0.status = Some(view.status.to_string());
        out.0.phase = Some(view.phase.to_string());
        out.0.iteration = Some(view.iteration);
        out.0.loop_id = Some(view.loop_id);
        Ok(out.served(line))
    }

    /// What waits for somebody: turns, and loops of theirs that nobody else gets on.
    async fn waiting(&self, agent: &AgentId) -> Result<Served<LoopOutput>, LoopProblem> {
        let waiting = self.desk.inbox(agent).await?;
        let (turns, loops) = (waiting.inbox.len(), waiting.waits_for_you.len());
        let turns = match turns {
            1 => "1 turn waits".to_owned(),
            several => format!("{several} turns wait"),
        };
        let line = match loops {
            0 => format!("{turns} for {agent}"),
            1 => format!("{turns} for {agent}, and 1 loop of its own"),
            several => format!("{turns} for {agent}, and {several} loops of its own"),
        };
        let with_calls = |told: Value, (id, steps): (&str, &[NextStep])| {
            let mut told = told;
            if let Some(fields) = told.as_object_mut() {
                let next = calls(id, steps, Some(agent));
                let next = serde_json::to_value(next).unwrap_or_default();
                fields.insert("next".to_owned(), next);
            }
            told
        };
        let inbox = waiting.inbox.iter().map(|entry| {
            let told = serde_json::to_value(entry).unwrap_or_default();
            with_calls(told, (&entry.loop_id, &entry.next))
        });
        let own = waiting.waits_for_you.iter().map(|entry| {
            let told = serde_json::to_value(entry).unwrap_or_default();
            with_calls(told, (&entry.loop_id, &entry.next))
        });
        let out = Out::new(&self.desk, word_of(Intent::Inbox));
        let out = out
            .with("inbox", &inbox.collect::<Vec<_>>())
            .with("waits_for_you", &own.collect::<Vec<_>>());
        Ok(out.served(line))
    }

    async fn brief(
        &self,
        input: &LoopInput,
        caller: Option<&AgentId>,
    ) -> Result<Served<LoopOutput>, LoopProblem> {
        let desk = &self.desk;
        let id = loop_of(desk, input).await?;
        let slot = slot_of(input)?;
        let brief = desk.brief(id, slot).await?;
        let steps = next_steps(&desk.state(id).await?);
        let line = format!("the brief of {slot}");
        let out = Out::new(desk, word_of(input.intent)).with("brief", &brief);
        let mut out = out.with("next", &calls(&id.to_string(), &steps, caller));
        out.0.loop_id = Some(id.to_string());
        Ok(out.served(line))
    }

    /// The plan of a loop, proposed for project memory: a person accepts it.
    async fn promoted(
        &self,
        input: &LoopInput,
        hand: &Hand,
    ) -> Result<Served<LoopOutput>, LoopProblem> {
        let desk = &self.desk;
        let id = loop_of(desk, input).await?;
        let state = desk.state(id).await?;
        let takes_part = |slot: &Slot| slot.agent.as_ref() == Some(&hand.agent);
        if state.owner != hand.agent && !state.slots.iter().any(takes_part) {
            let agent = hand.agent.clone();
            return Err(LoopProblem::Stranger { agent });
        }
        let kind = match input.promote_as.unwrap_or_default() {
            PromoteAs::Plan => Kind::Plan,
            PromoteAs::Decision => Kind::Decision,
        };
        let promoted = desk.keeper().promote(id, hand, kind).await;
        let promoted = promoted.map_err(|error| {
            if let PromoteError::Loop(problem) = error {
                return problem;
            }
            LoopProblem::Promote(Refused::from_error("not_promotable", &error).message)
        })?;
        let item = &promoted.item;
        let line = format!("{item} is proposed: a person keeps it with gavel memory accept {item}");
        let mut out = Out::new(desk, word_of(input.intent))
            .with("item", item)
            .with("artifact_id", &promoted.artifact)
            .with("before", &promoted.before);
        out.0.loop_id = Some(id.to_string());
        Ok(out.served(line))
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
