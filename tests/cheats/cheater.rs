//! A coder of new projects that does its work as the offline model does, and then spoils it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::{FutureExt as _, StreamExt as _, stream};
use gavel_domain::StopReason;
use gavel_models::{CallError, Delta, Message, Model, Part, Reply, ReplyStream, Request, ToolCall};
use gavel_offline::Offline;
use gavel_testkit::{FakeServer, fake_server, model_rule};
use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::bench::run_id;
use crate::product_hot::project;
use crate::studio::{IDEA, Served, Speaks, Studio, shape};

/// The files that a coder has written so far, by path.
pub(super) type Files = BTreeMap<String, String>;

/// What is written over honest work: paths and texts.
pub(super) type Spoil = fn(&Files) -> Vec<(String, String)>;

/// The beginning of the ids of calls with which work is spoiled.
const SPOILING: &str = "spoil-";

struct Cheater {
    retold: Arc<Retold>,
    files: Mutex<Files>,
    spoil: Spoil,
    when: When,
}

/// When a coder spoils its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Always.
    Always,
    /// Until it is told that its tests are hollow.
    UntilTold,
}

impl Cheater {
    /// What the offline model says, until it would hand its code over.
    fn answer(&self, mut request: Request) -> Result<Reply, CallError> {
        self.retold.as_known(&mut request);
        let writes = request.tools.iter().any(|tool| tool.name == "write_file");
        let mut parts = request.messages.iter().flat_map(|message| &message.parts);
        let is_told =
            |part: &Part| matches!(part, Part::Text { text } if text.contains("is hollow: "));
        let told = self.when == When::UntilTold && parts.clone().any(is_told);
        let spoiled =
            parts.any(|part| matches!(part, Part::ToolCall { id, .. } if id.starts_with(SPOILING)));
        let mut files = self.files.lock().unwrap();
        for message in &request.messages {
            note_files(message, &mut files);
        }
        let mut reply = honest(request)?;
        if spoiled {
            // The rules would see that it is not what they wrote, and write it again.
            reply.tool_calls.clear();
            reply.stop = StopReason::End;
            reply.text = "Done.".to_owned();
            return Ok(reply);
        }
        if !writes || !reply.tool_calls.is_empty() {
            return Ok(reply);
        }
        let writes = (self.spoil)(&files);
        if writes.is_empty() || told {
            return Ok(reply);
        }
        reply.tool_calls = (1..)
            .zip(&writes)
            .map(|(number, (path, content))| ToolCall {
                id: format!("{SPOILING}{number}"),
                name: "write_file".to_owned(),
                arguments: json!({"path": path, "content": content}).to_string(),
            })
            .collect();
        reply.stop = StopReason::ToolUse;
        Ok(reply)
    }
}

/// Keeps what honest calls in a message wrote.
fn note_files(message: &Message, files: &mut Files) {
    for part in &message.parts {
        if let Part::ToolCall {
            id,
            name,
            arguments,
            ..
        } = part
            && name == "write_file"
            && !id.starts_with(SPOILING)
            && let Ok(call) = serde_json::from_str::<Value>(arguments)
            && let (Some(path), Some(content)) = (call["path"].as_str(), call["content"].as_str())
        {
            files.insert(path.to_owned(), content.to_owned());
        }
    }
}

fn honest(request: Request) -> Result<Reply, CallError> {
    let deltas = Offline.stream(request).collect::<Vec<_>>().now_or_never();
    for delta in deltas.unwrap_or_default() {
        if let Delta::Finished(reply) = delta? {
            return Ok(reply);
        }
    }
    panic!("the offline model answers at once")
}

impl Model for Cheater {
    fn stream(&self, request: Request) -> ReplyStream {
        let said = self.answer(request).map(Delta::Finished);
        Box::pin(stream::iter([said]))
    }
}

/// A leader with few criteria, and with another example of one of them where it is told. Its contracts speak
/// of the program as the offline model knows it.
struct Terse {
    criteria: Criteria,
    retold: Arc<Retold>,
}

