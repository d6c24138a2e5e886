//! What can be typed after `gavel memory`.

use clap::{Args, Subcommand};
use gavel_memory::{Kind, Severity};

/// What `gavel memory` does.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Remember something: writes a file of its own below .gavel/memory
    Add(MemoryAddArgs),
    /// List what is remembered
    List {
        /// Only this kind; may be given again
        #[arg(long)]
        kind: Vec<Kind>,
        /// Retired and rejected items too
        #[arg(long)]
        all: bool,
        /// Only what runs of this project learned and nobody decided about
        #[arg(long, conflicts_with = "all")]
        proposed: bool,
    },
    /// Keep what a run learned: gavel memory list --proposed shows it
    Accept {
        /// The run: its id, or the end of it
        run: String,
        /// Which lessons, by their numbers; without any, all that are undecided
        numbers: Vec<u32>,
    },
    /// Say that nobody wants what a run learned, for good
    Reject {
        /// The run: its id, or the end of it
        run: String,
        /// Which lessons, by their numbers; without any, all that are undecided
        numbers: Vec<u32>,
    },
    /// Find items by words, the best first
    Search {
        /// What to look for; `-` reads standard input
        query: String,
        /// Only this kind; may be given again
        #[arg(long)]
        kind: Vec<Kind>,
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: usize,
    },
    /// Show one item
    Get {
        /// Its id, or the end of it
        id: String,
    },
    /// Say that an item holds no longer
    Retire {
        /// Its id, or the end of it
        id: String,
    },
}

/// Something to remember.
#[derive(Debug, Args)]
pub(crate) struct MemoryAddArgs {
    /// decision, constraint, trap, plan, feedback, runtime_note, handoff or vision
    #[arg(long)]
    pub(crate) kind: Kind,
    /// What to remember; `-` reads standard input
    pub(crate) text: String,
    /// A word to find it by; may be given again
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// A file or folder that it is about; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Vec<String>,
    /// How bad a trap is: low, medium or high
    #[arg(long)]
    pub(crate) severity: Option<Severity>,
}
