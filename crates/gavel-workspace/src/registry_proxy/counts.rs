//! What went where, and what was refused.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gavel_domain::{HostRefusal, HostRefused, HostTraffic};
use gavel_rules::Destination;

use super::BYTES;

/// Names that are kept; a program that tries more is not worth a longer list.
const NAMES: usize = 64;

/// Counts of one step.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    total: u64,
    hosts: BTreeMap<Destination, Traffic>,
    refused: BTreeMap<(Destination, HostRefusal), u32>,
}

#[derive(Debug, Default)]
struct Traffic {
    sent: u64,
    received: u64,
}

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    ToHost,
    FromHost,
}

impl Counts {
    /// Notes that a host was reached.
    pub(super) fn reached(&self, host: &Destination) {
        self.with(|inner| {
            inner.hosts.entry(host.clone()).or_default();
        });
    }

    /// Counts bytes; false when the step has used up what it may have.
    pub(super) fn add(&self, host: &Destination, direction: Direction, bytes: usize) -> bool {
        self.with(|inner| {
            let bytes = bytes as u64;
            let traffic = inner.hosts.entry(host.clone()).or_default();
            match direction {
                Direction::ToHost => traffic.sent += bytes,
                Direction::FromHost => traffic.received += bytes,
            }
            inner.total += bytes;
            inner.total <= BYTES
        })
    }

    /// Notes a refusal.
    pub(super) fn refuse(&self, host: &Destination, reason: HostRefusal) {
        self.with(|inner| {
            let key = (host.clone(), reason);
            if inner.refused.len() < NAMES || inner.refused.contains_key(&key) {
                let times = inner.refused.entry(key).or_default();
                *times = times.saturating_add(1);
            }
        });
    }

    /// The hosts that were reached, by name.
    pub(crate) fn hosts(&self) -> Vec<HostTraffic> {
        self.with(|inner| {
            let row = |(host, traffic): (&Destination, &Traffic)| HostTraffic {
                host: host.host().to_owned(),
                port: host.port(),
                sent: traffic.sent,
                received: traffic.received,
            };
            inner.hosts.iter().map(row).collect()
        })
    }

    /// The hosts that were refused, by name.
    pub(crate) fn refused(&self) -> Vec<HostRefused> {
        self.with(|inner| {
            let row = |((host, reason), times): (&(Destination, HostRefusal), &u32)| HostRefused {
                host: host.host().to_owned(),
                port: host.port(),
                reason: *reason,
                times: *times,
            };
            inner.refused.iter().map(row).collect()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
