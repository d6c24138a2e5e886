//! The fake server: described, started, asked, finished.

use std::fmt;
use std::fs::OpenOptions;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use gavel_models::Wire;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::reply::FakeReply;
use super::seen::SeenRequest;
use super::serve;
use super::shared::{Rules, Script, Shared, State};

/// Begins to describe a fake server.
pub fn fake_server() -> FakeServerSetup {
    FakeServerSetup::default()
}

/// A fake server before it starts.
#[derive(Default)]
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

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
