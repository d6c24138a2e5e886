//! ctrl-C: the first one pauses after the current step, the second one cuts.

use gavel_domain::RunId;
use gavel_run::StopHandle;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::ui::Ui;

/// Watches for ctrl-C and SIGTERM as long as it is kept.
pub(crate) struct Watch {
    _task: JoinSet<()>,
}

/// Stops a drive at ctrl-C.
pub(crate) fn on_ctrl_c(stop: StopHandle, run: RunId, ui: Ui) -> Watch {
    let mut task = JoinSet::new();
    task.spawn(async move {
        if interrupted().await {
            ui.note(format!(
                "pausing after this step (ctrl-C again cuts it); gavel resume {} goes on",
                run.short()
            ));
            stop.pause();
        }
        if interrupted().await {
            ui.note(format!("cut; gavel resume {} goes on", run.short()));
            stop.cut();
        }
    });
    Watch { _task: task }
}

/// Ends what serves others at ctrl-C.
pub(crate) fn cancel_on_ctrl_c(stop: CancellationToken) -> Watch {
    let mut task = JoinSet::new();
    task.spawn(async move {
        if interrupted().await {
            stop.cancel();
        }
    });
    Watch { _task: task }
}

async fn interrupted() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.is_ok();
    };
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed.is_ok(),
        told = terminate.recv() => told.is_some(),
    }
}
