//! Who speaks: identity comes from the door, never from an argument.

use serde::{Deserialize, Serialize};

/// The door through which somebody came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// The engine itself, in process.
    Engine,
    /// A person at the command line.
    Cli,
    /// An MCP client.
    Mcp,
    /// An agent over ACP.
    Acp,
    /// The HTTP API.
    Http,
    /// A program of the person's own that is told of questions, and answers them.
    Bridge,
}

/// What somebody is in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A human being who decides.
    Person,
    /// The program itself.
    Engine,
    /// Leads a debate and writes syntheses.
    Leader,
    /// A voice in a debate.
    Stance,
    /// Looks things up.
    Researcher,
    /// Reads a repository before work begins.
    Scout,
    /// Writes code.
    Coder,
    /// Checks code against contracts.
    Auditor,
    /// Repairs what an audit or a test found.
    Fixer,
    /// Judges criteria.
    Judge,
    /// Anybody else: reads contracts, searches memory, proposes.
    Guest,
}

/// Somebody who did something: door and role together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Speaker {
    /// Where they came in.
    pub door: Door,
    /// What they are.
    pub role: Role,
    /// True for an HTTP key with the scope `decide`, and for a bridge that its person lets decide.
    #[serde(default, skip_serializing_if = "is_false")]
    pub decides: bool,
}

impl Speaker {
    /// The engine itself.
    pub const ENGINE: Self = Self {
        door: Door::Engine,
        role: Role::Engine,
        decides: false,
    };
    /// A person at the command line.
    pub const PERSON: Self = Self {
        door: Door::Cli,
        role: Role::Person,
        decides: true,
    };
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}
