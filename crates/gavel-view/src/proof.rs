//! How it ended: gate, seal, lessons, or the reason why not.

use gavel_build::SealRefuted;
use gavel_domain::{
    ApprovalRule, ConditionState, FaultClass, GateCondition, Purpose, RunState, Speaker, Stage,
    Timestamp,
};
use gavel_rules::{ShipAnswer, ship_answer};
use serde::Serialize;

use crate::sprint::CommandTold;
use crate::{
    CriteriaTold, CriterionTold, OwnerTold, ProofView, QuestionTold, Report, Text, Verification,
};

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
    /// How many criteria hold, in part or whole, as it was counted before the judgement.
    pub counted: Option<CriteriaTold>,
    /// What owner and customer said before it.
    pub owner: Option<OwnerTold>,
    /// The verification of the judged commit, in a fresh checkout.
    pub verification: Option<Verification>,
    /// What Gavel proved by itself.
    pub proof: ProofView,
    /// When.
    pub at: Timestamp,
}

impl Gate {
    /// What was shown for each criterion: as the judges left it, else as the gate kept it.
    pub fn shown(&self) -> &Text<Vec<CriterionTold>> {
        let judged = self.counted.as_ref().map(|told| &told.judged);
        let judged = judged.filter(|judged| judged.kept().is_some());
        judged.unwrap_or(&self.evidence)
    }

    /// The same, as far as it can still be read.
    pub fn criteria(&self) -> &[CriterionTold] {
        self.shown().kept().map_or(&[], Vec::as_slice)
    }
}

impl Gate {
    /// The conditions that were looked at and do not hold.
    pub fn failures(&self) -> impl Iterator<Item = &GateCondition> {
        let failed = self.conditions.iter().filter(|condition| !condition.holds);
        failed.filter(|condition| condition.state() != ConditionState::NotReached)
    }
}

impl Report {
    /// The judgement that counts.
    pub fn gate(&self) -> Option<&Gate> {
        self.gates.last()
    }

    /// The last time that somebody was asked to agree to the result.
    pub fn approval(&self) -> Option<&QuestionTold> {
        let asked = self.questions.iter().rev();
        let mut asked = asked.filter(|told| told.purpose == Purpose::Approval);
        asked.find(|told| told.stage == Some(Stage::Gating))
    }

    /// Whether the last answer to that agreed; none while there is none, or when what was said is
    /// no longer kept.
    pub fn is_approved(&self) -> Option<bool> {
        let asked = self.approval()?;
        let answer = asked.answer.as_ref()?;
        match (&answer.option, &answer.text) {
            (Some(taken), _) => Some(asked.recommended.as_ref() == Some(taken)),
            (None, Text::Kept(words)) => Some(ship_answer(words) == ShipAnswer::Ship),
            (None, Text::Odd(_) | Text::Gone) => None,
        }
    }
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
    /// The rule of the person's settings that shipped it, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_rule: Option<ApprovalRule>,
    /// When a person approved it after it was sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_later: Option<Timestamp>,
}

/// What a seal says beyond its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SealSays {
    /// Why the verdict is not better.
    pub reasons: Vec<String>,
    /// What the run did without.
    pub left_out: Vec<String>,
    /// What the plan rested on and was refuted, and how that was settled.
    pub refuted: Vec<SealRefuted>,
    /// The commands of the verification that counts, with their exit codes.
    pub commands: Vec<CommandTold>,
}

impl SealSays {
    /// Opens an envelope; what does not open says nothing.
    pub(crate) fn of(envelope: Text) -> Text<Self> {
        let text = match envelope {
            Text::Kept(text) => text,
            Text::Odd(raw) => return Text::Odd(raw),
            Text::Gone => return Text::Gone,
        };
        let Ok((statement, _)) = gavel_build::open_seal(text.as_bytes()) else {
            return Text::Odd(text);
        };
        let predicate = statement.predicate;
        let commands = predicate.commands.into_iter().map(|ran| CommandTold {
            argv: ran.argv,
            exit: ran.exit,
        });
        Text::Kept(Self {
            reasons: predicate.reasons,
            left_out: predicate.left_out,
            refuted: predicate.refuted,
            commands: commands.collect(),
        })
    }
}

/// The last try to push the branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pushed {
    /// The branch.
    pub branch: String,
    /// Its tip.
    pub commit: String,
    /// Why it was not, or was not even tried.
    pub failed: Option<Text>,
}

/// What memory may keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LessonTold {
    /// The kind of memory item.
    pub kind: String,
    /// What was learned.
    pub text: Text,
    /// The stage in which it showed.
    pub stage: Option<Stage>,
    /// The record that it rests on.
    pub rests_on: Option<String>,
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
