//! Who calls: fixed at the start, or by the key that an HTTP request brought; narrowed by a handle.

use gavel_agent::{Refused, Visit};
use gavel_rules::KeyScope;
use rmcp::ErrorData;

use super::{Context, McpServer};

/// The key of `_meta` that brings a handle.
const META_HANDLE: &str = "gavel/context";

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
        let in_meta = context.meta.0.get(META_HANDLE);
        let handle = handle.or_else(|| in_meta.and_then(|handle| handle.as_str()));
        self.shop.desk.narrow(&mut visit, handle)?;
        Ok(visit)
    }

    /// The visit of a request that has no result to carry a refusal.
    pub(super) fn visit_of_list(&self, context: &Context) -> Result<Visit, ErrorData> {
        self.visit(context, None)
            .map_err(|refused| ErrorData::invalid_params(refused.message, None))
    }
}
