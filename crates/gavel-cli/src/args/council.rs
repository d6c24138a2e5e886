//! What can be typed after `gavel council`.

use clap::{Args, Subcommand, ValueEnum};
use gavel_domain::RunId;
use gavel_models::ModelId;
use serde_json::Value;

use super::{FlagValue, model_flags};

/// A question, and who is to answer it.
#[derive(Debug, Default, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct CouncilArgs {
    #[command(subcommand)]
    pub(crate) command: Option<CouncilCommand>,
    /// What to decide, for example "SQLite or PostgreSQL for a job queue?"; `-` reads standard input
    pub(crate) topic: Option<String>,
    /// Let this model do everything: provider/model, or offline
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<ModelId>,
    /// Give the seats to these models, in this order
    #[arg(long, value_name = "ID,ID", value_delimiter = ',')]
    pub(crate) seats: Vec<ModelId>,
    /// Spend at most so many dollars
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<String>,
    /// Take the topic as it is: ask nothing about it
    #[arg(long)]
    pub(crate) no_clarify: bool,
    /// Debate although two drafts agree
    #[arg(long)]
    pub(crate) force_rounds: bool,
    /// Do not ask project memory
    #[arg(long)]
    pub(crate) no_prior_context: bool,
    /// The run's id, so that a test may know it before
    #[arg(long, hide = true)]
    pub(crate) run: Option<RunId>,
}

/// What else `gavel council` does.
#[derive(Debug, Subcommand)]
pub(crate) enum CouncilCommand {
    /// Show what a council came to, and how
    Show {
        /// The run; without it, the newest one with a council
        run: Option<String>,
        /// The N-th debate of the run; without it, the last
        #[arg(long, value_name = "N")]
        debate: Option<u32>,
        /// Every turn, not only where each seat ended
        #[arg(long)]
        turns: bool,
    },
    /// Ask a council's record: who was against, and why?
    Ask {
        /// The run: its id, or the end of it
        run: String,
        /// The question; `-` reads standard input
        question: String,
        /// The N-th debate of the run; without it, the last
        #[arg(long, value_name = "N")]
        debate: Option<u32>,
    },
    /// The councils that met in this project, with what each came to
    List,
    /// Whether councils were worth their money: what debates changed, and how it turned out
    Stats,
    /// Say how a decision turned out; project memory keeps it, and stats count it
    Proved {
        /// The run: its id, or the end of it
        run: String,
        /// The decision, as `gavel council show` names it
        decision: String,
        /// How it turned out
        how: ProvedWord,
        /// The N-th debate of the run; without it, the last
        #[arg(long, value_name = "N")]
        debate: Option<u32>,
    },
}

/// How a decision turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProvedWord {
    /// It was right.
    Right,
    /// It was wrong.
    Wrong,
}

impl CouncilArgs {
    /// The settings that its flags stand for. Seats that are named win over one model for all.
    pub(crate) fn flags(&self) -> Vec<FlagValue> {
        const SEATS: &str = "models.slots.stances";
        let mut flags: Vec<FlagValue> = self.model.iter().flat_map(model_flags).collect();
        if !self.seats.is_empty() {
            flags.retain(|flag| flag.key != SEATS);
            let seats = self.seats.iter().map(|id| Value::from(id.as_str()));
            let seats = Value::from(seats.collect::<Vec<_>>());
            flags.push(FlagValue::new("--seats", SEATS, seats));
        }
        let cost = self.max_cost.iter();
        flags.extend(
            cost.map(|cost| FlagValue::new("--max-cost", "caps.run_usd", cost.as_str().into())),
        );
        flags
    }
}
