//! `gavel mcp`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use super::mcp_install::McpInstallArgs;

/// How the server is opened.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    /// Serve over HTTP at ADDR/mcp, for example 127.0.0.1:8931; without it, over standard input and
    /// output
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<SocketAddr>,
    /// Which tools are offered: core, all, or sets such as contracts,memory,loops,runs
    #[arg(
        long,
        value_name = "SETS",
        value_delimiter = ',',
        default_value = "core"
    )]
    pub(crate) tools: Vec<String>,
    /// Who speaks: a role of the build named by --build; without it, a guest
    #[arg(
        long = "as",
        value_name = "ROLE",
        requires = "build",
        conflicts_with = "http"
    )]
    pub(crate) speaks_as: Option<String>,
    /// The build that the role belongs to, by its id or the end of it
    #[arg(long, value_name = "ID", requires = "speaks_as")]
    pub(crate) build: Option<String>,
    /// With --http: let nobody in without a key, also not from this machine
    #[arg(long, requires = "http")]
    pub(crate) require_key: bool,
    /// With --http: listen on an address that other machines reach; nobody comes in without a key
    #[arg(long, requires = "http")]
    pub(crate) allow_remote: bool,
    /// With --http: a name under which clients know this machine; may be given more than once
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) host: Vec<String>,
}

/// What else `gavel mcp` does.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Tell a client of this server: print its configuration, or write it into the client's file
    Install(McpInstallArgs),
}
