//! What the fake server answers.

use std::sync::Arc;

use gavel_domain::{TokenUsage, Tokens};
use tokio::sync::Semaphore;

use crate::conversation::{Piece, Replied};

/// A scripted reply: what it says, and what goes wrong on the way.
#[derive(Debug, Clone)]
pub struct FakeReply {
    pub(super) kind: Kind,
    pub(super) damage: Option<Damage>,
    pub(super) gate: Option<Gate>,
    pub(super) expects: Vec<String>,
}

/// What is sent.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A reply of the model, in the words of the wire.
    Turn(Turn),
    /// A status with a body.
    Status {
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// Chunks of a stream, as they are.
    Raw {
        content_type: String,
        chunks: Vec<Vec<u8>>,
    },
    /// This text over and over, until the client goes.
    Endless(String),
    /// Nothing; the connection closes.
    CloseBeforeHeaders,
    /// Nothing; the connection stays.
    StallBeforeHeaders,
}

/// A reply of the model.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) reasoning: String,
    pub(super) text: Vec<String>,
    pub(super) calls: Vec<FakeCall>,
    pub(super) usage: Option<TokenUsage>,
    pub(super) stop: Stop,
}

#[derive(Debug, Clone)]
pub(super) struct FakeCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    End,
    Tools,
    Length,
    Policy,
}

/// What happens to the bytes of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    /// The connection breaks inside the middle event.
    CutMidEvent,
    /// The reply ends, as HTTP wants it, inside the middle event.
    EndMidEvent,
    /// The reply ends, as HTTP wants it, before the wire's own end mark.
    NoEndMark,
    /// The middle event holds bytes that are no UTF-8.
    InvalidUtf8,
    /// The middle event is no JSON.
    NotJson,
    /// Nothing comes after this many events; the connection stays.
    StallAfter(usize),
    /// Every byte is a chunk of its own.
    ByteByByte,
}

impl FakeReply {
    /// A reply of this text, in a few pieces.
    pub fn text(text: &str) -> Self {
        let mut pieces: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        if pieces.is_empty() {
            pieces.push(String::new());
        }
        Self::turn(pieces, &[], Stop::End)
    }

    /// A reply that makes these calls at once, given as `(id, tool, JSON arguments)`; the pieces of
    /// their arguments come interleaved where the wire allows it.
    pub fn calls(calls: &[(&str, &str, &str)]) -> Self {
        Self::turn(Vec::new(), calls, Stop::Tools)
    }

    /// A reply that speaks and then calls.
    pub fn text_and_calls(text: &str, calls: &[(&str, &str, &str)]) -> Self {
        Self::turn(vec![text.to_owned()], calls, Stop::Tools)
    }

    /// A reply without text and without calls.
    pub fn empty() -> Self {
        Self::turn(Vec::new(), &[], Stop::End)
    }

    /// A status, for example 429, with a body as the vendor would write it.
    pub fn status(status: u16, body: &str) -> Self {
        Self::of(Kind::Status {
            status,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.to_owned(),
        })
    }

