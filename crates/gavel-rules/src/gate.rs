//! The done gate: whether a commit may be sealed. A condition that cannot be answered does not hold.
//!
//! Evidence is a test that ran in a fresh checkout of the judged commit, by its name; nothing that
//! somebody only says about it counts.

use std::collections::BTreeSet;

use gavel_domain::{AuditVerdict, Criterion, GateCondition, VerifyFinished, VerifyVerdict};
use serde::{Deserialize, Serialize};

/// The condition that may fail while the gate passes, as far as the threshold allows.
pub(crate) const CRITERIA_SHOWN: &str = "criteria_shown";

/// No threshold lets a run be done with less.
const LEAST_THRESHOLD: u32 = 700;
const WHOLE: u32 = 1000;
/// How many things a sentence names one by one.
const NAMED: usize = 5;
const NOT_FRESH: &str = "the verification is not one of the judged commit";

/// What the gate looks at.
#[derive(Debug, Clone, Copy)]
pub struct GateInputs<'a> {
    /// The criteria of the spec.
    pub criteria: &'a [Criterion],
    /// Tests that passed in the fresh checkout.
    pub passed_tests: &'a BTreeSet<String>,
    /// Tests that failed there.
    pub failed_tests: &'a BTreeSet<String>,
    /// The verification of the fresh checkout.
    pub verify: &'a VerifyFinished,
    /// The tree of the judged commit; the verification must name the same.
    pub judged_tree: &'a str,
    /// Phases that were built.
    pub phases_done: u32,
    /// Phases that the contracts have.
    pub phases_all: u32,
    /// Errors that were found and not resolved.
    pub open_errors: &'a [String],
    /// The last audit of every phase.
    pub audits: &'a [AuditVerdict],
    /// Whether the contracts in the judged commit are the pinned ones; `None` when nobody knows.
    pub contracts_pinned_equal: Option<bool>,
    /// Whether the branch is the default branch; `None` when nobody knows.
    pub branch_is_default: Option<bool>,
    /// The share of criteria that must be shown; counts as 700 to 1000.
    pub threshold_thousandths: u32,
}

/// What the gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateVerdict {
    /// True when the run may be sealed: every condition holds, except that criteria may be missing
    /// as far as the threshold allows.
    pub passed: bool,
    /// The share of criteria that were shown, in thousandths, rounded down.
    pub score: u32,
    /// The conditions, in order.
    pub conditions: Vec<GateCondition>,
    /// What was shown for each criterion, in their order.
    pub criteria: Vec<CriterionShown>,
    /// Why conditions do not hold; empty when all do.
    pub reasons: Vec<String>,
}

/// What was shown for a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionShown {
    /// The criterion.
    pub id: String,
    /// True when it was shown.
    pub holds: bool,
    /// The test that shows it, by its full name; else why there is none.
    pub evidence: String,
}

impl GateVerdict {
    /// True when every condition holds.
    pub fn holds_whole(&self) -> bool {
        !self.conditions.is_empty() && self.conditions.iter().all(|condition| condition.holds)
    }

    /// True when every condition holds that no threshold can excuse.
    pub(crate) fn holds_where_it_must(&self) -> bool {
        let mut must = self
            .conditions
            .iter()
            .filter(|condition| condition.id != CRITERIA_SHOWN)
            .peekable();
        must.peek().is_some() && must.all(|condition| condition.holds)
    }
}

/// Judges a commit.
pub fn judge_gate(inputs: &GateInputs<'_>) -> GateVerdict {
    let criteria = shown(inputs);
    let judged = [
        phases_complete(inputs),
        tests_passed(inputs),
        criteria_shown(&criteria),
        no_open_errors(inputs),
        audited(inputs),
        contracts_pinned(inputs),
        branch_is_ours(inputs),
    ];
    let mut conditions = Vec::with_capacity(judged.len());
    let mut reasons = Vec::new();
    for (condition, why) in judged {
        conditions.push(condition);
        reasons.extend(why);
    }
    let mut verdict = GateVerdict {
        passed: false,
        score: score(&criteria),
        conditions,
        criteria,
        reasons,
    };
    let threshold = inputs.threshold_thousandths.clamp(LEAST_THRESHOLD, WHOLE);
    verdict.passed = verdict.holds_where_it_must() && verdict.score >= threshold;
    if verdict.score < threshold {
        verdict.reasons.push(format!(
            "score: {} of 1000, and {threshold} are asked for",
            verdict.score
        ));
    }
    verdict
}

/// A condition, and why it does not hold.
type Judged = (GateCondition, Option<String>);

fn judged(id: &str, (looked_at, held): (u32, u32), problem: Option<String>) -> Judged {
    let condition = GateCondition {
        id: id.to_owned(),
        holds: problem.is_none(),
        looked_at,
        held,
        reason: String::new(),
    };
    (condition, problem.map(|problem| format!("{id}: {problem}")))
}

fn phases_complete(inputs: &GateInputs<'_>) -> Judged {
    let (done, all) = (inputs.phases_done, inputs.phases_all);
    let problem = if all == 0 {
        Some("there are no phases".to_owned())
    } else if done > all {
        Some(format!(
            "{done} phases are said to be built, the contracts have {all}"
        ))
    } else if done < all {
        Some(format!("{done} of {all} phases are built"))
    } else {
        None
    };
    judged("phases_complete", (all, done.min(all)), problem)
}

