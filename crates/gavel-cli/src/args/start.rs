//! What can be typed after `gavel start`, and `gavel "an idea"` as a short form of it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _};
use gavel_domain::RunId;
use gavel_models::ModelId;
use serde_json::Value;

use super::topic::unquoted;
use super::{Cli, FlagValue, help};
use crate::slots::OFFLINE;

/// An idea, and how to go about it.
#[derive(Debug, Default, Args)]
pub(crate) struct StartArgs {
    /// The idea; `-` reads standard input
    pub(crate) idea: String,
    /// Build in DIR: made if missing, else empty or a git repository
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// The idea is about the repository that is here (or in --into DIR): refused where there is none
    #[arg(long)]
    pub(crate) from_repo: bool,
    /// Spend at most so many dollars
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<String>,
    /// Spend at most so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Let this model do everything: provider/model, or offline
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<ModelId>,
    /// Wish for a stack, in your own words
    #[arg(long, value_name = "TEXT")]
    pub(crate) stack: Option<String>,
    /// Do not ask project memory
    #[arg(long)]
    pub(crate) no_prior_context: bool,
    /// Debate, whatever the scores say
    #[arg(long)]
    pub(crate) force_council: bool,
    /// Ask for your verdict after each phase
    #[arg(long)]
    pub(crate) review_phases: bool,
    /// Keep it small: three phases at most
    #[arg(long)]
    pub(crate) mini: bool,
    /// Build in at most so many sprints in all (1 to 20; 8 unless set)
    #[arg(long, value_name = "N")]
    pub(crate) max_sprints: Option<u32>,
    /// The weighted share of criteria that counts as done (0.7 to 1; 0.9 unless set)
    #[arg(long, value_name = "X")]
    pub(crate) done_threshold: Option<String>,
    /// Follow a recipe pack; packs do not exist yet, so this is refused
    #[arg(long, value_name = "PACK")]
    pub(crate) recipe: Option<String>,
    /// The run's id, so that a test may know it before
    #[arg(long, hide = true)]
    pub(crate) run: Option<RunId>,
}

impl StartArgs {
    /// The settings that its flags stand for.
    pub(crate) fn flags(&self) -> Vec<FlagValue> {
        let mut flags = Vec::new();
        let cost = self.max_cost.clone().map(Value::from);
        let tokens = self.max_tokens.map(Value::from);
        let sprints = self.max_sprints.map(Value::from);
        let done = self.done_threshold.clone().map(Value::from);
        for (flag, key, value) in [
            ("--max-cost", "caps.run_usd", cost),
            ("--max-tokens", "caps.run_tokens", tokens),
            ("--max-sprints", "run.max_sprints", sprints),
            ("--done-threshold", "run.done_threshold", done),
        ] {
            flags.extend(value.map(|value| FlagValue::new(flag, key, value)));
        }
        flags.extend(self.model.iter().flat_map(model_flags));
        flags
    }
}

/// `--model ID` means every slot; seats of the rules would only stage voices.
pub(crate) fn model_flags(model: &ModelId) -> Vec<FlagValue> {
    let id = model.as_str();
    let seats = if id == OFFLINE { vec![] } else { vec![id, id] };
    [
        ("models.slots.leader", Value::from(id)),
        ("models.slots.coder", Value::from(id)),
        ("models.slots.auditor", Value::from(id)),
        ("models.slots.judge", Value::from(id)),
        ("models.slots.stances", Value::from(seats)),
    ]
    .map(|(key, value)| FlagValue::new("--model", key, value))
    .into()
}

impl Cli {
    /// Reads the command line. An argument with a space in it where a command should stand is an
    /// idea; a single unknown word may be a mistyped command and gets clap's suggestion.
    pub(crate) fn read(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut error = match help::parse(&words) {
            Ok(cli) => return cli.with_a_topic(),
            Err(error) => error,
        };
        if let Some(told) = unquoted(&error, &words) {
            return Err(told);
        }
        suggest_shown(&mut error);
        let known = is_idea(&error);
        // A flag of `start` may stand before the idea.
        if !known && error.kind() != ErrorKind::UnknownArgument {
            return Err(error);
        }
        let mut words = words;
        words.insert(1.min(words.len()), "start".into());
        match help::parse(&words) {
            Ok(cli) if known || starts_with_idea(&cli) => Ok(cli),
            Err(told) if known => Err(told),
            Ok(_) | Err(_) => Err(error),
        }
    }
}

/// What help does not show is not suggested.
fn suggest_shown(error: &mut clap::Error) {
    let kind = ContextKind::SuggestedSubcommand;
    let Some(ContextValue::Strings(names)) = error.get(kind) else {
        return;
    };
    let command = Cli::command();
    let hidden = |name: &str| {
        let found = command.find_subcommand(name);
        found.is_some_and(clap::Command::is_hide_set)
    };
    let shown: Vec<String> = names.iter().filter(|name| !hidden(name)).cloned().collect();
    if shown.is_empty() {
        error.remove(kind);
    } else {
        error.insert(kind, ContextValue::Strings(shown));
    }
}

fn is_idea(error: &clap::Error) -> bool {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => {
            // No word at all is no mistyped command: `start` says what is missing.
            word.trim().is_empty() || word.trim().contains(char::is_whitespace)
        }
        Some(_) | None => false,
    }
}

fn starts_with_idea(cli: &Cli) -> bool {
    matches!(&cli.command, super::Command::Start(args)
        if args.idea.trim().contains(char::is_whitespace))
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;
