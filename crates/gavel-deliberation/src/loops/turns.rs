//! A turn of a loop that one of Gavel's own models takes: the brief goes in, one answer of a known
//! shape comes out, and what is handed in is made from it.
//!
//! Nothing but the replies of the model is on record, so a turn that is taken again hands in the
//! same.

mod answers;
mod hand_in;
mod known;
mod lists;
mod shape;

use std::cell::Cell;

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{
    FaultClass, LoopKind, LoopPhase, Role, Scope, Slot, Tokens, TurnAssigned, Word,
};
use gavel_models::ModelInfo;
use gavel_rules::deliberation::{CRITIQUE, FINDING, LoopState, artifact_name};
use gavel_run::{Run, RunError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use self::answers::{
    ArtifactsAnswer, CritiqueAnswer, FindingAnswer, PlanAnswer, RevisionAnswer, TextAnswer,
    VerdictAnswer,
};
use self::hand_in::{HandIn, Patience, Turn};
use self::known::Known;
use self::shape::Shape;
use crate::chamber::or_silent;

/// The most output of a turn. Prompts ask for far less; this leaves room for what models add.
const OUTPUT: Tokens = Tokens(3_000);
/// The answer, and once more with what was wrong.
const TRIES: u32 = 2;

/// The model that takes turns.
#[derive(Debug, Clone)]
pub struct Voice {
    /// Which.
    pub model: ModelInfo,
}

/// A turn that is to be taken.
#[derive(Debug, Clone, Copy)]
pub struct TurnAsk<'a> {
    /// What the loop is for.
    pub kind: LoopKind,
    /// The phase of the turn.
    pub phase: &'a LoopPhase,
    /// Whose turn it is.
    pub slot: &'a Slot,
    /// What the slot was given.
    pub brief: &'a str,
    /// The memory items that the brief really holds.
    pub items: &'a [String],
    /// Those of them that nobody has accepted.
    pub proposed: &'a [String],
    /// The critiques and findings that the turn is to answer, by their ids; see [`to_answer`].
    pub to_answer: &'a [String],
}

/// Something that is handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// What it is.
    pub kind: Word,
    /// The text.
    pub body: String,
    /// The memory items and artifacts that it rests on.
    pub cites: Vec<String>,
    /// The critiques that a plan answers.
    pub addresses: Vec<String>,
    /// The critiques that it leaves, each with the reason.
    pub waived: Vec<(String, String)>,
}

/// What a turn came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Something can be handed in.
    Handed(Vec<Handed>),
    /// The model brought nothing that could be used.
    Failed {
        /// Why, in words.
        why: String,
    },
}

/// Lets a model take a turn. Its replies are facts in the scope (`try-1`, `try-2`).
///
/// An answer that is wrong is asked for once more, with what is wrong. A model that fails for good
/// is a failed turn; everything else goes up.
pub async fn take_turn(
    run: &Run,
    scope: &Scope,
    voice: &Voice,
    ask: TurnAsk<'_>,
) -> Result<Taken, RunError> {
    let place = Place { run, scope, voice };
    match Shape::of(ask.phase) {
        Shape::Critique => place.take::<CritiqueAnswer>(ask).await,
        Shape::Revision | Shape::Response => place.take::<RevisionAnswer>(ask).await,
        Shape::Plan => place.take::<PlanAnswer>(ask).await,
        Shape::Finding => place.take::<FindingAnswer>(ask).await,
        Shape::Verdict => place.take::<VerdictAnswer>(ask).await,
        Shape::Proposal | Shape::Reframe | Shape::Advice => place.take::<TextAnswer>(ask).await,
        Shape::Artifacts => place.take::<ArtifactsAnswer>(ask).await,
    }
}

/// What a turn is to answer, of what its brief shows: a revision the critiques of its own iteration,
/// since it answered the earlier ones before; everything else all of them.
pub fn to_answer(state: &LoopState, turn: &TurnAssigned) -> Vec<String> {
    let phase = state.phase_named(&turn.phase);
    let revises = phase.is_some_and(|phase| Shape::of(phase) == Shape::Revision);
    let shown = turn
        .artifacts
        .iter()
        .filter_map(|number| state.artifact(*number));
    shown
        .filter(|artifact| matches!(artifact.kind.as_str(), CRITIQUE | FINDING))
        .filter(|artifact| !revises || artifact.iteration == turn.iteration)
        .map(|artifact| artifact_name(state.id, artifact.artifact))
        .collect()
}

/// Where a turn is taken, and by whom.
#[derive(Clone, Copy)]
struct Place<'a> {
    run: &'a Run,
    scope: &'a Scope,
    voice: &'a Voice,
}

impl Place<'_> {
    async fn take<T>(self, ask: TurnAsk<'_>) -> Result<Taken, RunError>
    where
        T: HandIn + DeserializeOwned + JsonSchema + Clone,
    {
        let shape = Shape::of(ask.phase);
        let system = shape.system(ask.kind, ask.slot);
        let question = Ask {
            model: &self.voice.model,
            role: role_of(shape),
            shape: shape.name(),
            system: &system,
            task: ask.brief,
            max_output: OUTPUT,
        };
        let turn = |tried: u32| Turn {
            shape,
            phase: ask.phase,
            known: Known::new((ask.items, ask.proposed), ask.to_answer),
            patience: if tried < TRIES {
                Patience::AsksAgain
            } else {
                Patience::TakesWhatHolds
            },
        };
        let tried = Cell::new(0);
        let read = |text: &str| {
            tried.set(tried.get() + 1);
            let answer: T = read_answer(text)?;
            answer.clone().hand_in(&turn(tried.get()))?;
            Ok(answer)
        };
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        let asked = question.answer_by(self.run, self.scope, reading).await;
        // What a provider's trouble keeps back is no answer of the model: the drive stops, and the turn
        // stays to be taken.
        if let Err(RunError::Failed(error)) = &asked
            && is_trouble(error.fault.class)
        {
            return Err(RunError::Failed(error.clone()));
        }
        let handed = match or_silent(asked)? {
            Asked::Answered(answer) => answer.hand_in(&turn(tried.get())),
            Asked::Unusable { problem } => Err(problem),
        };
        Ok(match handed {
            Ok(handed) => Taken::Handed(handed),
            Err(why) => Taken::Failed { why },
        })
    }
}

/// True when nobody can say anything about the model: it was not reached.
const fn is_trouble(class: FaultClass) -> bool {
    match class {
        FaultClass::RateLimited
        | FaultClass::Overloaded
        | FaultClass::Network
        | FaultClass::Timeout
        | FaultClass::Unauthorized
        | FaultClass::UnknownModel
        | FaultClass::WrongAddress => true,
        FaultClass::BadReply
        | FaultClass::ReplyTooLong
        | FaultClass::ContextTooLong
        | FaultClass::Refused
        | FaultClass::Invalid
        | FaultClass::Failed
        | FaultClass::Moved => false,
    }
}

/// As what the costs of a turn are booked.
const fn role_of(shape: Shape) -> Role {
    match shape {
        Shape::Plan => Role::Leader,
        Shape::Verdict => Role::Judge,
        Shape::Proposal
        | Shape::Critique
        | Shape::Revision
        | Shape::Reframe
        | Shape::Advice
        | Shape::Finding
        | Shape::Response
        | Shape::Artifacts => Role::Stance,
    }
}
