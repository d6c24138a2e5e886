//! A desk to play at: a tree in memory, the contracts, and the tools that an agent would have.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use gavel_domain::Tokens;
use gavel_models::{
    AnswerSchema, CallError, Delta, Limits, Message, MessageRole, Model as _, Part, Reply, Request,
    ToolChoice, ToolSpec,
};
use gavel_offline::{Offline, info};
use serde_json::{Value, json};

/// The most turns of one piece of work.
const TURNS: usize = 40;

/// What tools work with.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    /// The tree.
    pub(crate) files: BTreeMap<String, String>,
    /// Contracts by kind.
    pub(crate) contracts: BTreeMap<String, String>,
    /// What `gavel_get_project_context` tells.
    pub(crate) project: BTreeMap<&'static str, String>,
    /// The most bytes of the results of one reply.
    pub(crate) reply_bytes: usize,
    /// What is wrong with the next submissions.
    pub(crate) refusals: Vec<String>,
}

/// What playing came to.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) text: String,
    pub(crate) submitted: Option<Value>,
    pub(crate) turns: usize,
}

/// Asks once.
pub(crate) fn ask(request: &Request) -> Result<Reply, CallError> {
    let mut stream = Offline.stream(request.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let mut reply = None;
        while let Some(delta) = stream.next().await {
            assert!(reply.is_none(), "something follows the end");
            if let Delta::Finished(whole) = delta? {
                reply = Some(whole);
            }
        }
        Ok(reply.unwrap())
    })
}

/// Text between tags.
pub(crate) fn data(source: &str, text: &str) -> String {
    let tag = if text.contains("</data") {
        "data-1"
    } else {
        "data"
    };
    format!("<{tag} source=\"{source}\">\n{text}\n</{tag}>")
}

pub(crate) fn request(task: &str, tools: &[&str]) -> Request {
    let tool = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        schema: json!({"type": "object"}),
    };
    Request {
        model: info().unwrap().id,
        messages: vec![
            Message::text(MessageRole::System, "Rules."),
            Message::text(MessageRole::User, task),
        ],
        tools: tools.iter().map(tool).collect(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(14_000),
            deadlines: gavel_models::Deadlines::default(),
        },
    }
}

/// A question with a shape.
pub(crate) fn shaped(shape: &str, pieces: &[(&str, &str)]) -> Request {
    let pieces: Vec<String> = pieces
        .iter()
        .map(|(source, text)| data(source, text))
        .collect();
    let mut request = request(&format!("Answer.\n{}", pieces.join("\n\n")), &[]);
    request.answer = Some(AnswerSchema {
        order: gavel_models::FieldOrder::default(),
        name: shape.to_owned(),
        schema: json!({}),
    });
    request
}

