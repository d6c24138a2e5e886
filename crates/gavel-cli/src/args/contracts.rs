//! What can be typed after `gavel contracts`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What `gavel contracts` does.
#[derive(Debug, Subcommand)]
pub(crate) enum ContractsCommand {
    /// List the contracts of a run: the versions that its build is held to, and all others
    List {
        #[command(flatten)]
        run: RunChoice,
    },
    /// Print one contract
    Get {
        /// manifesto, blueprint, stack, schema, physics, boundaries, ui or `builder_directive`
        kind: String,
        /// Another version than the one that the build is held to
        #[arg(long, value_name = "N")]
        of_version: Option<u32>,
        #[command(flatten)]
        run: RunChoice,
    },
    /// Print phase N of the contract `phases` and the one after it
    Window {
        /// The phase, counted from 0
        phase: u32,
        #[command(flatten)]
        run: RunChoice,
    },
    /// Check the contracts of a run, or those in a folder
    Validate {
        /// The run; without it, the newest one
        named: Option<String>,
        #[command(flatten)]
        run: RunChoice,
        /// Check the files in DIR instead
        #[arg(long, value_name = "DIR", conflicts_with_all = ["named", "run"])]
        dir: Option<PathBuf>,
    },
    /// Compare contracts with the code: files and lines that break them
    Check {
        /// The run: its contracts, and the commit that its gate judged
        run: Option<String>,
        /// The files of DIR and the contracts in its .gavel/contracts; without both, this folder
        #[arg(long, value_name = "DIR", conflicts_with = "run")]
        tree: Option<PathBuf>,
    },
}

/// Which run is meant.
#[derive(Debug, Args)]
pub(crate) struct RunChoice {
    /// The run: its id, or the end of it; without it, the newest one
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}
