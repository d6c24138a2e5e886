//! What a seat looks up for itself before it speaks: at most two calls that only read, in its first reply.

use std::sync::Arc;

use gavel_agent::{Caller, ReadFile, Registry, RegistryError, SearchCode, ToolHandler as _};
use gavel_domain::{Role, Scope};
use gavel_models::{ModelInfo, ToolCall};
use gavel_run::RunError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Edition;
use crate::chamber::{Chamber, SPEECH};
use crate::tools::{SearchMemory, Within, research_tools};

/// The most calls of one turn.
const MOST: usize = 2;
/// The hundredths of the room that their results take.
const SHARE: usize = 10;
/// More lines of a file are asked for by another call.
const LINES: u32 = 120;
const OFFERED: &str = "Before you speak you may look up at most two things that decide where you stand: name \
    them under `look_up`, leave `text` short, and you are asked once more with what was found. Leave it empty \
    when you can speak.";
const SHOWN: &str = "What you asked for stands under `looked_up`. Lines of files can be cited as `path:line`, \
    items of memory as `memory:ID`. Speak now.";

/// Something that a seat wants to see before it speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LookUp {
    /// By which tool.
    pub(crate) tool: SeatTool,
    /// For `read_file` a path, with a first line as `docs/load.md:40`; for a search the words.
    pub(crate) what: String,
}

/// A tool that a seat may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SeatTool {
    ReadFile,
    SearchCode,
    SearchMemory,
}

impl SeatTool {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ReadFile => ReadFile::NAME,
            Self::SearchCode => SearchCode::NAME,
            Self::SearchMemory => SearchMemory::NAME,
        }
    }

    fn arguments(self, what: &str) -> Value {
        match self {
            Self::ReadFile => {
                let (path, from) = path_and_line(what);
                json!({"path": path, "from": from, "lines": LINES})
            }
            Self::SearchCode => json!({"pattern": what, "literal": true, "ignore_case": true}),
            Self::SearchMemory => json!({"query": what}),
        }
    }
}

/// What a seat was shown.
pub(crate) struct SeatLookup {
    /// The names of the tools that were called.
    pub(crate) tools: Vec<String>,
    /// What is said to the seat with it.
    pub(crate) task: String,
}

impl Chamber<'_> {
    /// What seats may call; nothing where there is nothing to look into.
    pub(crate) fn seat_tools(&self) -> Vec<SeatTool> {
        let mut tools = Vec::new();
        if self.council.edition < Edition::Second {
            return tools;
        }
        if self.has_files {
            tools.extend([SeatTool::ReadFile, SeatTool::SearchCode]);
        }
        if self.run.memory().is_some() || !self.memory.is_empty() {
            tools.push(SeatTool::SearchMemory);
        }
        tools
    }

    /// A seat's task, with the offer to look something up.
    pub(crate) fn offering(&self, task: &str, tools: &[SeatTool]) -> String {
        if tools.is_empty() {
            return task.to_owned();
        }
        format!("{task}\n\n{OFFERED}")
    }

    /// Calls what a seat asked for; each call is a fact in the scope (`look-1` …).
    pub(crate) async fn look_up_for_seat(
        &self,
        scope: &Scope,
        model: &ModelInfo,
        wanted: &[LookUp],
    ) -> Result<SeatLookup, RunError> {
        let registry = self.seat_registry().map_err(|error| RunError::Brief {
            run: self.run.id(),
            problem: error.to_string(),
        })?;
        let caller = Caller::in_process(Role::Stance, self.council.context.clone());
        let mut tools = Vec::new();
        let mut shown = String::new();
        for (number, look_up) in (1..).zip(wanted.iter().take(MOST)) {
            let LookUp { tool, what } = look_up;
            let call = ToolCall {
                id: format!("look-{number}"),
                name: tool.name().to_owned(),
                arguments: tool.arguments(what).to_string(),
            };
            let key = scope.key(&format!("look-{number}"))?;
            let answer = registry.call(self.run, key, &caller, &call).await?;
            let name = tool.name();
            shown.push_str(&format!(
                "{name} {}:\n{}\n\n",
                what.escape_debug(),
                answer.text
            ));
            tools.push(name.to_owned());
        }
        let mut task = self.task("", model, SPEECH);
        task.data("looked_up", &shown, SHARE);
        task.words(SHOWN);
        Ok(SeatLookup {
            tools,
            task: task.into_text(),
        })
    }

    fn seat_registry(&self) -> Result<Arc<Registry>, RegistryError> {
        let within = Within {
            files: self.has_files,
            memory: self.run.memory(),
            notes: &self.memory,
            sources: false,
        };
        research_tools(within).map(Arc::new)
    }
}

/// `docs/load.md:40` names a first line; a path without one begins at the first.
fn path_and_line(what: &str) -> (&str, u32) {
    let what = what.trim();
    let with_line = what.rsplit_once(':').and_then(|(path, line)| {
        let first = line.split('-').next()?;
        Some((path, first.parse().ok()?))
    });
    with_line.unwrap_or((what, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_name_its_first_line() {
        for (what, read) in [
            ("docs/load.md", ("docs/load.md", 1)),
            ("docs/load.md:40", ("docs/load.md", 40)),
            (" docs/load.md:40-60 ", ("docs/load.md", 40)),
            ("odd:name.md", ("odd:name.md", 1)),
            ("", ("", 1)),
        ] {
            assert_eq!(path_and_line(what), read, "{what}");
        }
    }

    #[test]
    fn every_tool_gets_arguments_that_it_reads() {
        let arguments = |tool: SeatTool| tool.arguments("docs/load.md:7").to_string();
        assert_eq!(
            arguments(SeatTool::ReadFile),
            r#"{"from":7,"lines":120,"path":"docs/load.md"}"#
        );
        assert!(arguments(SeatTool::SearchCode).contains(r#""literal":true"#));
        assert_eq!(
            arguments(SeatTool::SearchMemory),
            r#"{"query":"docs/load.md:7"}"#
        );
    }
}
