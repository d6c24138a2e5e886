//! What a tool is: declared once, with a typed input, and erased for the registry.

use std::pin::Pin;

use gavel_domain::SandboxLevel;
use gavel_models::ToolSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::arguments::{decode, schema_of};
use crate::{Keep, ToolContext};

/// What a tool may do to the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolClass {
    /// It reads; calls of one reply may run at the same time.
    Pure,
    /// It may change the work tree, and nothing else; calls take turns, in order.
    Tree,
}

/// A tool of Gavel.
///
/// Implementors guarantee: `run` touches nothing that its class does not name, may be repeated,
/// and ends by itself within a bounded time. Whatever it returns is capped, scrubbed and fenced by
/// the registry, so it hands out content as [`Data`], never inside its own words.
pub trait ToolHandler: Send + Sync + 'static {
    /// The arguments; their schema is derived and shown to the model.
    type Input: DeserializeOwned + JsonSchema + Send;

    /// The name that models call it by; the grants table knows it.
    const NAME: &'static str;
    /// What it is for, one line.
    const PURPOSE: &'static str;
    /// What it may do.
    const CLASS: ToolClass;

    /// True when it can do anything there; else it is not offered.
    fn works_in(context: &ToolContext) -> bool {
        match Self::CLASS {
            ToolClass::Pure => true,
            ToolClass::Tree => context.has_tree(),
        }
    }

    /// Does it.
    fn run(
        &self,
        context: &ToolContext,
        input: Self::Input,
    ) -> impl Future<Output = Result<ToolOutput, ToolRefusal>> + Send;
}

/// Content from outside, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Where it came from, for example a path.
    pub source: String,
    /// The content.
    pub text: String,
    /// What stays when it is too long.
    pub keep: Keep,
}

impl Data {
    /// Content of which the beginning matters most.
    pub fn new(source: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            text: text.into(),
            keep: Keep::Head,
        }
    }
}

/// What a tool answers when it did what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolOutput {
    /// The tool's own words.
    pub words: String,
    /// Content, in order.
    pub data: Vec<Data>,
    /// The confinement that was in force, when a command ran.
    pub level: Option<SandboxLevel>,
    /// The source outside the project that was asked.
    pub source: Option<String>,
}

impl ToolOutput {
    /// An answer in the tool's own words.
    pub fn words(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            data: Vec::new(),
            level: None,
            source: None,
        }
    }

    /// Adds content.
    #[must_use]
    pub fn with(mut self, data: Data) -> Self {
        self.data.push(data);
        self
    }

    /// Says which source outside the project was asked.
    #[must_use]
    pub fn asked(mut self, source: &str) -> Self {
        self.source = Some(source.to_owned());
        self
    }

    /// Says what was around the command that ran.
    #[must_use]
    pub const fn confined(mut self, level: SandboxLevel) -> Self {
        self.level = Some(level);
        self
    }
}

/// What a tool answers when it did not: a sentence that the model can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRefusal {
    /// What is wrong and what helps.
    pub sentence: String,
    /// Content that helps to do better.
    pub data: Vec<Data>,
    /// The confinement that was in force, when a command ran.
    pub level: Option<SandboxLevel>,
    /// The source outside the project that was asked.
    pub source: Option<String>,
}

impl ToolRefusal {
    /// A refusal in a sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            data: Vec::new(),
            level: None,
            source: None,
        }
    }

    /// A refusal for an error, with everything that its sources say.
    pub fn from_error(error: &dyn std::error::Error) -> Self {
        let mut sentence = error.to_string();
        let mut source = error.source();
        while let Some(inner) = source {
            sentence.push_str(": ");
            sentence.push_str(&inner.to_string());
            source = inner.source();
        }
        Self::new(sentence)
    }

    /// Adds content.
    #[must_use]
    pub fn with(mut self, data: Data) -> Self {
        self.data.push(data);
        self
    }

    /// Says which source outside the project was asked.
    #[must_use]
    pub fn asked(mut self, source: &str) -> Self {
        self.source = Some(source.to_owned());
        self
    }

    /// Says what was around the command that ran.
    #[must_use]
    pub const fn confined(mut self, level: SandboxLevel) -> Self {
        self.level = Some(level);
        self
    }
}

pub(crate) type ToolFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ToolOutput, ToolRefusal>> + Send + 'a>>;

/// A tool without its type.
pub(crate) trait ErasedTool: Send + Sync {
    fn name(&self) -> &'static str;
    fn class(&self) -> ToolClass;
    fn spec(&self) -> ToolSpec;
    fn works_in(&self, context: &ToolContext) -> bool;
    fn check(&self, arguments: &str) -> Result<(), ToolRefusal>;
    fn run<'a>(&'a self, context: &'a ToolContext, arguments: &'a str) -> ToolFuture<'a>;
}

pub(crate) struct Erased<H>(pub(crate) H);

impl<H: ToolHandler> ErasedTool for Erased<H> {
    fn name(&self) -> &'static str {
        H::NAME
    }

    fn class(&self) -> ToolClass {
        H::CLASS
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: H::NAME.to_owned(),
            description: H::PURPOSE.to_owned(),
            schema: schema_of::<H::Input>(),
        }
    }

    fn works_in(&self, context: &ToolContext) -> bool {
        H::works_in(context)
    }

    fn check(&self, arguments: &str) -> Result<(), ToolRefusal> {
        decode::<H::Input>(H::NAME, arguments).map(drop)
    }

    fn run<'a>(&'a self, context: &'a ToolContext, arguments: &'a str) -> ToolFuture<'a> {
        Box::pin(async move {
            let input = decode(H::NAME, arguments)?;
            self.0.run(context, input).await
        })
    }
}
