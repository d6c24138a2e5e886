//! Who calls over HTTP, and how much one caller may have at the same time.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::http::Peer;

tokio::task_local! {
    /// Who makes the request that this task answers: the session manager is not told otherwise.
    pub(super) static CALLER: Caller;
}

/// One that shares limits with nobody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// Whoever comes from there without a key.
    Guest(Peer),
    /// Whoever brings that key. Keys are told apart by digests, and kept nowhere.
    Key(u64),
}

/// The requests under way, counted by caller.
#[derive(Debug)]
pub(super) struct Callers {
    digests: RandomState,
    most: usize,
    calls: Mutex<HashMap<Caller, Arc<Semaphore>>>,
}

impl Callers {
    pub(super) fn new(most: usize) -> Self {
        Self {
            digests: RandomState::new(),
            most,
            calls: Mutex::default(),
        }
    }

    /// The caller that brought a key. The key was looked up: there are as many callers as keys.
    pub(super) fn with_key(&self, key: &[u8]) -> Caller {
        Caller::Key(self.digests.hash_one(key))
    }

    /// A call of this caller, once one of its earlier ones has ended; nothing if that takes too long.
    pub(super) async fn turn(
        &self,
        caller: Caller,
        time: Duration,
    ) -> Option<OwnedSemaphorePermit> {
        let calls = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Semaphore::new(self.most));
            calls.entry(caller).or_insert_with(new).clone()
        };
        let turn = tokio::time::timeout(time, calls.acquire_owned()).await;
        turn.ok()?.ok()
    }
}
