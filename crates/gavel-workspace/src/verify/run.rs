//! Runs a recipe: dependencies with network, then tests without.

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::judge::{Judgement, VerifyReason, judge};
use super::recipe::Recipe;
use super::toolchain::resolved_command;
use crate::{
    Argv, ArgvError, CommandError, CommandOutcome, CommandSpec, Commands, Counts, Exit, Policy,
    Profile,
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
    /// What the test command may touch; fetching gets the same with network.
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

/// Fetches the dependencies, runs the tests, and judges.
pub async fn verify(commands: &Commands, plan: &VerifyPlan) -> Result<Verification, VerifyError> {
    let recipe = &plan.recipe;
    let unfit = |source| VerifyError::Argv {
        recipe: recipe.name(),
        source,
    };
    for argv in recipe.install(&plan.cache).map_err(unfit)? {
        let outcome = run(commands, plan, Profile::Install, &argv).await?;
        if outcome.exit != Exit::Code(0) {
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
            });
        }
    }
    let argv = recipe.test(&plan.cache).map_err(unfit)?;
    let outcome = run(commands, plan, Profile::Run, &argv).await?;
    Ok(Verification {
        judgement: judge(recipe, &outcome),
        argv,
        outcome,
    })
}

async fn run(
    commands: &Commands,
    plan: &VerifyPlan,
    profile: Profile,
    argv: &Argv,
) -> Result<CommandOutcome, VerifyError> {
    let mut policy = plan.policy.clone().for_profile(profile);
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
