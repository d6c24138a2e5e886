//! What can be typed. Names here are promises: extend freely, rename never.

mod contracts;
mod council;
mod help;
mod ideate;
mod keys;
mod loops;
mod mcp;
mod mcp_install;
mod memory;
mod review;
mod runs;
mod scout;
mod seal;
mod start;
mod status;
mod topic;
mod usage;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use contracts::{ContractsCommand, RunChoice};
pub(crate) use council::{CouncilArgs, CouncilCommand, ProvedWord};
pub(crate) use ideate::IdeateArgs;
pub(crate) use keys::KeysCommand;
pub(crate) use loops::{HandArgs, HandedArgs, LoopCommand, LoopOpenArgs, Place, PromotedKind, Who};
pub(crate) use mcp::{McpArgs, McpCommand};
pub(crate) use mcp_install::{ClientName, McpInstallArgs, ScopeName};
pub(crate) use memory::{
    ExpiresWord, MarkWord, MemoryAddArgs, MemoryCommand, MemoryEditArgs, MemoryListArgs,
    MemorySearchArgs,
};
pub(crate) use review::ReviewArgs;
pub(crate) use runs::RunsCommand;
pub(crate) use scout::{ScoutArgs, ScoutCommand};
pub(crate) use seal::{SealCommand, SealShowArgs, SealVerifyArgs};
pub(crate) use start::{StartArgs, model_flags};
pub(crate) use status::ListArgs;
pub(crate) use usage::{UsageArgs, UsageCommand};

/// Takes a software idea to a verified branch: debate it, write it down, build it, prove it, seal it
#[derive(Debug, Parser)]
#[command(name = "gavel", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) general: General,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each one is a flag that people type"
)]
pub(crate) struct General {
    /// Print data as JSON, and nothing else, on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Work as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Keep runs and the ledger in DIR
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) state: Option<PathBuf>,
    /// Set a value for this command: -c caps.run_usd=2
    #[arg(short = 'c', value_name = "KEY=VALUE", global = true)]
    pub(crate) config: Vec<String>,
    /// Take recommended answers; never raises a cap or drops a guard
    #[arg(long, global = true)]
    pub(crate) yes: bool,
    /// Never ask at the terminal
    #[arg(long, global = true)]
    pub(crate) non_interactive: bool,
    /// Say less: no notes, no warnings
    #[arg(short = 'q', long, global = true)]
    pub(crate) quiet: bool,
    /// Say more: what happened on the way, on standard error
    #[arg(short = 'v', long, global = true)]
    pub(crate) verbose: bool,
    /// What flags of the command say about settings
    #[arg(skip)]
    pub(crate) flags: Vec<FlagValue>,
}

/// A flag that stands for a setting.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlagValue {
    /// As it was typed.
    pub(crate) flag: &'static str,
    pub(crate) key: String,
    pub(crate) value: serde_json::Value,
}

