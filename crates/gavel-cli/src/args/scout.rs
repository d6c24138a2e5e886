//! What can be typed after `gavel scout`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// A repository to look at.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ScoutArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ScoutCommand>,
    /// The folder; without it, the current one
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Read the whole tree again, not only what changed since the last scan
    #[arg(long)]
    pub(crate) deep: bool,
    /// Print the findings as SARIF 2.1.0, for code hosts and editors
    #[arg(long, conflicts_with = "html")]
    pub(crate) sarif: bool,
    /// Write it to FILE as one page that needs nothing else, after a deep scan; `-` prints the page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// What `gavel scout` does besides looking.
#[derive(Debug, Subcommand)]
pub(crate) enum ScoutCommand {
    /// Plan the renovation: versions, patterns, tasks in order, a grade; no model, no network
    Plan {
        /// The folder; without it, the current one
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Write it to FILE as one page that needs nothing else; `-` prints the page
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
}