fn tests_passed(inputs: &GateInputs<'_>) -> Judged {
    let verify = inputs.verify;
    let fresh = is_fresh(inputs);
    let failed = verify.failed > 0 || !inputs.failed_tests.is_empty();
    let problem = if !fresh {
        Some(NOT_FRESH.to_owned())
    } else if failed {
        let names = inputs.failed_tests.iter().map(String::as_str);
        Some(some_of("tests failed", verify.failed, names))
    } else if verify.executed == 0 || verify.passed == 0 {
        Some("no test was executed".to_owned())
    } else if verify.passed != verify.executed {
        let (passed, executed) = (verify.passed, verify.executed);
        Some(format!("{passed} of {executed} executed tests passed"))
    } else {
        match verify.verdict {
            VerifyVerdict::Passed => None,
            VerifyVerdict::Failed | VerifyVerdict::Unclear => {
                Some(format!("the verification says `{}`", verify.reason))
            }
        }
    };
    let held = if fresh { verify.passed } else { 0 };
    let looked_at = verify.executed;
    judged("tests_passed", (looked_at, held.min(looked_at)), problem)
}

fn criteria_shown(criteria: &[CriterionShown]) -> Judged {
    let missing = criteria.iter().filter(|criterion| !criterion.holds);
    let missing: Vec<&str> = missing.map(|criterion| criterion.id.as_str()).collect();
    let problem = if criteria.is_empty() {
        Some("there are no criteria".to_owned())
    } else if missing.is_empty() {
        None
    } else {
        let names = missing.iter().copied();
        Some(some_of("criteria were not shown", count(&missing), names))
    };
    let held = count(criteria) - count(&missing);
    judged(CRITERIA_SHOWN, (count(criteria), held), problem)
}

fn no_open_errors(inputs: &GateInputs<'_>) -> Judged {
    let open = count(inputs.open_errors);
    let names = inputs.open_errors.iter().map(String::as_str);
    let problem = (open > 0).then(|| some_of("errors are open", open, names));
    judged(
        "no_open_errors",
        (open.max(1), u32::from(open == 0)),
        problem,
    )
}

fn audited(inputs: &GateInputs<'_>) -> Judged {
    let passes = inputs.audits.iter().filter(|audit| match audit {
        AuditVerdict::Pass => true,
        AuditVerdict::Fail | AuditVerdict::Unclear => false,
    });
    let passes = u32::try_from(passes.count()).unwrap_or(u32::MAX);
    // A phase without an audit is one that nobody judged.
    let all = count(inputs.audits).max(inputs.phases_all);
    let problem = if all == 0 {
        Some("nothing was audited".to_owned())
    } else if passes < all {
        Some(format!("{passes} of {all} phases passed their last audit"))
    } else {
        None
    };
    judged("audited", (all, passes), problem)
}

fn contracts_pinned(inputs: &GateInputs<'_>) -> Judged {
    let problem = match inputs.contracts_pinned_equal {
        Some(true) => None,
        Some(false) => Some("the contracts in the commit are not the pinned ones"),
        None => Some("nobody knows whether the contracts are the pinned ones"),
    };
    let held = u32::from(problem.is_none());
    judged("contracts_pinned", (1, held), problem.map(str::to_owned))
}

fn branch_is_ours(inputs: &GateInputs<'_>) -> Judged {
    let problem = match inputs.branch_is_default {
        Some(false) => None,
        Some(true) => Some("the branch is the default branch"),
        None => Some("nobody knows whether the branch is the default branch"),
    };
    let held = u32::from(problem.is_none());
    judged("branch_is_ours", (1, held), problem.map(str::to_owned))
}

fn shown(inputs: &GateInputs<'_>) -> Vec<CriterionShown> {
    let criteria = inputs.criteria.iter();
    criteria
        .map(|criterion| {
            let id = criterion.id.clone();
            match evidence_of(&id, inputs) {
                Ok(test) => CriterionShown {
                    id,
                    holds: true,
                    evidence: test.to_owned(),
                },
                Err(why) => CriterionShown {
                    id,
                    holds: false,
                    evidence: why,
                },
            }
        })
        .collect()
}

/// The test that shows a criterion, or why there is none.
fn evidence_of<'a>(id: &str, inputs: &GateInputs<'a>) -> Result<&'a str, String> {
    let same = |test: &&String| test.rsplit("::").next() == Some(id);
    if !Criterion::is_id(id) {
        return Err("no test can have this name".to_owned());
    }
    if inputs
        .criteria
        .iter()
        .filter(|other| other.id == id)
        .count()
        > 1
    {
        return Err("several criteria have this id".to_owned());
    }
    if !is_fresh(inputs) {
        return Err(NOT_FRESH.to_owned());
    }
    if let Some(test) = inputs.failed_tests.iter().find(same) {
        return Err(format!("the test {test} failed"));
    }
    let passed = inputs.passed_tests.iter().find(same);
    passed
        .map(String::as_str)
        .ok_or_else(|| "no test of this name was executed".to_owned())
}

/// True when the verification is one of the judged commit.
fn is_fresh(inputs: &GateInputs<'_>) -> bool {
    !inputs.judged_tree.is_empty() && inputs.verify.tree.as_deref() == Some(inputs.judged_tree)
}

fn score(criteria: &[CriterionShown]) -> u32 {
    let shown = criteria.iter().filter(|criterion| criterion.holds).count();
    let thousandths = (shown * 1000).checked_div(criteria.len()).unwrap_or(0);
    u32::try_from(thousandths).unwrap_or(0)
}

/// `2 tests failed: a, b`.
fn some_of<'a>(what: &str, number: u32, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let number = number.max(count(&names));
    let named: Vec<&str> = names.iter().copied().take(NAMED).collect();
    match (named.join(", "), names.len() > NAMED) {
        (named, _) if named.is_empty() => format!("{number} {what}"),
        (named, false) => format!("{number} {what}: {named}"),
        (named, true) => format!("{number} {what}: {named} and others"),
    }
}

fn count<T>(things: &[T]) -> u32 {
    u32::try_from(things.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "gate_tests.rs"]
pub(crate) mod tests;
