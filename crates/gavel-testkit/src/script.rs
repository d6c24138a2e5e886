//! A model inside the test: queued replies, parked requests, forbidden ones.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::stream;
use gavel_domain::{Billed, StopReason, TokenUsage, Tokens};
use gavel_models::{CallError, CallErrorKind, Delta, Model, Reply, ReplyStream, Request, ToolCall};
use tokio::sync::{Notify, oneshot};

use crate::conversation::{Histories, MAX_REQUEST_BYTES, Piece, Replied, check_pairs, pieces_of};

/// A reply of this text, with a small usage.
pub fn text_reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        stop: StopReason::End,
        usage: small_usage(),
    }
}

/// A reply that makes these calls, given as `(id, tool, JSON arguments)`.
pub fn tool_reply(calls: &[(&str, &str, &str)]) -> Reply {
    Reply {
        text: String::new(),
        tool_calls: calls
            .iter()
            .map(|(id, name, arguments)| ToolCall {
                id: (*id).to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            })
            .collect(),
        stop: StopReason::ToolUse,
        usage: small_usage(),
    }
}

/// An error of this kind that certainly cost nothing.
pub fn unbilled(kind: CallErrorKind) -> CallError {
    CallError::new(kind, Billed::No, "scripted")
}

/// An error of this kind of which nobody knows what it cost.
pub fn maybe_billed(kind: CallErrorKind) -> CallError {
    CallError::new(kind, Billed::Unknown, "scripted")
}

const fn small_usage() -> TokenUsage {
    TokenUsage {
        input: Tokens(10),
        cache_read: Tokens(0),
        cache_write: Tokens(0),
        output: Tokens(5),
    }
}

/// What a request is answered with.
type Answer = Result<Reply, CallError>;

type Rule = Box<dyn Fn(&Request) -> Answer + Send>;

/// A model that does what the test says. Clones are the same model.
///
/// Every request is kept and checked: calls and results pair up, the history of a conversation is
/// only appended to, sizes stay under a cap, no secret that the test named appears. A request that
/// breaks this, or that nobody expected, is refused, and [`ScriptedModel::finish`] fails the test.
#[derive(Clone, Default)]
pub struct ScriptedModel {
    inner: Arc<Mutex<Inner>>,
    arrived: Arc<Notify>,
}

#[derive(Default)]
struct Inner {
    plan: Plan,
    queued: VecDeque<Answer>,
    parked: VecDeque<Parked>,
    requests: Vec<Request>,
    histories: Histories,
    secrets: Vec<String>,
    problems: Vec<String>,
}

#[derive(Default)]
enum Plan {
    /// Answer from the queue; an empty queue is a problem.
    #[default]
    Queue,
    /// Answer by a function.
    Rule(Rule),
    /// Park what the queue has no answer for, until the test answers.
    Park,
    /// No request may come.
    Forbid,
}

/// A request that waits for the test. Dropping it unanswered cuts the reply.
#[derive(Debug)]
pub struct Parked {
    /// What was asked.
    pub request: Request,
    answer: oneshot::Sender<Answer>,
}

impl Parked {
    /// Answers with a text.
    pub fn text(self, text: &str) {
        self.answer(Ok(text_reply(text)));
    }

    /// Answers with tool calls, given as `(id, tool, JSON arguments)`.
    pub fn calls(self, calls: &[(&str, &str, &str)]) {
        self.answer(Ok(tool_reply(calls)));
    }

    /// Answers with an error.
    pub fn error(self, error: CallError) {
        self.answer(Err(error));
    }

    /// Answers. Whoever asked may have gone: then nothing happens.
    pub fn answer(self, answer: Result<Reply, CallError>) {
        drop(self.answer.send(answer));
    }

    /// True when whoever asked has gone.
    pub fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }
}

impl ScriptedModel {
    /// A model without any reply yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A model that answers every request by this function, however often it comes.
    pub fn by_rule(rule: impl Fn(&Request) -> Result<Reply, CallError> + Send + 'static) -> Self {
        let model = Self::default();
        model.lock().plan = Plan::Rule(Box::new(rule));
        model
    }

    /// A model that parks what it has no queued reply for; see [`ScriptedModel::next_parked`].
    pub fn parking() -> Self {
        let model = Self::default();
        model.lock().plan = Plan::Park;
        model
    }

    /// Queues a reply.
    #[must_use]
    pub fn reply(self, reply: Reply) -> Self {
        self.push(Ok(reply));
        self
    }

