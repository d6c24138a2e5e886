//! A server with a few tools, and a client that speaks lines.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use gavel_agent::{
    Counter, FindRun, OpenQuestion, Reached, Refused, Served, ServedTool, SessionDesk, SetSession,
    ToolHints, ToolSet, Visit,
};
use gavel_domain::{RunId, Timestamp};
use gavel_mcp::{
    Completing, Library, LibraryError, Listed, McpServer, Offered, Page, ReadText, Shop, Template,
    serve_stdio,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextInput {
    text: Option<String>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TextOutput {
    text: String,
}

/// Reads, and says who asked.
struct Search;

impl ServedTool for Search {
    type Input = TextInput;
    type Output = TextOutput;
    const NAME: &'static str = "gavel_memory_search";
    const PURPOSE: &'static str = "Finds";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, visit: &Visit, input: TextInput) -> Result<Served<TextOutput>, Refused> {
        if input.text.as_deref() == Some("nothing") {
            let refused = Refused::new("not_found", "there is nothing");
            return Err(refused.then("gavel_memory_add", json!({"text": "<it>"}), "to add it"));
        }
        let agent = visit.session.agent.clone().unwrap_or_default();
        let most = usize::try_from(input.limit.unwrap_or(100)).unwrap();
        let text: String = input.text.unwrap_or_default().chars().take(most).collect();
        let text = format!("{agent}:{text}");
        Ok(Served::new(TextOutput { text }, "found"))
    }
}

/// Takes its time, and tells how far it is.
struct Slow {
    dropped: Arc<AtomicBool>,
    released: Arc<Notify>,
}

struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl ServedTool for Slow {
    type Input = TextInput;
    type Output = TextOutput;
    const NAME: &'static str = "gavel_memory_add";
    const PURPOSE: &'static str = "Adds slowly";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(&self, visit: &Visit, input: TextInput) -> Result<Served<TextOutput>, Refused> {
        let _guard = Dropped(self.dropped.clone());
        for done in [1.0, 2.0] {
            visit.progress.tell(Reached {
                done,
                of: Some(2.0),
                message: None,
            });
        }
        if input.text.as_deref() == Some("for ever") {
            std::future::pending::<()>().await;
        }
        if input.text.as_deref() == Some("until released") {
            self.released.notified().await;
        }
        let text = "added".to_owned();
        Ok(Served::new(TextOutput { text }, "added"))
    }
}

/// A run with one open question until it is answered.
struct Status(Arc<AtomicU32>);

impl ServedTool for Status {
    type Input = TextInput;
    type Output = TextOutput;
    const NAME: &'static str = "gavel_run_status";
    const PURPOSE: &'static str = "Says where a run stands";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, _visit: &Visit, _input: TextInput) -> Result<Served<TextOutput>, Refused> {
        let answers = self.0.load(Ordering::SeqCst);
        let text = format!("{answers} answers");
        let served = Served::new(TextOutput { text }, "a run");
        if answers > 0 {
            return Ok(served);
        }
        Ok(served.asking(OpenQuestion {
            name: "format".to_owned(),
            message: "Which format?".to_owned(),
            options: vec!["json".to_owned(), "text".to_owned()],
            tool: "gavel_answer",
            arguments: Map::new(),
            answer_field: "text",
        }))
    }
}

struct Answer(Arc<AtomicU32>);

impl ServedTool for Answer {
    type Input = TextInput;
    type Output = TextOutput;
    const NAME: &'static str = "gavel_answer";
    const PURPOSE: &'static str = "Answers";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::SETS;

    async fn call(&self, _visit: &Visit, input: TextInput) -> Result<Served<TextOutput>, Refused> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let text = input.text.unwrap_or_default();
        Ok(Served::new(TextOutput { text }, "answered"))
    }
}

struct Nobody;

impl FindRun for Nobody {
    fn find<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, Result<RunId, Refused>> {
        Box::pin(async { Err(Refused::new("not_found", "there is no run")) })
    }
}

#[derive(Debug)]
struct OneBook;

impl Library for OneBook {
    fn templates(&self) -> Vec<Template> {
        vec![Template {
            uri: "gavel://memory/{id}",
            name: "memory",
            description: "An item",
            mime: "application/json",
        }]
    }

