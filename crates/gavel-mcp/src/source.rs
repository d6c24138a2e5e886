//! A program that a person named, as a source.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gavel_agent::{Source, SourceError, SourceTool};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::talk::Talk;

/// A source that ends again and again is left alone.
const STARTS: u32 = 3;
/// A shorter value is no secret, and would be found everywhere.
const LEAST_SECRET: usize = 6;

/// What is started, and with what.
#[derive(Debug, Clone)]
pub struct McpProgram {
    /// The program.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Everything that it sees of the environment.
    pub environment: Vec<(String, SecretString)>,
    /// Where it runs.
    pub folder: PathBuf,
    /// True when the person's own settings agree to asking it under a money cap.
    pub agreed: bool,
}

/// How long a source is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until it says what it can be asked: launchers fetch a program first.
    pub start: Duration,
    /// Until it answers.
    pub call: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            call: Duration::from_secs(30),
        }
    }
}

/// A program that answers over MCP. Started at its first use; ends with the value.
#[derive(Debug)]
pub struct McpSource {
    name: String,
    program: McpProgram,
    allowed: BTreeSet<String>,
    patience: Patience,
    running: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    talk: Option<Arc<Talk>>,
    starts: u32,
}

impl McpSource {
    /// A source under a name. Of its tools those are offered that say they only read, and those that
    /// a person allowed by name.
    pub fn new(
        name: impl Into<String>,
        program: McpProgram,
        allowed: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            name: name.into(),
            program,
            allowed: allowed.into_iter().collect(),
            patience: Patience::default(),
            running: Mutex::default(),
        }
    }

    /// The same for those who wait longer or shorter.
    #[must_use]
    pub const fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// The conversation; begun when there is none, or when the last one broke off.
    async fn talk(&self) -> Result<Arc<Talk>, SourceError> {
        let mut running = self.running.lock().await;
        if let Some(talk) = &running.talk
            && talk.is_open()
        {
            return Ok(talk.clone());
        }
        running.talk = None;
        if running.starts >= STARTS {
            return Err(SourceError::LeftAlone {
                name: self.name.clone(),
                starts: running.starts,
            });
        }
        running.starts += 1;
        let talk = Talk::open(&self.name, &self.program, self.patience);
        let talk = Arc::new(talk.await?.offering(&self.allowed));
        running.talk = Some(talk.clone());
        Ok(talk)
    }

    async fn ask(&self, tool: &str, arguments: Map<String, Value>) -> Result<String, SourceError> {
        let talk = self.talk().await?;
        if !talk.tools.iter().any(|offered| offered.name == tool) {
            let names: Vec<_> = talk.tools.iter().map(|tool| &*tool.name).collect();
            return Err(SourceError::NoSuchTool {
                name: self.name.clone(),
                tool: tool.chars().take(64).collect(),
                offered: names.join(", "),
            });
        }
        match talk.call(&self.name, tool, arguments).await {
            Ok(said) => Ok(self.without_secrets(said)),
            Err(SourceError::Refused { name, tool, said }) => {
                let said = self.without_secrets(said);
                Err(SourceError::Refused { name, tool, said })
            }
            Err(error) => {
                // One that hangs or broke off is begun anew when it is asked again.
                self.forget(&talk).await;
                Err(error)
            }
        }
    }

    async fn forget(&self, talk: &Arc<Talk>) {
        let mut running = self.running.lock().await;
        running.talk.take_if(|now| Arc::ptr_eq(now, talk));
    }

    /// What a program was given to prove itself is nobody else's.
    fn without_secrets(&self, mut said: String) -> String {
        for (name, value) in &self.program.environment {
            let value = value.expose_secret();
            if value.len() >= LEAST_SECRET && name != "HOME" && name != "PATH" {
                said = said.replace(value, &format!("[{name}]"));
            }
        }
        said
    }
}

impl Source for McpSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_agreed(&self) -> bool {
        self.program.agreed
    }

    fn tools(&self) -> BoxFuture<'_, Result<Vec<SourceTool>, SourceError>> {
        Box::pin(async { Ok(self.talk().await?.tools.clone()) })
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, SourceError>> {
        Box::pin(self.ask(tool, arguments))
    }
}
