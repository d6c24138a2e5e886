//! The verdict on a test command: its exit code and its counts must agree.

use gavel_domain::VerifyVerdict;

use super::counts::Counts;
use super::coverage::coverage;
use super::recipe::Recipe;
use super::runners;
use crate::{CommandOutcome, Exit};

/// Why a verification came to its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerifyReason {
    /// Tests were executed, all passed, and the runner said so.
    AllPassed,
    /// The runner counted failures.
    TestsFailed,
    /// The runner counted failures and yet ended well.
    FailedDespiteExitZero,
    /// All counted tests passed and yet the command ended badly.
    ExitNonzero,
    /// The command ended badly before any test was counted: it does not build or load.
    DidNotRun,
    /// A signal ended the command.
    EndedBySignal,
    /// The dependencies could not be fetched.
    InstallFailed,
    /// Nothing was executed.
    NoTestExecuted,
    /// No closing line of a known runner was found.
    OutputUnread,
    /// So much was printed that closing lines may be missing.
    OutputCut,
    /// The time was over.
    Deadline,
    /// A limit of memory, processes or output was reached.
    Limit,
    /// More was written to the disk than a command or a build may.
    DiskCap,
    /// The tests passed, and a smoke run did not come to what its recipe says.
    SmokeFailed,
    /// The tests passed, and a smoke run could not be made on this machine.
    SmokeNotRun,
}

impl VerifyReason {
    /// The stable code that facts record.
    pub const fn code(self) -> &'static str {
        match self {
            Self::AllPassed => "all_passed",
            Self::TestsFailed => "tests_failed",
            Self::FailedDespiteExitZero => "failed_despite_exit_zero",
            Self::ExitNonzero => "exit_nonzero",
            Self::DidNotRun => "did_not_run",
            Self::EndedBySignal => "ended_by_signal",
            Self::InstallFailed => "install_failed",
            Self::NoTestExecuted => "no_test_executed",
            Self::OutputUnread => "output_unread",
            Self::OutputCut => "output_cut",
            Self::Deadline => "deadline",
            Self::Limit => "limit",
            Self::DiskCap => "disk_cap",
            Self::SmokeFailed => "smoke_failed",
            Self::SmokeNotRun => "smoke_not_run",
        }
    }

    /// The verdict that it means.
    pub const fn verdict(self) -> VerifyVerdict {
        match self {
            Self::AllPassed => VerifyVerdict::Passed,
            Self::TestsFailed
            | Self::FailedDespiteExitZero
            | Self::ExitNonzero
            | Self::DidNotRun
            | Self::EndedBySignal
            | Self::SmokeFailed => VerifyVerdict::Failed,
            Self::InstallFailed
            | Self::NoTestExecuted
            | Self::OutputUnread
            | Self::OutputCut
            | Self::Deadline
            | Self::Limit
            | Self::DiskCap
            | Self::SmokeNotRun => VerifyVerdict::Unclear,
        }
    }
}

/// What a verification came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The recipe.
    pub recipe: Recipe,
    /// Why; the verdict follows from it.
    pub reason: VerifyReason,
    /// What was counted.
    pub counts: Counts,
    /// Measured coverage in thousandths; `None` when nothing measured it.
    pub coverage: Option<u32>,
}

impl Judgement {
    /// The verdict.
    pub const fn verdict(&self) -> VerifyVerdict {
        self.reason.verdict()
    }
}

/// How often the runner of a suite closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closings {
    /// Once: more is printed by tests.
    One,
    /// As often as there are binaries, packages or commands.
    Several,
}

impl Closings {
    /// Of a recipe. A script closes once where it plainly calls one runner.
    pub const fn of(recipe: &Recipe, calls_one_runner: bool) -> Self {
        match recipe {
            Recipe::Unittest { .. } | Recipe::Django { .. } | Recipe::Pytest { .. } => Self::One,
            Recipe::NodeTest { .. } | Recipe::NodeScript { .. } if calls_one_runner => Self::One,
            Recipe::Cargo { .. }
            | Recipe::NodeTest { .. }
            | Recipe::NodeScript { .. }
            | Recipe::Go
            | Recipe::Maven { .. }
            | Recipe::Dotnet
            | Recipe::Make { .. }
            | Recipe::Own { .. } => Self::Several,
        }
    }
}

/// What a runner counted that closes once. Where more was printed that looks like its end, a test printed
/// it: nothing is added by that, and no failure is hidden.
fn of_one_run(closings: &[Counts]) -> Counts {
    let fewest = |of: fn(&Counts) -> u32| closings.iter().map(of).min().unwrap_or_default();
    let most = |of: fn(&Counts) -> u32| closings.iter().map(of).max().unwrap_or_default();
    Counts {
        passed: fewest(|one| one.passed),
        failed: most(|one| one.failed),
        skipped: most(|one| one.skipped),
    }
}

/// Judges the outcome of a recipe's test command.
pub fn judge(recipe: &Recipe, closes: Closings, outcome: &CommandOutcome) -> Judgement {
    let text = runners::without_colours(&outcome.output.text);
    let closings = recipe
        .runners()
        .iter()
        .flat_map(|runner| runner.closings(&text));
    let closings: Vec<Counts> = closings.collect();
    let counts = match closes {
        Closings::One => of_one_run(&closings),
        Closings::Several => {
            let mut all = Counts::default();
            closings.iter().for_each(|closing| all += *closing);
            all
        }
    };
    let reason = match outcome.exit {
        Exit::Deadline => VerifyReason::Deadline,
        Exit::Tasks | Exit::Memory | Exit::Flood => VerifyReason::Limit,
        Exit::Disk { .. } => VerifyReason::DiskCap,
        Exit::Signal(_) => VerifyReason::EndedBySignal,
        Exit::Code(0) if counts.failed > 0 => VerifyReason::FailedDespiteExitZero,
        Exit::Code(0) if outcome.output.cut_bytes > 0 => VerifyReason::OutputCut,
        Exit::Code(0) if closings.is_empty() => VerifyReason::OutputUnread,
        Exit::Code(0) if counts.passed == 0 => VerifyReason::NoTestExecuted,
        Exit::Code(0) => VerifyReason::AllPassed,
        Exit::Code(_) if counts.failed > 0 => VerifyReason::TestsFailed,
        Exit::Code(_) if counts.passed > 0 => VerifyReason::ExitNonzero,
        Exit::Code(_) if closings.is_empty() => VerifyReason::DidNotRun,
        Exit::Code(_) => VerifyReason::NoTestExecuted,
    };
    Judgement {
        recipe: recipe.clone(),
        reason,
        counts,
        coverage: coverage(&text),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