impl Model for Terse {
    fn stream(&self, request: Request) -> ReplyStream {
        let is_spec = request
            .answer
            .as_ref()
            .is_some_and(|answer| answer.name == "spec");
        let mut request = overlooking(request);
        let swaps = self.retold.as_known(&mut request);
        let said = honest(request).map(|mut reply| {
            for call in &mut reply.tool_calls {
                for Swap { shown, known } in &swaps {
                    call.arguments = call.arguments.replace(known, shown);
                }
            }
            if is_spec {
                reply.text = self.shortened(&reply.text);
            }
            Delta::Finished(reply)
        });
        Box::pin(stream::iter([said]))
    }
}

/// An example as everybody else reads it, and as the offline model knows it.
struct Swap {
    shown: String,
    known: String,
}

/// An example as it stands in the contract of the phases.
fn indented(example: &str) -> String {
    let lines = example.lines().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A request without the names of files that were there.
fn overlooking(mut request: Request) -> Request {
    let there = [
        "Cargo.toml",
        "Cargo.lock",
        "src/lib.rs",
        "src/prices.rs",
        "tests/kept.rs",
        "Makefile",
    ];
    let parts = request.messages.iter_mut();
    for part in parts.flat_map(|message| &mut message.parts) {
        if let Part::Text { text } = part {
            let lines = text.lines().filter(|line| !there.contains(&line.trim()));
            *text = lines.collect::<Vec<_>>().join("\n");
        }
    }
    request
}

/// Does something to everything that the model is told, results of its calls among it.
fn each_text(request: &mut Request, change: impl Fn(&mut String)) {
    let messages = request.messages.iter_mut();
    for part in messages.flat_map(|message| &mut message.parts) {
        match part {
            Part::Text { text } => change(text),
            Part::ToolResult { text, .. } => change(text),
            Part::ToolCall { .. } => {}
        }
    }
}

/// A text as it stands inside a string of JSON.
fn in_json(text: &str) -> String {
    let quoted = json!(text).to_string();
    let inner = quoted
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap().to_owned()
}

impl Criteria {
    /// Another example of the one criterion.
    const fn example(self) -> Option<&'static str> {
        match self {
            Self::All | Self::Few => None,
            Self::Served => Some(OVER_HTTP),
            Self::Idle => Some("$ list\nlacks Nothing-of-that"),
            Self::Summed => Some("$ total 12 30\nhas 42"),
        }
    }
}

/// The other example, which the offline model does not know: whoever is that model reads and writes the one
/// that it knows.
struct Retold {
    criteria: Criteria,
    plain: Mutex<String>,
}

impl Retold {
    /// Has a request speak of the example that is known; what was put in the place of what.
    fn as_known(&self, request: &mut Request) -> Vec<Swap> {
        let swaps = self.swaps();
        each_text(request, |text| {
            for Swap { shown, known } in &swaps {
                *text = text.replace(shown, known);
            }
        });
        swaps
    }

    /// Both forms of the other example, plain and inside a string of JSON, alone and in a contract.
    fn swaps(&self) -> Vec<Swap> {
        let known = self.plain.lock().unwrap().clone();
        let Some(shown) = self.criteria.example().filter(|_| !known.is_empty()) else {
            return Vec::new();
        };
        let (shown_there, known_there) = (indented(shown), indented(&known));
        let swap = |shown: &str, known: &str| Swap {
            shown: shown.to_owned(),
            known: known.to_owned(),
        };
        vec![
            swap(&in_json(&shown_there), &in_json(&known_there)),
            swap(&shown_there, &known_there),
            swap(&in_json(shown), &in_json(&known)),
            swap(shown, &known),
        ]
    }
}

impl Terse {
    fn shortened(&self, spec: &str) -> String {
        let mut spec: Value = serde_json::from_str(spec).unwrap();
        let all = spec["criteria"].as_array_mut().unwrap();
        all.retain(|one| FEW.contains(&one["id"].as_str().unwrap()));
        if let Some(example) = self.criteria.example() {
            let one = all.iter_mut().find(|one| one["id"] == SHOWN).unwrap();
            let plain = one["example"].as_str().unwrap().to_owned();
            *self.retold.plain.lock().unwrap() = plain;
            one["example"] = json!(example);
        }
        spec.to_string()
    }
}

