//! Who asks is told by what the request offers, so a call that is made again gets the same answer.

use gavel_models::{MessageRole, Part, Reply, Request};
use gavel_testkit::{ScriptedModel, text_reply, tool_reply};

/// One reply: calls as `(tool, arguments)`, or words when there are none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    calls: Vec<(&'static str, String)>,
    words: String,
}

pub(crate) fn says(words: &str) -> Turn {
    Turn {
        calls: Vec::new(),
        words: words.to_owned(),
    }
}

pub(crate) fn writes(files: &[(&str, &str)]) -> Turn {
    let call = |(path, content): &(&str, &str)| {
        let arguments = serde_json::json!({"path": path, "content": content});
        ("write_file", arguments.to_string())
    };
    Turn {
        calls: files.iter().map(call).collect(),
        words: String::new(),
    }
}

pub(crate) fn calls(tool: &'static str, arguments: &str) -> Turn {
    Turn {
        calls: vec![(tool, arguments.to_owned())],
        words: String::new(),
    }
}

pub(crate) fn passes() -> Turn {
    calls("submit_audit", r#"{"verdict":"pass","findings":[]}"#)
}

pub(crate) fn finds(file: &str, message: &str) -> Turn {
    let finding = serde_json::json!({
        "file": file, "line": 1, "severity": "error", "message": message, "evidence": "rule"
    });
    let audit = serde_json::json!({"verdict": "fail", "findings": [finding]});
    calls("submit_audit", &audit.to_string())
}

/// What each role does, turn by turn; past the last turn it says that it is done.
///
/// Auditors and fixers have one list for each round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) coder: Vec<Turn>,
    pub(crate) audits: Vec<Vec<Turn>>,
    pub(crate) fixes: Vec<Vec<Turn>>,
}

impl Script {
    pub(crate) fn model(self) -> ScriptedModel {
        ScriptedModel::by_rule(move |request| Ok(self.reply(request)))
    }

    fn reply(&self, request: &Request) -> Reply {
        if let Some(answer) = &request.answer {
            assert_eq!(answer.name, "phase_plan");
            return text_reply(
                r#"{"files":[{"path":"src/lib.rs","action":"modify","purpose":"code"}],"notes":""}"#,
            );
        }
        let turn = request
            .messages
            .iter()
            .filter(|message| message.role == MessageRole::Assistant)
            .count();
        let done = says("Done.");
        let turns: &[Turn] = match role_of(request) {
            "scout" => &[],
            "coder" => &self.coder,
            "auditor" => self.round(&self.audits, request),
            "fixer" => self.round(&self.fixes, request),
            other => panic!("{other}"),
        };
        let turn_made = turns.get(turn).unwrap_or(&done);
        if turn_made.calls.is_empty() {
            return text_reply(&turn_made.words);
        }
        let ids: Vec<_> = (0..turn_made.calls.len())
            .map(|n| format!("t{turn}-{n}"))
            .collect();
        let made: Vec<_> = turn_made
            .calls
            .iter()
            .zip(&ids)
            .map(|((tool, arguments), id)| (id.as_str(), *tool, arguments.as_str()))
            .collect();
        tool_reply(&made)
    }

    /// Rounds are told apart by a file that each fixer leaves behind.
    fn round<'a>(&self, rounds: &'a [Vec<Turn>], request: &Request) -> &'a [Turn] {
        let task = task_of(request);
        let number = usize::from(task.contains("ROUND-1")) + usize::from(task.contains("ROUND-2"));
        rounds.get(number).map_or(&[], Vec::as_slice)
    }
}

/// Which role a request is for.
pub(crate) fn role_of(request: &Request) -> &'static str {
    let offers = |name: &str| request.tools.iter().any(|tool| tool.name == name);
    if request.answer.is_some() {
        "planner"
    } else if offers("submit_audit") {
        "auditor"
    } else if offers("write_file") && task_of(request).contains("source=\"findings\"") {
        "fixer"
    } else if offers("write_file") {
        "coder"
    } else {
        "scout"
    }
}

/// The first user message.
pub(crate) fn task_of(request: &Request) -> String {
    let task = request
        .messages
        .iter()
        .find(|message| message.role == MessageRole::User);
    let parts = task
        .map(|message| message.parts.clone())
        .unwrap_or_default();
    let texts = parts.into_iter().filter_map(|part| match part {
        Part::Text { text } => Some(text),
        Part::ToolCall { .. } | Part::ToolResult { .. } => None,
    });
    texts.collect()
}
