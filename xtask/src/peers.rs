//! Clients that are not ours: the official Python and TypeScript SDKs and the inspector's command line,
//! fetched once and kept under `target/`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::exec::Exec;
use crate::{place, python, say};

/// The versions that the tests were written with.
const SDK: &str = "mcp==2.3.0";
const VALIDATOR: &str = "jsonschema==4.26.0";
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.2";

/// Lets every client use the program that was just built; true when all of them are content.
pub(crate) fn check() -> Result<bool> {
    let folder = place::scratch("peers")?;
    let python = python::environment(&folder.join("python"), SDK)?;
    let validator = folder.join("python").join("validator.installed");
    if !validator.exists() {
        let install = ["-m", "pip", "install", "--quiet", VALIDATOR];
        Exec::new(&python).args(install).run()?;
        std::fs::write(&validator, "").context("cannot mark the validator as installed")?;
    }
    let inspector = inspector(&folder)?;
    let modules = typescript(&folder.join("typescript"))?;
    Exec::cargo()
        .args(["build", "--quiet", "-p", "gavel-cli"])
        .run()?;
    let gavel = place::root().join("target/debug/gavel");
    let mut content = true;
    let scripts = [
        ("every_tool.py", Some(&inspector)),
        ("two_agents.py", None),
        ("inboxes.py", Some(&modules)),
    ];
    for (script, more) in scripts {
        say::note(&format!("-- {script}"));
        let script = place::root().join("tests/peers").join(script);
        let exec = Exec::new(&python).args([&script, &gavel]).args(more);
        content &= exec.tee()?.success;
    }
    Ok(content)
}

/// The folder with the TypeScript SDK, installed unless it is there.
fn typescript(folder: &Path) -> Result<PathBuf> {
    let sdk = folder.join("node_modules/@modelcontextprotocol/sdk");
    if !sdk.exists() {
        std::fs::create_dir_all(folder).context("cannot make the folder of the TypeScript SDK")?;
        install(folder, TYPESCRIPT)?;
    }
    ensure!(sdk.exists(), "npm left no {}", sdk.display());
    Ok(folder.to_owned())
}

fn install(folder: &Path, package: &str) -> Result<()> {
    say::note(&format!("installing {package}"));
    let quiet = ["--no-fund", "--no-audit", "--loglevel=error"];
    let install = Exec::new("npm")
        .args(["install", "--prefix"])
        .args([folder]);
    install.args(quiet).args([package]).run()?;
    Ok(())
}

/// The inspector's program, installed unless it is there.
fn inspector(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("node_modules/.bin/mcp-inspector");
    if !program.exists() {
        install(folder, INSPECTOR)?;
    }
    ensure!(program.exists(), "npm left no {}", program.display());
    Ok(program)
}
