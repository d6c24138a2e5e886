//! The done gate: whether a commit may be sealed. A condition that cannot be answered does not hold.
//!
//! Six conditions in their order, and those that every build must keep besides, which come after the
//! first of the six and before anybody is asked for anything. Whoever drives the gate asks again with
//! more answers, as far as the conditions before hold; what was not reached says so and does not
//! hold.

mod conditions;

use std::collections::BTreeSet;

use gavel_domain::{
    Approver, AuditVerdict, ConditionState, CriterionJudged, CriterionStanding, GateCondition,
    GateJudged, TestOutcome, VerifyFinished,
};

use crate::judging::score;
use crate::{Route, TestProof};
use conditions::{
    assumption_ledger, audited, base_tests, branch_is_ours, contracts_kept, contracts_pinned,
    engineering_floor, evidence, fix_shown, no_open_errors, owner_customer, phases_complete,
    tests_bite, tests_unharmed, user_approval, weighted_score,
};

const WHOLE: u32 = 1000;
/// How many things a sentence names one by one.
const NAMED: usize = 5;
/// Why a fix was not seen to be one: its runner runs no test alone.
pub(crate) const TESTS_NOT_NAMED: &str = "tests_not_named";
const NOT_REACHED: &str = GateCondition::NOT_REACHED;
const NOT_APPLICABLE: &str = GateCondition::NOT_APPLICABLE;

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
    /// Whether it is to be shipped.
    pub approval: Option<ShipWord>,
    /// What the work did to what was there before; none in runs that began before this was looked at.
    pub work: Option<WorkChecks<'a>>,
}

/// Whether a result is to be shipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShipWord {
    /// Yes, and who said so.
    Agreed(Approver),
    /// Not yet.
    Refused,
}

/// What the work did to what was there before.
#[derive(Debug, Clone, Copy)]
pub struct WorkChecks<'a> {
    /// How many files were compared.
    pub files: u32,
    /// Findings about tests, settings and scope that nobody released, a sentence each.
    pub findings: &'a [String],
    /// The tests from before the run, on the result.
    pub base_tests: BaseTests<'a>,
    /// Whether a fix is shown by a test that failed before it.
    pub fix: FixShown,
    /// Rules of the contracts that were applied to the code.
    pub rules: u32,
    /// Where the code breaks them, `file:line: …` each.
    pub broken: &'a [String],
    /// Hollow tests beside examples that hold, which are sent back; later ones are named in the seal alone.
    pub hollow: &'a [String],
}

/// The tests from before the run, run on the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseTests<'a> {
    /// There were none.
    None,
    /// They pass.
    Held,
    /// Some fail, or they could not be run: why, a sentence each.
    Failed(&'a [String]),
}

/// Whether a fix is shown by a test that failed before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixShown {
    /// The request is none for a fix, or nothing here can tell.
    NotAsked,
    /// So many tests fail on the code from before, and pass on the result.
    Shown(u32),
    /// No test that came with it fails on the code from before.
    Missing,
    /// The runner cannot run one test alone, or names none: nobody can see which fails there.
    Unseen,
    /// Some fail there, and none of them notices a fault in the code: they look at something else.
    Hollow,
}

impl FixShown {
    /// The same with what is known of tests that fail before the fix: it is not shown when all that were
    /// tried are hollow.
    #[must_use]
    pub fn unless_hollow<'a>(self, tried: impl Iterator<Item = &'a TestProof>) -> Self {
        let bites = |proof: &TestProof| match proof.outcome {
            TestOutcome::Bites | TestOutcome::NotMeasured => true,
            TestOutcome::Hollow | TestOutcome::Failed => false,
        };
        let (good, hollow): (Vec<_>, Vec<_>) = tried.partition(|proof| bites(proof));
        match self {
            Self::Shown(_) if good.is_empty() && !hollow.is_empty() => Self::Hollow,
            Self::NotAsked | Self::Shown(_) | Self::Missing | Self::Unseen | Self::Hollow => self,
        }
    }
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
            self.reasons.push(missing_told(&self.criteria));
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
    /// Nobody looked, and the run goes on; why, as a code.
    Waived(&'static str),
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
            Judged::Waived(reason) => (true, 0, 0, reason),
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
        let always = [
            ("phases_complete", phases_complete(inputs)),
            ("no_open_errors", no_open_errors(inputs)),
            ("audited", audited(inputs)),
            ("contracts_pinned", contracts_pinned(inputs)),
            ("branch_is_ours", branch_is_ours(inputs)),
        ];
        let work = inputs.work.map(|work| {
            [
                ("tests_unharmed", tests_unharmed(&work)),
                ("base_tests", base_tests(&work)),
                ("fix_shown", fix_shown(&work)),
                ("contracts_kept", contracts_kept(&work)),
            ]
        });
        let hollow = inputs.work.filter(|work| !work.hollow.is_empty());
        let hollow = hollow.map(|work| ("tests_bite", tests_bite(&work)));
        let work = work.into_iter().flatten().chain(hollow);
        for (id, judged) in always.into_iter().chain(work) {
            self.judge(id, judged);
            first = first.or(self.failed.take());
        }
        self.failed = first;
    }
}

/// How many conditions hold among those that apply: `9 of 9 that apply hold, 2 do not apply`.
pub fn conditions_text(conditions: &[GateCondition]) -> String {
    let number = |wanted: ConditionState| {
        let such = conditions.iter().filter(|one| one.state() == wanted);
        such.count()
    };
    let unused = number(ConditionState::NotApplicable);
    let mut text = format!(
        "{} of {} that apply hold",
        number(ConditionState::Holds),
        conditions.len() - unused
    );
    for (number, what) in [
        (unused, "not applicable"),
        (number(ConditionState::NotReached), "not looked at"),
    ] {
        if number > 0 {
            text.push_str(&format!(", {number} {what}"));
        }
    }
    let waived = conditions
        .iter()
        .filter(|one| one.state() == ConditionState::Waived);
    for condition in waived {
        text.push_str(&format!(", {} waived ({})", condition.id, condition.reason));
    }
    text
}

/// The criteria that do not hold whole.
fn missing(judged: &[CriterionJudged]) -> Vec<&str> {
    let open = judged.iter().filter(|one| match one.standing {
        CriterionStanding::Met => false,
        CriterionStanding::Partial | CriterionStanding::Unmet => true,
    });
    open.map(|one| one.id.as_str()).collect()
}

/// Which criteria do not hold whole, as the reason of a verdict.
pub(crate) fn missing_told(judged: &[CriterionJudged]) -> String {
    let missing = missing(judged);
    let told = some_of("criteria are not met", count(&missing), missing.into_iter());
    format!("weighted_score: {told}")
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
