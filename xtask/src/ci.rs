//! `cargo xtask ci`: everything that must hold before a change is called done.

use anyhow::Result;

use crate::args::Args;
use crate::test::{self, Plan};

/// Runs the verb.
pub(crate) fn run(args: Args) -> Result<()> {
    args.finish()?;
    test::follow(&Plan {
        with: Vec::new(),
        documentation: true,
    })
}
