//! An agent: a model with a role, its tools and its limits.

use std::sync::Arc;

use gavel_domain::{Key, Scope, Tokens};
use gavel_models::ModelInfo;
use gavel_rules::{CompactionRule, Repetition};
use gavel_run::{RecallSpec, Run, RunError};

use crate::recall::{Prompt, Recollection};
use crate::turn::Work;
use crate::{Caller, Registry};

/// A model with a role, tools and limits. Works on one task after another.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The tools of this program.
    pub registry: Arc<Registry>,
    /// Who the model is when it calls tools, and what they work with.
    pub caller: Caller,
    /// The model.
    pub model: ModelInfo,
    /// The rules that it works by; the rule about data is added.
    pub system: String,
    /// The tool whose accepted call ends the work; without one, a reply without calls does.
    pub ends_with: Option<&'static str>,
    /// What it wants to be reminded of by project memory, if anything.
    pub recall: Option<RecallSpec>,
    /// Its limits.
    pub limits: AgentLimits,
}

/// How much an agent may do for one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentLimits {
    /// The most replies.
    pub turns: u32,
    /// The most output of one reply.
    pub reply: Tokens,
    /// The most output of all replies.
    pub output: Tokens,
    /// When and how the conversation is compacted.
    pub compaction: CompactionRule,
}

impl AgentLimits {
    /// Limits for a model: 8,000 tokens a reply if it can, eight such replies in all.
    pub fn for_model(model: &ModelInfo, turns: u32) -> Self {
        let mut compaction = CompactionRule::for_context(model.context);
        // A summary that fills half of a small context would be folded again at once.
        let share = model.max_output.0.min(compaction.limit.0 / 5);
        compaction.summary = Tokens(compaction.summary.0.min(share));
        Self {
            turns,
            reply: Tokens(model.max_output.0.min(8_000)),
            output: Tokens(64_000),
            compaction,
        }
    }
}

/// Why an agent stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkStop {
    /// It replied without calling a tool.
    Done,
    /// The tool that ends its work took what it handed in.
    Submitted,
    /// It had as many turns as it may have.
    MaxTurns,
    /// It went round in circles.
    Guard {
        /// How.
        reason: Repetition,
    },
    /// It wrote as much as it may write.
    OutputCap,
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    /// The words of its last reply; empty when it only called tools.
    pub text: String,
    /// How many replies it took.
    pub turns: u32,
    /// Why it stopped.
    pub stop: WorkStop,
    /// The arguments of the accepted call that ended the work, as JSON text.
    pub submitted: Option<String>,
}

/// What one call of a tool came to, under the number that the model cites it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedResult {
    /// The number: `tool:3` names the third.
    pub number: u32,
    /// The key of its fact.
    pub key: Key,
    /// The tool, as the fact names it.
    pub tool: String,
    /// False when the tool refused or failed.
    pub ok: bool,
    /// The text, as it is kept.
    pub text: String,
}

impl Agent {
    /// Works on a task until the model is done or a limit is reached.
    ///
    /// Every reply, tool call and hearing is a fact in the scope (`turn-3`, `turn-3/tool-1`,
    /// `turn-3/hear`, `turn-3/summary`, `turn-3/shorter`), so a second drive reads them and goes on behind the last.
    /// What memory said (`recalled`) and what of it was named (`cited`) are facts too.
    /// Text from outside belongs into `task` only as an [`crate::Excerpt`].
    pub async fn work(&self, run: &Run, scope: &Scope, task: &str) -> Result<Worked, RunError> {
        let mut work = self.begin(run, scope, task).await?;
        work.finish().await
    }

    /// As [`Agent::work`]; every result begins with a line `tool:N`, so that the model can cite it.
    ///
    /// Numbers are given in the order of calls, from `first` on. What they stand for comes back
    /// beside the work. In the last turn no tool may be called: what counts is the report.
    pub async fn work_numbered(
        &self,
        run: &Run,
        scope: &Scope,
        task: &str,
        first: u32,
    ) -> Result<(Worked, Vec<NumberedResult>), RunError> {
        let (worked, numbered) = self.work_kept(run, scope, task, first).await?;
        Ok((worked?, numbered))
    }

    /// As [`Agent::work_numbered`]; where the work itself fails, what its tools showed until then comes back
    /// all the same.
    pub async fn work_kept(
        &self,
        run: &Run,
        scope: &Scope,
        task: &str,
        first: u32,
    ) -> Result<(Result<Worked, RunError>, Vec<NumberedResult>), RunError> {
        let mut work = self.begin(run, scope, task).await?.numbered(first);
        let worked = work.finish().await;
        Ok((worked, work.into_numbered()))
    }

    async fn begin<'a>(
        &'a self,
        run: &'a Run,
        scope: &'a Scope,
        task: &str,
    ) -> Result<Work<'a>, RunError> {
        let prompt = Prompt {
            model: &self.model,
            system: &self.system,
            task,
        };
        let recalled = Recollection::of(run, scope, self.recall.as_ref(), prompt).await?;
        Ok(Work::new(self, (run, scope), task, recalled))
    }
}
