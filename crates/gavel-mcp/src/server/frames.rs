//! Frames over standard input and output: one message on each line. What is no message, or too long to be
//! read, is answered: a client that waits for its answer must not wait for ever.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use bytes::{Buf as _, BufMut as _, BytesMut};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use serde_json::error::Category;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::codec::Decoder as _;

/// Not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON, but not a request.
const INVALID_REQUEST: i32 = -32_600;

/// What a line is.
#[derive(Debug)]
pub(super) enum Frame {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Something that wants no answer.
    Nothing,
    /// No message; the answer says why.
    Wrong(Value),
}

/// Reads a line, without its end.
pub(super) fn read(line: &[u8]) -> Frame {
    if line.trim_ascii().is_empty() {
        return Frame::Nothing;
    }
    let mut ended = BytesMut::with_capacity(line.len() + 1);
    ended.put_slice(line);
    ended.put_u8(b'\n');
    match JsonRpcMessageCodec::new().decode(&mut ended) {
        Ok(Some(message)) => Frame::Message(Box::new(message)),
        Ok(None) => Frame::Nothing,
        Err(JsonRpcMessageCodecError::Serde(error)) => match error.classify() {
            Category::Syntax | Category::Eof | Category::Io => {
                let wrong = format!("this line is no JSON: {error}");
                Frame::Wrong(error_answer(Value::Null, PARSE_ERROR, &wrong))
            }
            Category::Data => no_request(line),
        },
        Err(error) => {
            tracing::debug!(%error, "a line could not be read");
            let wrong = "this line cannot be read";
            Frame::Wrong(error_answer(Value::Null, PARSE_ERROR, wrong))
        }
    }
}

/// JSON that is no message. What is itself an answer gets none, or two sides could go on for ever.
fn no_request(line: &[u8]) -> Frame {
    let value: Value = serde_json::from_slice(line).unwrap_or_default();
    let has = |name: &str| value.get(name).is_some();
    if !has("method") && (has("result") || has("error")) {
        return Frame::Nothing;
    }
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64());
    let id = id.cloned().unwrap_or_default();
    let wrong = "this is JSON, but no request of MCP";
    Frame::Wrong(error_answer(id, INVALID_REQUEST, wrong))
}

fn too_long(most: usize) -> Value {
    let wrong = format!("a message has at most {most} bytes: this one was not read");
    let mut answer = error_answer(Value::Null, INVALID_REQUEST, &wrong);
    if let Some(error) = answer.get_mut("error").and_then(Value::as_object_mut) {
        error.insert("data".to_owned(), json!({ "limit_bytes": most }));
    }
    answer
}

fn error_answer(id: Value, code: i32, message: &str) -> Value {
    let mut answer = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("id".to_owned(), id);
    }
    answer
}

/// Lines in, lines out.
#[derive(Debug)]
pub(super) struct Frames<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    most: usize,
    /// The rest of a line that is too long is passed over.
    passing_over: bool,
    output: Arc<Mutex<Lines<W>>>,
    /// Answers of ours that are not in `output` yet: whoever sends may hold it just now.
    owed: VecDeque<Value>,
    /// An answer of ours lies in `output`, and may not be sent yet.
    owes: bool,
}

/// Whole lines. One that could not be finished when its writer was given up is finished by the next.
#[derive(Debug)]
struct Lines<W> {
    output: W,
    unsent: BytesMut,
}

impl<W: AsyncWrite + Unpin> Lines<W> {
    fn put(&mut self, message: &impl serde::Serialize) -> io::Result<()> {
        let line = serde_json::to_vec(message)?;
        self.unsent.reserve(line.len() + 1);
        self.unsent.put_slice(&line);
        self.unsent.put_u8(b'\n');
        Ok(())
    }

    async fn send(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            match self.output.write(&self.unsent).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                sent => self.unsent.advance(sent),
            }
        }
        self.output.flush().await
    }
}

/// What was found at the end of a read.
enum Found {
    Line,
    TooLong,
    End,
}

impl<R, W> Frames<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Reads from `input` lines of at most so many bytes, and writes to `output`.
    pub(super) fn over(input: R, output: W, most: usize) -> Self {
        let unsent = BytesMut::new();
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            most,
            passing_over: false,
            output: Arc::new(Mutex::new(Lines { output, unsent })),
            owed: VecDeque::new(),
            owes: false,
        }
    }

    /// Reads up to the end of a line. Given up in between, it goes on where it was.
    async fn read_line(&mut self) -> io::Result<Found> {
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                return Ok(Found::End);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            let piece = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
            let fits = self.line.len() + piece.len() <= self.most;
            let was_passing_over = self.passing_over;
            if fits && !was_passing_over {
                self.line.extend_from_slice(piece);
            }
            self.input.consume(taken);
            self.passing_over = (was_passing_over || !fits) && end.is_none();
            if !fits && !was_passing_over {
                self.line.clear();
                return Ok(Found::TooLong);
            }
            if end.is_some() && !was_passing_over {
                return Ok(Found::Line);
            }
        }
    }

    /// Sends what is owed. Its line was read and is gone, and this may be given up at every await: so
    /// nothing is taken off the list before the output is ours.
    async fn settle(&mut self) -> io::Result<()> {
        if self.owed.is_empty() && !self.owes {
            return Ok(());
        }
        let mut output = self.output.lock().await;
        while let Some(answer) = self.owed.pop_front() {
            output.put(&answer)?;
            self.owes = true;
        }
        output.send().await?;
        self.owes = false;
        Ok(())
    }

    async fn next(&mut self) -> io::Result<Option<ClientJsonRpcMessage>> {
        self.settle().await?;
        loop {
            let frame = match self.read_line().await? {
                Found::End => return Ok(None),
                Found::TooLong => Frame::Wrong(too_long(self.most)),
                Found::Line => {
                    let frame = read(&self.line);
                    self.line.clear();
                    frame
                }
            };
            match frame {
                Frame::Message(message) => return Ok(Some(*message)),
                Frame::Nothing => {}
                Frame::Wrong(answer) => {
                    self.owed.push_back(answer);
                    self.settle().await?;
                }
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Frames<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let mut output = output.lock().await;
            output.put(&message)?;
            output.send().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        match self.next().await {
            Ok(message) => message,
            Err(error) => {
                tracing::debug!(%error, "the conversation broke off");
                None
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.output.shutdown().await
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
