//! `cargo xtask setup`: what building and testing need, found or installed, and said.

use anyhow::{Result, bail};

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say, table};

/// One thing that must be there.
struct Need {
    name: &'static str,
    ask: &'static [&'static str],
    /// What `cargo xtask setup` may run to get it.
    get: &'static [&'static str],
    why: &'static str,
    required: bool,
}

const NEEDS: [Need; 7] = [
    Need {
        name: "cargo",
        ask: &["cargo", "--version"],
        get: &[],
        why: "builds everything",
        required: true,
    },
    Need {
        name: "rustfmt",
        ask: &["cargo", "fmt", "--version"],
        get: &["rustup", "component", "add", "rustfmt"],
        why: "format check",
        required: true,
    },
    Need {
        name: "clippy",
        ask: &["cargo", "clippy", "--version"],
        get: &["rustup", "component", "add", "clippy"],
        why: "lints",
        required: true,
    },
    Need {
        name: "git",
        ask: &["git", "--version"],
        get: &[],
        why: "work trees, and the list of tracked files",
        required: true,
    },
    Need {
        name: "node",
        ask: &["node", "--version"],
        get: &[],
        why: "verify recipes for Node are tested with it",
        required: true,
    },
    Need {
        name: "python",
        ask: &["python3", "--version"],
        get: &[],
        why: "verify recipes for Python are tested with it",
        required: true,
    },
    Need {
        name: "nextest",
        ask: &["cargo", "nextest", "--version"],
        get: &[],
        why: "faster tests; without it `cargo test` runs them",
        required: false,
    },
];

/// Runs the verb: installs what is missing and can be installed.
pub(crate) fn run(args: Args) -> Result<()> {
    args.finish()?;
    for need in NEEDS.iter().filter(|need| need.version().is_err()) {
        if let Some((program, rest)) = need.get.split_first() {
            say::note(&format!("{} is missing: {}", need.name, need.get.join(" ")));
            Exec::new(program).args(rest).run()?;
        }
    }
    say::line(&table::texts(&report()));
    refuse(&missing())
}

/// Looks without installing. A missing part is an error under CI and a note elsewhere.
pub(crate) fn check() -> Result<()> {
    let missing = missing();
    if place::under_ci() {
        return refuse(&missing);
    }
    for need in missing {
        say::note(&format!("{} is missing: {}", need.name, need.why));
    }
    Ok(())
}

/// True if cargo-nextest answers.
pub(crate) fn has_nextest() -> bool {
    NEEDS
        .iter()
        .any(|need| need.name == "nextest" && need.version().is_ok())
}

fn missing() -> Vec<&'static Need> {
    let required = NEEDS.iter().filter(|need| need.required);
    required.filter(|need| need.version().is_err()).collect()
}

fn refuse(missing: &[&Need]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|need| need.name).collect();
    bail!(
        "missing: {} (install, then run `cargo xtask setup` again)",
        names.join(", ")
    )
}

fn report() -> Vec<Vec<String>> {
    let row = |need: &Need| {
        let version = need.version().unwrap_or_else(|_| "missing".to_owned());
        vec![need.name.to_owned(), version, need.why.to_owned()]
    };
    NEEDS.iter().map(row).collect()
}

impl Need {
    fn version(&self) -> Result<String> {
        let Some((program, rest)) = self.ask.split_first() else {
            bail!("nothing to ask")
        };
        let said = Exec::new(program).args(rest).output()?;
        Ok(said.lines().next().unwrap_or_default().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_refused_by_name() {
        let need = Need {
            name: "anvil",
            ask: &["gavel-no-such-program"],
            get: &[],
            why: "nothing",
            required: true,
        };
        assert!(need.version().is_err());
        let error = refuse(&[&need]).unwrap_err().to_string();
        assert!(error.contains("anvil"), "{error}");
        refuse(&[]).unwrap();
    }
}
