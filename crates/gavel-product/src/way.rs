//! The way of a run: what stages share, and how a run leaves its way.

use gavel_domain::{BlobRef, Fact, Halted, Key, Stage, StageEntered, Timestamp};
use gavel_rules::{HaltReason, RunChoices};
use gavel_run::{Blobs, Pure, Recorded, Run, RunError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::place::Place;
use crate::{Means, ProductBrief};

/// What every stage works with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) run: &'a Run,
    pub(crate) brief: &'a ProductBrief,
    pub(crate) means: &'a Means,
    pub(crate) place: &'a Place,
    /// What the run's own settings say.
    pub(crate) choices: RunChoices,
    /// Counted from one: how often the council was asked to think, and what followed built anew.
    pub(crate) round: u32,
}

impl Way<'_> {
    /// Enters a stage; returns when.
    pub(crate) async fn enter(&self, stage: Stage) -> Result<Timestamp, Leave> {
        let key = match self.round {
            1 => Key::new(format!("stage/{}", stage.word()))?,
            round => Key::new(format!("stage-{round}/{}", stage.word()))?,
        };
        let entered = self.run.decide(key, StageEntered { stage }).await?;
        Ok(entered.at)
    }
}

/// Why a stage did not hand on a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Leave {
    /// The engine stops: waiting, paused, cut, broken.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run halted, which is on record.
    #[error("the run halted")]
    Halted,
}

impl From<gavel_domain::KeyError> for Leave {
    fn from(error: gavel_domain::KeyError) -> Self {
        Self::Run(error.into())
    }
}

/// Halts the run with a reason that a person can act on.
pub(crate) async fn halt(run: &Run, reason: HaltReason, detail: &str) -> Leave {
    let halted = async {
        let key = Key::new("halt/reason")?;
        keep(run, key, &(reason.word(), detail), detail, |detail| {
            Halted {
                reason: reason.word().to_owned(),
                detail: Some(detail),
            }
        })
        .await
    };
    match halted.await {
        Ok(_) => Leave::Halted,
        Err(error) => Leave::Run(error),
    }
}

/// Records a fact about a text, which is kept beside it.
pub(crate) async fn keep<T: Fact + Clone>(
    run: &Run,
    key: Key,
    input: &(impl Serialize + Sync),
    text: &str,
    fact: impl Fn(BlobRef) -> T + Send + Sync,
) -> Result<Recorded<T>, RunError> {
    let (text, fact) = (text.to_owned(), &fact);
    let effect = |blobs: Blobs| {
        let text = text.clone();
        async move { Ok(fact(blobs.keep(text))) }
    };
    run.step(key, Pure, input, effect).await
}

/// Records a fact about a value that is kept as JSON beside it.
pub(crate) async fn keep_json<T: Fact + Clone>(
    run: &Run,
    key: Key,
    value: &(impl Serialize + Sync),
    fact: impl Fn(BlobRef) -> T + Send + Sync,
) -> Result<Recorded<T>, RunError> {
    let text = json(run, value)?;
    keep(run, key, value, &text, fact).await
}

/// Reads a value that a fact keeps as JSON.
pub(crate) async fn read_json<T: DeserializeOwned>(
    run: &Run,
    name: BlobRef,
) -> Result<T, RunError> {
    let text = run.text(name).await?;
    serde_json::from_str(&text).map_err(|error| unusable(run, &error))
}

/// The JSON text of a value of ours.
pub(crate) fn json(run: &Run, value: &impl Serialize) -> Result<String, RunError> {
    serde_json::to_string(value).map_err(|error| unusable(run, &error))
}

/// Something that the run was given or has kept cannot be used.
pub(crate) fn unusable(run: &Run, problem: &dyn std::fmt::Display) -> RunError {
    RunError::Brief {
        run: run.id(),
        problem: problem.to_string(),
    }
}
