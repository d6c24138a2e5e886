//! `gavel status`.

use clap::Args;

/// Which runs are listed.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List the runs of every project, each with its folder
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,
    /// Which fifty of the list
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "run")]
    pub(crate) page: u32,
}
