//! One connection: read what is wanted, decide, dial, pass bytes on.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use gavel_domain::HostRefusal;
use gavel_rules::{Destination, NamedBy, may_dial};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::counts::{Counts, Direction};
use super::head::{self, Request};
use super::server_name::{self, Beginning};
use super::{DIAL, HEAD, IDLE};
use crate::Registries;

/// Where nothing but TLS is spoken.
const HTTPS: u16 = 443;

/// The longest answer of another proxy to a request for a tunnel.
const TUNNEL_ANSWER: usize = 8 * 1024;

/// A connection of the step.
pub(super) struct Exchange {
    pub(super) registries: Arc<Registries>,
    pub(super) counts: Arc<Counts>,
}

/// A host that was reached.
struct Reached {
    stream: TcpStream,
    through: Through,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    Nobody,
    Upstream,
}

/// A host that was not reached.
enum NotReached {
    Refused(HostRefusal),
    Failed,
}

impl Exchange {
    /// Serves one connection to its end. Whatever goes wrong ends it.
    pub(super) async fn run(self, mut client: TcpStream) {
        let Ok(Ok(request)) = timeout(HEAD, head::read(&mut client)).await else {
            return;
        };
        let done = match request {
            Request::Tunnel { to, rest } => self.tunnel(&mut client, &to, &rest).await,
            Request::Plain {
                to,
                is_fetch: false,
                ..
            } => self.refuse(&mut client, &to, HostRefusal::NotAFetch).await,
            Request::Plain {
                to,
                is_fetch: true,
                direct,
                forwarded,
                rest,
            } => match self.reach(&to).await {
                Ok(Reached {
                    mut stream,
                    through,
                }) => {
                    let mut first = match through {
                        Through::Nobody => direct,
                        Through::Upstream => forwarded,
                    };
                    first.extend(rest);
                    self.pass(&mut client, &mut stream, (&to, &first)).await
                }
                Err(not) => self.answer(&mut client, &to, not).await,
            },
            Request::Unfit => reply(&mut client, "400 Bad Request", "").await,
        };
        // The other side sees a closed connection; there is nobody else to tell.
        done.ok();
    }

    async fn tunnel(
        &self,
        client: &mut TcpStream,
        to: &Destination,
        rest: &[u8],
    ) -> io::Result<()> {
        let mut reached = match self.reach(to).await {
            Ok(reached) => reached,
            Err(not) => return self.answer(client, to, not).await,
        };
        if reached.through == Through::Upstream
            && !matches!(
                timeout(DIAL, open_tunnel(&mut reached.stream, to)).await,
                Ok(Ok(true))
            )
        {
            return self.answer(client, to, NotReached::Failed).await;
        }
        client
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .await?;
        let mut first = rest.to_vec();
        let Ok(begun) = timeout(HEAD, server_name::read(client, &mut first)).await else {
            return Ok(());
        };
        if let Err(other) = is_for(&begun?, to) {
            // It was let through as another host: nothing of it goes on.
            self.counts.refuse(&other, HostRefusal::NotAllowed);
            return Ok(());
        }
        self.pass(client, &mut reached.stream, (to, &first)).await
    }

    /// Decides and dials. A name is resolved once, and dialled by the addresses that were judged.
    async fn reach(&self, to: &Destination) -> Result<Reached, NotReached> {
        let decided = self.registries.reach.decide(to);
        let named = decided.map_err(NotReached::Refused)?;
        let upstream = self.registries.upstream.as_ref();
        let reached = match upstream.filter(|upstream| upstream.serves(to.host())) {
            Some(upstream) => Reached {
                stream: dial(&upstream.proxy, NamedBy::Person).await?,
                through: Through::Upstream,
            },
            None => Reached {
                stream: dial(to, named).await?,
                through: Through::Nobody,
            },
        };
        self.counts.reached(to);
        Ok(reached)
    }

