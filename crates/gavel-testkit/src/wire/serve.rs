//! One connection of the fake server.

use gavel_models::Wire;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::http1;
use super::render::{End, Rendered, render};
use super::reply::{FakeReply, Gate, Kind};
use super::shared::{Answer, Shared};

/// Whether the connection can carry another request.
#[derive(PartialEq, Eq)]
enum After {
    Again,
    Close,
}

/// Serves requests until the client goes or a reply ends the connection.
pub(super) async fn connection(shared: &Shared, mut stream: TcpStream) {
    // Without this a reply of many small chunks waits for acknowledgements.
    drop(stream.set_nodelay(true));
    while let Some(incoming) = http1::read(&mut stream).await {
        let written = match shared.answer(&incoming) {
            Answer::Json(status, body) => {
                let kind = ("content-type".to_owned(), "application/json".to_owned());
                http1::write_whole(&mut stream, status, &[kind], body.as_bytes())
                    .await
                    .map(|()| After::Again)
            }
            Answer::Scripted(wire, reply) => scripted(shared, &mut stream, wire, &reply).await,
        };
        match written {
            Ok(After::Again) => {}
            Ok(After::Close) => break,
            Err(_) => {
                shared.note(|state| state.closed += 1);
                break;
            }
        }
    }
    // The other side may have gone already.
    drop(stream.shutdown().await);
}

async fn scripted(
    shared: &Shared,
    stream: &mut TcpStream,
    wire: Wire,
    reply: &FakeReply,
) -> std::io::Result<After> {
    match &reply.kind {
        Kind::Status {
            status,
            headers,
            body,
        } => {
            http1::write_whole(stream, *status, headers, body.as_bytes()).await?;
            Ok(After::Again)
        }
        Kind::CloseBeforeHeaders => Ok(After::Close),
        Kind::StallBeforeHeaders => {
            wait_for_end(shared, stream).await;
            Ok(After::Close)
        }
        Kind::Turn(_) | Kind::Raw { .. } | Kind::Endless(_) => match render(reply, wire) {
            Some(rendered) => streamed(shared, stream, rendered, reply.gate.as_ref()).await,
            None => Ok(After::Close),
        },
    }
}

async fn streamed(
    shared: &Shared,
    stream: &mut TcpStream,
    rendered: Rendered,
    gate: Option<&Gate>,
) -> std::io::Result<After> {
    http1::begin(stream, &rendered.content_type).await?;
    for bytes in &rendered.chunks {
        if let Some(gate) = gate
            && !gate.try_pass()
            && !pass(shared, stream, gate).await
        {
            return Ok(After::Close);
        }
        http1::chunk(stream, bytes).await?;
    }
    match rendered.end {
        End::Neat => {
            http1::end(stream).await?;
            Ok(After::Again)
        }
        End::Broken => Ok(After::Close),
        End::Stall => {
            wait_for_end(shared, stream).await;
            Ok(After::Close)
        }
        End::Repeat => loop {
            let last = rendered.chunks.last().map_or(&[][..], Vec::as_slice);
            http1::chunk(stream, last).await?;
            // The write buffer alone would take megabytes before the client is ever asked.
            tokio::task::yield_now().await;
        },
    }
}

/// Waits at the gate; false when the client went first.
async fn pass(shared: &Shared, stream: &mut TcpStream, gate: &Gate) -> bool {
    shared.note(|state| state.waiting += 1);
    let passed = tokio::select! {
        () = gate.pass() => true,
        () = http1::gone(stream) => false,
    };
    shared.note(|state| {
        state.waiting -= 1;
        state.closed += usize::from(!passed);
    });
    passed
}

async fn wait_for_end(shared: &Shared, stream: &mut TcpStream) {
    shared.note(|state| state.waiting += 1);
    http1::gone(stream).await;
    shared.note(|state| {
        state.waiting -= 1;
        state.closed += 1;
    });
}