    fn list<'a>(
        &'a self,
        _visit: &'a Visit,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page, LibraryError>> {
        let first = after.is_none();
        Box::pin(async move {
            let item = Listed {
                uri: format!("gavel://memory/{}", if first { "a" } else { "b" }),
                name: "item".to_owned(),
                description: None,
                mime: "application/json",
            };
            let next = first.then(|| "page-2".to_owned());
            Ok(Page {
                items: vec![item],
                next,
            })
        })
    }

    fn read<'a>(
        &'a self,
        _visit: &'a Visit,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<ReadText, LibraryError>> {
        Box::pin(async move {
            if uri != "gavel://memory/a" {
                let uri = uri.to_owned();
                return Err(LibraryError::NotFound { uri });
            }
            Ok(ReadText {
                uri: uri.to_owned(),
                mime: "application/json",
                text: "{}".to_owned(),
            })
        })
    }

    fn complete<'a>(
        &'a self,
        _visit: &'a Visit,
        completing: &'a Completing,
    ) -> BoxFuture<'a, Result<Vec<String>, LibraryError>> {
        let values = vec![format!("{}1", completing.typed)];
        Box::pin(async move { Ok(values) })
    }
}

#[derive(Debug)]
struct Stopped;

impl gavel_run::Clock for Stopped {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// A server, and what its tools did.
pub(crate) struct Bench {
    pub(crate) server: McpServer,
    pub(crate) dropped: Arc<AtomicBool>,
    pub(crate) answers: Arc<AtomicU32>,
    pub(crate) released: Arc<Notify>,
}

impl Bench {
    pub(crate) fn new(offered: Offered) -> Self {
        let (dropped, answers) = (Arc::default(), Arc::default());
        let released = Arc::<Notify>::default();
        let desk = Arc::new(SessionDesk::for_many(&[7; 32], Arc::new(Stopped)));
        let mut counter = Counter::default();
        counter.add(Search).unwrap();
        let slow = Slow {
            dropped: Arc::clone(&dropped),
            released: released.clone(),
        };
        counter.add(slow).unwrap();
        counter.add(Status(Arc::clone(&answers))).unwrap();
        counter.add(Answer(Arc::clone(&answers))).unwrap();
        counter
            .add(SetSession::new(desk.clone(), Arc::new(Nobody)))
            .unwrap();
        let server = McpServer::new(Shop {
            counter,
            library: Arc::new(OneBook),
            desk,
            offered,
            visitor: Visit::guest(),
        });
        Self {
            server,
            dropped,
            answers,
            released,
        }
    }
}

/// A client on the other end of a pipe.
pub(crate) struct Client {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    next: u32,
    /// What came while something else was waited for.
    pub(crate) aside: VecDeque<Value>,
    newest: Option<Value>,
    _serving: JoinSet<()>,
}

impl Client {
    fn over(server: McpServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let stop = CancellationToken::new();
            serve_stdio(server, (input, output), stop).await.unwrap();
        });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(reader),
            writer,
            next: 0,
            aside: VecDeque::new(),
            newest: None,
            _serving: serving,
        }
    }

    /// By the handshake of 2025-11-25.
    pub(crate) async fn older(server: McpServer, capabilities: Value) -> Self {
        let mut client = Self::over(server);
        let greeting = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" }
        });
        let greeted = client.ask("initialize", greeting).await;
        assert_eq!(
            greeted["result"]["protocolVersion"], "2025-11-25",
            "{greeted}"
        );
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        client
    }

    /// Without one, as since 2026-07-28.
    pub(crate) fn newest(server: McpServer, capabilities: &Value) -> Self {
        let mut client = Self::over(server);
        client.newest = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities
        }));
        client
    }

    pub(crate) const fn is_newest(&self) -> bool {
        self.newest.is_some()
    }

    pub(crate) async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and gives its id.
    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> u32 {
        self.next += 1;
        if let Some(meta) = &self.newest {
            let mut meta = meta.clone();
            if let Some(more) = params["_meta"].as_object() {
                meta.as_object_mut().unwrap().extend(more.clone());
            }
            params["_meta"] = meta;
        }
        let request =
            json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.send(request).await;
        self.next
    }

    /// The answer to a request.
    pub(crate) async fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.aside.push_back(message);
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }
}
