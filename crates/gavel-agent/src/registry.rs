//! The registry: every tool once, offered to whom the grants name, called as steps of a run.

use std::collections::BTreeMap;
use std::fmt;

use gavel_domain::{Key, Speaker, ToolFinished};
use gavel_models::{ToolCall, ToolSpec};
use gavel_rules::{Bond, check_bound_grant};
use gavel_run::{Blobs, Pure, Recorded, Run, RunError, StepFailure, Tree};
use serde::Serialize;

use crate::result::ToolResult;
use crate::tool::{Erased, ErasedTool};
use crate::{ToolClass, ToolContext, ToolHandler, ToolRefusal};

/// The name under which a call of a tool that does not exist is recorded: facts hold no free text.
const UNKNOWN_TOOL: &str = "unknown";

/// Somebody who calls tools.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who.
    pub speaker: Speaker,
    /// How they proved it.
    pub bond: Bond,
    /// What their tools work with.
    pub context: ToolContext,
}

impl Caller {
    /// A role inside this process.
    pub const fn in_process(role: gavel_domain::Role, context: ToolContext) -> Self {
        let speaker = Speaker {
            door: gavel_domain::Door::Engine,
            role,
            decides: false,
        };
        let bond = Bond::Door;
        Self {
            speaker,
            bond,
            context,
        }
    }
}

/// What a tool call came to.
#[derive(Debug, Clone)]
pub struct ToolAnswer {
    /// The fact.
    pub finished: Recorded<ToolFinished>,
    /// The text that the model sees.
    pub text: String,
}

/// A second tool of the same name, or one that no grant names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name is taken; tools are declared once.
    #[error("there are two tools named `{0}`: rename or remove one")]
    Twice(&'static str),
    /// The grants table does not know it, so nobody could use it.
    #[error("no grant names the tool `{0}`: add it to the table in gavel-rules")]
    NoGrant(&'static str),
}

/// The tools of this program, by name.
#[derive(Default)]
pub struct Registry {
    tools: BTreeMap<&'static str, Box<dyn ErasedTool>>,
}

/// The declared input of a tool step.
#[derive(Debug, Serialize)]
struct CallInput<'a> {
    tool: &'a str,
    arguments: &'a str,
}

impl<'a> CallInput<'a> {
    fn of(call: &'a ToolCall) -> Self {
        Self {
            tool: &call.name,
            arguments: &call.arguments,
        }
    }
}

impl Registry {
    /// Adds a tool.
    pub fn add<H: ToolHandler>(&mut self, handler: H) -> Result<(), RegistryError> {
        if !gavel_rules::granted_tools().any(|tool| tool == H::NAME) {
            return Err(RegistryError::NoGrant(H::NAME));
        }
        if self.tools.contains_key(H::NAME) {
            return Err(RegistryError::Twice(H::NAME));
        }
        self.tools.insert(H::NAME, Box::new(Erased(handler)));
        Ok(())
    }

    /// What a caller's model is offered, in the order of names.
    pub fn specs_for(&self, caller: &Caller) -> Vec<ToolSpec> {
        self.tools
            .values()
            .filter(|tool| check_bound_grant(tool.name(), caller.speaker, caller.bond).is_ok())
            .filter(|tool| tool.works_in(&caller.context))
            .map(|tool| tool.spec())
            .collect()
    }

    /// What a call may do: a call that will be refused changes nothing.
    pub fn class_of(&self, caller: &Caller, call: &ToolCall) -> ToolClass {
        self.allowed(caller, call)
            .map_or(ToolClass::Pure, ErasedTool::class)
    }

    /// Calls a tool, or reads what it answered before.
    ///
    /// A tool that does not exist or is not for the caller, arguments that do not fit, and a tool
    /// that did not succeed are answers that the model sees, not errors of the run.
    pub async fn call(
        &self,
        run: &Run,
        key: Key,
        caller: &Caller,
        call: &ToolCall,
    ) -> Result<ToolAnswer, RunError> {
        let Ready { tool, class } = match self.ready(caller, call) {
            Ok(ready) => ready,
            Err(refusal) => return self.record_refusal(run, key, (caller, call), refusal).await,
        };
        let effect = |blobs: Blobs| async move {
            let outcome = tool.run(&caller.context, &call.arguments).await;
            Ok::<_, StepFailure>(finish(caller, tool.name(), outcome, &blobs))
        };
        let input = CallInput::of(call);
        let finished = match class {
            Class::Pure => run.step(key, Pure, &input, effect).await?,
            Class::Tree(class) => run.step(key, class, &input, effect).await?,
        };
        answer(run, finished).await
    }