/// The criterion whose example may be another one.
pub(super) const SHOWN: &str = FEW[1];
/// What a server must do, which [`Criteria::Served`] adds to a program of commands.
const OVER_HTTP: &str = "server serve --port {port}\nPOST /items {\"title\": \"Amber lamp\"}\nstatus 201\n\
    GET /items\njson /0/title \"Amber lamp\"";

/// How much a new project is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Criteria {
    /// All fourteen of the offline model.
    All,
    /// Three of them.
    Few,
    /// The three, of which one is to be had over HTTP.
    Served,
    /// The three, with an example of one that a program keeps by doing nothing.
    Idle,
    /// The three, with an example of one whose number is computed.
    Summed,
}

/// The few.
pub(super) const FEW: [&str; 3] = ["bookmark_is_listed", "bookmark_is_deleted", "help"];

/// A run of a new project with a coder that spoils its work.
pub(super) fn build(criteria: Criteria, spoil: Spoil) -> Outcome {
    build_within("2", criteria, (spoil, When::Always))
}

/// The same within so many sprints.
pub(super) fn build_within(
    sprints: &str,
    criteria: Criteria,
    (spoil, when): (Spoil, When),
) -> Outcome {
    let crew = Crew::of((spoil, when), criteria);
    let leader = match criteria {
        Criteria::All => "offline",
        Criteria::Few | Criteria::Served | Criteria::Idle | Criteria::Summed => "terse/rules",
    };
    let studio = crew.studio(leader);
    let ended = studio.start(&["--yes", "--max-sprints", sprints, "--non-interactive"]);
    let folder = studio.bench.folder().join("project/made");
    crew.finish();
    Outcome {
        studio,
        ended,
        folder,
    }
}

/// The same in a repository that holds something already, with three criteria. The leader overlooks what
/// is there: the offline model only plans new programs.
pub(super) fn in_repository(files: &[(&str, &str)], spoil: Spoil) -> Outcome {
    let crew = Crew::of((spoil, When::Always), Criteria::Few);
    let studio = crew.studio("terse/rules");
    let folder = project(&studio, files);
    let id = run_id().to_string();
    let ended = studio.run(&[
        "start",
        IDEA,
        "--run",
        &id,
        "--force-council",
        "--yes",
        "--max-sprints",
        "2",
        "--non-interactive",
    ]);
    crew.finish();
    Outcome {
        studio,
        ended,
        folder,
    }
}

/// A coder that spoils its work, and a leader with few criteria.
struct Crew {
    criteria: Criteria,
    evil: FakeServer,
    terse: FakeServer,
}

impl Crew {
    fn of((spoil, when): (Spoil, When), criteria: Criteria) -> Self {
        let retold = Arc::new(Retold {
            criteria,
            plain: Mutex::default(),
        });
        Self {
            criteria,
            evil: served(Cheater {
                retold: Arc::clone(&retold),
                files: Mutex::new(Files::new()),
                spoil,
                when,
            }),
            terse: served(Terse { criteria, retold }),
        }
    }

    fn studio(&self, leader: &str) -> Studio {
        // Whoever audits reads the contracts, with the example in them.
        let auditor = match self.criteria.example() {
            Some(_) => "terse/rules",
            None => "offline",
        };
        let settings = format!(
            "[models]\npaid = \"agreed\"\n\
             slots = {{ leader = \"{leader}\", coder = \"evil/rules\", auditor = \"{auditor}\", \
             judge = \"offline\", stances = [] }}\n[proof]\nmutants = 2\n"
        );
        let model = |name, server| Served {
            name,
            server,
            speaks: Speaks::OpenAi,
        };
        let models = [model("evil", &self.evil), model("terse", &self.terse)];
        Studio::with(&settings, &models)
    }

    fn finish(self) {
        self.evil.finish();
        self.terse.finish();
    }
}

fn served(model: impl Model + 'static) -> FakeServer {
    fake_server().rule(model_rule(model, shape)).start()
}
