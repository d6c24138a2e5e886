//! Over HTTP: streamable HTTP at `/mcp`, behind an origin check and keys.
//!
//! Every wait for a client has a deadline, and no client can take all connections, calls or sessions.

mod connections;
mod exchange;

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use gavel_rules::KeyScope;
use http::header::{AUTHORIZATION, CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::handler::server::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::callers::{CALLER, Caller, Callers};
use super::sessions::Sessions;
use super::visits::{Admitted, CameBy};
use connections::{Connections, NotNow, Phase, Slot};
use exchange::{Holding, NoBody, Taken, read_body};

pub(super) use connections::Peer;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// The largest request.
const BODY: usize = 1024 * 1024;

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service<H> = StreamableHttpService<H, Sessions>;

/// What the clients of a door may take, all together and each.
#[derive(Debug, Clone, Copy)]
pub struct HttpLimits {
    /// Connections in all. When they are taken, the one that waits for its client longest goes.
    pub connections: usize,
    /// Connections of one other machine.
    pub per_remote_address: usize,
    /// Requests that one caller has under way; more wait for their turn.
    pub calls: usize,
    /// Sessions of one caller. When they are taken, the one that was not used for longest goes.
    pub sessions: usize,
    /// How long a client may take over the head of a request, and between two.
    pub head: Duration,
    /// How long it may take over the body.
    pub body: Duration,
    /// How long it may take nothing of its answer.
    pub unread: Duration,
    /// How long a request waits for its turn.
    pub turn: Duration,
    /// How long a connection that waits for its client is left alone although all are taken.
    pub grace: Duration,
}

impl HttpLimits {
    /// What a door has when nobody says otherwise. There are more sessions than connections, so one of
    /// them is always without a stream.
    pub const DEFAULT: Self = Self {
        connections: 256,
        per_remote_address: 128,
        calls: 128,
        sessions: 512,
        head: Duration::from_secs(15),
        body: Duration::from_secs(30),
        unread: Duration::from_secs(30),
        turn: Duration::from_secs(10),
        grace: Duration::from_secs(1),
    };
}

/// Knows keys.
pub trait Keys: fmt::Debug + Send + Sync + 'static {
    /// The scope of a key; `None` when there is no such key, or it was revoked.
    fn admit<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyScope>, KeysError>>;
}

/// Keys cannot be looked up now, so nobody is let in by one.
#[derive(Debug, thiserror::Error)]
#[error("keys cannot be looked up")]
pub struct KeysError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A door that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: choose another address")]
    NotBound {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

/// How the door is kept.
#[derive(Debug, Clone)]
pub struct HttpDoor {
    /// Where to listen.
    pub address: SocketAddr,
    /// Who knows the keys.
    pub keys: Arc<dyn Keys>,
    /// True when nobody comes in without a key.
    pub key_required: bool,
    /// Names under which clients may know this server, besides the loopback's.
    pub hosts: Vec<String>,
    /// What clients may take.
    pub limits: HttpLimits,
}

impl HttpDoor {
    /// Listens; the address that came of it is told before anybody is served.
    pub async fn open(self) -> Result<OpenDoor, HttpError> {
        let address = self.address;
        let bound = TcpListener::bind(address).await;
        let listener = bound.map_err(|source| HttpError::NotBound { address, source })?;
        let bound = listener.local_addr();
        let bound = bound.map_err(|source| HttpError::NotBound { address, source })?;
        Ok(OpenDoor {
            door: self,
            listener,
            bound,
        })
    }
}

/// A door that listens.
#[derive(Debug)]
pub struct OpenDoor {
    door: HttpDoor,
    listener: TcpListener,
    bound: SocketAddr,
}

impl OpenDoor {
    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.bound
    }

    /// Serves until `stop` ends.
    pub async fn serve(self, server: super::McpServer, stop: CancellationToken) {
        self.serve_handler(move || Ok(server.clone()), stop).await;
    }

    /// Serves any handler: the suite that checks the protocol brings its own.
    pub(crate) async fn serve_handler<H: ServerHandler>(
        self,
        make: impl Fn() -> std::io::Result<H> + Send + Sync + 'static,
        stop: CancellationToken,
    ) {
        let loopback = ["localhost", "127.0.0.1", "[::1]", "::1"].map(str::to_owned);
        let hosts = loopback.into_iter().chain(self.door.hosts.clone());
        // No page of another site is a client of ours: whoever sends an origin must name this door.
        let port = self.bound.port();
        let origin = |host: &str| format!("http://{host}:{port}");
        let origins = ["localhost", "127.0.0.1", "[::1]"].map(origin);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(BODY)
            .with_cancellation_token(stop.clone());
        let sessions = Arc::new(Sessions::at_most(self.door.limits.sessions));
        let serving = Arc::new(Serving {
            service: StreamableHttpService::new(make, sessions, config),
            callers: Callers::new(self.door.limits.calls),
            door: self.door,
        });
        accept(&self.listener, &serving, &stop).await;
    }
}

