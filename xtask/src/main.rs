//! The workshop: `cargo xtask setup | test | tidy | bench | model | catalogue | fuzz | ci`.
//!
//! One file per verb. Printing happens in [`say`], processes are started in [`exec`], the
//! environment is read in [`place`]; nowhere else.

mod args;
mod bench;
mod catalogue;
mod ci;
mod exec;
mod fuzz;
mod model;
mod peers;
mod place;
mod python;
mod say;
mod setup;
mod table;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;

const USAGE: &str = "\
usage: cargo xtask VERB

  setup                              check what building and testing need, install what can be
  test [--with PART,…]               fmt, tidy, clippy, doctests, tests; ends with the counts, and with
                                     which tests left out a part (peers, model, attacks, cheats,
                                     ideas, council)
  test --on MACHINE [--with PART,…]  the attacks and the sandbox alone, as on another machine:
                                     without-namespaces, unprivileged
  tidy                               the rules of docs/style.md that a program can check
  bench build [--release]            cold build: wall time and the ten slowest units
  bench start [--runs N]             wall and memory of `gavel --version` and `gavel status`
  bench journal [--folder DIR]       a durable fact against a bare write and fsync
  bench memory [--items N]           searches in a memory of many items
  bench mcp [--calls N]              first reply, list of tools and contract over standard input
  bench large [--files N] [--gavel P] a small change in repositories of 1,000 to 200,000 files
  model up [--gguf FILE] [--port N]  serve a small real model on loopback
  model down                         stop it
  catalogue [--wheel FILE]           reduce a public price list to the compiled-in catalogue
  fuzz MINUTES [TARGET]              the parsers of outside text; needs a C++ compiler
  ci                                 test, and the documentation build with warnings denied";

fn main() -> ExitCode {
    match run(Args::of_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::trouble(&format!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: Args) -> Result<()> {
    match args.word().as_deref() {
        Some("setup") => setup::run(args),
        Some("test") => test::run(args),
        Some("tidy") => tidy::run(args),
        Some("bench") => bench::run(args),
        Some("model") => model::run(args),
        Some("catalogue") => catalogue::run(args),
        Some("fuzz") => fuzz::run(args),
        Some("ci") => ci::run(args),
        Some("help" | "--help" | "-h") => {
            say::line(USAGE);
            Ok(())
        }
        Some(other) => bail!("no verb `{other}`\n\n{USAGE}"),
        None => bail!("a verb is missing\n\n{USAGE}"),
    }
}