pub(crate) fn ask_for(shape: &str, pieces: &[(&str, &str)]) -> Value {
    let reply = ask(&shaped(shape, pieces)).unwrap();
    serde_json::from_str(&reply.text).unwrap()
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            files: BTreeMap::new(),
            contracts: BTreeMap::new(),
            project: BTreeMap::new(),
            reply_bytes: 40_000,
            refusals: Vec::new(),
        }
    }

    /// Plays until the work is handed in, or a reply calls no tool.
    pub(crate) fn play(&mut self, task: &str, tools: &[&str]) -> Played {
        let mut request = request(task, tools);
        for turns in 1..=TURNS {
            let reply = ask(&request).unwrap();
            let submitting = |name: &str| name.starts_with("submit_");
            if reply.tool_calls.is_empty() {
                let text = reply.text;
                return Played {
                    text,
                    submitted: None,
                    turns,
                };
            }
            let mut parts = Vec::new();
            let mut results = Vec::new();
            let bytes = (self.reply_bytes / reply.tool_calls.len()).min(20_000);
            for call in reply.tool_calls {
                assert!(
                    tools.contains(&call.name.as_str()),
                    "{} is not offered",
                    call.name
                );
                let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                let (ok, text) = self.tool(&call.name, &arguments, bytes);
                if ok && submitting(&call.name) {
                    return Played {
                        text: reply.text,
                        submitted: Some(arguments),
                        turns,
                    };
                }
                results.push(Part::ToolResult {
                    id: call.id.clone(),
                    ok,
                    text,
                });
                let (id, name, arguments) = (call.id, call.name, call.arguments);
                parts.push(Part::ToolCall {
                    id,
                    name,
                    arguments,
                });
            }
            for (role, parts) in [
                (MessageRole::Assistant, parts),
                (MessageRole::User, results),
            ] {
                request.messages.push(Message {
                    role,
                    parts,
                    cache_here: false,
                });
            }
        }
        panic!("no end after {TURNS} turns");
    }

    fn tool(&mut self, name: &str, arguments: &Value, bytes: usize) -> (bool, String) {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let from = arguments["from"].as_u64().unwrap_or(1);
        let path = text("path");
        match name {
            "gavel_get_project_context" => {
                let about = text("about");
                page(&about, self.project.get(about.as_str()), from, bytes)
            }
            "gavel_get_contract" if text("kind") == "phases" => (
                false,
                "the contract phases is not handed out whole".to_owned(),
            ),
            "gavel_get_contract" => page(
                &text("kind"),
                self.contracts.get(&text("kind")),
                from,
                bytes,
            ),
            "gavel_get_phase_window" => {
                let phase = arguments["phase"].as_u64().unwrap();
                page("phases.md", self.window(phase).as_ref(), from, bytes)
            }
            "submit_contract" | "submit_audit" => match self.refusals.pop() {
                Some(refusal) => (false, refusal),
                None => (true, "taken".to_owned()),
            },
            "list_directory" => {
                let names: Vec<&str> = self.files.keys().map(String::as_str).collect();
                (
                    true,
                    format!(
                        "/: {} entries\n{}",
                        names.len(),
                        data("names", &names.join("\n"))
                    ),
                )
            }
            "read_file" => match self.files.get(&path) {
                Some(file) => numbered(&path, file, from, bytes),
                None => (false, format!("`{path}` is not there")),
            },
            "write_file" => {
                self.files.insert(path, text("content"));
                (true, "written".to_owned())
            }
            "edit_file" => {
                let file = self.files.get_mut(&path).unwrap();
                assert_eq!(file.matches(&text("old")).count(), 1, "{path}");
                *file = file.replace(&text("old"), &text("new"));
                (true, "edited".to_owned())
            }
            "search_code" => self.search(&text("pattern"), &text("glob")),
            other => panic!("no tool {other}"),
        }
    }

    fn window(&self, phase: u64) -> Option<String> {
        let text = self.contracts.get("phases")?;
        let start = text.find(&format!("\n## Phase {phase}"))?;
        let end = text
            .find(&format!("\n## Phase {}", phase + 2))
            .unwrap_or(text.len());
        Some(format!("Window\n{}", text.get(start..end)?))
    }

    fn search(&self, pattern: &str, glob: &str) -> (bool, String) {
        let regex = regex::Regex::new(pattern).unwrap();
        let (folder, ending) = glob.split_once("**").unwrap();
        let ending = ending.trim_start_matches("/*");
        let mut lines = String::new();
        let mut count = 0;
        for (path, text) in &self.files {
            if !path.starts_with(folder) || !path.ends_with(ending) {
                continue;
            }
            for (line, number) in text.lines().zip(1..) {
                if regex.is_match(line) && count < 100 {
                    count += 1;
                    lines.push_str(&format!("{path}:{number}: {line}\n"));
                }
            }
        }
        match count {
            0 => (true, "no line matches".to_owned()),
            _ => (
                true,
                format!("{count} lines match\n{}", data("lines", &lines)),
            ),
        }
    }
}

fn page(source: &str, text: Option<&String>, from: u64, bytes: usize) -> (bool, String) {
    let Some(text) = text else {
        return (false, format!("{source} is not written yet"));
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    paged(source, &lines, from, bytes)
}

fn numbered(path: &str, text: &str, from: u64, bytes: usize) -> (bool, String) {
    let lines: Vec<String> = text
        .lines()
        .zip(1..)
        .map(|(line, number)| format!("{number}\t{line}\n"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    paged(path, &lines, from, bytes)
}

fn paged(source: &str, lines: &[&str], from: u64, bytes: usize) -> (bool, String) {
    let (total, from) = (lines.len(), usize::try_from(from).unwrap());
    let mut shown = String::new();
    let mut last = from - 1;
    for line in lines.iter().skip(from - 1) {
        if !shown.is_empty() && shown.len() + line.len() > bytes {
            break;
        }
        shown.push_str(line);
        last += 1;
    }
    let more = if last < total {
        format!("; go on with from={}", last + 1)
    } else {
        String::new()
    };
    let mut shown = data(source, shown.trim_end_matches('\n'));
    if last < total {
        shown = shown.replacen("\">", "\" cut=\"some bytes left out\">", 1);
    }
    (
        true,
        format!("{source}: lines {from}-{last} of {total}{more}\n{shown}"),
    )
}
