//! What models, tools, commands and git did.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{BlobRef, InstallDecided, InstallStep, TokenUsage};

fact_group!(
    /// Facts about work done.
    WorkFact {
        /// A model replied.
        ModelReplied = "model_replied",
        /// A tool answered.
        ToolFinished = "tool_finished",
        /// A command ended.
        CommandFinished = "command_finished",
        /// A commit was made.
        CommitMade = "commit_made",
        /// A verification ended.
        VerifyFinished = "verify_finished",
        /// It was decided what steps that bring dependencies may reach.
        InstallDecided = "install_decided",
    }
);

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    End,
    /// It wants tools.
    ToolUse,
    /// It reached the output maximum.
    MaxTokens,
}

/// A tool call that a model made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallMade {
    /// The provider's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, as they came.
    pub arguments: BlobRef,
}

/// A recorded reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReplied {
    /// `provider/model`.
    pub model: String,
    /// What it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<BlobRef>,
    /// The tools it called, in order.
    #[serde(default)]
    pub tool_calls: Vec<ToolCallMade>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What the provider counted.
    pub usage: TokenUsage,
}

/// A tool answered, well or badly: both are results that a model sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFinished {
    /// The tool.
    pub tool: String,
    /// False when the tool refused or failed.
    pub ok: bool,
    /// The text that the model sees.
    pub result: BlobRef,
    /// The confinement in force, for a tool that ran a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<SandboxLevel>,
    /// The source outside the project that was asked, whether it answered or not. Nobody meters what
    /// that cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// How strongly a command was confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Landlock file rules and a seccomp filter.
    Landlock,
    /// Namespaces by bubblewrap, and seccomp.
    Bubblewrap,
    /// Nothing confines it.
    None,
}

/// A command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFinished {
    /// Its argv as JSON.
    pub argv: BlobRef,
    /// Its exit code; `None` when a signal or the deadline ended it.
    pub exit: Option<i32>,
    /// Its output, capped.
    pub output: BlobRef,
    /// The confinement in force.
    pub level: SandboxLevel,
    /// How long it ran.
    pub millis: u64,
}

/// A commit on a build branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitMade {
    /// The branch.
    pub branch: String,
    /// The commit.
    pub commit: String,
    /// Its tree.
    pub tree: String,
}

/// What a verification came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyVerdict {
    /// Tests were executed and all passed.
    Passed,
    /// Something failed.
    Failed,
    /// No test was executed, or the output could not be read.
    Unclear,
}

/// A verification ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyFinished {
    /// The recipe, for example `cargo`.
    pub recipe: String,
    /// What it came to.
    pub verdict: VerifyVerdict,
    /// A code for the verdict, for example `no_test_executed`.
    pub reason: String,
    /// Tests executed.
    pub executed: u32,
    /// Tests passed.
    pub passed: u32,
    /// Tests failed.
    pub failed: u32,
    /// Tests skipped.
    pub skipped: u32,
    /// The output that says so.
    pub output: BlobRef,
    /// The tree that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The confinement in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<SandboxLevel>,
    /// Measured coverage in thousandths; `None` when nothing measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<u32>,
    /// Whether the smoke run came to what its recipe says; `None` when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoke: Option<bool>,
    /// The commands that brought the dependencies, with what they reached; none in older facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub install: Vec<InstallStep>,
}
