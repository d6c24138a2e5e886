//! Whether the reasons that a seal gives for its verdict follow from its own parts.

use std::collections::BTreeSet;

use super::SealClaims;
use crate::gate::missing_told;
use crate::judging::score;
use crate::later_approval::{HOLDS, LEFT_OUT, WHOLE};
use crate::verdict::NO_CONDITIONS;
use crate::{Omission, SealVerdict};

/// What is wrong with the reasons, a sentence each: one that nothing gives, one that is there twice, and
/// one that is missing.
pub(super) fn problems(claims: &SealClaims<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for reason in claims.reasons {
        if !seen.insert(reason.as_str()) {
            found.push(format!("the reason \"{reason}\" stands there twice"));
        } else if !follows(claims, reason) {
            found.push(format!(
                "it gives the reason \"{reason}\", which follows from nothing that it names"
            ));
        }
    }
    let lines = claims.left_out.iter().filter(|line| is_omission(line));
    let wanted = lines.map(|line| format!("{LEFT_OUT}{line}"));
    let wanted = wanted.chain(missing_criteria(claims));
    let unsaid = wanted.filter(|reason| !seen.contains(reason.as_str()));
    found.extend(unsaid.map(|reason| format!("it does not give the reason \"{reason}\"")));
    if claims.reasons.is_empty() {
        let verdict = claims.verdict;
        found.push(format!("it gives no reason for `{verdict}`"));
    }
    found
}

fn follows(claims: &SealClaims<'_>, reason: &str) -> bool {
    if let Some(line) = reason.strip_prefix(LEFT_OUT) {
        return is_omission(line) && claims.left_out.iter().any(|own| own == line);
    }
    let certified = claims.verdict == SealVerdict::Certified;
    let nothing_left_out = || !claims.left_out.iter().any(|line| is_omission(line));
    match reason {
        HOLDS => certified,
        WHOLE => certified && nothing_left_out(),
        NO_CONDITIONS => claims.verdict == SealVerdict::Flagged && claims.conditions.is_empty(),
        _ => is_of_criteria(claims, reason) || is_of_condition(claims, reason),
    }
}

fn is_of_criteria(claims: &SealClaims<'_>, reason: &str) -> bool {
    let (_, why) = claims.best_verdict();
    missing_criteria(claims).is_some_and(|own| own == reason)
        || (!certifies(claims) && reason == why)
}

fn certifies(claims: &SealClaims<'_>) -> bool {
    claims.verdict == SealVerdict::Certified
}

/// Why a condition does not hold is told in words that nothing here can check: it has to be one that does
/// not hold.
fn is_of_condition(claims: &SealClaims<'_>, reason: &str) -> bool {
    let mut open = claims.conditions.iter().filter(|one| !one.holds);
    open.any(|one| {
        let rest = reason.strip_prefix(one.id.as_str());
        rest.is_some_and(|rest| rest.starts_with(": "))
    })
}

/// The criteria that a passed gate did without.
fn missing_criteria(claims: &SealClaims<'_>) -> Option<String> {
    let passed = !claims.conditions.is_empty() && claims.conditions.iter().all(|one| one.holds);
    (passed && score(claims.criteria) < super::WHOLE).then(|| missing_told(claims.criteria))
}

fn is_omission(line: &str) -> bool {
    Omission::of_line(line).is_some()
}
