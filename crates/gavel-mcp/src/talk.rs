//! A conversation with a source that runs.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use gavel_agent::{SourceError, SourceTool};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, Implementation,
    InitializeRequestParams, ProtocolVersion, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value};

use crate::answer::{clipped, text_of};
use crate::child::Program;
use crate::{McpProgram, Patience};

/// The longest line that is read; more is never shown.
const LINE: usize = 4 * 1024 * 1024;
/// More tools than this are not offered.
const TOOLS: usize = 64;
const DESCRIPTION: usize = 1_000;

/// A source that runs, with what it offered when it began.
#[derive(Debug)]
pub(crate) struct Talk {
    service: RunningService<RoleClient, InitializeRequestParams>,
    program: Mutex<Program>,
    patience: Patience,
    listed: Vec<Tool>,
    pub(crate) tools: Vec<SourceTool>,
}

impl Talk {
    /// Starts the program and asks what it can, by the older greeting, which most know; one that
    /// answers and refuses it is greeted by the newer.
    pub(crate) async fn open(
        name: &str,
        program: &McpProgram,
        patience: Patience,
    ) -> Result<Self, SourceError> {
        match Self::greet(name, program, (patience, older())).await {
            Err(SourceError::NotASource { source, .. }) if is_refusal(source.as_ref()) => {
                Self::greet(name, program, (patience, newer())).await
            }
            other => other,
        }
    }

    async fn greet(
        name: &str,
        program: &McpProgram,
        (patience, lifecycle): (Patience, ClientLifecycleMode),
    ) -> Result<Self, SourceError> {
        let started = Program::start(program);
        let (program, stdout, stdin) = started.map_err(|source| SourceError::NotStarted {
            name: name.to_owned(),
            source,
        })?;
        let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(LINE);
        let greeting = async {
            let begun = us().serve_with_lifecycle(transport, lifecycle);
            let service = begun.await?;
            let tools = service.list_all_tools().await?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>((service, tools))
        };
        let (service, listed) = match tokio::time::timeout(patience.start, greeting).await {
            Ok(Ok(begun)) => begun,
            Ok(Err(source)) => {
                let name = name.to_owned();
                return Err(SourceError::NotASource { name, source });
            }
            Err(_elapsed) => return Err(silent(name, patience.start)),
        };
        Ok(Self {
            service,
            program: Mutex::new(program),
            patience,
            listed,
            tools: Vec::new(),
        })
    }

    /// The same with what may be asked for.
    pub(crate) fn offering(mut self, allowed: &BTreeSet<String>) -> Self {
        let offered = self
            .listed
            .drain(..)
            .filter(|tool| is_offered(tool, allowed));
        self.tools = offered.map(told).take(TOOLS).collect();
        self
    }

    /// True while it can be asked.
    pub(crate) fn is_open(&self) -> bool {
        let runs = self.program.lock().is_ok_and(|mut program| program.runs());
        runs && !self.service.is_transport_closed()
    }

    /// Asks it.
    pub(crate) async fn call(
        &self,
        name: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<String, SourceError> {
        let asked = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let (name, tool) = (name.to_owned(), tool.to_owned());
        match tokio::time::timeout(self.patience.call, self.service.call_tool(asked)).await {
            Ok(Ok(result)) => {
                let failed = result.is_error == Some(true);
                let said = said(result);
                if failed {
                    return Err(SourceError::Refused { name, tool, said });
                }
                Ok(said)
            }
            Ok(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                Err(SourceError::Ended { name })
            }
            Ok(Err(error)) => {
                let said = clipped(&error.to_string());
                Err(SourceError::Refused { name, tool, said })
            }
            Err(_elapsed) => Err(silent(&name, self.patience.call)),
        }
    }
}

fn said(result: CallToolResult) -> String {
    clipped(&text_of(result))
}

fn silent(name: &str, had: Duration) -> SourceError {
    SourceError::Silent {
        name: name.to_owned(),
        seconds: had.as_secs(),
    }
}

/// Who asks: a client that can do nothing for a server.
fn us() -> InitializeRequestParams {
    let us = Implementation::new("gavel", env!("CARGO_PKG_VERSION"));
    let greeting = InitializeRequestParams::new(ClientCapabilities::default(), us);
    greeting.with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

/// The handshake of the revisions before 2026-07-28. The client's own way to find out, a probe by
/// the newer one, fails with programs that need longer than its 10 s to start: their late refusal is
/// taken for an answer to the handshake.
const fn older() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

/// The greeting since 2026-07-28.
fn newer() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    }
}

/// True when the program understood the greeting and did not want it.
fn is_refusal(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        error.downcast_ref(),
        Some(ClientInitializeError::JsonRpcError(_))
    )
}

/// A call may be repeated after a crash, so only tools that say they read, or that a person listed.
fn is_offered(tool: &Tool, allowed: &BTreeSet<String>) -> bool {
    let hints = tool.annotations.as_ref();
    let reads = hints.and_then(|hints| hints.read_only_hint) == Some(true);
    is_plain(&tool.name) && (reads || allowed.contains(tool.name.as_ref()))
}

/// A name that can stand in a sentence of ours.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    !name.is_empty() && name.len() <= 128 && name.chars().all(plain)
}

fn told(tool: Tool) -> SourceTool {
    let description = tool.description.unwrap_or_default();
    SourceTool {
        name: tool.name.into_owned(),
        description: description.chars().take(DESCRIPTION).collect(),
        schema: Value::Object(tool.input_schema.as_ref().clone()),
    }
}
