//! What can be typed after `gavel loop`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use gavel_domain::{AgentId, LoopKind, LoopStatus, TurnOutcome, Word};

/// What `gavel loop` does.
#[derive(Debug, Subcommand)]
pub(crate) enum LoopCommand {
    /// Open a loop: ideation, review, consult, or phases of your own
    Open(LoopOpenArgs),
    /// The turns that wait for an agent, each with its brief
    Inbox {
        #[command(flatten)]
        who: Who,
    },
    /// The brief of a slot: of its turn, or the one that it would get now
    Brief {
        #[command(flatten)]
        place: Place,
        #[command(flatten)]
        who: Who,
    },
    /// Give a slot its turn
    Turn {
        #[command(flatten)]
        place: Place,
        /// Why it has its turn again
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// End a turn, with what it brought
    Complete {
        #[command(flatten)]
        place: Place,
        /// done, failed or cancelled
        #[arg(long, value_name = "WORD", default_value = "done")]
        outcome: TurnOutcome,
        /// Why it failed or was taken back; `-` reads standard input
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        handed: HandedArgs,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Hand something in beside the end of a turn
    Add {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        /// For this slot: its id or its role; without it, your own
        #[arg(long)]
        slot: Option<String>,
        #[command(flatten)]
        handed: HandedArgs,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Go on to the next phase, if its gate lets it
    Advance {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        /// To this phase whatever gates say; only whoever opened the loop may
        #[arg(long, value_name = "PHASE")]
        to: Option<Word>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Pause a loop
    Pause {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        /// Why; `-` reads standard input
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Let a paused loop go on
    Resume {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// End a loop
    Close {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        /// completed, blocked or cancelled
        #[arg(long = "as", value_name = "STATUS", default_value = "completed")]
        status: LoopStatus,
        /// Why; `-` reads standard input
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Show a loop: who said what, on what it rests, whom it waits for
    Get {
        /// The loop; without it, the one that changed last
        #[arg(value_name = "LOOP")]
        id: Option<String>,
    },
    /// List the loops of this project
    List {
        /// Those that are over, too
        #[arg(long)]
        all: bool,
    },
    /// Keep the plan that a loop came to, as an item of project memory
    Promote {
        /// The loop: its id, or the end of it
        #[arg(value_name = "LOOP")]
        id: String,
        /// As what
        #[arg(long = "as", value_enum, value_name = "KIND", default_value = "plan")]
        kind: PromotedKind,
        /// Without a name it is a person, who vouches for it by keeping it; what an agent keeps is
        /// proposed
        #[command(flatten)]
        who: Who,
    },
}

/// What a plan becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PromotedKind {
    /// What is to be done.
    Plan,
    /// What was decided.
    Decision,
}

/// A slot of a loop.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The loop: its id, or the end of it
    #[arg(value_name = "LOOP")]
    pub(crate) id: String,
    /// The slot: its id, or its role
    pub(crate) slot: String,
}

/// Who does it.
#[derive(Debug, Args)]
pub(crate) struct Who {
    /// Who you are; the variable GAVEL_AGENT says it for all commands
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<AgentId>,
}

/// Who changes something, and how sure they are of what they saw.
#[derive(Debug, Args)]
pub(crate) struct HandArgs {
    #[command(flatten)]
    pub(crate) who: Who,
    /// Only if the loop is still at this version
    #[arg(long, value_name = "VERSION")]
    pub(crate) expect: Option<u64>,
    /// A key of your own: the same call again is done once
    #[arg(long, value_name = "KEY")]
    pub(crate) request_id: Option<String>,
}

/// What is handed in.
#[derive(Debug, Args)]
pub(crate) struct HandedArgs {
    /// critique, nothing_new, revision, plan_draft … and its text: critique="…"; may be given again
    #[arg(long, value_name = "TYPE=TEXT")]
    pub(crate) artifact: Vec<String>,
    /// What it rests on, ids of the brief; the first --cites is of the first --artifact, and so on
    #[arg(long, value_name = "ID,…", requires = "artifact")]
    pub(crate) cites: Vec<String>,
    /// The critiques that a plan answers
    #[arg(
        long,
        value_name = "ID,…",
        value_delimiter = ',',
        requires = "artifact"
    )]
    pub(crate) addresses: Vec<String>,
    /// A critique that a plan leaves on purpose; may be given again
    #[arg(long, value_name = "ID=REASON", requires = "artifact")]
    pub(crate) waive: Vec<String>,
    /// The same as JSON: a list of {type, body, cites, addresses_critique, waived}; `-` reads
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "artifact")]
    pub(crate) artifacts: Option<PathBuf>,
}

/// A loop that is to be opened.
#[derive(Debug, Args)]
pub(crate) struct LoopOpenArgs {
    /// ideation, review, consult or custom
    #[arg(long, default_value = "ideation")]
    pub(crate) kind: LoopKind,
    /// What it is about, one line
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: String,
    /// What it is to achieve
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    /// Phases, cycle, end, schedule and flow as JSON, over those of the kind; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) protocol: Option<PathBuf>,
    /// Somebody who takes part: role, role:agent, role:profile or role:agent:profile; may be given
    /// again
    #[arg(long, value_name = "SLOT")]
    pub(crate) slot: Vec<String>,
    /// What is put forward at once: the proposal, the question or the change; `-` reads standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) proposal: Option<String>,
    /// Do not ask project memory
    #[arg(long)]
    pub(crate) no_prior_context: bool,
    /// The loop's id, so that a test may know it before
    #[arg(long, hide = true)]
    pub(crate) run: Option<gavel_domain::RunId>,
    #[command(flatten)]
    pub(crate) hand: HandArgs,
}
