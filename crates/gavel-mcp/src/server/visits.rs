//! Who calls: fixed at the start, or by the key that an HTTP request brought; narrowed by a handle.

use std::net::SocketAddr;

use gavel_agent::{Refused, Visit};
use gavel_rules::KeyScope;
use rmcp::ErrorData;

use super::{Context, McpServer};

/// The key of `_meta` that brings a handle.
const META_HANDLE: &str = "gavel/context";

/// The header that names a session, in the revisions that have sessions.
const SESSION: &str = "mcp-session-id";

/// The connection that an HTTP request came by.
#[derive(Debug, Clone, Copy)]
pub(super) struct CameBy(pub(super) SocketAddr);

/// What tells one client of this process from another, by the best that its request brought.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    /// A session of the protocol.
    Session(Vec<u8>),
    /// A handle of `gavel_set_session`.
    Handle(String),
    /// A key.
    Key(Vec<u8>),
    /// A connection.
    Connection(SocketAddr),
    /// The one client at the other end of standard input and output.
    TheOnlyOne,
}

/// Who made a request, with the handle that it brought as an argument.
pub(super) fn whose(context: &Context, handle: Option<&str>) -> Whose {
    let parts = context.extensions.get::<http::request::Parts>();
    let header = |name: &str| {
        let value = parts.and_then(|parts| parts.headers.get(name));
        value.map(|value| value.as_bytes().to_vec())
    };
    if let Some(session) = header(SESSION) {
        return Whose::Session(session);
    }
    if let Some(handle) = handle.or_else(|| in_meta(context)) {
        return Whose::Handle(handle.to_owned());
    }
    if let Some(key) = header(http::header::AUTHORIZATION.as_str()) {
        return Whose::Key(key);
    }
    let came = parts.and_then(|parts| parts.extensions.get());
    came.map_or(Whose::TheOnlyOne, |CameBy(address)| {
        Whose::Connection(*address)
    })
}

fn in_meta(context: &Context) -> Option<&str> {
    context.meta.0.get(META_HANDLE)?.as_str()
}

/// What the door found out about an HTTP request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admitted(pub(super) KeyScope);

impl McpServer {
    /// The visit of a request, with the handle that it brought as an argument.
    pub(super) fn visit(&self, context: &Context, handle: Option<&str>) -> Result<Visit, Refused> {
        let mut visit = self.shop.visitor.clone();
        visit.cancel = context.ct.clone();
        let parts = context.extensions.get::<http::request::Parts>();
        if let Some(Admitted(scope)) = parts.and_then(|parts| parts.extensions.get()) {
            visit.scope = *scope;
        }
        let handle = handle.or_else(|| in_meta(context));
        self.shop.desk.narrow(&mut visit, handle)?;
        Ok(visit)
    }

    /// The visit of a request that has no result to carry a refusal.
    pub(super) fn visit_of_list(&self, context: &Context) -> Result<Visit, ErrorData> {
        self.visit(context, None)
            .map_err(|refused| ErrorData::invalid_params(refused.message, None))
    }
}
