//! `gavel mcp install`.

use clap::{Args, ValueEnum};

/// Which client is told of this server.
#[derive(Debug, Args)]
pub(crate) struct McpInstallArgs {
    /// The client
    #[arg(long, value_name = "NAME")]
    pub(crate) client: ClientName,
    /// Write it into the client's file: a copy of the old file stays beside it
    #[arg(long)]
    pub(crate) write: bool,
    /// For you in every project, or for everybody in this project; project, where the client has that
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<ScopeName>,
}

/// A client that is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientName {
    ClaudeCode,
    Cursor,
    Vscode,
    Codex,
    Zed,
    GeminiCli,
    Goose,
    Windsurf,
    ClaudeDesktop,
}

/// Where a client reads of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    User,
    Project,
}
