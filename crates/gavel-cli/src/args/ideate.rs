//! What can be typed after `gavel ideate`.

use clap::Args;
use gavel_domain::{AgentId, ExitWhen, Profile};
use gavel_models::ModelId;

use super::{FlagValue, model_flags};

/// A proposal, and who holds it against what the project remembers.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct IdeateArgs {
    /// What you propose, for example "Should we extract the dispatcher?"; `-` reads standard input
    #[arg(required_unless_present = "run")]
    pub(crate) proposal: Option<String>,
    /// What it is to achieve
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,
    /// What critics look out for: pessimist, simplifier, security, cost; one critic each. Without
    /// it a pessimist, and beside a model a simplifier
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',')]
    pub(crate) critics: Vec<Profile>,
    /// Let these agents from outside be the critics; `gavel loop inbox` gives them their turns
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub(crate) agents: Vec<AgentId>,
    /// One critic after another: each sees what the earlier ones said
    #[arg(long)]
    pub(crate) sequential: bool,
    /// Look at it once more from what the project is for, before the plan is drawn
    #[arg(long)]
    pub(crate) reframe: bool,
    /// At most so many rounds of critique and revision
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) max_iterations: Option<u32>,
    /// When rounds end before that: no_new_critique_artifacts or critic_signal
    #[arg(long, value_name = "RULE")]
    pub(crate) exit_when: Option<ExitWhen>,
    /// Do not ask project memory
    #[arg(long)]
    pub(crate) no_prior_context: bool,
    /// Let this model take every turn: provider/model, or offline
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<ModelId>,
    /// Spend at most so many dollars
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<String>,
    /// Go on with this loop: its id, or the end of it; with a whole id that is new, a loop of that id
    /// is opened
    #[arg(long, value_name = "ID")]
    pub(crate) run: Option<String>,
}

impl IdeateArgs {
    /// The settings that its flags stand for.
    pub(crate) fn flags(&self) -> Vec<FlagValue> {
        let models = self.model.iter().flat_map(model_flags);
        let cost = self.max_cost.iter();
        let cost =
            cost.map(|cost| FlagValue::new("--max-cost", "caps.run_usd", cost.as_str().into()));
        models.chain(cost).collect()
    }
}