    /// An event stream of these bytes, as recorded from a real server, for example.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Kind::Raw {
            content_type: "text/event-stream".to_owned(),
            chunks: vec![bytes.into()],
        })
    }

    /// A good reply of another content type than the wire promises.
    pub fn raw_of(content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(Kind::Raw {
            content_type: content_type.to_owned(),
            chunks: vec![bytes.into()],
        })
    }

    /// This text over and over, until the client closes the connection.
    pub fn endless(text: &str) -> Self {
        Self::of(Kind::Endless(text.to_owned()))
    }

    /// The connection closes before any byte of a reply.
    pub fn close_before_headers() -> Self {
        Self::of(Kind::CloseBeforeHeaders)
    }

    /// The connection stays, and not even a status comes.
    pub fn stall_before_headers() -> Self {
        Self::of(Kind::StallBeforeHeaders)
    }

    /// Adds a header to a status.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Kind::Status { headers, .. } = &mut self.kind {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sets the usage that the reply reports.
    #[must_use]
    pub fn usage(self, usage: TokenUsage) -> Self {
        self.with_turn(|turn| turn.usage = Some(usage))
    }

    /// Reports no usage.
    #[must_use]
    pub fn without_usage(self) -> Self {
        self.with_turn(|turn| turn.usage = None)
    }

    /// Thinks aloud first.
    #[must_use]
    pub fn reasoning(self, text: &str) -> Self {
        self.with_turn(|turn| turn.reasoning = text.to_owned())
    }

    /// Ends because the output maximum is reached.
    #[must_use]
    pub fn out_of_room(self) -> Self {
        self.with_turn(|turn| turn.stop = Stop::Length)
    }

    /// Ends because a policy of the vendor says so.
    #[must_use]
    pub fn declined(self) -> Self {
        self.with_turn(|turn| turn.stop = Stop::Policy)
    }

    /// Breaks the connection inside the middle event.
    #[must_use]
    pub fn cut_mid_event(self) -> Self {
        self.damaged(Damage::CutMidEvent)
    }

    /// Ends the reply neatly inside the middle event.
    #[must_use]
    pub fn end_mid_event(self) -> Self {
        self.damaged(Damage::EndMidEvent)
    }

    /// Ends the reply neatly before the wire's own end mark.
    #[must_use]
    pub fn no_end_mark(self) -> Self {
        self.damaged(Damage::NoEndMark)
    }

    /// Puts bytes that are no UTF-8 into the middle event.
    #[must_use]
    pub fn invalid_utf8(self) -> Self {
        self.damaged(Damage::InvalidUtf8)
    }

    /// Replaces the middle event by something that is no JSON.
    #[must_use]
    pub fn not_json(self) -> Self {
        self.damaged(Damage::NotJson)
    }

    /// Sends this many events and then nothing more.
    #[must_use]
    pub fn stall_after(self, events: usize) -> Self {
        self.damaged(Damage::StallAfter(events))
    }

    /// Sends every byte in a chunk of its own.
    #[must_use]
    pub fn byte_by_byte(self) -> Self {
        self.damaged(Damage::ByteByByte)
    }

    /// Lets the test decide when each chunk goes.
    #[must_use]
    pub fn gated(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Expects the request's body to contain this text; otherwise the server answers 417.
    #[must_use]
    pub fn expecting(mut self, text: &str) -> Self {
        self.expects.push(text.to_owned());
        self
    }

    /// What the model says with it; `None` for a reply that says nothing.
    pub(super) fn said(&self) -> Option<Replied> {
        match &self.kind {
            Kind::Turn(turn) => {
                let calls = turn.calls.iter();
                let calls = calls.map(|call| Piece::called(&call.id, &call.name, &call.arguments));
                let said = Piece::Said(turn.text.concat());
                Some(Replied::Pieces(
                    std::iter::once(said).chain(calls).collect(),
                ))
            }
            Kind::Raw { .. } => Some(Replied::Unknown),
            Kind::Status { .. }
            | Kind::Endless(_)
            | Kind::CloseBeforeHeaders
            | Kind::StallBeforeHeaders => None,
        }
    }

    fn turn(text: Vec<String>, calls: &[(&str, &str, &str)], stop: Stop) -> Self {
        Self::of(Kind::Turn(Turn {
            reasoning: String::new(),
            text,
            calls: calls
                .iter()
                .map(|(id, name, arguments)| FakeCall {
                    id: (*id).to_owned(),
                    name: (*name).to_owned(),
                    arguments: (*arguments).to_owned(),
                })
                .collect(),
            usage: Some(TokenUsage {
                input: Tokens(100),
                cache_read: Tokens(0),
                cache_write: Tokens(0),
                output: Tokens(20),
            }),
            stop,
        }))
    }

    const fn of(kind: Kind) -> Self {
        Self {
            kind,
            damage: None,
            gate: None,
            expects: Vec::new(),
        }
    }

    fn with_turn(mut self, change: impl FnOnce(&mut Turn)) -> Self {
        if let Kind::Turn(turn) = &mut self.kind {
            change(turn);
        }
        self
    }

    const fn damaged(mut self, damage: Damage) -> Self {
        self.damage = Some(damage);
        self
    }
}

/// A gate before each chunk of a reply. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    permits: Arc<Semaphore>,
}

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(0)),
        }
    }

    /// Lets this many chunks pass.
    pub fn release(&self, chunks: usize) {
        self.permits.add_permits(chunks);
    }

    /// Lets everything pass from now on.
    pub fn open(&self) {
        self.permits.close();
    }

    pub(super) async fn pass(&self) {
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
    }

    pub(super) fn try_pass(&self) -> bool {
        match self.permits.try_acquire() {
            Ok(permit) => {
                permit.forget();
                true
            }
            Err(tokio::sync::TryAcquireError::Closed) => true,
            Err(tokio::sync::TryAcquireError::NoPermits) => false,
        }
    }
}