    /// Answers a call that is not made, on record like any other.
    pub(crate) async fn refuse(
        &self,
        run: &Run,
        key: Key,
        (caller, call): (&Caller, &ToolCall),
        sentence: &str,
    ) -> Result<ToolAnswer, RunError> {
        let refusal = ToolRefusal::new(sentence);
        self.record_refusal(run, key, (caller, call), refusal).await
    }

    async fn record_refusal(
        &self,
        run: &Run,
        key: Key,
        (caller, call): (&Caller, &ToolCall),
        refusal: ToolRefusal,
    ) -> Result<ToolAnswer, RunError> {
        let name = self.known_name(&call.name);
        let refused = |blobs: Blobs| {
            let refusal = refusal.clone();
            async move { Ok(finish(caller, name, Err(refusal), &blobs)) }
        };
        let finished = run.step(key, Pure, &CallInput::of(call), refused).await?;
        answer(run, finished).await
    }

    fn ready<'a>(&'a self, caller: &'a Caller, call: &ToolCall) -> Result<Ready<'a>, ToolRefusal> {
        let tool = self.allowed(caller, call)?;
        let class = match tool.class() {
            ToolClass::Pure => Class::Pure,
            ToolClass::Tree => Class::Tree(Tree::new(caller.context.tree()?)),
        };
        Ok(Ready { tool, class })
    }

    fn allowed(&self, caller: &Caller, call: &ToolCall) -> Result<&dyn ErasedTool, ToolRefusal> {
        let Some(tool) = self.tools.get(call.name.as_str()) else {
            return Err(self.no_such_tool(caller, &call.name));
        };
        check_bound_grant(tool.name(), caller.speaker, caller.bond)
            .map_err(|denied| ToolRefusal::new(denied.to_string()))?;
        tool.check(&call.arguments)?;
        Ok(tool.as_ref())
    }

    fn no_such_tool(&self, caller: &Caller, name: &str) -> ToolRefusal {
        let yours = self.specs_for(caller);
        let names: Vec<_> = yours.iter().map(|spec| spec.name.as_str()).collect();
        let name: String = name.chars().take(64).collect();
        ToolRefusal::new(format!(
            "there is no tool `{}`; yours are: {}",
            name.escape_debug(),
            names.join(", ")
        ))
    }

    fn known_name(&self, name: &str) -> &'static str {
        let known = self.tools.get_key_value(name);
        known.map_or(UNKNOWN_TOOL, |(name, _)| *name)
    }
}

/// A call that may be made.
struct Ready<'a> {
    tool: &'a dyn ErasedTool,
    class: Class<'a>,
}

enum Class<'a> {
    Pure,
    Tree(Tree<'a>),
}

/// What the model sees is read from the journal, so that both see the same.
async fn answer(run: &Run, finished: Recorded<ToolFinished>) -> Result<ToolAnswer, RunError> {
    let text = run.text(finished.value.result).await?;
    Ok(ToolAnswer { finished, text })
}

/// Makes the result that model and journal see, and the fact that names it.
fn finish(
    caller: &Caller,
    tool: &'static str,
    outcome: Result<crate::ToolOutput, ToolRefusal>,
    blobs: &Blobs,
) -> ToolFinished {
    let (level, source) = match &outcome {
        Ok(output) => (output.level, output.source.clone()),
        Err(refusal) => (refusal.level, refusal.source.clone()),
    };
    let result = ToolResult::new(&caller.context, outcome);
    ToolFinished {
        level,
        source,
        tool: tool.to_owned(),
        ok: result.ok,
        result: blobs.keep(result.text),
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}
