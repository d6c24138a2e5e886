//! Over HTTP: streamable HTTP at `/mcp`, behind an origin check and keys.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use gavel_rules::KeyScope;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::handler::server::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::visits::{Admitted, CameBy};

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// The largest request.
const BODY: usize = 1024 * 1024;
/// How long a client may take over its headers.
const HEADERS: Duration = Duration::from_secs(15);
/// More connections than this wait.
const CONNECTIONS: usize = 256;

type Reply = Response<BoxBody<Bytes, Infallible>>;

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
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(make, sessions, config);
        let door = Arc::new(self.door);
        let mut connections = JoinSet::new();
        loop {
            let room = connections.len() < CONNECTIONS;
            tokio::select! {
                () = stop.cancelled() => break,
                Some(_ended) = connections.join_next(), if !connections.is_empty() => {}
                accepted = self.listener.accept(), if room => match accepted {
                    Ok(accepted) => {
                        connections.spawn(connection(accepted, service.clone(), door.clone()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        // Too many open files pass only with time.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
            }
        }
        connections.shutdown().await;
    }
}

async fn connection<H: ServerHandler>(
    (stream, from): (TcpStream, SocketAddr),
    service: StreamableHttpService<H, LocalSessionManager>,
    door: Arc<HttpDoor>,
) {
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(CameBy(from));
        let (service, door) = (service.clone(), door.clone());
        async move { Ok::<_, Infallible>(answer(request, &service, &door).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

async fn answer<H: ServerHandler>(
    mut request: Request<Incoming>,
    service: &StreamableHttpService<H, LocalSessionManager>,
    door: &HttpDoor,
) -> Reply {
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "there is only /mcp here");
    }
    match admitted(&request, door).await {
        Ok(Some(scope)) => {
            request.extensions_mut().insert(Admitted(scope));
        }
        Ok(None) => {}
        Err(reply) => return *reply,
    }
    service.handle(request).await
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
            Err(Box::new(plain(StatusCode::SERVICE_UNAVAILABLE, busy)))
        }
    }
}

fn unauthorized(sentence: &'static str) -> Reply {
    let mut reply = plain(StatusCode::UNAUTHORIZED, sentence);
    let scheme = http::HeaderValue::from_static("Bearer");
    reply.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    reply
}

fn plain(status: StatusCode, sentence: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from_static(sentence.as_bytes())).boxed());
    *reply.status_mut() = status;
    reply
}
