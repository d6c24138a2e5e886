//! The done gate: whether a commit may be sealed. A condition that cannot be answered does not hold.
//!
//! Six conditions in their order, and five that every build must keep besides, which come after the
//! first of the six and before anybody is asked for anything. Whoever drives the gate asks again with
//! more answers, as far as the conditions before hold; what was not reached says so and does not
//! hold.

use std::collections::BTreeSet;

use gavel_domain::{
    AuditVerdict, CriterionJudged, CriterionStanding, GateCondition, GateJudged, VerifyFinished,
    VerifyVerdict,
};

use crate::Route;
use crate::judging::score;

/// No threshold lets a run be done with less.
const LEAST_THRESHOLD: u32 = 700;
const WHOLE: u32 = 1000;
/// How many things a sentence names one by one.
const NAMED: usize = 5;
/// An earlier condition does not hold, or nobody answered yet.
const NOT_REACHED: &str = "not_reached";
/// The way of this run has no such thing.
const NOT_APPLICABLE: &str = "not_applicable";

/// What the gate looks at. What is `None` was not asked yet.
#[derive(Debug, Clone, Copy)]
pub struct GateInputs<'a> {
    /// The way that the run took.
    pub route: Route,
    /// The verification of the fresh checkout.
    pub verify: &'a VerifyFinished,
    /// Tests that failed there.
    pub failed_tests: &'a BTreeSet<String>,
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
    /// How many contracts the build is held to.
    pub contracts: u32,
    /// Whether the contracts in the judged commit are the pinned ones.
    pub contracts_pinned_equal: bool,
    /// Whether the branch is the default branch.
    pub branch_is_default: bool,
    /// The weighted share of criteria that must hold; counts as 700 to 1000.
    pub threshold_thousandths: u32,
    /// The criteria as they were judged by this verification.
    pub judged: Option<&'a [CriterionJudged]>,
    /// Criteria that a judge said hold, without evidence that exists.
    pub unproven: &'a [String],
    /// What the run still rests on without knowing it: claims of high confidence.
    pub assumptions: Option<&'a [String]>,
    /// Such claims that turned out to be wrong just now, so that nothing was built without them.
    pub fell: &'a [String],
    /// What product owner and customer came to.
    pub owner: Option<OwnerWord<'a>>,
    /// Whether a person agrees to ship.
    pub approved: Option<bool>,
}

/// What product owner and customer came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerWord<'a> {
    /// True when the owner ships.
    pub ship: bool,
    /// What was said against it.
    pub objections: &'a [String],
}

/// What the gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateVerdict {
    /// True when the run may be sealed: every condition holds.
    pub passed: bool,
    /// The weighted share of criteria that hold, in thousandths, rounded down.
    pub score: u32,
    /// The six conditions in their order, then the others.
    pub conditions: Vec<GateCondition>,
    /// The criteria as they were judged, in their order; empty while none was judged.
    pub criteria: Vec<CriterionJudged>,
    /// Why conditions do not hold, and which criteria a passed gate does without.
    pub reasons: Vec<String>,
    /// The condition to act on: the first that was reached and does not hold.
    failed: Option<GateCondition>,
}

impl GateVerdict {
    /// True when every condition holds and no criterion is missing.
    pub fn holds_whole(&self) -> bool {
        self.holds_where_it_must() && self.score == WHOLE
    }

    /// The condition to act on: the first that was reached and does not hold.
    pub const fn failed(&self) -> Option<&GateCondition> {
        self.failed.as_ref()
    }

    /// The verdict that is on record. It stands even where these rules would say something else today;
    /// then its sentences are the codes of the record.
    #[must_use]
    pub fn on_record(self, judged: &GateJudged, criteria: Vec<CriterionJudged>) -> Self {
        let same = self.passed == judged.passed
            && self.score == judged.score
            && self.conditions == judged.conditions
            && self.criteria == criteria;
        if same {
            return self;
        }
        let reached = |one: &&GateCondition| !one.holds && one.reason != NOT_REACHED;
        let failed = judged.conditions.iter().filter(reached);
        let told = |one: &GateCondition| format!("{}: {}", one.id, one.reason);
        let mut verdict = Self {
            passed: judged.passed,
            score: judged.score,
            conditions: judged.conditions.clone(),
            criteria,
            reasons: failed.clone().map(told).collect(),
            failed: failed.clone().next().cloned(),
        };
        verdict.tell_missing();
        verdict
    }

