//! What else has to follow from each other in a statement that has every part.

use std::collections::BTreeSet;

use gavel_domain::{
    Approver, AskAccount, ConditionState, CriterionJudged, CriterionStanding, EvidenceRank,
    GateCondition, MicroUsd, SandboxLevel,
};

use super::parts::{SpendClaim, StatedParts};
use super::replied::{Needed, Replied};
use super::{APPROVAL, KeptClaims, SIX, SealClaims};
use crate::gate::TESTS_NOT_NAMED;
use crate::judging::score;
use crate::{Omission, Settlement, was_executed};

/// What every gate looks at, beside the six.
const OTHERS: [&str; 9] = [
    "phases_complete",
    "no_open_errors",
    "audited",
    "contracts_pinned",
    "branch_is_ours",
    "tests_unharmed",
    "base_tests",
    "fix_shown",
    "contracts_kept",
];
/// Those that not every run has something for.
const MAY_NOT_APPLY: [&str; 8] = [
    "assumption_ledger",
    "owner_customer",
    "phases_complete",
    "audited",
    "contracts_pinned",
    "base_tests",
    "fix_shown",
    "contracts_kept",
];
/// Those of them that apply to all but a small change.
const OF_A_COUNCIL: [&str; 4] = [
    "assumption_ledger",
    "owner_customer",
    "phases_complete",
    "audited",
];
const FIX_SHOWN: &str = "fix_shown";
/// No threshold lets a run be done with less.
const LEAST_SCORE: u32 = 700;

/// What is wrong with a statement that has every part, a sentence each.
pub(super) fn problems(claims: &SealClaims<'_>) -> Vec<String> {
    let stated = claims.stated;
    let mut found = condition_problems(claims);
    if claims.approver.is_none() {
        found.push("it does not say who approved".to_owned());
    }
    if stated.idea.trim().is_empty() {
        found.push("it does not say what was asked for".to_owned());
    }
    let floor = state_of(claims, "engineering_floor") == Some(ConditionState::Holds);
    if floor && !stated.commands.iter().any(|ran| ran.exit == Some(0)) {
        let why = "engineering_floor is said to hold, and no command that it names ended with 0";
        found.push(why.to_owned());
    }
    let ledger = state_of(claims, "assumption_ledger");
    if ledger.is_some_and(does_hold) {
        let open = stated.unsettled.iter();
        found.extend(open.map(|claim| {
            format!(
                "\"{claim}\" was refuted and not settled, and assumption_ledger is said to hold"
            )
        }));
    }
    let settled = stated.settled.iter();
    let unread = settled.filter(|one| Settlement::read(one.how).is_none());
    found.extend(unread.map(|one| {
        let (claim, how) = (one.claim, one.how);
        format!("\"{claim}\" was refuted, and \"{how}\" settles nothing")
    }));
    let exact = exact_omissions(claims).into_iter();
    let missing = exact.map(|one| one.to_string());
    let missing = missing.filter(|line| !claims.left_out.contains(line));
    found.extend(missing.map(|line| format!("it does not name what was left out: {line}")));
    let needed = needed_omissions(claims).into_iter();
    found.extend(needed.filter_map(|one| one.problem(claims.left_out)));
    found.extend(reply_problems(stated));
    found
}

fn does_hold(state: ConditionState) -> bool {
    match state {
        ConditionState::Holds | ConditionState::Waived | ConditionState::NotApplicable => true,
        ConditionState::NotReached | ConditionState::Fails => false,
    }
}

fn state_of(claims: &SealClaims<'_>, id: &str) -> Option<ConditionState> {
    let condition = claims.conditions.iter().find(|one| one.id == id)?;
    Some(condition.state())
}

