//! How it ended: gate, seal, lessons, or the reason why not.

use gavel_domain::{FaultClass, GateCondition, RunState, Speaker, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Text, Verification};

/// A judgement of the done gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// The commit.
    pub commit: String,
    /// True when the run may be sealed.
    pub passed: bool,
    /// The share that was shown, in thousandths.
    pub score: u32,
    /// The conditions, in order.
    pub conditions: Vec<GateCondition>,
    /// What was shown for each criterion.
    pub evidence: Text<Vec<CriterionTold>>,
    /// The verification of the judged commit, in a fresh checkout.
    pub verification: Option<Verification>,
    /// When.
    pub at: Timestamp,
}

impl Gate {
    /// What was shown, as far as it can still be read.
    pub fn criteria(&self) -> &[CriterionTold] {
        self.evidence.kept().map_or(&[], Vec::as_slice)
    }
}

/// What was shown for a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionTold {
    /// The criterion.
    pub id: String,
    /// True when it was shown.
    pub holds: bool,
    /// The test that shows it; else why there is none.
    pub evidence: String,
}

/// The seal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SealTold {
    /// `certified`, `conditional` or `flagged`.
    pub verdict: String,
    /// The id of the signing key, once it is signed.
    pub key: Option<String>,
    /// What it says, when its envelope opens.
    pub says: Option<Text<SealSays>>,
    /// The sealed branch, once the seal is committed.
    pub branch: Option<String>,
    /// The seal commit.
    pub commit: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What a seal says beyond its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SealSays {
    /// Why the verdict is not better.
    pub reasons: Vec<String>,
    /// What the run did without.
    pub left_out: Vec<String>,
    /// The commands of the verification that counts, with their exit codes.
    pub commands: Vec<SealedCommand>,
}

/// A command that a seal names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SealedCommand {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Its exit code; none when a signal or the deadline ended it.
    pub exit: Option<i32>,
}

impl SealSays {
    /// Opens an envelope; what does not open says nothing.
    pub(super) fn of(envelope: Text) -> Text<Self> {
        let text = match envelope {
            Text::Kept(text) => text,
            Text::Odd(raw) => return Text::Odd(raw),
            Text::Gone => return Text::Gone,
        };
        let Ok((statement, _)) = gavel_build::open_seal(text.as_bytes()) else {
            return Text::Odd(text);
        };
        let predicate = statement.predicate;
        let commands = predicate.commands.into_iter().map(|ran| SealedCommand {
            argv: ran.argv,
            exit: ran.exit,
        });
        Text::Kept(Self {
            reasons: predicate.reasons,
            left_out: predicate.left_out,
            commands: commands.collect(),
        })
    }
}

/// Whether the branch was pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pushed {
    /// The branch.
    pub branch: String,
    /// Its tip.
    pub commit: String,
    /// Why it was not.
    pub failed: Option<Text>,
}

/// What memory may keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LessonTold {
    /// The kind of memory item.
    pub kind: String,
    /// What was learned.
    pub text: Text,
}

/// Why a run stopped without a seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// Halted, faulted or aborted.
    pub state: RunState,
    /// A code, for a run that was halted.
    pub reason: Option<String>,
    /// More about it.
    pub detail: Option<Text>,
    /// Who gave it up.
    pub by: Option<Speaker>,
    /// When.
    pub at: Timestamp,
}

/// A step that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// Which step.
    pub key: String,
    /// What kind of failure.
    pub class: FaultClass,
    /// How many attempts.
    pub attempts: u32,
    /// What was said.
    pub detail: Option<Text>,
}