    /// Says which criteria a passed gate does without.
    fn tell_missing(&mut self) {
        if self.passed && self.score < WHOLE {
            let missing = missing(&self.criteria);
            let told = some_of("criteria are not met", count(&missing), missing.into_iter());
            self.reasons.push(format!("weighted_score: {told}"));
        }
    }

    /// True when every condition holds; a threshold may excuse criteria, never a condition.
    pub(crate) fn holds_where_it_must(&self) -> bool {
        !self.conditions.is_empty() && self.conditions.iter().all(|condition| condition.holds)
    }
}

/// Judges a commit, as far as answers are there.
pub fn judge_gate(inputs: &GateInputs<'_>) -> GateVerdict {
    let judged = inputs.judged.unwrap_or_default();
    // The conditions of every build cost nothing, so they come before a judge, an owner or a person is
    // asked; they are told after the six.
    let (mut six, mut others) = (Reached::default(), Reached::default());
    six.judge("engineering_floor", engineering_floor(inputs));
    others.judge_all(inputs);
    let first = others.failed.clone();
    six.failed = six.failed.or(first);
    six.judge("evidence", evidence(inputs));
    six.judge("weighted_score", weighted_score(inputs));
    six.judge("assumption_ledger", assumption_ledger(inputs));
    six.judge("owner_customer", owner_customer(inputs));
    six.judge("user_approval", user_approval(inputs));
    six.conditions.append(&mut others.conditions);
    six.reasons.append(&mut others.reasons);
    let mut verdict = GateVerdict {
        passed: false,
        score: score(judged),
        conditions: six.conditions,
        criteria: judged.to_vec(),
        reasons: six.reasons,
        failed: six.failed,
    };
    verdict.passed = verdict.holds_where_it_must();
    verdict.tell_missing();
    verdict
}

/// What a condition came to.
enum Judged {
    Holds(u32),
    NotApplicable,
    NotReached,
    Fails {
        reason: &'static str,
        looked_at: u32,
        held: u32,
        told: String,
    },
}

impl Judged {
    /// One thing was looked at, and it does not hold.
    fn fails(reason: &'static str, told: impl Into<String>) -> Self {
        Self::Fails {
            reason,
            looked_at: 1,
            held: 0,
            told: told.into(),
        }
    }
}

/// Conditions one after the other, until one does not hold.
#[derive(Default)]
struct Reached {
    conditions: Vec<GateCondition>,
    reasons: Vec<String>,
    failed: Option<GateCondition>,
    /// Nobody answered the one before.
    stopped: bool,
}

impl Reached {
    fn judge(&mut self, id: &str, judged: Judged) {
        let reached = self.failed.is_none() && !self.stopped;
        let (holds, looked_at, held, reason) = match judged {
            Judged::NotApplicable => (true, 0, 0, NOT_APPLICABLE),
            _ if !reached => (false, 0, 0, NOT_REACHED),
            Judged::NotReached => (false, 0, 0, NOT_REACHED),
            Judged::Holds(looked_at) => (true, looked_at, looked_at, ""),
            Judged::Fails {
                reason,
                looked_at,
                held,
                told,
            } => {
                self.reasons.push(format!("{id}: {told}"));
                (false, looked_at, held, reason)
            }
        };
        let condition = GateCondition {
            id: id.to_owned(),
            holds,
            looked_at,
            held,
            reason: reason.to_owned(),
        };
        if !holds && reason == NOT_REACHED {
            self.stopped = true;
        } else if !holds {
            self.failed = Some(condition.clone());
        }
        self.conditions.push(condition);
    }

    /// Each for itself: none of them hides another.
    fn judge_all(&mut self, inputs: &GateInputs<'_>) {
        let mut first = None;
        for (id, judged) in [
            ("phases_complete", phases_complete(inputs)),
            ("no_open_errors", no_open_errors(inputs)),
            ("audited", audited(inputs)),
            ("contracts_pinned", contracts_pinned(inputs)),
            ("branch_is_ours", branch_is_ours(inputs)),
        ] {
            self.judge(id, judged);
            first = first.or(self.failed.take());
        }
        self.failed = first;
    }
}

