//! A model that fails on purpose: the rules, with flaws.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::{FutureExt as _, StreamExt as _, stream};
use gavel_domain::StopReason;
use gavel_models::{Delta, Model, Part, Reply, ReplyStream, Request};
use gavel_offline::Offline;
use gavel_testkit::{FakeServer, fake_server, model_rule};

use crate::studio::{Served, Speaks, Studio, shape};

/// The rules, but their tests fail in some sprints and nobody mends them there: `flaws` says how many
/// in which sprint.
pub(crate) struct Clumsy {
    pub(crate) flaws: fn(u32) -> usize,
    /// How it fails.
    pub(crate) manner: Manner,
    pub(crate) sprint: AtomicU32,
}

/// What a refusing model adds to a README.
const NOTED: &str = "\nWritten in sprint ";

/// How a clumsy model fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// In another way each sprint, so that files do change.
    Restless,
    /// In the same way each sprint.
    Stubborn,
    /// In the same way, and writing it again and again.
    Forgetful,
    /// By leaving out what the tests are run with.
    Bare,
    /// By never agreeing to ship what it builds.
    Refusing,
}

impl Model for Clumsy {
    fn stream(&self, request: Request) -> ReplyStream {
        let plans = request
            .answer
            .as_ref()
            .is_some_and(|answer| answer.name == "phase_plan");
        if plans {
            self.sprint.fetch_add(1, Ordering::Relaxed);
        }
        let sprint = self.sprint.load(Ordering::Relaxed);
        let flaws = (self.flaws)(sprint);
        let rules = rules_of(&request);
        let bare = self.manner == Manner::Bare;
        let refuses = self.manner == Manner::Refusing;
        let request = match self.manner {
            Manner::Restless | Manner::Stubborn | Manner::Bare | Manner::Refusing => {
                believing(request)
            }
            Manner::Forgetful => request,
        };
        let mark = match self.manner {
            Manner::Restless => sprint,
            Manner::Stubborn | Manner::Forgetful | Manner::Bare | Manner::Refusing => 0,
        };
        let deltas = Offline.stream(request).collect::<Vec<_>>().now_or_never();
        let deltas = deltas.unwrap().into_iter().map(move |delta| match delta {
            Ok(Delta::Finished(reply)) if flaws > 0 && rules.starts_with("You mend") => {
                Ok(Delta::Finished(gives_up(&reply)))
            }
            Ok(Delta::Finished(reply)) if refuses => {
                Ok(Delta::Finished(noted(unwilling(reply), sprint)))
            }
            Ok(Delta::Finished(reply))
                if bare && flaws > 0 && rules.starts_with("You write the code") =>
            {
                Ok(Delta::Finished(without_manifest(reply)))
            }
            Ok(Delta::Finished(reply)) if rules.starts_with("You write the code") => {
                Ok(Delta::Finished(spoiled(reply, (mark, flaws))))
            }
            other => other,
        });
        Box::pin(stream::iter(deltas.collect::<Vec<_>>()))
    }
}

fn rules_of(request: &Request) -> String {
    let parts = request.messages.first().into_iter();
    let parts = parts.flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolCall { .. } | Part::ToolResult { .. } => None,
    });
    texts.collect()
}

/// The rules are to believe that they wrote what they meant to, else they write it again.
fn believing(mut request: Request) -> Request {
    let parts = request.messages.iter_mut();
    for part in parts.flat_map(|message| &mut message.parts) {
        if let Part::ToolCall { arguments, .. } = part {
            *arguments = arguments.replace("\"notes.txt\"", "\"Cargo.toml\"");
            for sprint in 1..=9 {
                let noted = format!("{NOTED}{sprint}\n").replace('\n', "\\n");
                *arguments = arguments.replace(&noted, "");
            }
            for mark in 0..=9 {
                let panics = format!(r#"\n    panic!(\"not yet\");// {mark}"#);
                *arguments = arguments.replace(&panics, "");
            }
        }
    }
    request
}

fn gives_up(reply: &Reply) -> Reply {
    Reply {
        text: "Cannot: it is beyond me".to_owned(),
        tool_calls: Vec::new(),
        stop: StopReason::End,
        usage: reply.usage,
    }
}

/// Whoever is asked whether to ship says no.
fn unwilling(mut reply: Reply) -> Reply {
    reply.text = reply.text.replace("\"ship\":true", "\"ship\":false");
    reply
}

/// The README says which sprint it was, so that files do change.
fn noted(mut reply: Reply, sprint: u32) -> Reply {
    for call in &mut reply.tool_calls {
        let mut arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
        if let ("README.md", Some(text)) = (
            arguments["path"].as_str().unwrap_or_default(),
            arguments["content"].as_str(),
        ) {
            arguments["content"] = format!("{text}{NOTED}{sprint}\n").into();
            call.arguments = arguments.to_string();
        }
    }
    reply
}

/// What should be the manifest is a note.
fn without_manifest(mut reply: Reply) -> Reply {
    for call in &mut reply.tool_calls {
        call.arguments = call.arguments.replace("\"Cargo.toml\"", "\"notes.txt\"");
    }
    reply
}

/// The first tests of every file of tests fail.
fn spoiled(mut reply: Reply, (mark, flaws): (u32, usize)) -> Reply {
    for call in &mut reply.tool_calls {
        let mut arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
        let tests = arguments["path"]
            .as_str()
            .is_some_and(|path| path.starts_with("tests/"));
        if let (true, Some(content)) = (tests, arguments["content"].as_str()) {
            let mut pieces = content.split("#[test]").map(str::to_owned);
            let mut spoiled = pieces.next().unwrap_or_default();
            for (place, piece) in pieces.enumerate() {
                let panics = format!("{{\n    panic!(\"not yet\");// {mark}\n");
                let broken = piece.replacen("{\n", &panics, 1);
                spoiled += "#[test]";
                spoiled += if place < flaws { &broken } else { &piece };
            }
            arguments["content"] = spoiled.into();
            call.arguments = arguments.to_string();
        }
    }
    reply
}

/// A server with a clumsy model behind it.
pub(crate) fn clumsy(manner: Manner, flaws: fn(u32) -> usize) -> FakeServer {
    let sprint = AtomicU32::new(0);
    let model = Clumsy {
        flaws,
        manner,
        sprint,
    };
    fake_server().rule(model_rule(model, shape)).start()
}

const ONE_MODEL: &str =
    "[models]\npaid = \"agreed\"\nslots = { leader = \"clumsy/rules\", stances = [] }\n";

/// One clumsy model does everything.
pub(crate) fn studio(server: &FakeServer) -> Studio {
    let model = Served {
        name: "clumsy",
        server,
        speaks: Speaks::Anthropic,
    };
    Studio::with(ONE_MODEL, &[model])
}
