//! One request and its answer: a body that is read within its time, an answer that keeps what it holds until
//! it is sent, and a client that has to take it.

use std::convert::Infallible;
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A body that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoBody {
    /// It did not come in time.
    Late,
    /// It is larger than what is read.
    TooLarge,
    /// It broke off.
    Broken,
}

/// Reads a body, whole and within its time.
pub(super) async fn read_body(
    mut body: Incoming,
    most: usize,
    time: Duration,
) -> Result<Bytes, NoBody> {
    let reading = async {
        let mut read = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                tracing::debug!(%error, "a body broke off");
                NoBody::Broken
            })?;
            if let Ok(data) = frame.into_data() {
                if data.len() > most.saturating_sub(read.len()) {
                    return Err(NoBody::TooLarge);
                }
                read.extend_from_slice(&data);
            }
        }
        Ok(read.freeze())
    };
    tokio::time::timeout(time, reading)
        .await
        .unwrap_or(Err(NoBody::Late))
}

/// A body that holds something until it was sent or given up.
#[derive(Debug)]
pub(super) struct Holding<G> {
    body: BoxBody<Bytes, Infallible>,
    _held: G,
}

impl<G> Holding<G> {
    pub(super) const fn until_sent(body: BoxBody<Bytes, Infallible>, held: G) -> Self {
        Self { body, _held: held }
    }
}

impl<G: Unpin> Body for Holding<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream whose other side has to take what is written.
#[derive(Debug)]
pub(super) struct Taken<S> {
    stream: S,
    time: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Taken<S> {
    pub(super) const fn within(time: Duration, stream: S) -> Self {
        Self {
            stream,
            time,
            stuck: None,
        }
    }

    /// The outcome of a write, or an error once nothing was taken for too long.
    fn settle<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let time = self.time;
        let stuck = self
            .stuck
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        stuck.as_mut().poll(context).map(|()| {
            let late = "the client does not take its answer";
            Err(io::Error::new(io::ErrorKind::TimedOut, late))
        })
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Taken<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Taken<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.settle(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.settle(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.settle(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.settle(shut, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_not_written_to_for_ever() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut taken = Taken::within(Duration::from_secs(5), ours);
        let stuck = taken.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(stuck.kind(), io::ErrorKind::TimedOut);
        let (ours, reader) = tokio::io::duplex(8);
        drop(std::mem::replace(&mut theirs, reader));
        let mut taken = Taken::within(Duration::from_secs(5), ours);
        let reading = async {
            let mut all = Vec::new();
            // Slowly, but it goes on.
            let mut byte = [0];
            while tokio::io::AsyncReadExt::read(&mut theirs, &mut byte)
                .await
                .unwrap()
                > 0
            {
                all.extend_from_slice(&byte);
                tokio::time::advance(Duration::from_secs(1)).await;
            }
            all.len()
        };
        let writing = async {
            taken.write_all(&[0; 64]).await.unwrap();
            drop(taken);
        };
        let ((), read) = tokio::join!(writing, reading);
        assert_eq!(read, 64);
    }
}
