//! Runs a recipe: dependencies, then tests without network.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::alone::runs_tests_alone;
use super::install::{InstallRan, Installed, install};
use super::judge::{Closings, Judgement, VerifyReason, judge};
use super::recipe::Recipe;
use super::toolchain::resolved_command;
use crate::{
    Argv, ArgvError, CommandError, CommandOutcome, CommandSpec, Commands, Counts, FileError,
    Policy, Profile,
};

/// Output kept of a test command: its closing lines must be among it.
const KEPT_OUTPUT: usize = 8 * 1024 * 1024;

/// Where and how to verify.
#[derive(Debug, Clone)]
pub struct VerifyPlan {
    /// The recipe.
    pub recipe: Recipe,
    /// The project's cache, as in the policy.
    pub cache: PathBuf,
    /// What the test command may touch; fetching gets the same with the registries.
    pub policy: Policy,
    /// The lock of the commands, see [`CommandSpec::lock`].
    pub lock: PathBuf,
    /// Cancelling it ends the verification.
    pub cancel: CancellationToken,
}

/// A verification that came to an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// What it came to.
    pub judgement: Judgement,
    /// The command that decided: the tests, or a fetch that failed.
    pub argv: Argv,
    /// What that command did.
    pub outcome: CommandOutcome,
    /// The commands that brought the dependencies, in order; the last one is the one above when it
    /// failed.
    pub install: Vec<InstallRan>,
}

/// A verification that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A command could not be run.
    #[error("verifying with {recipe}")]
    Command {
        /// The recipe's name.
        recipe: &'static str,
        /// Why not.
        #[source]
        source: CommandError,
    },
    /// The tree cannot be read.
    #[error("verifying with {recipe}")]
    Tree {
        /// The recipe's name.
        recipe: &'static str,
        /// Why not.
        #[source]
        source: FileError,
    },
    /// Settings of the package manager cannot be written.
    #[error("verifying with {recipe}: {path} cannot be written")]
    Settings {
        /// The recipe's name.
        recipe: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The cache's path cannot be part of a command.
    #[error("verifying with {recipe}")]
    Argv {
        /// The recipe's name.
        recipe: &'static str,
        /// Why not.
        #[source]
        source: ArgvError,
    },
}

impl VerifyError {
    /// True when dependencies could be had only with the whole network of this machine.
    pub const fn needs_open_network(&self) -> bool {
        matches!(
            self,
            Self::Command {
                source: CommandError::OpenNetwork { .. },
                ..
            }
        )
    }
}

/// Brings the dependencies and runs nothing else; an outcome is that of a command that failed.
pub async fn install_dependencies(
    commands: &Commands,
    plan: &VerifyPlan,
) -> Result<Option<InstallRan>, VerifyError> {
    let Installed { ran, complete } = Box::pin(install(commands, plan)).await?;
    Ok(if complete {
        None
    } else {
        ran.into_iter().next_back()
    })
}

/// Fetches the dependencies, runs the tests, and judges.
pub async fn verify(commands: &Commands, plan: &VerifyPlan) -> Result<Verification, VerifyError> {
    let recipe = &plan.recipe;
    let unfit = |source| VerifyError::Argv {
        recipe: recipe.name(),
        source,
    };
    let Installed { ran, complete } = Box::pin(install(commands, plan)).await?;
    if let (false, Some(last)) = (complete, ran.last()) {
        let (argv, outcome) = (last.argv.clone(), last.outcome.clone());
        let judgement = Judgement {
            recipe: recipe.clone(),
            reason: VerifyReason::InstallFailed,
            counts: Counts::default(),
            coverage: None,
        };
        return Ok(Verification {
            judgement,
            argv,
            outcome,
            install: ran,
        });
    }
    // Before it runs: a test may write the manifest anew.
    let closes = Closings::of(recipe, runs_tests_alone(recipe, &plan.policy.cwd));
    let argv = recipe.test(&plan.cache).map_err(unfit)?;
    let outcome = run(commands, plan, &argv).await?;
    Ok(Verification {
        judgement: judge(recipe, closes, &outcome),
        argv,
        outcome,
        install: ran,
    })
}

async fn run(
    commands: &Commands,
    plan: &VerifyPlan,
    argv: &Argv,
) -> Result<CommandOutcome, VerifyError> {
    let mut policy = plan.policy.clone().for_profile(Profile::Run);
    policy.limits.kept_output = policy.limits.kept_output.max(KEPT_OUTPUT);
    let failed = |source| VerifyError::Command {
        recipe: plan.recipe.name(),
        source,
    };
    let (argv, policy) = resolved_command(argv, policy).map_err(failed)?;
    let spec = CommandSpec {
        argv,
        policy,
        lock: plan.lock.clone(),
        cancel: plan.cancel.clone(),
    };
    commands.run(&spec).await.map_err(failed)
}
