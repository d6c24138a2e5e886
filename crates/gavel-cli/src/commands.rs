//! One file per command; this one only sends each to its own.

mod abort;
mod after;
mod again;
mod answer;
mod config;
mod contracts;
mod control;
mod council;
mod doctor;
mod drive;
mod ended;
mod ideate;
mod init;
mod intake;
mod keys;
mod lessons;
mod loops;
mod mcp;
mod mcp_install;
mod memory;
mod models;
mod replay;
mod review;
mod runs;
mod scout;
mod seal;
mod ship;
mod start;
mod status;
mod toy;
mod usage;
mod watch;

pub(crate) use again::Again;
pub(crate) use council::council_record;
pub(crate) use init::name_project;
pub(crate) use loops::{loop_brief, memory_of};
pub(crate) use models::MODEL_TRIAL;

use clap::CommandFactory as _;
use gavel_store::InboxKind;

use crate::args::{
    Cli, Command, ConfigCommand, FlagValue, McpArgs, McpCommand, ModelsCommand, model_flags,
};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) async fn dispatch(mut context: Context, command: Command) -> Result<Exit, Failure> {
    context.general.flags = settings_by_flags(&command);
    // A wrong setting is told by every command, also by one that needs none: it was meant to do
    // something. The doctor tells it among the rest; a shell that asks for completions reads nothing.
    if !matches!(command, Command::Doctor | Command::Completions { .. }) {
        context.settings()?;
    }
    match command {
        Command::Start(args) => start::run(context, args).await,
        Command::Council(args) => council::run(&context, args).await,
        Command::Ideate(args) => ideate::run(&context, args).await,
        Command::Loop { command } => loops::run(&context, command).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Config {
            command: ConfigCommand::Show { origin },
        } => config::show(&context, origin),
        Command::Config {
            command: ConfigCommand::Path,
        } => config::path(&context),
        Command::Config {
            command: ConfigCommand::Set(setting),
        } => config::set(&context, &setting),
        Command::Config {
            command: ConfigCommand::Edit { project },
        } => config::edit(&context, project),
        Command::Models {
            command: ModelsCommand::List { all },
        } => models::list(&context, all).await,
        Command::Models {
            command: ModelsCommand::Use { model, try_only },
        } => models::use_model(&context, &model, try_only).await,
        Command::Models {
            command: ModelsCommand::Probe { provider },
        } => models::probe(&context, provider).await,
        Command::Scout(args) => scout::run(&context, &args),
        Command::Usage(args) => usage::run(&context, args).await,
        Command::Status { run: None, list } => status::list(&context, &list).await,
        Command::Status { run: Some(run), .. } => status::show(&context, &run).await,
        Command::Watch { run, from, only } => watch::run(&context, run, from, &only).await,
        Command::Replay { run, until } => replay::run(&context, run, until).await,
        Command::Review(args) => review::run(&context, args).await,
        Command::Contracts { command } => contracts::run(&context, command).await,
        Command::Resume {
            run,
            launched: true,
            ..
        } => drive::go_on(&context, run).await,
        Command::Resume { run, .. } => drive::resume(&context, run).await,
        Command::Answer(args) => answer::run(&context, args).await,
        Command::Say { words } => control::say(&context, words).await,
        Command::Pause { run } => control::post(&context, run, InboxKind::Pause).await,
        Command::Abort { run, reason } => abort::run(&context, run, reason).await,
        Command::Ship { run } => ship::run(&context, run).await,
        Command::Init => init::run(&context),
        Command::Memory { command } => memory::run(&context, command).await,
        Command::Mcp(McpArgs {
            command: Some(McpCommand::Install(args)),
            ..
        }) => mcp_install::run(&context, &args),
        Command::Mcp(args) => mcp::run(&context, args).await,
        Command::McpConformance { address } => mcp::conformance(&context, address).await,
        Command::Keys { command } => keys::run(&context, command).await,
        Command::Runs { command } => runs::run(&context, command).await,
        Command::Seal { command } => seal::run(&context, command).await,
        Command::Intake(args) => intake::run(&context, args),
        Command::Completions { shell } => Ok(completions(&context, shell)),
        Command::Toy(args) => toy::run(&context, args).await,
    }
}

/// Flags of commands that stand for settings.
fn settings_by_flags(command: &Command) -> Vec<FlagValue> {
    if let Command::Start(args) = command {
        return args.flags();
    }
    if let Command::Council(args) = command {
        return args.flags();
    }
    if let Command::Ideate(args) = command {
        return args.flags();
    }
    if let Command::Resume {
        model, max_cost, ..
    } = command
    {
        let cost = max_cost
            .iter()
            .map(|cost| FlagValue::new("--max-cost", "caps.run_usd", cost.as_str().into()));
        return cost.chain(model.iter().flat_map(model_flags)).collect();
    }
    Vec::new()
}

fn completions(context: &Context, shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gavel", &mut script);
    context.ui.raw(&script);
    Exit::Done
}
