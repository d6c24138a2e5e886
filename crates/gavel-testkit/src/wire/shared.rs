//! What the connections share: the script, the rules, the log.

use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gavel_models::Wire;
use serde_json::json;
use tokio::sync::watch;

use super::http1::Incoming;
use super::reply::FakeReply;
use super::seen::SeenRequest;
use crate::conversation::{Histories, MAX_REQUEST_BYTES, check_pairs};

pub(super) type Rule = Box<dyn Fn(&SeenRequest) -> FakeReply + Send>;

/// One server, as its connections see it.
pub(super) struct Shared {
    pub(super) script: Mutex<Script>,
    pub(super) rules: Rules,
    pub(super) state: watch::Sender<State>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// How far the requests are.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) requests: usize,
    pub(super) waiting: usize,
    pub(super) closed: usize,
}

/// What was scripted, and what came of it.
#[derive(Default)]
pub(super) struct Script {
    pub(super) queued: VecDeque<FakeReply>,
    pub(super) rule: Option<Rule>,
    pub(super) seen: Vec<SeenRequest>,
    pub(super) problems: Vec<String>,
    pub(super) log: Option<File>,
    histories: Histories,
}

/// What every request must keep to, and what the other routes answer.
pub(super) struct Rules {
    pub(super) secrets: Vec<String>,
    pub(super) key: Option<String>,
    pub(super) max_bytes: usize,
    pub(super) models: Vec<String>,
    pub(super) counted: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            secrets: Vec::new(),
            key: None,
            max_bytes: MAX_REQUEST_BYTES,
            models: vec!["fake".to_owned()],
            counted: 10,
        }
    }
}

/// What a connection sends.
pub(super) enum Answer {
    Json(u16, String),
    Scripted(Wire, FakeReply),
}

impl Shared {
    pub(super) fn note(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(change);
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn answer(&self, incoming: &Incoming) -> Answer {
        if !self.has_key(incoming) {
            let body = json!({"type": "error", "error":
                {"type": "authentication_error", "message": "invalid x-api-key"}});
            return Answer::Json(401, body.to_string());
        }
        let wire = match (incoming.method.as_str(), incoming.path.as_str()) {
            ("POST", "/v1/messages") => Wire::Anthropic,
            ("POST", "/v1/chat/completions") => Wire::OpenAi,
            ("POST", "/v1/messages/count_tokens") => {
                let body = json!({"input_tokens": self.rules.counted});
                return Answer::Json(200, body.to_string());
            }
            ("GET", "/v1/models" | "/v1/models?limit=1000") => {
                let models = self.rules.models.iter();
                let models: Vec<_> = models
                    .map(|id| json!({"id": id, "object": "model"}))
                    .collect();
                return Answer::Json(200, json!({"object": "list", "data": models}).to_string());
            }
            (method, path) => {
                let problem = format!("no such route: {method} {path}");
                return self.script().refuse(problem);
            }
        };
        let answer = self.script().answer(wire, incoming, &self.rules);
        self.note(|state| state.requests += 1);
        answer
    }

    fn has_key(&self, incoming: &Incoming) -> bool {
        let Some(key) = &self.rules.key else {
            return true;
        };
        let bearer = format!("Bearer {key}");
        incoming.header("x-api-key") == Some(key)
            || incoming.header("authorization") == Some(&bearer)
    }
}

impl Script {
    fn answer(&mut self, wire: Wire, incoming: &Incoming, rules: &Rules) -> Answer {
        let n = self.seen.len();
        if incoming.body.len() > rules.max_bytes {
            let problem = format!("the body is larger than {} bytes", rules.max_bytes);
            return self.refuse(format!("request {n}: {problem}"));
        }
        let request = match SeenRequest::parse(n, wire, incoming) {
            Ok(request) => request,
            Err(problem) => return self.refuse(format!("request {n}: {problem}")),
        };
        self.log(&request);
        self.seen.push(request.clone());
        if let Err(problem) = self.check(&request, incoming, rules) {
            return self.refuse(format!("request {n}: {problem}"));
        }
        let reply = match (self.queued.pop_front(), &self.rule) {
            (Some(reply), _) => reply,
            (None, Some(rule)) => rule(&request),
            (None, None) => {
                let last = request.last_asked().unwrap_or_default();
                let problem = format!("request {n}: no reply is scripted; it asks {last:?}");
                return self.refuse(problem);
            }
        };
        let body = request.body.to_string();
        match reply.expects.iter().find(|text| !body.contains(*text)) {
            Some(text) => {
                let problem = format!("request {n}: expected it to contain\n- {text}\n+ {body}");
                self.refuse(problem)
            }
            None => {
                if let Some(replied) = reply.said() {
                    self.histories.replied(&request.pieces(), replied);
                }
                Answer::Scripted(wire, reply)
            }
        }
    }

    fn check(
        &mut self,
        request: &SeenRequest,
        incoming: &Incoming,
        rules: &Rules,
    ) -> Result<(), String> {
        let body = String::from_utf8_lossy(&incoming.body);
        if rules.secrets.iter().any(|secret| body.contains(secret)) {
            return Err("a secret value is in the body".to_owned());
        }
        let pieces = request.pieces();
        check_pairs(&pieces)?;
        self.histories.check(&pieces)
    }

    fn refuse(&mut self, problem: String) -> Answer {
        let body = json!({"error": {"type": "unexpected_request", "message": problem}});
        self.problems.push(problem);
        Answer::Json(417, body.to_string())
    }

    #[expect(clippy::expect_used, reason = "a log with holes would prove nothing")]
    fn log(&mut self, request: &SeenRequest) {
        let Some(file) = &mut self.log else {
            return;
        };
        let line = json!({
            "n": request.n,
            "wire": match request.wire {
                Wire::Anthropic => "anthropic",
                Wire::OpenAi => "openai",
            },
            "digest": request.digest,
            "model": request.body.get("model"),
            "pieces": request.pieces().len(),
        });
        file.write_all(format!("{line}\n").as_bytes())
            .expect("the request log can be written");
    }
}
