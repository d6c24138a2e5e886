//! One call: send, read events, hand out deltas, end with a reply or an error.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream;

use crate::error::bad_reply;
use crate::http::{Body, Clocks, Http, Outgoing};
use crate::sse::{Event, SseReader};
use crate::{
    BadReply, CallError, Deadlines, Delta, Endpoint, Reply, ReplyStream, Request, Wire, anthropic,
    openai,
};

/// Reads the events of one wire.
pub(crate) trait Decoder: Send + 'static {
    /// Takes one event. `Done` once the wire's own end mark came.
    fn event(&mut self, event: &Event, out: &mut Vec<Delta>) -> Result<Progress, CallError>;

    /// The whole reply, judged. Only called after `Done`.
    fn reply(self) -> Result<Reply, CallError>;
}

/// Whether more events follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
}

/// Streams the reply to a prepared request. An error of the preparation is the whole stream.
pub(crate) fn stream<D: Decoder>(
    http: Arc<Http>,
    prepared: Result<(Outgoing, D), CallError>,
    deadlines: Deadlines,
) -> ReplyStream {
    let endpoint = prepared
        .as_ref()
        .ok()
        .map(|(outgoing, _)| outgoing.endpoint.clone());
    let stage = match prepared {
        Ok((outgoing, decoder)) => Stage::Ready(http, Box::new(outgoing), decoder),
        Err(error) => Stage::Broken(error),
    };
    let call = Call {
        stage,
        endpoint,
        deadlines,
        waiting: VecDeque::new(),
    };
    Box::pin(stream::unfold(call, |mut call| async move {
        let item = Box::pin(call.next()).await?;
        Some((item, call))
    }))
}

struct Call<D> {
    stage: Stage<D>,
    /// Knows the key, which no message may show, wherever in the reply it came back.
    endpoint: Option<Endpoint>,
    deadlines: Deadlines,
    waiting: VecDeque<Delta>,
}

/// Ready → Reading → Over; Broken → Over. Whatever ends the call drops the connection with it.
enum Stage<D> {
    Ready(Arc<Http>, Box<Outgoing>, D),
    Reading(Box<Reading<D>>),
    Broken(CallError),
    Over,
}

struct Reading<D> {
    body: Body,
    received: Received<D>,
}

/// What came of a stream so far.
struct Received<D> {
    events: SseReader,
    decoder: D,
}

/// Reads a stream that was kept, in the pieces in which it came, as a client reads one from its provider.
pub fn read_kept(wire: Wire, request: Request, pieces: &[&[u8]]) -> Result<Reply, CallError> {
    match wire {
        Wire::Anthropic => Received::by(anthropic::Decoder::new(request, None)).all(pieces),
        Wire::OpenAi => Received::by(openai::Decoder::new(request, None)).all(pieces),
    }
}

impl<D: Decoder> Call<D> {
    async fn next(&mut self) -> Option<Result<Delta, CallError>> {
        loop {
            if let Some(delta) = self.waiting.pop_front() {
                return Some(Ok(delta));
            }
            match self.step().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(self.scrubbed(error))),
            }
        }
    }

    fn scrubbed(&self, error: CallError) -> CallError {
        match &self.endpoint {
            Some(endpoint) => CallError {
                message: endpoint.scrub(&error.message),
                ..error
            },
            None => error,
        }
    }

    /// Moves one stage or one piece on; false when there is nothing more.
    async fn step(&mut self) -> Result<bool, CallError> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Ready(http, outgoing, decoder) => {
                let clocks = Clocks::start(&self.deadlines);
                let body = http.open(*outgoing, clocks, "text/event-stream").await?;
                self.stage = Stage::Reading(Box::new(Reading {
                    body,
                    received: Received::by(decoder),
                }));
                Ok(true)
            }
            Stage::Reading(mut reading) => {
                let mut deltas = Vec::new();
                let piece = reading.body.next().await;
                let progress =
                    piece.and_then(|piece| reading.received.take(piece.as_deref(), &mut deltas));
                self.waiting.extend(deltas);
                match progress {
                    Ok(Progress::More) => self.stage = Stage::Reading(reading),
                    Ok(Progress::Done) => {
                        let Reading { body, received } = *reading;
                        body.close().await;
                        match received.decoder.reply() {
                            Ok(reply) => self.waiting.push_back(Delta::Finished(reply)),
                            Err(error) => self.stage = Stage::Broken(error),
                        }
                    }
                    // What was understood before the fault is shown first.
                    Err(error) => self.stage = Stage::Broken(error),
                }
                Ok(true)
            }
            Stage::Broken(error) => Err(error),
            Stage::Over => Ok(false),
        }
    }
}

impl<D: Decoder> Received<D> {
    fn by(decoder: D) -> Self {
        let events = SseReader::default();
        Self { events, decoder }
    }

    /// Takes the next piece; `None` is the end of the connection.
    fn take(&mut self, piece: Option<&[u8]>, out: &mut Vec<Delta>) -> Result<Progress, CallError> {
        let Some(bytes) = piece else {
            self.events
                .finish()
                .map_err(|problem| bad_reply(problem, ""))?;
            return Err(bad_reply(BadReply::Cut, "no end mark"));
        };
        let mut events = Vec::new();
        let read = self.events.push(bytes, &mut events);
        for event in events {
            if self.decoder.event(&event, out)? == Progress::Done {
                return Ok(Progress::Done);
            }
        }
        read.map_err(|problem| bad_reply(problem, ""))?;
        Ok(Progress::More)
    }

    fn all(mut self, pieces: &[&[u8]]) -> Result<Reply, CallError> {
        let ended = pieces.iter().copied().map(Some).chain([None]);
        for piece in ended {
            if self.take(piece, &mut Vec::new())? == Progress::Done {
                break;
            }
        }
        self.decoder.reply()
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
