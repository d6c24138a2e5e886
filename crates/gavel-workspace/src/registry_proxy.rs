//! A small proxy between an install step and the registries: the step's only way out.
//!
//! It passes bytes on to hosts of the allow list and to nobody else; whether a host is on it is
//! decided in `gavel-rules`. It resolves names itself, follows no redirect, keeps nothing, and counts.

mod counts;
mod exchange;
mod head;
mod server_name;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub(crate) use self::counts::Counts;
use self::exchange::Exchange;
use crate::Registries;

/// Connections at once; package managers use fifty or so.
const CONNECTIONS: usize = 256;
/// How long a request's head may take.
const HEAD: Duration = Duration::from_secs(20);
/// How long it may take to reach a host.
const DIAL: Duration = Duration::from_secs(20);
/// How long a connection may lie still.
const IDLE: Duration = Duration::from_secs(120);
/// Bytes of one step in both directions together.
const BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// Serves until it is dropped; then every connection ends.
pub(crate) async fn serve(
    listener: std::net::TcpListener,
    registries: &Registries,
    counts: &Arc<Counts>,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let registries = Arc::new(registries.clone());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (client, _) = accepted?;
                if connections.len() < CONNECTIONS {
                    let registries = Arc::clone(&registries);
                    let counts = Arc::clone(counts);
                    connections.spawn(Exchange { registries, counts }.run(client));
                }
            }
            // Finished ones are collected; how they ended is in the counts.
            Some(_) = connections.join_next() => {}
        }
    }
}

#[cfg(test)]
#[path = "registry_proxy_tests.rs"]
mod tests;
