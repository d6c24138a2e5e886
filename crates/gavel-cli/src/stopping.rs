//! Signals: the first one pauses, and what is under way has a second; then, or at the next one, it is cut.

use std::io;
use std::time::Duration;

use gavel_domain::RunId;
use gavel_run::StopHandle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::ui::Ui;

/// How long a step under way may take to end by itself. Whoever sends SIGTERM sends SIGKILL soon after.
const GRACE: Duration = Duration::from_secs(1);

/// Watches for ctrl-C and SIGTERM as long as it is kept.
pub(crate) struct Watch {
    _task: JoinSet<()>,
}

/// Stops a drive at ctrl-C or SIGTERM.
pub(crate) fn on_ctrl_c(stop: StopHandle, run: RunId, ui: Ui) -> Watch {
    watch(async move |mut signals| {
        signals.next().await;
        ui.note(format!(
            "pausing: what is under way has a second; gavel resume {} goes on",
            run.short()
        ));
        stop.pause();
        tokio::select! {
            () = signals.next() => {}
            () = tokio::time::sleep(GRACE) => {}
        }
        ui.note(format!("cut; gavel resume {} goes on", run.short()));
        stop.cut();
    })
}

/// Ends what serves others at ctrl-C or SIGTERM.
pub(crate) fn cancel_on_ctrl_c(stop: CancellationToken) -> Watch {
    watch(async move |mut signals| {
        signals.next().await;
        stop.cancel();
    })
}

/// Listens at once, so that no signal is missed. Where that cannot be done, signals end the process.
fn watch<F: Future<Output = ()> + Send + 'static>(react: impl FnOnce(Signals) -> F) -> Watch {
    let mut task = JoinSet::new();
    match Signals::listen() {
        Ok(signals) => drop(task.spawn(react(signals))),
        Err(error) => tracing::warn!(%error, "signals end this command at once"),
    }
    Watch { _task: task }
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
