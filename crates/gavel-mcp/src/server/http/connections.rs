//! Who holds the door's connections, and who has to go when all are taken.
//!
//! A connection waits for its client, streams to it, or is answering a request. Only what is answering is
//! never ended for a newcomer; so whoever sends half a request, or nothing, holds a connection as long as
//! nobody else wants it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::HttpLimits;

/// Where a connection comes from, as far as one client can be told from another by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::server) enum Peer {
    /// This machine: all its processes, whichever loopback address they take.
    Local,
    /// Another machine.
    Remote(IpAddr),
}

impl From<IpAddr> for Peer {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            address if address.is_loopback() => Self::Local,
            address @ IpAddr::V4(_) => Self::Remote(address),
            // Whoever has one address of IPv6 has all of its network.
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                Self::Remote(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
        }
    }
}

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The client has to send something: a head, a body, the next request.
    Waiting,
    /// A stream stays open for whatever comes; clients open it again when it ends.
    Streaming,
    /// A request is being answered.
    Answering,
}

#[derive(Debug)]
struct Held {
    peer: Peer,
    phase: Phase,
    since: Instant,
    end: CancellationToken,
}

/// What becomes of a newcomer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Free,
    InPlaceOf(u64),
    /// Its address has its share, and all of that is in use.
    Refused,
    /// Everything is in use or came just now: look again then.
    Later(Instant),
}

/// A newcomer that is not served now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotNow {
    /// Too many from its address.
    Refused,
    /// Look again then.
    Later(Instant),
}

/// All connections of a door.
#[derive(Debug)]
pub(super) struct Connections {
    limits: HttpLimits,
    held: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    rows: BTreeMap<u64, Held>,
}

impl Connections {
    pub(super) fn new(limits: HttpLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            held: Mutex::default(),
        })
    }

    /// Takes a newcomer in; another one may have to go for it.
    pub(super) fn enter(self: &Arc<Self>, peer: Peer) -> Result<Arc<Slot>, NotNow> {
        let now = Instant::now();
        let mut table = self.table();
        match entry(&table.rows, peer, now, &self.limits) {
            Entry::Free => {}
            Entry::InPlaceOf(id) => {
                if let Some(gone) = table.rows.remove(&id) {
                    gone.end.cancel();
                }
            }
            Entry::Refused => return Err(NotNow::Refused),
            Entry::Later(at) => return Err(NotNow::Later(at)),
        }
        let id = table.next;
        table.next += 1;
        let end = CancellationToken::new();
        let held = Held {
            peer,
            phase: Phase::Waiting,
            since: now,
            end: end.clone(),
        };
        table.rows.insert(id, held);
        let connections = self.clone();
        Ok(Arc::new(Slot {
            id,
            end,
            connections,
        }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pure decision: who goes for a newcomer. Of the address that holds most, the one that waits or
/// streams longest, those that wait first.
fn entry(rows: &BTreeMap<u64, Held>, newcomer: Peer, now: Instant, limits: &HttpLimits) -> Entry {
    let mut shares: BTreeMap<Peer, usize> = BTreeMap::new();
    for held in rows.values() {
        *shares.entry(held.peer).or_default() += 1;
    }
    let share = |peer: Peer| shares.get(&peer).copied().unwrap_or_default();
    let share_is_full = newcomer != Peer::Local && share(newcomer) >= limits.per_remote_address;
    if !share_is_full && rows.len() < limits.connections {
        return Entry::Free;
    }
    let may_go = |(_, held): &(&u64, &Held)| {
        held.phase != Phase::Answering && (!share_is_full || held.peer == newcomer)
    };
    let ripe = |held: &Held| held.since + limits.grace <= now;
    let candidates = || rows.iter().filter(may_go);
    let chosen = candidates()
        .filter(|(_, held)| ripe(held))
        .min_by_key(|(_, held)| (held.phase, usize::MAX - share(held.peer), held.since));
    match chosen {
        Some((id, _)) => Entry::InPlaceOf(*id),
        None if share_is_full => Entry::Refused,
        None => {
            let first = candidates().map(|(_, held)| held.since).min();
            Entry::Later(first.unwrap_or(now) + limits.grace)
        }
    }
}

/// A connection's own entry: gone with its last holder.
#[derive(Debug)]
pub(super) struct Slot {
    id: u64,
    end: CancellationToken,
    connections: Arc<Connections>,
}

impl Slot {
    /// Ends when the connection has to go.
    pub(super) async fn ended(&self) {
        self.end.cancelled().await;
    }

    /// Notes what the connection does until the guard is dropped; then it waits for its client again.
    pub(super) fn during(self: &Arc<Self>, phase: Phase) -> Busy {
        self.note(phase);
        Busy(self.clone())
    }

    fn note(&self, phase: Phase) {
        if let Some(held) = self.connections.table().rows.get_mut(&self.id) {
            held.phase = phase;
            held.since = Instant::now();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.table().rows.remove(&self.id);
    }
}

/// A connection that does not wait for its client.
#[derive(Debug)]
pub(super) struct Busy(Arc<Slot>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.note(Phase::Waiting);
    }
}

#[cfg(test)]
#[path = "connections_tests.rs"]
mod tests;
