//! The conditions themselves: the six in their order, then those that every build must keep.

use gavel_domain::{Approver, AuditVerdict, CriterionJudged, CriterionStanding, VerifyVerdict};

use super::{
    BaseTests, FixShown, GateInputs, Judged, NAMED, OwnerWord, ShipWord, TESTS_NOT_NAMED, WHOLE,
    WorkChecks, count, missing, some_of,
};
use crate::Route;
use crate::judging::score;

/// No threshold lets a run be done with less.
const LEAST_THRESHOLD: u32 = 700;

/// A recipe, a test command, at least one test executed, and all of them passed.
pub(super) fn engineering_floor(inputs: &GateInputs<'_>) -> Judged {
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
    } else if says == "search_stopped" {
        (
            "could_not_run",
            "the search for tests stopped at its limit".to_owned(),
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
pub(super) fn evidence(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn weighted_score(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn assumption_ledger(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn owner_customer(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn user_approval(inputs: &GateInputs<'_>) -> Judged {
    match inputs.approval {
        None => Judged::NotReached,
        Some(ShipWord::Agreed(Approver::Person)) => Judged::Holds(1),
        Some(ShipWord::Agreed(
            approver @ (Approver::YesFlag | Approver::Clock | Approver::Policy),
        )) => Judged::Waived(approver.word()),
        Some(ShipWord::Refused) => {
            Judged::fails("user_rejected", "a person does not agree to ship")
        }
    }
}

pub(super) fn phases_complete(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn no_open_errors(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn audited(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn contracts_pinned(inputs: &GateInputs<'_>) -> Judged {
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

pub(super) fn branch_is_ours(inputs: &GateInputs<'_>) -> Judged {
    if inputs.branch_is_default {
        return Judged::fails("default_branch", "the branch is the default branch");
    }
    Judged::Holds(1)
}

/// The work took nothing away from tests and settings that nobody released.
pub(super) fn tests_unharmed(work: &WorkChecks<'_>) -> Judged {
    let open = count(work.findings);
    if open == 0 {
        return Judged::Holds(work.files);
    }
    let names = work.findings.iter().map(String::as_str);
    Judged::Fails {
        reason: "tests_weakened",
        looked_at: work.files.max(open),
        held: work.files.saturating_sub(open),
        told: some_of("findings about what was there before", open, names),
    }
}

/// The tests from before the run pass on the result.
pub(super) fn base_tests(work: &WorkChecks<'_>) -> Judged {
    match work.base_tests {
        BaseTests::None => Judged::NotApplicable,
        BaseTests::Held => Judged::Holds(1),
        BaseTests::Failed(why) => {
            let names = why.iter().map(String::as_str);
            Judged::Fails {
                reason: "base_tests_failed",
                looked_at: count(why),
                held: 0,
                told: some_of("tests from before the run do not hold", count(why), names),
            }
        }
    }
}

/// A fix comes with a test that fails without it.
pub(super) fn fix_shown(work: &WorkChecks<'_>) -> Judged {
    match work.fix {
        FixShown::NotAsked => Judged::NotApplicable,
        FixShown::Shown(tests) => Judged::Holds(tests),
        FixShown::Unseen => Judged::Waived(TESTS_NOT_NAMED),
        FixShown::Missing => Judged::fails(
            "no_failing_test",
            "no test that came with the fix fails on the code from before it",
        ),
        FixShown::Hollow => Judged::fails(
            "hollow_test",
            "what came with the fix and fails before it are hollow tests: none notices a fault in the \
             code",
        ),
    }
}

/// The tests of criteria notice when the code is broken. Only asked where it was found that some do not.
pub(super) fn tests_bite(work: &WorkChecks<'_>) -> Judged {
    let names = work.hollow.iter().map(String::as_str);
    Judged::Fails {
        reason: "hollow_tests",
        looked_at: count(work.hollow),
        held: 0,
        told: some_of("tests of criteria are hollow", count(work.hollow), names),
    }
}

/// The code keeps the contracts, as far as rules can tell.
pub(super) fn contracts_kept(work: &WorkChecks<'_>) -> Judged {
    let broken = count(work.broken);
    match (work.rules, broken) {
        (0, 0) => Judged::NotApplicable,
        (rules, 0) => Judged::Holds(rules),
        (rules, broken) => Judged::Fails {
            reason: "contract_broken",
            looked_at: rules.max(broken),
            held: rules.saturating_sub(broken),
            told: some_of(
                "places break the contracts",
                broken,
                work.broken.iter().map(String::as_str),
            ),
        },
    }
}
