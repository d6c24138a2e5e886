//! Over standard input and output: one client, one process, nothing else on the stream.

use rmcp::service::{QuitReason, ServerInitializeError, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::frames::Frames;

/// The longest line that is read.
const LINE: usize = 4 * 1024 * 1024;

/// A conversation that did not begin or broke off.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The other side does not speak MCP.
    #[error("the client did not begin as MCP wants")]
    NotBegun(#[source] Box<ServerInitializeError>),
    /// The serving task broke: a bug of ours.
    #[error("the conversation broke off")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves one client until it hangs up or `stop` ends.
pub async fn serve_stdio<R, W>(
    server: McpServer,
    (input, output): (R, W),
    stop: CancellationToken,
) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = Frames::over(input, output, LINE);
    let begun = server.serve_with_ct(transport, stop).await;
    let running = match begun {
        Ok(running) => running,
        // A client that hangs up before it says anything changed its mind.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(StdioError::NotBegun(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(StdioError::Broken(error)),
        Ok(_) => Ok(()),
    }
}
