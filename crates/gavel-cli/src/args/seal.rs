//! `gavel seal …`.

use clap::Subcommand;
use gavel_build::PublicKey;

/// What `gavel seal` does.
#[derive(Debug, Subcommand)]
pub(crate) enum SealCommand {
    /// Check a seal; needs the branch, no journal and no network
    Verify {
        /// The branch; without it the current build, else the newest one
        branch: Option<String>,
        /// Take this public key for known: ed25519:…
        #[arg(long = "key", value_name = "KEY")]
        keys: Vec<PublicKey>,
    },
    /// Show this machine's public key, for others to know it; makes the key if there is none
    Key,
}