    async fn answer(
        &self,
        client: &mut TcpStream,
        to: &Destination,
        not: NotReached,
    ) -> io::Result<()> {
        match not {
            NotReached::Refused(reason) => self.refuse(client, to, reason).await,
            NotReached::Failed => {
                self.counts.refuse(to, HostRefusal::Unreachable);
                let text = format!("gavel could not reach {to}\n");
                reply(client, "502 Bad Gateway", &text).await
            }
        }
    }

    async fn refuse(
        &self,
        client: &mut TcpStream,
        to: &Destination,
        reason: HostRefusal,
    ) -> io::Result<()> {
        self.counts.refuse(to, reason);
        let text = format!("gavel does not let install steps talk to {to}\n");
        reply(client, "403 Forbidden", &text).await
    }

    /// Passes bytes on in both directions until both ends are done, one lies still, or the step has
    /// had enough.
    async fn pass(
        &self,
        client: &mut TcpStream,
        host: &mut TcpStream,
        (to, first): (&Destination, &[u8]),
    ) -> io::Result<()> {
        host.write_all(first).await?;
        self.counts.add(to, Direction::ToHost, first.len());
        let (from_client, to_client) = client.split();
        let (from_host, to_host) = host.split();
        let there = self.copy(from_client, to_host, (to, Direction::ToHost));
        let back = self.copy(from_host, to_client, (to, Direction::FromHost));
        tokio::try_join!(there, back)?;
        Ok(())
    }

    async fn copy(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut onto: impl AsyncWrite + Unpin,
        (host, direction): (&Destination, Direction),
    ) -> io::Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = timeout(IDLE, from.read(&mut buffer)).await??;
            if count == 0 {
                return onto.shutdown().await;
            }
            if !self.counts.add(host, direction, count) {
                self.counts.refuse(host, HostRefusal::LimitReached);
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
            let part = buffer.get(..count).unwrap_or_default();
            timeout(IDLE, onto.write_all(part)).await??;
        }
    }
}

/// Is what a tunnel begins with meant for the host that it was asked for? Otherwise the host that it is
/// meant for, as far as that can be told.
fn is_for(begun: &Beginning, to: &Destination) -> Result<(), Destination> {
    let is_address = to.host().parse::<std::net::IpAddr>().is_ok();
    match begun {
        Beginning::Tls(Some(name)) if name == to.host() => Ok(()),
        // Nobody serves an address by a name, but a person may have named it.
        Beginning::Tls(_) if is_address => Ok(()),
        Beginning::Tls(Some(name)) => {
            Err(Destination::new(name, to.port()).unwrap_or_else(|| to.clone()))
        }
        Beginning::Plain if to.port() != HTTPS || is_address => Ok(()),
        Beginning::Tls(None) | Beginning::Plain | Beginning::Unread => Err(to.clone()),
    }
}

async fn dial(to: &Destination, named: NamedBy) -> Result<TcpStream, NotReached> {
    let resolve = tokio::net::lookup_host((to.host(), to.port()));
    let Ok(Ok(found)) = timeout(DIAL, resolve).await else {
        return Err(NotReached::Failed);
    };
    let found: Vec<SocketAddr> = found.collect();
    let judge = |address: &SocketAddr| may_dial(named, address.ip());
    // One that leads home among public ones is no mistake.
    found
        .iter()
        .try_for_each(judge)
        .map_err(NotReached::Refused)?;
    match timeout(DIAL, TcpStream::connect(found.as_slice())).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(_)) | Err(_) => Err(NotReached::Failed),
    }
}

/// Asks another proxy for a tunnel; false when it says no.
async fn open_tunnel(proxy: &mut TcpStream, to: &Destination) -> io::Result<bool> {
    let request = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n");
    proxy.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    // Byte by byte: what follows the head belongs to the tunnel.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() > TUNNEL_ANSWER {
            return Ok(false);
        }
        answer.push(proxy.read_u8().await?);
    }
    let text = String::from_utf8_lossy(&answer);
    Ok(text
        .split(' ')
        .nth(1)
        .is_some_and(|code| code.starts_with('2')))
}

async fn reply(client: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}
