//! The one way out: clients, deadlines, and what a status means.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use gavel_domain::Billed;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, Response};
use tokio::time::{Instant, timeout_at};

use crate::{CallError, CallErrorKind, DeadlineKind, Deadlines, Endpoint};

/// The most bytes read of an error's body.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// How many clients are kept; they differ only in how long they wait for a connection.
const MAX_CLIENTS: usize = 8;

/// Installs the TLS provider of the process. Calling it again changes nothing.
pub fn install_tls() {
    // The error says that somebody installed a provider before, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// HTTP clients, made when the first call needs one: making one reads the system's certificates.
#[derive(Debug, Default)]
pub struct Http {
    clients: Mutex<BTreeMap<(Duration, Route), Client>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Route {
    /// On this machine: never through a proxy.
    Loopback,
    Outside,
}

/// What is sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) endpoint: Endpoint,
    pub(crate) method: Method,
    pub(crate) route: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The clocks of one call, running.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocks {
    connect: Duration,
    idle: Duration,
    first_byte: Instant,
    total: Instant,
}

impl Clocks {
    /// Starts them.
    pub(crate) fn start(deadlines: &Deadlines) -> Self {
        let now = Instant::now();
        Self {
            connect: deadlines.connect,
            idle: deadlines.idle,
            first_byte: later(now, deadlines.first_byte),
            total: later(now, deadlines.total),
        }
    }

    fn first(&self) -> (Instant, DeadlineKind) {
        self.sooner(self.first_byte, DeadlineKind::FirstByte)
    }

    fn next(&self) -> (Instant, DeadlineKind) {
        self.sooner(later(Instant::now(), self.idle), DeadlineKind::Idle)
    }

    fn sooner(&self, at: Instant, kind: DeadlineKind) -> (Instant, DeadlineKind) {
        if self.total < at {
            (self.total, DeadlineKind::Total)
        } else {
            (at, kind)
        }
    }
}

/// A moment after another; one that no clock can hold is as good as a year away.
fn later(from: Instant, by: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    from.checked_add(by).unwrap_or(from + YEAR)
}

/// A reply's body, piece by piece.
#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    clocks: Clocks,
    started: bool,
}

impl Body {
    /// The next piece; `None` at the end that the server announced.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, CallError> {
        let (at, kind) = if self.started {
            self.clocks.next()
        } else {
            self.clocks.first()
        };
        match timeout_at(at, self.response.chunk()).await {
            Ok(Ok(piece)) => {
                self.started = true;
                Ok(piece)
            }
            Ok(Err(error)) => Err(cut(&error)),
            Err(_) => Err(late(kind)),
        }
    }

    /// Reads the end, which stands right behind the wire's own end mark: a connection read to its
    /// end can be used again. A server that dawdles loses the connection, not our time.
    pub(crate) async fn close(mut self) {
        const PATIENCE: Duration = Duration::from_millis(5);
        drop(tokio::time::timeout(PATIENCE, self.response.chunk()).await);
    }

    /// The whole body, up to a size.
    async fn whole(&mut self, max: usize) -> Result<Vec<u8>, CallError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next().await? {
            let room = max.saturating_sub(bytes.len());
            bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if piece.len() >= room {
                break;
            }
        }
        Ok(bytes)
    }
}

impl Http {
    /// Sends a request and returns the body of a good reply; it must be of this content type.
    pub(crate) async fn open(
        self: Arc<Self>,
        outgoing: Outgoing,
        clocks: Clocks,
        content_type: &str,
    ) -> Result<Body, CallError> {
        let Outgoing {
            endpoint,
            method,
            route,
            headers,
            body,
        } = outgoing;
        let client = self.client(&endpoint, clocks.connect)?;
        let request = client
            .request(method, endpoint.url(route))
            .headers(headers)
            .body(body);
        let (at, kind) = clocks.first();
        let response = match timeout_at(at, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(not_sent(&error)),
            Err(_) => return Err(late(kind)),
        };
        let status = response.status();
        let headers = response.headers().clone();
        let mut body = Body {
            response,
            clocks,
            started: false,
        };
        if !status.is_success() {
            // What the server says is only for people: a broken body changes nothing.
            let said = body.whole(MAX_ERROR_BYTES).await.unwrap_or_default();
            let said = endpoint.scrub(&String::from_utf8_lossy(&said));
            let error = crate::status::error_of(status, &headers, &said);
            if error.kind != CallErrorKind::WrongAddress {
                return Err(error);
            }
            // The remedy is in the address, so the address is told.
            let message = format!("{}: {}", endpoint.url(route), error.message);
            let message = endpoint.scrub(&message);
            return Err(CallError::new(error.kind, error.billed, &message));
        }
        let found = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("none");
        if !found.starts_with(content_type) {
            let message = format!("expected {content_type}, got {found}");
            return Err(crate::error::bad_reply(
                crate::BadReply::Malformed,
                &message,
            ));
        }
        Ok(body)
    }

    /// Sends a request and returns the whole body of a good JSON reply.
    pub(crate) async fn json(
        self: Arc<Self>,
        outgoing: Outgoing,
        deadlines: &Deadlines,
    ) -> Result<serde_json::Value, CallError> {
        /// A list of models can be long; this is only a bound.
        const MAX_JSON_BYTES: usize = 8 * 1024 * 1024;
        let clocks = Clocks::start(deadlines);
        let mut body = Box::pin(self.open(outgoing, clocks, "application/json")).await?;
        let bytes = body.whole(MAX_JSON_BYTES).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            crate::error::bad_reply(crate::BadReply::Malformed, &error.to_string())
        })
    }

    fn client(&self, endpoint: &Endpoint, connect: Duration) -> Result<Client, CallError> {
        let route = if endpoint.is_loopback() {
            Route::Loopback
        } else {
            Route::Outside
        };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&(connect, route)) {
            return Ok(client.clone());
        }
        let client = build(route, connect)?;
        if clients.len() >= MAX_CLIENTS {
            clients.clear();
        }
        clients.insert((connect, route), client.clone());
        Ok(client)
    }
}

fn build(route: Route, connect: Duration) -> Result<Client, CallError> {
    install_tls();
    let builder = Client::builder()
        .user_agent(concat!("gavel/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        // A redirect would carry the key elsewhere; a retry would buy a reply twice.
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    let builder = match route {
        Route::Loopback => builder.no_proxy(),
        Route::Outside => builder,
    };
    builder
        .build()
        .map_err(|error| CallError::new(CallErrorKind::Network, Billed::No, &chain(&error)))
}

fn late(kind: DeadlineKind) -> CallError {
    CallError::new(CallErrorKind::Deadline(kind), Billed::Unknown, "")
}

fn cut(error: &reqwest::Error) -> CallError {
    crate::error::bad_reply(crate::BadReply::Cut, &chain(error))
}

/// No reply came. Only without a connection is it certain that nothing was bought.
fn not_sent(error: &reqwest::Error) -> CallError {
    let kind = if error.is_connect() && error.is_timeout() {
        CallErrorKind::Deadline(DeadlineKind::Connect)
    } else {
        CallErrorKind::Network
    };
    let billed = if error.is_connect() || error.is_builder() {
        Billed::No
    } else {
        Billed::Unknown
    };
    CallError::new(kind, billed, &chain(error))
}

/// The error and its causes in one line; `reqwest` hides the telling part inside.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}
