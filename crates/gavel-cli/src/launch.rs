//! Driving a run outside of this process: by this same program, in a process that lives on.
//!
//! Whoever serves tools must answer within seconds and may end at any moment; a run takes as long as
//! it takes. So the run is recorded first, and then driven by `gavel resume` in a process group of
//! its own, which writes what it would print into a file below the state folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use gavel_domain::RunId;
use gavel_store::{SqliteStore, Store as _};
use tokio::process::{Child, Command};

use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

/// How long a driver has to take the run; after that it is at least alive.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(25);
/// How much of its last words is told.
const LAST_WORDS: usize = 600;

/// Lets another process drive a run, and returns once it does, or once it has ended as it should.
pub(crate) async fn launch(
    context: &Context,
    store: &SqliteStore,
    run: RunId,
) -> Result<(), Failure> {
    let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
    let file = log_file(context, run).map_err(failed)?;
    let mut child = spawn(context, run, &file)
        .with_context(|| format!("run {} cannot be driven", run.short()))
        .map_err(failed)?;
    let begun = tokio::time::Instant::now();
    loop {
        if store.driver(run).await?.is_some() {
            return Ok(());
        }
        let ended = child.try_wait().map_err(|error| failed(error.into()))?;
        if let Some(status) = ended {
            return judge(status, run, &file);
        }
        if begun.elapsed() > PATIENCE {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that lets a run be driven elsewhere: it starts this very program"
)]
fn spawn(context: &Context, run: RunId, log: &Path) -> anyhow::Result<Child> {
    let program = environment::own_program()?;
    let output = open(log)?;
    let mut command = Command::new(program);
    command.arg0("gavel");
    command.arg("--state").arg(context.state());
    command.arg("-C").arg(context.directory());
    command.arg("--non-interactive");
    for setting in &context.general.config {
        command.arg("-c").arg(setting);
    }
    command.args(["resume", "--launched", &run.to_string()]);
    command.stdin(Stdio::null());
    command.stdout(output.try_clone()?).stderr(output);
    // A client that ends its server ends the server's group; the run goes on.
    command.process_group(0);
    Ok(command.spawn()?)
}

fn log_file(context: &Context, run: RunId) -> anyhow::Result<PathBuf> {
    let folder = context.state().join("logs");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder.join(format!("{run}.log")))
}

fn open(log: &Path) -> anyhow::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = File::options();
    options.create(true).append(true).mode(0o600);
    options.open(log).with_context(|| log.display().to_string())
}

/// A drive that ended early is fine where the run says why: a question, a cap, the gate.
fn judge(status: ExitStatus, run: RunId, log: &Path) -> Result<(), Failure> {
    let told = [
        Exit::Done,
        Exit::Waiting,
        Exit::Budget,
        Exit::Gate,
        Exit::Conflict,
    ];
    let is_told = |code: i32| told.iter().any(|exit| i32::from(exit.number()) == code);
    if status.code().is_some_and(is_told) {
        return Ok(());
    }
    let words = last_words(log);
    let error = anyhow!(
        "run {} could not be driven ({status}): {words}",
        run.short()
    );
    let hint = format!("gavel resume {} tells more", run.short());
    Err(Failure::new(Exit::Failed, error).hint(hint))
}

fn last_words(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let words = lines
        .iter()
        .rev()
        .take(4)
        .rev()
        .copied()
        .collect::<Vec<_>>()
        .join("; ");
    words.chars().take(LAST_WORDS).collect()
}
