//! How a drive can end other than well.

use std::fmt;

use gavel_domain::{FactError, Fault, FaultClass, Key, KeyError, RunId, RunState};
use gavel_models::ModelId;
use gavel_rules::ChainProblem;
use gavel_store::{CommitError, LeaseError, ReadError};

/// Why an operation of a run did not return its value.
///
/// A driver matches on [`RunError::Failed`], an outcome on record, and passes everything else up.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The step gave up; that is on record, and asking again returns the same.
    #[error(transparent)]
    Failed(Box<StepError>),
    /// The run stops here on purpose and can go on later.
    #[error(transparent)]
    Stopped(Stop),
    /// The drive was cut; nothing is known about the step.
    #[error("the run was interrupted")]
    Cut,
    /// Somebody else holds the run or moved it.
    #[error("run {run} cannot be driven from here")]
    Moved {
        /// The run.
        run: RunId,
        /// What the store said.
        #[source]
        source: Box<CommitError>,
    },
    /// Somebody drives it already.
    #[error(transparent)]
    Held(Box<LeaseError>),
    /// The store could not write; the step may have happened and will be looked at on resume.
    #[error("the store failed while run {run} was driven")]
    StoreLost {
        /// The run.
        run: RunId,
        /// Why.
        #[source]
        source: Box<CommitError>,
    },
    /// The store could not read.
    #[error(transparent)]
    Unread(Box<ReadError>),
    /// The journal is damaged; nothing was repaired.
    #[error("run {run} is damaged: {problem}; nothing was repaired")]
    Damaged {
        /// The run.
        run: RunId,
        /// Where and how.
        problem: Box<ChainProblem>,
    },
    /// A text that the journal names is no longer kept.
    #[error("run {run}: the text {digest} of {key} is no longer kept, so the run ends here")]
    BlobGone {
        /// The run.
        run: RunId,
        /// The record.
        key: String,
        /// The blob.
        digest: String,
    },
    /// What the driver was given cannot be used.
    #[error("run {run} cannot begin: {problem}")]
    Brief {
        /// The run.
        run: RunId,
        /// Why.
        problem: String,
    },
    /// A file, a disk or git of this machine stands in the way; once that is mended the run goes on.
    #[error("run {run} cannot go on: {problem}")]
    Machine {
        /// The run.
        run: RunId,
        /// What is in the way.
        problem: String,
    },
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// The run is over.
    #[error("run {run} is {state}: nothing can be added")]
    Over {
        /// The run.
        run: RunId,
        /// Its state.
        state: RunState,
    },
    /// A model that is not configured here; configuring it and resuming helps.
    #[error("the model {0} is not configured: set its key or endpoint, then resume")]
    NoModel(ModelId),
    /// An invariant of ours broke.
    #[error(transparent)]
    Bug(Box<Bug>),
}

/// A step's failure as it stands on record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} gave up after {attempts} attempt(s): {message}")]
pub struct StepError {
    /// The step.
    pub key: Key,
    /// The recorded fault.
    pub fault: Fault,
    /// How many attempts were made.
    pub attempts: u32,
    /// What was said, from the fault's blob.
    pub message: String,
}

/// Why a run stops on purpose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A question is open and nobody waits here.
    #[error("waits for an answer to {question}")]
    Waiting {
        /// The question.
        question: Key,
    },
    /// A budget or a spend needs a person.
    #[error("paused at a budget, see question {question}")]
    Budget {
        /// The question.
        question: Key,
    },
    /// Somebody paused it.
    #[error("paused")]
    Paused,
    /// Somebody gave it up.
    #[error("aborted")]
    Aborted,
}

/// A broken invariant: exit code 70.
#[derive(Debug, thiserror::Error)]
pub enum Bug {
    /// A driver asked for a key twice in one drive.
    #[error("the key {0} was asked for twice in one drive")]
    AskedTwice(Key),
    /// A record is not the fact it was taken for.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// A key does not follow the grammar.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A value has no JSON form.
    #[error("the input of {key} cannot be digested")]
    Input {
        /// The step.
        key: Key,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A step was asked for with another input than on record, in a strict drive.
    #[error("the step {key} was recorded with another input")]
    InputDrift {
        /// The step.
        key: Key,
    },
    /// The store refused a commit that should be impossible.
    #[error("an impossible commit")]
    Commit(#[from] CommitError),
    /// The driver panicked.
    #[error("the driver panicked: {0}")]
    Panicked(String),
}

impl From<FactError> for RunError {
    fn from(error: FactError) -> Self {
        Self::Bug(Box::new(Bug::Fact(error)))
    }
}

impl From<KeyError> for RunError {
    fn from(error: KeyError) -> Self {
        Self::Bug(Box::new(Bug::Key(error)))
    }
}

impl From<Bug> for RunError {
    fn from(bug: Bug) -> Self {
        Self::Bug(Box::new(bug))
    }
}

impl From<ReadError> for RunError {
    fn from(error: ReadError) -> Self {
        Self::Unread(Box::new(error))
    }
}

impl RunError {
    /// True when something on record is not what it should be: trying again does not help.
    pub fn is_damage(&self) -> bool {
        let unread = matches!(self, Self::Unread(error) if error.is_damage());
        unread || matches!(self, Self::Damaged { .. })
    }
}

impl From<LeaseError> for RunError {
    fn from(error: LeaseError) -> Self {
        Self::Held(Box::new(error))
    }
}

/// What an effect reports when it did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepFailure {
    /// What kind of failure.
    pub class: FaultClass,
    /// How long to wait before another attempt, when the other side said so.
    pub retry_after: Option<std::time::Duration>,
    /// What happened, for whoever reads the run.
    pub message: String,
}

impl StepFailure {
    /// A failure with everything that its sources say, which trying again does not mend.
    pub fn of(class: FaultClass, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            message.push_str(": ");
            message.push_str(&inner.to_string());
            source = inner.source();
        }
        Self::new(class, message)
    }

    /// A failure that trying again does not mend.
    pub fn new(class: FaultClass, message: impl fmt::Display) -> Self {
        Self {
            class,
            retry_after: None,
            message: message.to_string(),
        }
    }
}
