//! What can be typed after `gavel usage`.

use clap::{Args, Subcommand};

/// Whose spend.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct UsageArgs {
    #[command(subcommand)]
    pub(crate) command: Option<UsageCommand>,
    /// Only this run
    pub(crate) run: Option<String>,
    /// Only this UTC month, as 2026-11
    #[arg(long, conflicts_with = "run")]
    pub(crate) month: Option<String>,
}

/// What else `gavel usage` does.
#[derive(Debug, Subcommand)]
pub(crate) enum UsageCommand {
    /// Look into the calls of a run: peaks, caches, what was sent again, what is odd
    Forensics {
        /// The run: the beginning or the end of its id; without it, the newest one
        run: Option<String>,
    },
}
