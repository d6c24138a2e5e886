//! Sessions of the older revisions: so many for each caller. Whoever opens more loses the one that was not
//! used for longest; its client is told `404` and begins anew, as the protocol wants.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{Stream, StreamExt as _};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use tokio::time::Instant;

use super::callers::{CALLER, Caller};

/// Sessions in this process, bounded by caller.
#[derive(Debug)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    most: usize,
    known: Mutex<HashMap<SessionId, Known>>,
}

#[derive(Debug)]
struct Known {
    caller: Option<Caller>,
    used: Instant,
    /// Held by every stream of this session.
    streams: Arc<()>,
}

impl Sessions {
    /// At most so many for each caller.
    pub(super) fn at_most(most: usize) -> Self {
        Self {
            local: LocalSessionManager::default(),
            most,
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a session; gives the one that has to go for it. Those with an open stream stay: there are
    /// no more of them than connections.
    fn note(&self, id: &SessionId, caller: Option<Caller>) -> Option<SessionId> {
        let mut known = self.known();
        let theirs = || known.iter().filter(|(_, session)| session.caller == caller);
        let gone = if theirs().count() < self.most {
            None
        } else {
            let idle = theirs().filter(|(_, session)| Arc::strong_count(&session.streams) == 1);
            let longest = idle.min_by_key(|(_, session)| session.used);
            longest.map(|(id, _)| id.clone())
        };
        if let Some(gone) = &gone {
            known.remove(gone);
        }
        let session = Known {
            caller,
            used: Instant::now(),
            streams: Arc::default(),
        };
        known.insert(id.clone(), session);
        gone
    }

    /// Notes that a session is used; what is given keeps it while it is held.
    fn used(&self, id: &SessionId) -> Option<Arc<()>> {
        let mut known = self.known();
        let session = known.get_mut(id)?;
        session.used = Instant::now();
        Some(session.streams.clone())
    }
}

/// A stream that keeps its session.
fn keeping<S: Stream>(stream: S, session: Option<Arc<()>>) -> impl Stream<Item = S::Item> {
    stream.map(move |message| {
        let _held = &session;
        message
    })
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.local.create_session().await?;
        let caller = CALLER.try_with(|caller| *caller).ok();
        if let Some(gone) = self.note(&id, caller) {
            self.local.close_session(&gone).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        drop(self.used(id));
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.known().remove(id);
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.used(id);
        let stream = self.local.create_stream(id, message).await?;
        Ok(keeping(stream, session))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.used(id);
        let stream = self.local.create_standalone_stream(id).await?;
        Ok(keeping(stream, session))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.used(id);
        let stream = self.local.resume(id, last_event_id).await?;
        Ok(keeping(stream, session))
    }
}