/// Every condition is there once, and looked at as many things as the statement lists.
fn condition_problems(claims: &SealClaims<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for one in claims.conditions {
        if !seen.insert(one.id.as_str()) {
            twice.insert(one.id.as_str());
        }
    }
    found.extend(
        twice
            .into_iter()
            .map(|id| format!("the condition {id} stands there twice")),
    );
    let missing = SIX
        .into_iter()
        .chain(OTHERS)
        .filter(|id| !seen.contains(id));
    let missing: Vec<&str> = missing.collect();
    if !missing.is_empty() {
        let missing = missing.join(", ");
        found.push(format!("it does not name the conditions {missing}"));
    }
    found.extend(claims.conditions.iter().filter_map(state_problem));
    found.extend(
        claims
            .conditions
            .iter()
            .filter_map(|one| count_problem(one, claims)),
    );
    let reached = score(claims.criteria);
    if reached < LEAST_SCORE && state_of(claims, "weighted_score") == Some(ConditionState::Holds) {
        found.push(format!(
            "weighted_score is said to hold, by {reached} of 1000"
        ));
    }
    let pinned = state_of(claims, "contracts_pinned");
    if pinned == Some(ConditionState::Holds) && claims.stated.contracts == 0 {
        found.push("contracts_pinned is said to hold, and no contract is named".to_owned());
    }
    if pinned == Some(ConditionState::NotApplicable) && claims.stated.contracts > 0 {
        found.push("contracts_pinned is said not to apply, and contracts are named".to_owned());
    }
    found
}

/// Only the approval is ever waived, and a fix whose runner names no test; not everything may be said not to
/// apply.
fn state_problem(condition: &GateCondition) -> Option<String> {
    let id = condition.id.as_str();
    match condition.state() {
        ConditionState::Waived if id == FIX_SHOWN && condition.reason == TESTS_NOT_NAMED => None,
        ConditionState::Waived if id != APPROVAL => Some(format!(
            "{id} is waived ({}), which nobody can",
            condition.reason
        )),
        ConditionState::NotApplicable if SIX.contains(&id) || OTHERS.contains(&id) => {
            let applies = !MAY_NOT_APPLY.contains(&id);
            applies.then(|| format!("{id} is said not to apply, and always does"))
        }
        ConditionState::Waived
        | ConditionState::NotApplicable
        | ConditionState::Holds
        | ConditionState::NotReached
        | ConditionState::Fails => None,
    }
}

fn count_problem(condition: &GateCondition, claims: &SealClaims<'_>) -> Option<String> {
    let shown = claims
        .criteria
        .iter()
        .filter(|one| !one.evidence.is_empty());
    let (what, number) = match (condition.id.as_str(), condition.state()) {
        ("evidence", ConditionState::Holds) => ("criteria with evidence", shown.count()),
        ("weighted_score", ConditionState::Holds) => ("criteria", claims.criteria.len()),
        _ => return None,
    };
    let looked_at = usize::try_from(condition.looked_at).unwrap_or(usize::MAX);
    let id = &condition.id;
    (looked_at != number)
        .then(|| format!("{id} looked at {looked_at} {what}, and {number} are named"))
}