impl FlagValue {
    pub(crate) fn new(flag: &'static str, key: &str, value: serde_json::Value) -> Self {
        let key = key.to_owned();
        Self { flag, key, value }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build an idea: gavel "<idea>" is the same
    Start(StartArgs),
    /// Ask a council of models: options, evidence, dissent, a decision
    Council(CouncilArgs),
    /// Hold a proposal against what the project remembers; ends in a plan that answers it
    Ideate(IdeateArgs),
    /// Loops of people and agents: open, turns, what they hand in
    Loop {
        #[command(subcommand)]
        command: LoopCommand,
    },
    /// Look at this machine: sandbox, git, store, providers, toolchains
    Doctor,
    /// Show, write and edit settings
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Models and providers
    Models {
        #[command(subcommand)]
        command: ModelsCommand,
    },
    /// What was spent, and where it went
    Usage(UsageArgs),
    /// List the runs of this project, or show one
    Status {
        /// The run: its id, or the end of it
        run: Option<String>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Follow the facts of a run
    Watch {
        /// The run; without it, the newest unfinished one of this project
        run: Option<String>,
        /// Begin after this record
        #[arg(long, value_name = "SEQ", default_value_t = 0)]
        from: u64,
        /// Only these kinds
        #[arg(long, value_name = "KIND", value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Fold a journal again, call nothing, verify the chain
    Replay {
        /// The run; without it, the newest one
        run: Option<String>,
        /// Stop after this record
        #[arg(long, value_name = "SEQ")]
        until: Option<u64>,
    },
    /// A run as a document: decisions, dissent, contracts, spend, proof
    Review(ReviewArgs),
    /// What a repository is: stack, versions, map, checks; no model, no network
    Scout(ScoutArgs),
    /// What a build is held to
    Contracts {
        #[command(subcommand)]
        command: ContractsCommand,
    },
    /// Go on with a run
    Resume {
        /// The run; without it, the newest unfinished one of this project
        run: Option<String>,
        /// Let this model do everything from here on
        #[arg(long, value_name = "ID")]
        model: Option<gavel_models::ModelId>,
        /// Let it spend so many dollars in all; every other setting stays as the run began
        #[arg(long, value_name = "USD")]
        max_cost: Option<String>,
        /// Somebody else let it go on: resuming says nothing in a person's name
        #[arg(long, hide = true)]
        launched: bool,
    },
    /// Answer an open question: [RUN] [QUESTION] ANSWER; without an answer, show its card
    Answer(AnswerArgs),
    /// Say something to a run; it reaches the next model turn: [RUN] TEXT
    Say {
        /// The run, and what to say; `-` reads standard input
        #[arg(required = true, num_args = 1..=2)]
        words: Vec<String>,
    },
    /// Stop a run after its current step
    Pause {
        /// The run; without it, the only unfinished one of this project
        run: Option<String>,
    },
    /// Give a run up for good
    Abort {
        /// The run; without it, the only unfinished one of this project, after asking at the terminal
        run: Option<String>,
        /// Why, for whoever reads it later; `-` reads standard input
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Go to the done gate with what is there; the gate judges it, and asks you when it passes
    Ship {
        /// The run; without it, the only unfinished one of this project
        run: Option<String>,
    },
    /// Make a project here: gavel.toml with an id, .gavel/memory; safe to repeat
    Init,
    /// What the project remembers
    Memory {
        #[command(subcommand)]
        command: MemoryCommand,
    },
    /// Serve tools to any agent over MCP: memory, loops, contracts, runs
    Mcp(McpArgs),
    /// Serve the fixtures of the official MCP conformance suite
    #[command(hide = true)]
    McpConformance {
        /// Where to listen
        address: std::net::SocketAddr,
    },
    /// Keys that programs come in with over HTTP
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Runs as they lie in the store: write one into a file, remove one
    Runs {
        #[command(subcommand)]
        command: RunsCommand,
    },
    /// Seals of builds, and the keys behind them
    Seal {
        #[command(subcommand)]
        command: SealCommand,
    },
    /// Score an idea and show its route; no model, no network
    Intake(IntakeArgs),
    /// Print a completion script: plain text, with --json too
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Drive a toy run through the real engine
    #[command(hide = true)]
    Toy(ToyArgs),
}

/// An answer.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run, the question, and the answer: an option by its number, its word or its label, or
    /// your own words; `-` reads standard input
    #[arg(num_args = 0..=3)]
    pub(crate) words: Vec<String>,
    /// Take the N-th option of the card, or the option of that id
    #[arg(long, value_name = "N", conflicts_with_all = ["skip", "limit"])]
    pub(crate) option: Option<String>,
    /// Set the cap to this: dollars, or a number of tokens
    #[arg(long, value_name = "AMOUNT", conflicts_with = "skip")]
    pub(crate) limit: Option<String>,
    /// Let Gavel decide
    #[arg(long)]
    pub(crate) skip: bool,
    /// Drive on after answering
    #[arg(long)]
    pub(crate) resume: bool,
}

/// An idea to score.
#[derive(Debug, Args)]
pub(crate) struct IntakeArgs {
    /// The idea; `-` reads standard input
    pub(crate) idea: String,
    /// As if the run were started with it
    #[arg(long)]
    pub(crate) force_council: bool,
    /// As if the run were started with it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) max_sprints: Option<u32>,
}

/// What `gavel config` does.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every effective value
    Show {
        /// And where it came from
        #[arg(long)]
        origin: bool,
    },
    /// Print where settings are read from
    Path,
    /// Write a setting into your own file: gavel config set caps.run_usd 2
    Set(ConfigSet),
    /// Open your own file in $VISUAL or $EDITOR; what comes back is checked before it counts
    Edit {
        /// Open the project's gavel.toml instead
        #[arg(long)]
        project: bool,
    },
}

/// A setting to write.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigSet {
    /// The setting, as gavel config show prints it
    pub(crate) key: String,
    /// Its value
    pub(crate) value: String,
    /// Write it into the project's gavel.toml instead
    #[arg(long)]
    pub(crate) project: bool,
}

/// What `gavel models` does.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List models of the configured providers, those that you named first
    List {
        /// All that the catalogue knows, configured or not
        #[arg(long)]
        all: bool,
    },
    /// Try a model (words, a tool call, a structured answer) and write it into your settings
    Use {
        /// PROVIDER/MODEL, or a provider that has one model
        model: String,
        /// Show what it answers, and write nothing
        #[arg(long)]
        try_only: bool,
    },
    /// Ask a provider whether it answers; buys nothing
    Probe {
        /// The provider; without it, every configured one
        provider: Option<String>,
    },
}

/// What a toy run needs.
#[derive(Debug, Args)]
pub(crate) struct ToyArgs {
    /// The repository's checkout
    #[arg(long)]
    pub(crate) repository: PathBuf,
    /// Where its work tree and letters go
    #[arg(long)]
    pub(crate) place: PathBuf,
    /// The model
    #[arg(long)]
    pub(crate) model: gavel_models::ModelId,
    /// How many drafts
    #[arg(long, default_value_t = 3)]
    pub(crate) drafts: u32,
    /// Ask for them one after the other
    #[arg(long)]
    pub(crate) in_turn: bool,
    /// The run's id, so that a test may know it before
    #[arg(long)]
    pub(crate) run: Option<gavel_domain::RunId>,
    /// Give this task to an agent instead of asking for drafts
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Option<String>,
    /// Wait for answers instead of leaving
    #[arg(long)]
    pub(crate) stay: bool,
}
