//! Sources: programs outside the project that answer questions, such as the docs of a library.

use std::error::Error;
use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

/// Somebody outside the project who can be asked.
///
/// Implementors guarantee: `tools` names only what may be repeated without harm, both calls end by
/// themselves within a bounded time, and what they return is bounded. Nothing is started before the
/// first use, and whatever was started ends with the value.
pub trait Source: fmt::Debug + Send + Sync {
    /// The name that a person gave it.
    fn name(&self) -> &str;

    /// True when the person's own settings agree to asking it under a money cap, although nobody
    /// meters what that costs.
    fn is_agreed(&self) -> bool;

    /// What it can be asked.
    fn tools(&self) -> BoxFuture<'_, Result<Vec<SourceTool>, SourceError>>;

    /// Asks it.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, SourceError>>;
}

/// Something that a source can be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceTool {
    /// Its name there.
    pub name: String,
    /// What the source says about it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// A source that did not answer.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Its program is not there or may not be run.
    #[error("the source `{name}` cannot be started: check its command in your config.toml")]
    NotStarted {
        /// The source.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// Its program runs and speaks something else.
    #[error(
        "the program of the source `{name}` does not answer as one: check its command in your config.toml"
    )]
    NotASource {
        /// The source.
        name: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// It takes too long.
    #[error(
        "the source `{name}` did not answer within {seconds} s: ask for less, or go on without it"
    )]
    Silent {
        /// The source.
        name: String,
        /// How long it had.
        seconds: u64,
    },
    /// It ended in the middle.
    #[error("the source `{name}` ended while it was asked: ask once more, or go on without it")]
    Ended {
        /// The source.
        name: String,
    },
    /// It ended or failed to start so often that it is left alone.
    #[error("the source `{name}` failed {starts} times: go on without it")]
    LeftAlone {
        /// The source.
        name: String,
        /// How often it was started.
        starts: u32,
    },
    /// It has no such tool, or one that nobody may repeat.
    #[error("the source `{name}` has no tool `{tool}` for you; it has: {offered}")]
    NoSuchTool {
        /// The source.
        name: String,
        /// What was asked for.
        tool: String,
        /// What may be asked for.
        offered: String,
    },
    /// It answered that it could not.
    #[error("`{tool}` of the source `{name}` failed; what it said is below")]
    Refused {
        /// The source.
        name: String,
        /// The tool.
        tool: String,
        /// What it said: content from outside.
        said: String,
    },
}
