//! A step that was stopped: a person says what becomes of it. The council is closed and its record
//! with it, so what they say shows in what begins next.

use gavel_domain::RunId;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::live::Keys;
use crate::ui::Look;

const OPTIONS: [&str; 3] = [
    "try the step again, in a new run",
    "skip it, and go on with the next one",
    "drop the plan: nothing more begins",
];

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Now {
    Again,
    Skip,
    Drop,
    /// Nobody is there to say.
    Nobody,
}

/// Asks at the terminal. `--yes` says nothing here: another run costs money.
pub(super) async fn what_now(
    context: &Context,
    (told, run): (&str, RunId),
) -> Result<Now, Failure> {
    if !context.attended() {
        return Ok(Now::Nobody);
    }
    let ui = &context.ui;
    let text = format!("{told} was stopped (run {}). What now?", run.short());
    ui.beside(format!("\n  {}", ui.look_beside(&text, Look::Strong)));
    for (place, label) in (1..).zip(OPTIONS) {
        ui.beside(format!("    {place}. {label}"));
    }
    let mut keys = Keys::default();
    loop {
        ui.prompt("  1–3 › ");
        let line = tokio::select! {
            line = keys.line() => line,
            _ = tokio::signal::ctrl_c() => Ok(None),
        };
        ui.prompt_answered();
        let line = line.map_err(|error| Failure::new(Exit::Failed, error))?;
        let Some(line) = line else {
            ui.beside("");
            return Ok(Now::Nobody);
        };
        match line.trim().to_lowercase().as_str() {
            "1" | "a" | "again" => return Ok(Now::Again),
            "2" | "b" | "skip" => return Ok(Now::Skip),
            "3" | "c" | "drop" => return Ok(Now::Drop),
            _ => ui.beside("  type a number from 1 to 3, or again, skip or drop"),
        }
    }
}