    /// Queues a reply of this text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.reply(text_reply(text))
    }

    /// Queues a reply with tool calls, given as `(id, tool, JSON arguments)`.
    #[must_use]
    pub fn calls(self, calls: &[(&str, &str, &str)]) -> Self {
        self.reply(tool_reply(calls))
    }

    /// Queues an error.
    #[must_use]
    pub fn error(self, error: CallError) -> Self {
        self.push(Err(error));
        self
    }

    /// Queues an answer later on.
    pub fn push(&self, answer: Result<Reply, CallError>) {
        self.lock().queued.push_back(answer);
    }

    /// Names a value that must never be in a request.
    #[must_use]
    pub fn secret(self, value: &str) -> Self {
        self.lock().secrets.push(value.to_owned());
        self
    }

    /// From now on no request may come, as in a replay.
    pub fn forbid_requests(&self) {
        self.lock().plan = Plan::Forbid;
    }

    /// Waits for the next parked request.
    pub async fn next_parked(&self) -> Parked {
        loop {
            let arrived = self.arrived.notified();
            let parked = self.lock().parked.pop_front();
            if let Some(parked) = parked {
                return parked;
            }
            arrived.await;
        }
    }

    /// How many requests wait for the test.
    pub fn parked(&self) -> usize {
        self.lock().parked.len()
    }

    /// All requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// Fails the test when queued replies remain or a request broke a rule.
    #[expect(clippy::panic, reason = "this is how a harness fails a test")]
    pub fn finish(&self) {
        let inner = self.lock();
        if let Some(problem) = inner.problems.first() {
            panic!("a request broke a rule: {problem}");
        }
        if !inner.queued.is_empty() {
            panic!("{} scripted replies remain", inner.queued.len());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, request: Request) -> Taken {
        let mut inner = self.lock();
        let number = inner.requests.len();
        let problem = inner.check(&request).err();
        inner.requests.push(request.clone());
        if let Some(problem) = problem {
            return inner.refuse(format!("request {number}: {problem}"));
        }
        match (&inner.plan, inner.queued.is_empty()) {
            (Plan::Forbid, _) => inner.refuse(format!("request {number}: none was allowed")),
            (Plan::Rule(rule), _) => Taken::Now(rule(&request)),
            (Plan::Queue, true) => inner.refuse(format!("request {number}: no reply is scripted")),
            (Plan::Park, true) => {
                let (answer, waits) = oneshot::channel();
                inner.parked.push_back(Parked { request, answer });
                Taken::Later(waits)
            }
            (Plan::Queue | Plan::Park, false) => match inner.queued.pop_front() {
                Some(answer) => Taken::Now(answer),
                None => inner.refuse(format!("request {number}: no reply is scripted")),
            },
        }
    }
}

enum Taken {
    Now(Answer),
    Later(oneshot::Receiver<Answer>),
}

impl Inner {
    fn check(&mut self, request: &Request) -> Result<(), String> {
        let json = serde_json::to_string(request).map_err(|error| error.to_string())?;
        if json.len() > MAX_REQUEST_BYTES {
            return Err(format!("{} bytes, cap {MAX_REQUEST_BYTES}", json.len()));
        }
        if self.secrets.iter().any(|secret| json.contains(secret)) {
            return Err("a secret value is in the request".to_owned());
        }
        let pieces = pieces_of(request);
        check_pairs(&pieces)?;
        self.histories.check(&pieces)
    }

    fn refuse(&mut self, problem: String) -> Taken {
        let error = CallError::new(CallErrorKind::Refused, Billed::No, &problem);
        self.problems.push(problem);
        Taken::Now(Err(error))
    }
}

impl Model for ScriptedModel {
    fn stream(&self, request: Request) -> ReplyStream {
        let model = self.clone();
        let deltas = async move {
            let pieces = pieces_of(&request);
            let answer = match model.take(request) {
                Taken::Now(answer) => answer,
                Taken::Later(waits) => {
                    model.arrived.notify_waiters();
                    waits.await.unwrap_or_else(|_| Err(cut()))
                }
            };
            if let Ok(reply) = &answer {
                let reply = Replied::Pieces(pieces_in(reply));
                model.lock().histories.replied(&pieces, reply);
            }
            stream::iter(deltas_of(answer))
        };
        Box::pin(futures_util::StreamExt::flatten(stream::once(deltas)))
    }
}

fn pieces_in(reply: &Reply) -> Vec<Piece> {
    let calls = reply.tool_calls.iter();
    let calls = calls.map(|call| Piece::called(&call.id, &call.name, &call.arguments));
    std::iter::once(Piece::Said(reply.text.clone()))
        .chain(calls)
        .collect()
}

fn cut() -> CallError {
    maybe_billed(CallErrorKind::BadReply(gavel_models::BadReply::Cut))
}

fn deltas_of(answer: Answer) -> Vec<Result<Delta, CallError>> {
    let reply = match answer {
        Ok(reply) => reply,
        Err(error) => return vec![Err(error)],
    };
    let mut deltas = Vec::new();
    if !reply.text.is_empty() {
        deltas.push(Ok(Delta::Text(reply.text.clone())));
    }
    for call in &reply.tool_calls {
        deltas.push(Ok(Delta::ToolStarted {
            name: call.name.clone(),
        }));
    }
    deltas.push(Ok(Delta::Finished(reply)));
    deltas
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.lock();
        f.debug_struct("ScriptedModel")
            .field("requests", &inner.requests.len())
            .field("queued", &inner.queued.len())
            .field("parked", &inner.parked.len())
            .finish()
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