/// What every request needs.
struct Serving<H> {
    service: Service<H>,
    callers: Callers,
    door: HttpDoor,
}

/// Takes connections until `stop` ends. Whoever cannot be served now is kept in hand, and the next ones in
/// the queue of the system.
async fn accept<H: ServerHandler>(
    listener: &TcpListener,
    serving: &Arc<Serving<H>>,
    stop: &CancellationToken,
) {
    let connections = Connections::new(serving.door.limits);
    let mut tasks = JoinSet::new();
    let mut in_hand: Option<(TcpStream, SocketAddr)> = None;
    loop {
        let mut look_again = None;
        if let Some((stream, from)) = in_hand.take() {
            match connections.enter(Peer::from(from.ip())) {
                Ok(slot) => {
                    tasks.spawn(connection(stream, from, slot, serving.clone()));
                }
                Err(NotNow::Refused) => refuse(&stream),
                Err(NotNow::Later(at)) => {
                    look_again = Some(at);
                    in_hand = Some((stream, from));
                }
            }
        }
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_ended) = tasks.join_next(), if !tasks.is_empty() => {}
            () = until(look_again), if look_again.is_some() => {}
            accepted = listener.accept(), if in_hand.is_none() => match accepted {
                Ok(accepted) => in_hand = Some(accepted),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    // Too many open files pass only with time.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
    tasks.shutdown().await;
}

async fn until(at: Option<tokio::time::Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Says once, without waiting, that there is no place.
fn refuse(stream: &TcpStream) {
    let busy = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    if let Err(error) = stream.try_write(busy) {
        tracing::debug!(%error, "a refusal could not be sent");
    }
}

async fn connection<H: ServerHandler>(
    stream: TcpStream,
    from: SocketAddr,
    slot: Arc<Slot>,
    serving: Arc<Serving<H>>,
) {
    let limits = serving.door.limits;
    let held = slot.clone();
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(CameBy(from));
        let (serving, slot) = (serving.clone(), held.clone());
        async move { Ok::<_, Infallible>(answer(request, &serving, &slot).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        // It cannot be written for every time that a clock may say.
        .auto_date_header(false)
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(Taken::within(limits.unread, stream)), answer);
    tokio::select! {
        served = served => if let Err(error) = served {
            tracing::debug!(%error, "a connection ended early");
        },
        () = slot.ended() => tracing::debug!(%from, "a connection went for another"),
    }
}

async fn answer<H: ServerHandler>(
    request: Request<Incoming>,
    serving: &Serving<H>,
    slot: &Arc<Slot>,
) -> Reply {
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "there is only /mcp here");
    }
    let scope = match admitted(&request, &serving.door).await {
        Ok(scope) => scope,
        Err(reply) => return *reply,
    };
    let limits = &serving.door.limits;
    let (mut head, body) = request.into_parts();
    let body = match read_body(body, BODY, limits.body).await {
        Ok(body) => body,
        Err(problem) => return without_body(problem),
    };
    let caller = caller(&head, scope, &serving.callers);
    if let Some(scope) = scope {
        head.extensions.insert(Admitted(scope));
    }
    let streams = head.method == Method::GET;
    let mut turn = None;
    if !streams && is_request(&body) {
        turn = serving.callers.turn(caller, limits.turn).await;
        if turn.is_none() {
            let busy = "you have too many requests under way: wait for one of them";
            return later(plain(StatusCode::SERVICE_UNAVAILABLE, busy));
        }
    }
    let busy = slot.during(if streams {
        Phase::Streaming
    } else {
        Phase::Answering
    });
    let request = Request::from_parts(head, Full::new(body));
    let reply = CALLER.scope(caller, serving.service.handle(request)).await;
    reply.map(|body| Holding::until_sent(body, (busy, turn)).boxed())
}

/// Who shares limits with this request: whoever brings the same key, or comes from the same place without one.
fn caller(head: &http::request::Parts, scope: Option<KeyScope>, callers: &Callers) -> Caller {
    let key = head.headers.get(AUTHORIZATION).filter(|_| scope.is_some());
    match (key, head.extensions.get()) {
        (Some(key), _) => callers.with_key(key.as_bytes()),
        (None, Some(CameBy(from))) => Caller::Guest(Peer::from(from.ip())),
        (None, None) => Caller::Guest(Peer::Local),
    }
}

/// True when a body asks for something. Answers and notifications take no turn: they may be what a call
/// under way waits for.
fn is_request(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        method: Option<serde::de::IgnoredAny>,
        id: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice::<Named>(body)
        .is_ok_and(|named| named.method.is_some() && named.id.is_some())
}

fn without_body(problem: NoBody) -> Reply {
    let mut reply = match problem {
        NoBody::Late => plain(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not come in time: send it at once",
        ),
        NoBody::TooLarge => plain(
            StatusCode::PAYLOAD_TOO_LARGE,
            "a request has at most 1048576 bytes",
        ),
        NoBody::Broken => plain(StatusCode::BAD_REQUEST, "the body broke off"),
    };
    // What is left of the body is not read.
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(CONNECTION, close);
    reply
}

fn later(mut reply: Reply) -> Reply {
    let second = HeaderValue::from_static("1");
    reply.headers_mut().insert(RETRY_AFTER, second);
    reply
}

/// The scope of the key that came with a request; `None` when none came and none is needed.
async fn admitted(
    request: &Request<Incoming>,
    door: &HttpDoor,
) -> Result<Option<KeyScope>, Box<Reply>> {
    let Some(header) = request.headers().get(AUTHORIZATION) else {
        if !door.key_required {
            return Ok(None);
        }
        return Err(Box::new(unauthorized(
            "this server wants a key: gavel keys create makes one",
        )));
    };
    let words = header.to_str().ok().and_then(|text| text.split_once(' '));
    let key = words.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, key)) = key else {
        return Err(Box::new(unauthorized(
            "the key must come as: Authorization: Bearer gvl_…",
        )));
    };
    match door.keys.admit(key.trim()).await {
        Ok(Some(scope)) => Ok(Some(scope)),
        Ok(None) => Err(Box::new(unauthorized(
            "the key is not known here, or was revoked: gavel keys list shows those that are",
        ))),
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(%error, cause, "a key could not be looked up");
            let busy = "keys cannot be looked up now: try again";
            Err(Box::new(later(plain(
                StatusCode::SERVICE_UNAVAILABLE,
                busy,
            ))))
        }
    }
}

fn unauthorized(sentence: &'static str) -> Reply {
    let mut reply = plain(StatusCode::UNAUTHORIZED, sentence);
    let scheme = HeaderValue::from_static("Bearer");
    reply.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    reply
}

fn plain(status: StatusCode, sentence: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from_static(sentence.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}
