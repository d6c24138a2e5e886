//! The port that every model stands behind.

use std::pin::Pin;

use futures_util::Stream;

use crate::{CallError, Delta, Request};

/// The reply as it comes: any number of parts, then exactly one [`Delta::Finished`] or one error.
pub type ReplyStream = Pin<Box<dyn Stream<Item = Result<Delta, CallError>> + Send>>;

/// Something that answers requests: a provider, a server on this machine, the offline rules.
///
/// Implementors guarantee: one request on the wire per call and no retry; a stream that ends with
/// `Finished` or an error, never silently; dropping the stream closes the connection; the stream is
/// cut once the output passes `request.limits.max_output`; every deadline of the request holds.
pub trait Model: Send + Sync {
    /// Sends the request and streams the reply.
    fn stream(&self, request: Request) -> ReplyStream;
}
