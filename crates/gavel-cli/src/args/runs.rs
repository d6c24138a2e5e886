//! `gavel runs`.

use std::path::PathBuf;

use clap::Subcommand;

/// What `gavel runs` does.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Write what can be read of a run, damaged or not, as JSON lines
    Export {
        /// The run: its id, or the end of it
        run: String,
        /// Where to; nothing that is there is written over
        file: PathBuf,
    },
    /// Remove the product runs of this project that are over, and their work trees, after showing them
    Prune {
        /// Those of every project
        #[arg(long)]
        all: bool,
    },
    /// Remove a run that is damaged or over, after showing it; what it spent stays in the ledger
    Drop {
        /// The run: its id, or the end of it
        run: String,
    },
}
