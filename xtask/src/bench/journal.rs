//! `cargo xtask bench journal`: a durable fact against a bare write on the same disk. The figures
//! are made by an example of `gavel-store`, since the workshop itself uses no crate of the product.

use std::path::PathBuf;

use anyhow::Result;

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say};

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let folder = args.value("--folder")?.map(PathBuf::from);
    let count: u32 = args.parsed("--count")?.unwrap_or(5_000);
    args.finish()?;
    let folder = match folder {
        Some(folder) => std::path::absolute(folder)?,
        None => place::scratch("bench-journal")?,
    };
    say::line(&super::load());
    let example = [
        "run",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "gavel-store",
    ];
    Exec::cargo()
        .args(example)
        .args(["--example", "append", "--"])
        .args([folder])
        .args([count.to_string()])
        .run()
}
