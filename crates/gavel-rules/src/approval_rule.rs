//! Whether a rule of a person's own settings lets a result be shipped that nobody looked at.

use gavel_domain::{ApprovalRule, CriterionJudged, CriterionStanding, EvidenceRank};

/// True when every criterion is as the rule wants it. A result without criteria is nothing to approve.
pub fn approves(rule: ApprovalRule, criteria: &[CriterionJudged]) -> bool {
    let is_enough = |rank: EvidenceRank| match rule {
        ApprovalRule::EveryCriterionExecuted => rank == EvidenceRank::Executed,
        ApprovalRule::EveryCriterionProven => rank.certifies(),
    };
    let holds = |one: &CriterionJudged| {
        one.standing == CriterionStanding::Met && one.rank.is_some_and(is_enough)
    };
    !criteria.is_empty() && criteria.iter().all(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn criterion(standing: CriterionStanding, rank: Option<EvidenceRank>) -> CriterionJudged {
        CriterionJudged {
            id: "adds".to_owned(),
            standing,
            evidence: Vec::new(),
            note: String::new(),
            weight: 1,
            rank,
            caught: String::new(),
        }
    }

    #[test]
    fn every_criterion_must_be_as_the_rule_wants_it() {
        use ApprovalRule::{EveryCriterionExecuted, EveryCriterionProven};
        use CriterionStanding::{Met, Partial};
        let executed = criterion(Met, Some(EvidenceRank::Executed));
        let bites = criterion(Met, Some(EvidenceRank::TestBites));
        let ran = criterion(Met, Some(EvidenceRank::TestRan));
        let partly = criterion(Partial, Some(EvidenceRank::Executed));
        let unknown = criterion(Met, None);
        for (criteria, by_execution, by_proof) in [
            (vec![], false, false),
            (vec![executed.clone()], true, true),
            (vec![executed.clone(), bites.clone()], false, true),
            (vec![executed.clone(), ran], false, false),
            (vec![executed.clone(), partly], false, false),
            (vec![executed, unknown], false, false),
            (vec![bites], false, true),
        ] {
            assert_eq!(
                approves(EveryCriterionExecuted, &criteria),
                by_execution,
                "{criteria:?}"
            );
            assert_eq!(
                approves(EveryCriterionProven, &criteria),
                by_proof,
                "{criteria:?}"
            );
        }
    }
}
