//! `cargo xtask bench memory`: searches in a memory of many items. The figures are made by an example
//! of `gavel-memory`, since the workshop itself uses no crate of the product.

use std::path::PathBuf;

use anyhow::Result;

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say};

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let folder = args.value("--folder")?.map(PathBuf::from);
    let items: u32 = args.parsed("--items")?.unwrap_or(100_000);
    args.finish()?;
    let folder = match folder {
        Some(folder) => std::path::absolute(folder)?,
        None => place::scratch("bench-memory")?,
    };
    say::line(&super::load());
    let example = [
        "run",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "gavel-memory",
    ];
    Exec::cargo()
        .args(example)
        .args(["--example", "search_bench", "--"])
        .args([folder])
        .args([items.to_string()])
        .run()
}
