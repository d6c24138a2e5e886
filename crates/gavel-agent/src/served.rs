//! Served tools: what programs outside may call, typed in and typed out.
//!
//! A served tool is declared once, beside the logic that it opens. It knows nothing of the protocol:
//! whoever serves it (`gavel-mcp`) asks the [`Counter`].

mod coerce;
mod counter;
mod schema;
mod session;

use std::fmt;

use gavel_domain::{Door, Role, RunId, Speaker};
use gavel_rules::{Bond, KeyScope};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use counter::{Counter, CounterError, ServedAnswer, ServedSpec};
pub use session::{FindRun, SessionDesk, SetSession, SetSessionInput, SetSessionOutput};

/// A tool that programs outside may call.
///
/// Implementors guarantee: `call` ends by itself within seconds (long work is started and then asked
/// after), stands being dropped at any await, and believes nothing about the caller but its
/// [`Visit`]. What it holds to do its work stands in its own fields.
pub trait ServedTool: Send + Sync + 'static {
    /// The arguments; every struct of them says `#[serde(deny_unknown_fields)]`.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The answer; a struct, since the protocol wants an object.
    type Output: Serialize + JsonSchema + Send;

    /// The name that it is called by; the grants table knows it.
    const NAME: &'static str;
    /// What it is for, one line.
    const PURPOSE: &'static str;
    /// The set that it is switched on with.
    const SET: ToolSet;
    /// What it may do to the world.
    const HINTS: ToolHints;
    /// The arguments with which a tool that may change something only reads, in words, when there
    /// are such; `reads` knows them.
    const READS_WITH: Option<&'static str> = None;

    /// True when a call with these arguments changes nothing: a key that only reads may make it.
    fn reads(_input: &Self::Input) -> bool {
        Self::HINTS.read_only
    }

    /// Does it.
    fn call(
        &self,
        visit: &Visit,
        input: Self::Input,
    ) -> impl Future<Output = Result<Served<Self::Output>, Refused>> + Send;
}

/// A group of tools that is listed or left out as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolSet {
    /// Reading contracts.
    Contracts,
    /// What a build's roles use.
    Build,
    /// Branches of builds.
    Branch,
    /// Project memory.
    Memory,
    /// Deliberation loops.
    Loops,
    /// Starting and steering runs.
    Runs,
    /// What a repository is.
    Repository,
}

impl ToolSet {
    /// Every set, in order.
    pub const ALL: [Self; 7] = [
        Self::Contracts,
        Self::Build,
        Self::Branch,
        Self::Memory,
        Self::Loops,
        Self::Runs,
        Self::Repository,
    ];

    /// The word that switches it on.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Contracts => "contracts",
            Self::Build => "build",
            Self::Branch => "branch",
            Self::Memory => "memory",
            Self::Loops => "loops",
            Self::Runs => "runs",
            Self::Repository => "repository",
        }
    }
}

/// What a tool may do to the world, as hints for whoever decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToolHints {
    /// It changes nothing. A key that only reads may call it.
    pub read_only: bool,
    /// It may undo or end something.
    pub destructive: bool,
    /// A second equal call changes nothing more.
    pub idempotent: bool,
}

impl ToolHints {
    /// It reads.
    pub const READS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
    };
    /// It adds something, each time.
    pub const ADDS: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
    };
    /// It sets something; the same again changes nothing.
    pub const SETS: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: true,
    };
    /// It may end something.
    pub const ENDS: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: true,
    };
}

/// What a tool answers when it did what was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Served<T> {
    /// The answer.
    pub value: T,
    /// What happened, one line for people.
    pub line: String,
    /// A question that is open now and may be put to whoever sits at the client.
    pub question: Option<OpenQuestion>,
}

impl<T> Served<T> {
    /// An answer, and what happened in one line.
    pub fn new(value: T, line: impl Into<String>) -> Self {
        Self {
            value,
            line: line.into(),
            question: None,
        }
    }

