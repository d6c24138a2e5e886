//! What can be typed after `gavel review`.

use std::path::PathBuf;

use clap::Args;

/// A run to be told.
#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// The run: its id, or the end of it; without it, the newest one
    pub(crate) run: Option<String>,
    /// Tell everything, not only what fits on a screen; a pipe always gets everything
    #[arg(long)]
    pub(crate) full: bool,
    /// Write it to FILE as one page that needs nothing else; `-` prints the page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}
