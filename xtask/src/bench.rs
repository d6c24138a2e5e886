//! `cargo xtask bench …`: commands that print figures. Never a timed assertion in the tests.

mod build;
mod example;
mod figures;
mod large;
mod mcp;
mod start;

use std::fs;

use anyhow::{Result, bail};

use crate::args::Args;

/// Runs the verb.
pub(crate) fn run(mut args: Args) -> Result<()> {
    let word = args.word();
    match word.as_deref() {
        Some("build") => build::run(args),
        Some("start") => start::run(args),
        Some("journal") => example::JOURNAL.run(args),
        Some("memory") => example::MEMORY.run(args),
        Some("mcp") => mcp::run(args),
        Some("large") => large::run(args),
        _ => bail!(
            "say `bench build`, `bench start`, `bench journal`, `bench memory`, `bench mcp` or \
             `bench large`"
        ),
    }
}

/// How busy the machine is: a figure from a busy machine says little.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    match text.split_whitespace().next() {
        Some(load) => format!("load average before the start: {load}"),
        None => "load average before the start: not known here".to_owned(),
    }
}