    /// The same with a question that the client may put to its user. Only a question that anybody
    /// may answer belongs here: the door puts it, and answers in the caller's name.
    #[must_use]
    pub fn asking(mut self, question: OpenQuestion) -> Self {
        self.question = Some(question);
        self
    }
}

/// A question that a client which can ask its user may put, and what is called with the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuestion {
    /// Which one; the same question has the same name.
    pub name: String,
    /// What is asked.
    pub message: String,
    /// The options, when it has some; else the answer is free text.
    pub options: Vec<String>,
    /// The tool that takes the answer.
    pub tool: &'static str,
    /// Its other arguments.
    pub arguments: serde_json::Map<String, Value>,
    /// The name of its argument that takes the text of the answer (or the text of the option).
    pub answer_field: &'static str,
}

/// Who calls, and what holds for this call.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Who, by the door.
    pub speaker: Speaker,
    /// How they proved it.
    pub bond: Bond,
    /// What they may do at most.
    pub scope: KeyScope,
    /// The run that the door bound them to: no session leads out of it.
    pub bound: Option<RunId>,
    /// What they narrowed themselves to.
    pub session: Session,
    /// Ends when the client gave the call up.
    pub cancel: CancellationToken,
    /// Where a longer call tells how far it is.
    pub progress: Progress,
}

impl Visit {
    /// Somebody who came over MCP and proved nothing.
    pub fn guest() -> Self {
        Self::of(Role::Guest, Bond::Door)
    }

    /// Somebody who came over MCP.
    pub fn of(role: Role, bond: Bond) -> Self {
        Self {
            speaker: Speaker {
                door: Door::Mcp,
                role,
                decides: false,
            },
            bond,
            scope: KeyScope::Propose,
            bound: None,
            session: Session::default(),
            cancel: CancellationToken::new(),
            progress: Progress::default(),
        }
    }
}

/// What a caller narrowed itself to: defaults of later calls, and never more than the door gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The run that is meant when a call names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The name that the agent goes by in loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// How far a call is. Told, never waited for: a client that does not listen loses it.
#[derive(Clone, Default)]
pub struct Progress(Option<mpsc::Sender<Reached>>);

/// One word of progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// How much is done.
    pub done: f64,
    /// Out of how much, where known.
    pub of: Option<f64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

impl Progress {
    /// Progress that arrives at the other end.
    pub const fn to(sender: mpsc::Sender<Reached>) -> Self {
        Self(Some(sender))
    }

    /// Tells how far it is.
    pub fn tell(&self, reached: Reached) {
        if let Some(sender) = &self.0
            && sender.try_send(reached).is_err()
        {
            tracing::debug!("a word of progress was dropped: nobody takes it fast enough");
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Progress(heard: {})", self.0.is_some())
    }
}

/// What a tool answers when it did not do what was asked: why, and what to call next.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// A stable word for programs, such as `not_found`.
    pub code: &'static str,
    /// What is wrong and what helps, for people.
    pub message: String,
    /// The calls that would help.
    pub next: Vec<NextCall>,
    /// What programs need to go on, such as the version that is current now.
    pub data: Option<Value>,
}

impl Refused {
    /// A refusal in a sentence.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            next: Vec::new(),
            data: None,
        }
    }

    /// A refusal for an error, with everything that its sources say.
    pub fn from_error(code: &'static str, error: &dyn std::error::Error) -> Self {
        Self::new(code, crate::ToolRefusal::from_error(error).sentence)
    }

    /// Adds a call that would help, and when.
    #[must_use]
    pub fn then(mut self, tool: &'static str, arguments: Value, when: impl Into<String>) -> Self {
        self.next.push(NextCall {
            tool,
            arguments,
            when: when.into(),
        });
        self
    }

    /// Adds data for programs.
    #[must_use]
    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// A call that would help.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NextCall {
    /// The tool.
    pub tool: &'static str,
    /// Its arguments; what the caller must fill in stands in `<angle brackets>`.
    pub arguments: Value,
    /// When it is the right one.
    pub when: String,
}
