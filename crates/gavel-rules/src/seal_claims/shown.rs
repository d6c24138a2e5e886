//! Whether what a seal names as evidence can show as much as it says.

use std::collections::BTreeMap;

use gavel_domain::{CriterionJudged, CriterionStanding, EvidenceRank, EvidenceRef};

use super::SealClaims;
use super::parts::{SealFormat, StatedParts};
use super::replied::Replied;
use crate::evidence_text;
use crate::judging::{rank_by_kind, shows_whole};
use crate::proof::rank_of_example;

/// What is wrong with the ranks, in statements of every format that has ranks.
pub(super) fn rank_problems(claims: &SealClaims<'_>) -> Vec<String> {
    let criteria = claims.criteria.iter();
    let format = claims.stated.format;
    let ranked = criteria.filter_map(|one| Some((one, one.rank?)));
    ranked
        .filter_map(|(one, rank)| rank_problem(one, rank, format))
        .collect()
}

/// The most that evidence of these kinds can show.
fn rank_problem(
    criterion: &CriterionJudged,
    rank: EvidenceRank,
    format: SealFormat,
) -> Option<String> {
    let id = &criterion.id;
    let kinds = criterion.evidence.iter().map(rank_by_kind);
    let Some(most) = kinds.max() else {
        return Some(format!(
            "{id} is called {}, by no evidence that was looked up",
            rank.label()
        ));
    };
    let is_test = |one: &EvidenceRef| matches!(one, EvidenceRef::Test { .. });
    let has_test = criterion.evidence.iter().any(is_test);
    match rank {
        // The fault is a part that seals of the first format may lack.
        EvidenceRank::TestBites
            if has_test && !(format.is_whole() && criterion.caught.is_empty()) =>
        {
            None
        }
        EvidenceRank::TestBites => Some(format!(
            "{id} is called a {}, by no test that caught a fault",
            rank.label()
        )),
        EvidenceRank::Executed if !is_executed(criterion) => Some(format!(
            "{id} is called {}, by an example that a program keeps by heart",
            rank.label()
        )),
        EvidenceRank::Executed
        | EvidenceRank::AsWritten
        | EvidenceRank::TestRan
        | EvidenceRank::Read
        | EvidenceRank::Said => (rank > most).then(|| {
            let (rank, most) = (rank.label(), most.label());
            format!("{id} is called {rank}, and its evidence is at most {most}")
        }),
    }
}

/// False where its example alone is what it rests on, and a program that knows the written answers keeps it.
fn is_executed(criterion: &CriterionJudged) -> bool {
    let is_test = |one: &EvidenceRef| matches!(one, EvidenceRef::Test { .. });
    let bites = !criterion.caught.is_empty() && criterion.evidence.iter().any(is_test);
    let mut examples = criterion.evidence.iter().filter_map(|one| match one {
        EvidenceRef::Example { changes, .. } => Some(changes.unwrap_or_default().by_heart),
        EvidenceRef::Test { .. }
        | EvidenceRef::File { .. }
        | EvidenceRef::Commit { .. }
        | EvidenceRef::Command { .. }
        | EvidenceRef::Smoke { .. } => None,
    });
    examples.all(|by_heart| rank_of_example(by_heart, bites) == EvidenceRank::Executed)
}

/// What is wrong with the criteria of a statement that has every part.
pub(super) fn whole_problems(claims: &SealClaims<'_>) -> Vec<String> {
    let stated = claims.stated;
    let mut found = Vec::new();
    if claims.criteria.is_empty() {
        found.push("it names no criterion".to_owned());
    }
    let worded = stated
        .worded
        .iter()
        .copied()
        .map(Some)
        .chain(std::iter::repeat(None));
    for (one, worded) in claims.criteria.iter().zip(worded) {
        found.extend(criterion_problem(one, worded));
    }
    found.extend(reader_problem(claims, stated));
    found.extend(proof_problems(claims));
    found
}

fn criterion_problem(criterion: &CriterionJudged, worded: Option<&str>) -> Option<String> {
    let CriterionJudged {
        id,
        standing,
        evidence,
        rank,
        ..
    } = criterion;
    let texts: Vec<String> = evidence.iter().map(evidence_text).collect();
    let texts = texts.join(", ");
    let is_said = match standing {
        CriterionStanding::Met | CriterionStanding::Partial => true,
        CriterionStanding::Unmet => false,
    };
    if is_said && evidence.is_empty() {
        return Some(format!("{id} holds by no evidence that was looked up"));
    }
    if *standing == CriterionStanding::Met && !evidence.iter().any(shows_whole) {
        return Some(format!(
            "{id} holds whole, by evidence of a part at most: {texts}"
        ));
    }
    if is_said && rank.is_none() {
        return Some(format!(
            "{id} holds, and nothing says how firmly it was shown"
        ));
    }
    let other = worded.filter(|worded| !evidence.is_empty() && **worded != *texts)?;
    Some(format!(
        "{id} is said to be shown by \"{other}\", and was by {texts}"
    ))
}

/// Where somebody else read the work, that somebody replied.
fn reader_problem(claims: &SealClaims<'_>, stated: &StatedParts<'_>) -> Option<String> {
    let by_reading = |one: &&CriterionJudged| one.rank == Some(EvidenceRank::Read);
    let read = claims.criteria.iter().find(by_reading)?;
    let replied = Replied::of(&stated.replies);
    (!replied.by_another("judge", "coder")).then(|| {
        let (id, rank) = (&read.id, EvidenceRank::Read.label());
        format!("{id} is called {rank}, and no other model than the coder's replied as one")
    })
}

fn proof_problems(claims: &SealClaims<'_>) -> Vec<String> {
    let Some(proof) = claims.proof else {
        return vec!["it does not say what Gavel proved by itself".to_owned()];
    };
    let mut found = Vec::new();
    let by_id: BTreeMap<&str, &CriterionJudged> = claims
        .criteria
        .iter()
        .map(|one| (one.id.as_str(), one))
        .collect();
    let bites = |one: &CriterionJudged| one.rank == Some(EvidenceRank::TestBites);
    if proof.killed == 0 && claims.criteria.iter().any(bites) {
        found.push("tests are said to bite, and no fault to be caught".to_owned());
    }
    // A hollow test refutes its criterion, unless Gavel executed that.
    let shown = proof.hollow.iter().filter_map(|id| by_id.get(id.as_str()));
    let shown = shown.filter(|one| {
        let is_unmet = one.standing == CriterionStanding::Unmet;
        let is_of_example = |rank| matches!(rank, EvidenceRank::Executed | EvidenceRank::AsWritten);
        !is_unmet && !one.rank.is_some_and(is_of_example)
    });
    found.extend(shown.map(|one| format!("{} holds by a test that is called hollow", one.id)));
    found
}
