//! The way of a run: what stages share, and how a run leaves its way.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use gavel_build::Permissions;
use gavel_domain::{BlobRef, Digest, Fact, Halted, Key, Stage, StageEntered, Timestamp};
use gavel_rules::{HaltReason, RunChoices, RunnerConsent, may_enter};
use gavel_run::{Blobs, Pure, Recorded, Run, RunError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Means;
use crate::place::Place;
use gavel_domain::ProductBrief;

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
    /// Where the drive is on its way.
    pub(crate) mark: &'a WayMark,
}

/// Where a drive is, and what it heard already. Not a second truth: facts are written and read in
/// this order in every drive.
#[derive(Debug, Default)]
pub(crate) struct WayMark {
    stage: Mutex<Option<Stage>>,
    /// Which changes of a runner were asked about; a key is asked for once in a drive.
    runners: Mutex<BTreeMap<Digest, RunnerConsent>>,
    /// Which findings a person was asked about, and why they were released.
    releases: Mutex<BTreeMap<String, Option<String>>>,
    /// What a person allowed beyond the bounds.
    permissions: OnceLock<Permissions>,
}

impl WayMark {
    /// Moves on, if the one transition rule lets a run go there; returns where it comes from
    /// otherwise.
    fn pass(&self, to: Stage) -> Result<(), Option<Stage>> {
        let mut at = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if !may_enter(*at, to) {
            return Err(*at);
        }
        *at = Some(to);
        Ok(())
    }

    /// What was answered about these changes of a runner in this drive.
    pub(crate) fn consent(&self, changes: Digest) -> Option<RunnerConsent> {
        let runners = self.runners.lock().unwrap_or_else(PoisonError::into_inner);
        runners.get(&changes).copied()
    }

    /// What a person allowed, kept for the whole drive.
    pub(crate) fn permissions(&self, git_dir: &Path) -> Permissions {
        let made = || Permissions::of_repository(git_dir);
        self.permissions.get_or_init(made).clone()
    }

    /// What a person said about a finding in this drive.
    pub(crate) fn release(&self, finding: &str) -> Option<Option<String>> {
        let releases = self.releases.lock().unwrap_or_else(PoisonError::into_inner);
        releases.get(finding).cloned()
    }

    pub(crate) fn keep_release(&self, finding: &str, reason: Option<String>) {
        let mut releases = self.releases.lock().unwrap_or_else(PoisonError::into_inner);
        releases.insert(finding.to_owned(), reason);
    }

    pub(crate) fn keep_consent(&self, changes: Digest, consent: RunnerConsent) {
        let mut runners = self.runners.lock().unwrap_or_else(PoisonError::into_inner);
        runners.insert(changes, consent);
    }
}

impl Way<'_> {
    /// The way of the next round: the council thinks again.
    pub(crate) const fn next_round(self) -> Self {
        Self {
            round: self.round + 1,
            ..self
        }
    }

    /// Enters a stage; returns when.
    pub(crate) async fn enter(&self, stage: Stage) -> Result<Timestamp, Leave> {
        self.enter_again(stage, 1).await
    }

    /// Enters a stage for the `n`-th time in this round; returns when.
    pub(crate) async fn enter_again(&self, stage: Stage, n: u32) -> Result<Timestamp, Leave> {
        let mut key = match self.round {
            1 => format!("stage/{}", stage.word()),
            round => format!("stage-{round}/{}", stage.word()),
        };
        if n > 1 {
            key.push_str(&format!("-{n}"));
        }
        self.mark.pass(stage).map_err(|from| {
            let from = from.map_or("the beginning", Stage::word);
            unusable(self.run, &format!("{stage} cannot follow {from}"))
        })?;
        let entered = self.run.decide(Key::new(key)?, StageEntered { stage });
        Ok(entered.await?.at)
    }

    /// The name of a scope that every round has once.
    pub(crate) fn in_round(&self, name: &str) -> String {
        match self.round {
            1 => name.to_owned(),
            round => format!("round-{round}/{name}"),
        }
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
