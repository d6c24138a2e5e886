//! The `gavel` binary: flags, output, wiring. Nothing here decides anything.

mod args;
mod atomic_file;
mod card;
mod changes;
mod commands;
mod context;
mod doubted;
mod driver;
mod earlier;
mod environment;
mod exit;
mod failure;
mod flows;
mod history;
mod launch;
mod live;
mod log;
mod means;
mod named_agents;
mod notify;
mod preview;
mod project;
mod providers;
mod publishing;
mod registries;
mod seal_keys;
mod settings;
mod site;
mod slots;
mod sources;
mod stopping;
mod summary;
mod ui;
mod which_run;

use std::process::ExitCode;
use std::time::SystemTime;

use gavel_domain::moment;

use crate::args::Cli;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Ui;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    // The sandbox's own door comes before everything: no runtime, no settings, no output.
    if words
        .next()
        .is_some_and(|word| word == gavel_workspace::SANDBOX_EXEC)
    {
        return gavel_workspace::sandbox_exec(words);
    }
    let cli = match Cli::read(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => {
            let wants_data = std::env::args_os().any(|word| word == "--json");
            return ui::explain_usage(&error, wants_data);
        }
    };
    let ui = Ui::new(&cli.general);
    log::listen(&cli.general, &ui);
    match run(cli, &ui) {
        Ok(exit) => ui.exit(exit).code(),
        Err(failure) => {
            let failure = failure.or_full_disk();
            ui.failure(&failure);
            failure.exit.code()
        }
    }
}

fn run(cli: Cli, ui: &Ui) -> Result<Exit, Failure> {
    moment(SystemTime::now()).map_err(|error| Failure::new(Exit::Failed, error))?;
    let context = Context::new(cli.general, ui.clone())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    let exit = runtime.block_on(commands::dispatch(context, cli.command));
    // Whatever still runs in the background was told to stop; nothing waits for it.
    runtime.shutdown_background();
    exit
}
