//! `gavel seal …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use gavel_build::PublicKey;

/// What `gavel seal` does.
#[derive(Debug, Subcommand)]
pub(crate) enum SealCommand {
    /// Check a seal; needs the branch, no journal and no network
    Verify(SealVerifyArgs),
    /// Show what a seal says: what was asked for, what shows it, what was left out
    Show(SealShowArgs),
    /// Look at a result that was sealed without a person, and approve it; nothing is run again
    Approve {
        /// The run, or its branch; without it the current build's branch, else the newest one
        run: Option<String>,
    },
    /// Know a public key from now on, after its owner gave it to you
    Trust {
        /// The key: ed25519:…
        key: PublicKey,
    },
    /// Show this machine's public key, for others to know it; makes the key if there is none
    Key,
}

/// What `gavel seal verify` takes.
#[derive(Debug, Args)]
pub(crate) struct SealVerifyArgs {
    /// The branch; without it the current build, else the newest one
    pub(crate) branch: Option<String>,
    /// Take this public key for known: ed25519:…
    #[arg(long = "key", value_name = "KEY")]
    pub(crate) keys: Vec<PublicKey>,
    /// Build the judged commit again in the sandbox, and repeat examples, tests and mutants
    #[arg(long)]
    pub(crate) rerun: bool,
    /// Compare with this machine's journal: that of the seal's run, or of the run that is named
    #[arg(long, value_name = "RUN", num_args = 0..=1, require_equals = true)]
    pub(crate) journal: Option<Option<String>>,
}

/// What `gavel seal show` takes.
#[derive(Debug, Args)]
pub(crate) struct SealShowArgs {
    /// The branch; without it the current build, else the newest one
    pub(crate) branch: Option<String>,
    /// Write it as a page: a file, or `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}