/// What was left out as the other parts show it, with its number.
fn exact_omissions(claims: &SealClaims<'_>) -> Vec<Omission> {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let asks = |is_so: fn(&AskAccount) -> bool| {
        number(claims.asks.iter().filter(|one| is_so(one)).count())
    };
    let is_said = |one: &&CriterionJudged| match one.standing {
        CriterionStanding::Met | CriterionStanding::Partial => true,
        CriterionStanding::Unmet => false,
    };
    let said = || claims.criteria.iter().filter(is_said);
    let weak = said().filter(|one| !one.rank.is_some_and(EvidenceRank::certifies));
    let weak = number(weak.count());
    let hollow = claims.proof.map_or(0, |proof| number(proof.hollow.len()));
    let kept = claims.proof.and_then(|proof| proof.kept);
    let unmeasured = kept.map_or(0, KeptClaims::not_measured);
    let (open, claimed) = (asks(AskAccount::is_open), asks(AskAccount::is_only_claimed));
    let excluded = asks(AskAccount::is_left_out_unseen);
    let lacks = |id: &&str| state_of(claims, id) == Some(ConditionState::NotApplicable);
    let bare = claims.stated.commands.iter();
    let bare = bare.filter(|ran| ran.level == SandboxLevel::None).count();
    let unseen_fix = state_of(claims, FIX_SHOWN) == Some(ConditionState::Waived);
    let mut needed = Vec::new();
    if let Some(by @ (Approver::YesFlag | Approver::Clock | Approver::Policy)) = claims.approver {
        needed.push(Omission::Approval(by));
    }
    for (omission, happened) in [
        (Omission::OpenAsks(open), open > 0),
        (Omission::ClaimedAsks(claimed), claimed > 0),
        (Omission::LeftOutAsks(excluded), excluded > 0),
        (Omission::WeakEvidence(weak), weak > 0),
        (Omission::HollowTests(hollow), hollow > 0),
        (Omission::UnmeasuredTests(unmeasured), unmeasured > 0),
        (Omission::Execution, said().any(|one| !was_executed(one))),
        (Omission::Sandbox, bare > 0),
        (Omission::UnseenFix, unseen_fix),
        (Omission::Audit, lacks(&"audited")),
        (Omission::SmallChange, OF_A_COUNCIL.iter().any(lacks)),
    ] {
        if happened {
            needed.push(omission);
        }
    }
    needed
}

/// What was left out as the replies show it.
fn needed_omissions(claims: &SealClaims<'_>) -> Vec<Needed> {
    let is_small = OF_A_COUNCIL
        .iter()
        .all(|id| state_of(claims, id) == Some(ConditionState::NotApplicable));
    if is_small && claims.left_out.contains(&Omission::SmallChange.to_string()) {
        return Vec::new();
    }
    let replied = Replied::of(&claims.stated.replies);
    [replied.debate_needs(), replied.customer_needs()]
        .into_iter()
        .flatten()
        .collect()
}

/// The models that are named are those that replied, as often as there were calls.
fn reply_problems(stated: &StatedParts<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let replied: BTreeSet<&str> = stated.replies.iter().map(|one| one.model).collect();
    let named: BTreeSet<&str> = stated.models.iter().copied().collect();
    if replied.is_empty() {
        found.push("it counts no reply of any model".to_owned());
    } else if replied != named {
        found.push("the models that it names are not those that replied".to_owned());
    }
    let replies = stated.replies.iter().map(|one| one.replies);
    let replies = replies.fold(0_u64, u64::saturating_add);
    let calls = stated.spend.calls;
    if replies != calls {
        found.push(format!("it counts {replies} replies, and {calls} calls"));
    }
    found
}

/// What is wrong with what is said to be spent, in statements of every format: nothing known is never 0.
pub(super) fn spend_problems(spend: &SpendClaim) -> Vec<String> {
    let SpendClaim {
        known,
        unconfirmed,
        calls,
        unpriced,
        unmetered,
        reported,
        asked_of_sources,
    } = *spend;
    let unknown = unpriced
        .saturating_add(unmetered)
        .saturating_add(asked_of_sources);
    let mut found = Vec::new();
    match known {
        Some(known) if known == MicroUsd::ZERO && unknown > 0 => found.push(format!(
            "it says that $0 is known to be spent, and nobody knows the price of {unknown} calls"
        )),
        Some(known) if unconfirmed > known => {
            found.push("more is unconfirmed than was spent".to_owned());
        }
        None if unknown == 0 => {
            found.push(
                "it says that nothing is known of what was spent, and no call is of unknown price"
                    .to_owned(),
            );
        }
        Some(_) | None => {}
    }
    if unmetered.saturating_add(reported) > calls {
        found.push(format!(
            "{unmetered} calls are counted by nobody and {reported} by their agents, of {calls}"
        ));
    }
    found
}
