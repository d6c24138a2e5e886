//! A person looks at a result that was sealed without one: what the next seal says.

use gavel_domain::{Approver, GateCondition};

use crate::seal_claims::{APPROVAL, weighs};
use crate::{Omission, SealClaims, SealVerdict};

/// What stands before a line of what was left out, among the reasons of a verdict.
pub(crate) const LEFT_OUT: &str = "left out: ";
/// Why a certified run is certified.
pub(crate) const HOLDS: &str = "every condition holds";
pub(crate) const WHOLE: &str = "every condition holds, and nothing was left out";

/// The parts of a seal that a person's approval changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    /// The verdict that the parts allow now.
    pub verdict: SealVerdict,
    /// Why it is no better; for a certified run, why it is so good.
    pub reasons: Vec<String>,
    /// The conditions of the gate.
    pub conditions: Vec<GateCondition>,
    /// What was left out, a line each.
    pub left_out: Vec<String>,
}

/// True for the line that says that nobody looked at the result.
pub fn is_approval_line(line: &str) -> bool {
    [Approver::YesFlag, Approver::Clock, Approver::Policy]
        .into_iter()
        .any(|by| Omission::Approval(by).to_string() == line)
}

/// What a seal says once a person looked at its result, with the reasons of its verdict. Nothing but the
/// approval is new: what held it back besides goes on to do so.
pub fn approved_by_person(before: &SealClaims<'_>) -> Approved {
    let conditions: Vec<GateCondition> = before.conditions.iter().map(with_a_person).collect();
    let kept = before.left_out.iter();
    let left_out: Vec<String> = kept
        .filter(|line| !is_approval_line(line))
        .cloned()
        .collect();
    let after = SealClaims {
        conditions: &conditions,
        left_out: &left_out,
        approver: Some(Approver::Person),
        ..*before
    };
    let (best, why) = after.best_verdict();
    let is_of_approval = |reason: &&String| {
        let line = reason.strip_prefix(LEFT_OUT);
        line.is_some_and(is_approval_line)
    };
    let mut reasons: Vec<String> = before
        .reasons
        .iter()
        .filter(|reason| !is_of_approval(reason))
        .cloned()
        .collect();
    // What an older seal gives as a reason and nowhere else goes on to count.
    let held_back = reasons.iter().any(|reason| {
        let line = reason.strip_prefix(LEFT_OUT);
        line.is_none_or(weighs)
    });
    let verdict = match (before.verdict, best) {
        (SealVerdict::Flagged, _) => SealVerdict::Flagged,
        (_, SealVerdict::Certified) if held_back => SealVerdict::Conditional,
        (_, best) => best,
    };
    match verdict {
        SealVerdict::Certified if reasons.is_empty() => reasons.push(WHOLE.to_owned()),
        SealVerdict::Certified => reasons.insert(0, HOLDS.to_owned()),
        SealVerdict::Conditional | SealVerdict::Flagged if reasons.is_empty() => reasons.push(why),
        SealVerdict::Conditional | SealVerdict::Flagged => {}
    }
    Approved {
        verdict,
        reasons,
        conditions,
        left_out,
    }
}

fn with_a_person(condition: &GateCondition) -> GateCondition {
    if condition.id != APPROVAL {
        return condition.clone();
    }
    GateCondition {
        holds: true,
        looked_at: 1,
        held: 1,
        reason: String::new(),
        ..condition.clone()
    }
}

#[cfg(test)]
#[path = "later_approval_tests.rs"]
mod tests;
