//! What a report says about one test, and what that comes to with the exit status.

use super::LoneVerdict;
use crate::Exit;

/// What a runner's report says about the test that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Says {
    /// It was executed, all of its runs passed, and the runner came to its end.
    Passed,
    /// A run of it failed.
    Failed,
    /// It was begun, and the report ends before its result.
    Begun,
    /// It was skipped or is not in the report, or something else is.
    NotExecuted,
}

/// Both must say that a test passed.
pub(super) const fn verdict(exit: Exit, says: Says) -> LoneVerdict {
    match (exit, says) {
        (Exit::Deadline, _) => LoneVerdict::TimedOut,
        (Exit::Code(0), Says::Passed) => LoneVerdict::Passed,
        (_, Says::NotExecuted) | (Exit::Code(0), Says::Begun) => LoneVerdict::NotExecuted,
        (
            Exit::Code(_)
            | Exit::Signal(_)
            | Exit::Tasks
            | Exit::Memory
            | Exit::Flood
            | Exit::Disk { .. },
            Says::Passed | Says::Failed | Says::Begun,
        ) => LoneVerdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_needs_exit_status_and_report() {
        for (exit, says, wanted) in [
            (Exit::Code(0), Says::Passed, LoneVerdict::Passed),
            (Exit::Code(1), Says::Passed, LoneVerdict::Failed),
            (Exit::Signal(6), Says::Passed, LoneVerdict::Failed),
            (Exit::Code(0), Says::Failed, LoneVerdict::Failed),
            (Exit::Code(0), Says::Begun, LoneVerdict::NotExecuted),
            (Exit::Code(134), Says::Begun, LoneVerdict::Failed),
            (Exit::Memory, Says::Begun, LoneVerdict::Failed),
            (Exit::Code(0), Says::NotExecuted, LoneVerdict::NotExecuted),
            (Exit::Code(4), Says::NotExecuted, LoneVerdict::NotExecuted),
            (Exit::Deadline, Says::Passed, LoneVerdict::TimedOut),
            (Exit::Deadline, Says::NotExecuted, LoneVerdict::TimedOut),
        ] {
            assert_eq!(verdict(exit, says), wanted, "{exit:?} {says:?}");
        }
    }
}
