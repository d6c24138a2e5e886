//! Figures that an example of a crate makes, since the workshop itself uses no crate of the product:
//! `cargo xtask bench journal` (a durable fact against a bare write on the same disk) and
//! `cargo xtask bench memory` (searches in a memory of many items).

use std::path::PathBuf;

use anyhow::Result;

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say};

/// An example that takes a folder and a number.
pub(super) struct Example {
    /// The folder's name where none is given.
    scratch: &'static str,
    package: &'static str,
    example: &'static str,
    /// The flag of the number, and what it is without one.
    number: (&'static str, u32),
}

pub(super) const JOURNAL: Example = Example {
    scratch: "bench-journal",
    package: "gavel-store",
    example: "append",
    number: ("--count", 5_000),
};

pub(super) const MEMORY: Example = Example {
    scratch: "bench-memory",
    package: "gavel-memory",
    example: "search_bench",
    number: ("--items", 100_000),
};

impl Example {
    /// Runs the verb.
    pub(super) fn run(&self, mut args: Args) -> Result<()> {
        let folder = args.value("--folder")?.map(PathBuf::from);
        let (flag, usual) = self.number;
        let number: u32 = args.parsed(flag)?.unwrap_or(usual);
        args.finish()?;
        let folder = match folder {
            Some(folder) => std::path::absolute(folder)?,
            None => place::scratch(self.scratch)?,
        };
        say::line(&super::load());
        Exec::cargo()
            .args(["run", "--release", "--locked", "--quiet"])
            .args(["--package", self.package])
            .args(["--example", self.example, "--"])
            .args([folder])
            .args([number.to_string()])
            .run()
    }
}
