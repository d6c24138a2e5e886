//! The fake server: its script, its checks, its log.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use gavel_models::Wire;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::http1::Incoming;
use super::reply::FakeReply;
use super::seen::SeenRequest;
use super::serve;
use crate::conversation::{Histories, MAX_REQUEST_BYTES, check_pairs};

type Rule = Box<dyn Fn(&SeenRequest) -> FakeReply + Send>;

/// Begins to describe a fake server.
pub fn fake_server() -> FakeServerSetup {
    FakeServerSetup {
        script: Script {
            queued: VecDeque::new(),
            rule: None,
            seen: Vec::new(),
            histories: Histories::default(),
            problems: Vec::new(),
            log: None,
        },
        rules: Rules {
            secrets: Vec::new(),
            key: None,
            max_bytes: MAX_REQUEST_BYTES,
            models: vec!["fake".to_owned()],
            counted: 10,
        },
        log: None,
    }
}

/// A fake server before it starts.
pub struct FakeServerSetup {
    script: Script,
    rules: Rules,
    log: Option<PathBuf>,
}

impl FakeServerSetup {
    /// Queues a reply.
    #[must_use]
    pub fn reply(mut self, reply: FakeReply) -> Self {
        self.script.queued.push_back(reply);
        self
    }

    /// Answers by this function once the queue is empty. The same request may come again, as after a
    /// kill.
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&SeenRequest) -> FakeReply + Send + 'static) -> Self {
        self.script.rule = Some(Box::new(rule));
        self
    }

    /// Names a value that must never be in a body.
    #[must_use]
    pub fn secret(mut self, value: &str) -> Self {
        self.rules.secrets.push(value.to_owned());
        self
    }

    /// Refuses every request without this key, in the way of its wire, with status 401.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.rules.key = Some(key.to_owned());
        self
    }

    /// Refuses larger bodies.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.rules.max_bytes = bytes;
        self
    }

    /// The models that the server lists.
    #[must_use]
    pub fn models(mut self, models: &[&str]) -> Self {
        self.rules.models = models.iter().map(|model| (*model).to_owned()).collect();
        self
    }

    /// What the server counts for any request.
    #[must_use]
    pub const fn counted(mut self, tokens: u64) -> Self {
        self.rules.counted = tokens;
        self
    }

    /// Also appends every request to this file, one JSON line each, before it is answered:
    /// `{"n", "wire", "digest", "model", "pieces"}`.
    #[must_use]
    pub fn log_to(mut self, file: &Path) -> Self {
        self.log = Some(file.to_owned());
        self
    }

    /// Starts the server on a free port of the loopback interface.
    #[expect(
        clippy::expect_used,
        reason = "a harness that cannot start fails its test"
    )]
    pub fn start(mut self) -> FakeServer {
        self.script.log = self.log.map(|path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.expect("the request log can be opened")
        });
        let listener = StdListener::bind(("127.0.0.1", 0)).expect("a free port on loopback");
        listener
            .set_nonblocking(true)
            .expect("a listener for tokio");
        let address = listener.local_addr().expect("the port is known");
        let shared = Arc::new(Shared {
            script: Mutex::new(self.script),
            rules: self.rules,
            state: watch::Sender::new(State::default()),
        });
        let stop = CancellationToken::new();
        let (served, stopped) = (Arc::clone(&shared), stop.clone());
        let thread = std::thread::spawn(move || run(&served, listener, &stopped));
        FakeServer {
            address,
            shared,
            stop,
            thread: Some(thread),
        }
    }
}

#[expect(
    clippy::expect_used,
    reason = "a harness that cannot start fails its test"
)]
fn run(shared: &Arc<Shared>, listener: StdListener, stop: &CancellationToken) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime for the fake server");
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).expect("a listener for tokio");
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                accepted = listener.accept() => {
                    if let Ok((stream, _)) = accepted {
                        let shared = Arc::clone(shared);
                        connections.spawn(async move { serve::connection(&shared, stream).await });
                    }
                }
                Some(_) = connections.join_next() => {}
            }
        }
    });
}

/// A running fake server. Dropping it ends its connections.
#[derive(Debug)]
pub struct FakeServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl FakeServer {
    /// The base URL for the Anthropic wire.
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for the OpenAI wire.
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The base URL for a wire.
    pub fn url(&self, wire: Wire) -> String {
        match wire {
            Wire::Anthropic => self.anthropic_url(),
            Wire::OpenAi => self.openai_url(),
        }
    }

    /// Queues a reply later on.
    pub fn push(&self, reply: FakeReply) {
        self.shared.script().queued.push_back(reply);
    }

    /// All requests so far, refused ones included.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared.script().seen.clone()
    }

    /// What broke a rule so far.
    pub fn problems(&self) -> Vec<String> {
        self.shared.script().problems.clone()
    }

    /// Waits until this many requests came.
    pub async fn until_requests(&self, count: usize) {
        self.until(|state| state.requests >= count).await;
    }

    /// Waits until this many replies wait at a gate or in a stall.
    pub async fn until_waiting(&self, count: usize) {
        self.until(|state| state.waiting >= count).await;
    }

    /// Waits until clients closed this many connections in the middle of a reply.
    pub async fn until_closed(&self, count: usize) {
        self.until(|state| state.closed >= count).await;
    }

    /// Fails the test when scripted replies remain or a request broke a rule.
    #[expect(clippy::panic, reason = "this is how a harness fails a test")]
    pub fn finish(self) {
        let script = self.shared.script();
        if let Some(problem) = script.problems.first() {
            panic!("a request broke a rule: {problem}");
        }
        if !script.queued.is_empty() {
            panic!("{} scripted replies remain", script.queued.len());
        }
    }

    async fn until(&self, reached: impl Fn(&State) -> bool) {
        let mut states = self.shared.state.subscribe();
        // The sender lives in `self`, so the channel cannot close under us.
        drop(states.wait_for(|state| reached(state)).await);
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread was printed when it happened.
            drop(thread.join());
        }
    }
}

impl fmt::Debug for FakeServerSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeServerSetup").finish_non_exhaustive()
    }
}

/// What the connections share.
pub(super) struct Shared {
    script: Mutex<Script>,
    rules: Rules,
    state: watch::Sender<State>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) requests: usize,
    pub(super) waiting: usize,
    pub(super) closed: usize,
}

struct Script {
    queued: VecDeque<FakeReply>,
    rule: Option<Rule>,
    seen: Vec<SeenRequest>,
    histories: Histories,
    problems: Vec<String>,
    log: Option<File>,
}

struct Rules {
    secrets: Vec<String>,
    key: Option<String>,
    max_bytes: usize,
    models: Vec<String>,
    counted: u64,
}

/// What a connection sends.
pub(super) enum Answer {
    Json(u16, String),
    Scripted(Wire, FakeReply),
}

impl Shared {
    pub(super) const fn max_bytes(&self) -> usize {
        self.rules.max_bytes
    }

    pub(super) fn note(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(change);
    }

    fn script(&self) -> MutexGuard<'_, Script> {
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
        if incoming.body.len() > rules.max_bytes {
            return Err(format!("the body is larger than {} bytes", rules.max_bytes));
        }
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