/// A recipe, a test command, at least one test executed, and all of them passed.
fn engineering_floor(inputs: &GateInputs<'_>) -> Judged {
    let verify = inputs.verify;
    let fresh =
        !inputs.judged_tree.is_empty() && verify.tree.as_deref() == Some(inputs.judged_tree);
    let says = verify.reason.as_str();
    let failed = verify.failed > 0 || !inputs.failed_tests.is_empty();
    let (reason, told) = if says == "no_recipe" || verify.recipe.is_empty() {
        ("no_recipe", "no recipe says how to test this".to_owned())
    } else if says == "no_test_commands" {
        (
            "no_test_commands",
            "the recipe has no test command".to_owned(),
        )
    } else if says == "could_not_run" {
        ("could_not_run", "the tests could not be run".to_owned())
    } else if !fresh {
        (
            "not_fresh",
            "the verification is not one of the judged commit".to_owned(),
        )
    } else if failed {
        let names = inputs.failed_tests.iter().map(String::as_str);
        (
            "tests_failed",
            some_of("tests failed", verify.failed, names),
        )
    } else if verify.executed == 0 || verify.passed == 0 {
        ("no_test_executed", format!("no test was executed ({says})"))
    } else if verify.passed != verify.executed {
        let (passed, executed) = (verify.passed, verify.executed);
        (
            "tests_failed",
            format!("{passed} of {executed} executed tests passed"),
        )
    } else {
        match (verify.verdict, verify.coverage) {
            (VerifyVerdict::Failed, _) => {
                ("tests_failed", format!("the verification says `{says}`"))
            }
            (VerifyVerdict::Unclear, _) => {
                ("could_not_run", format!("the verification says `{says}`"))
            }
            (VerifyVerdict::Passed, Some(0)) => (
                "zero_coverage",
                "the tests cover nothing, as measured".to_owned(),
            ),
            (VerifyVerdict::Passed, Some(_) | None) => return Judged::Holds(verify.executed),
        }
    };
    let held = if fresh { verify.passed } else { 0 };
    Judged::Fails {
        reason,
        looked_at: verify.executed,
        held: held.min(verify.executed),
        told,
    }
}

/// Every criterion that is said to hold has evidence that exists.
fn evidence(inputs: &GateInputs<'_>) -> Judged {
    let Some(judged) = inputs.judged else {
        return Judged::NotReached;
    };
    let lacks = |one: &&CriterionJudged| {
        let said = match one.standing {
            CriterionStanding::Met | CriterionStanding::Partial => one.evidence.is_empty(),
            CriterionStanding::Unmet => false,
        };
        said || inputs.unproven.contains(&one.id)
    };
    let without: Vec<&str> = judged
        .iter()
        .filter(lacks)
        .map(|one| one.id.as_str())
        .collect();
    let shown = judged.iter().filter(|one| !one.evidence.is_empty()).count();
    let held = u32::try_from(shown).unwrap_or(u32::MAX);
    if without.is_empty() {
        return Judged::Holds(held);
    }
    let open = count(&without);
    Judged::Fails {
        reason: "missing_evidence",
        looked_at: held.saturating_add(open),
        held,
        told: some_of(
            "criteria have no evidence that exists",
            open,
            without.into_iter(),
        ),
    }
}

fn weighted_score(inputs: &GateInputs<'_>) -> Judged {
    let Some(judged) = inputs.judged else {
        return Judged::NotReached;
    };
    let threshold = inputs.threshold_thousandths.clamp(LEAST_THRESHOLD, WHOLE);
    let (reached, all) = (score(judged), count(judged));
    if !judged.is_empty() && reached >= threshold {
        return Judged::Holds(all);
    }
    let missing = missing(judged);
    let met = all.saturating_sub(count(&missing));
    let told = if judged.is_empty() {
        "there are no criteria".to_owned()
    } else {
        let open = some_of("criteria are not met", count(&missing), missing.into_iter());
        format!("{reached} of 1000, and {threshold} are asked for; {open}")
    };
    Judged::Fails {
        reason: "score_below_threshold",
        looked_at: all,
        held: met,
        told,
    }
}

fn assumption_ledger(inputs: &GateInputs<'_>) -> Judged {
    match (inputs.route, inputs.assumptions) {
        (Route::HotPath, _) => Judged::NotApplicable,
        (Route::Council, None) => Judged::NotReached,
        (Route::Council, Some(_)) if !inputs.fell.is_empty() => {
            let (fell, names) = (count(inputs.fell), inputs.fell.iter().map(String::as_str));
            Judged::Fails {
                reason: "critical_assumption_fell",
                looked_at: fell,
                held: 0,
                told: some_of("assumptions turned out to be wrong", fell, names),
            }
        }
        (Route::Council, Some([])) => Judged::Holds(1),
        (Route::Council, Some(open)) => {
            let names = open.iter().map(String::as_str);
            Judged::Fails {
                reason: "unverified_critical_assumptions",
                looked_at: count(open),
                held: 0,
                told: some_of("assumptions are open", count(open), names),
            }
        }
    }
}

fn owner_customer(inputs: &GateInputs<'_>) -> Judged {
    match (inputs.route, inputs.owner) {
        (Route::HotPath, _) => Judged::NotApplicable,
        (Route::Council, None) => Judged::NotReached,
        (Route::Council, Some(OwnerWord { ship: true, .. })) => Judged::Holds(1),
        (Route::Council, Some(OwnerWord { objections, .. })) => {
            let named = objections.iter().take(NAMED).map(String::as_str);
            let named: Vec<&str> = named.collect();
            let told = format!("the product owner does not ship: {}", named.join("; "));
            Judged::fails("rejected", told)
        }
    }
}

fn user_approval(inputs: &GateInputs<'_>) -> Judged {
    match inputs.approved {
        None => Judged::NotReached,
        Some(true) => Judged::Holds(1),
        Some(false) => Judged::fails("user_rejected", "a person does not agree to ship"),
    }
}

fn phases_complete(inputs: &GateInputs<'_>) -> Judged {
    let (done, all) = (inputs.phases_done, inputs.phases_all);
    let told = match (inputs.route, all) {
        (Route::HotPath, 0) => return Judged::NotApplicable,
        (Route::Council, 0) => "there are no phases".to_owned(),
        _ if done > all => {
            format!("{done} phases are said to be built, the contracts have {all}")
        }
        _ if done < all => format!("{done} of {all} phases are built"),
        _ => return Judged::Holds(all),
    };
    Judged::Fails {
        reason: "phases_open",
        looked_at: all,
        held: done.min(all),
        told,
    }
}

fn no_open_errors(inputs: &GateInputs<'_>) -> Judged {
    let open = count(inputs.open_errors);
    if open == 0 {
        return Judged::Holds(1);
    }
    let names = inputs.open_errors.iter().map(String::as_str);
    Judged::Fails {
        reason: "errors_open",
        looked_at: open,
        held: 0,
        told: some_of("errors are open", open, names),
    }
}

fn audited(inputs: &GateInputs<'_>) -> Judged {
    let passes = inputs.audits.iter().filter(|audit| match audit {
        AuditVerdict::Pass => true,
        AuditVerdict::Fail | AuditVerdict::Unclear => false,
    });
    let passes = u32::try_from(passes.count()).unwrap_or(u32::MAX);
    // A phase without an audit is one that nobody judged.
    let all = count(inputs.audits).max(inputs.phases_all);
    let told = match inputs.route {
        Route::HotPath if all == 0 => return Judged::NotApplicable,
        Route::Council if all == 0 => "nothing was audited".to_owned(),
        Route::HotPath | Route::Council if passes < all => {
            format!("{passes} of {all} phases passed their last audit")
        }
        Route::HotPath | Route::Council => return Judged::Holds(all),
    };
    Judged::Fails {
        reason: "audit_open",
        looked_at: all,
        held: passes,
        told,
    }
}

fn contracts_pinned(inputs: &GateInputs<'_>) -> Judged {
    let none = inputs.route == Route::HotPath && inputs.contracts == 0;
    match inputs.contracts_pinned_equal {
        true if none => Judged::NotApplicable,
        true => Judged::Holds(1),
        false => Judged::fails(
            "contracts_changed",
            "the contracts in the commit are not the pinned ones",
        ),
    }
}

fn branch_is_ours(inputs: &GateInputs<'_>) -> Judged {
    if inputs.branch_is_default {
        return Judged::fails("default_branch", "the branch is the default branch");
    }
    Judged::Holds(1)
}

/// The criteria that do not hold whole.
fn missing(judged: &[CriterionJudged]) -> Vec<&str> {
    let open = judged.iter().filter(|one| match one.standing {
        CriterionStanding::Met => false,
        CriterionStanding::Partial | CriterionStanding::Unmet => true,
    });
    open.map(|one| one.id.as_str()).collect()
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
