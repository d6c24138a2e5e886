use gavel_domain::{CriterionJudged, CriterionStanding, EvidenceRank, EvidenceRef};

use super::*;
use crate::StatedParts;

fn condition(id: &str, reason: &str) -> GateCondition {
    let looked_at = u32::from(reason.is_empty());
    GateCondition {
        id: id.to_owned(),
        holds: true,
        looked_at,
        held: looked_at,
        reason: reason.to_owned(),
    }
}

fn shown(rank: EvidenceRank) -> CriterionJudged {
    CriterionJudged {
        id: "adds".to_owned(),
        standing: CriterionStanding::Met,
        evidence: vec![EvidenceRef::Example {
            runs: 3,
            changes: None,
        }],
        note: String::new(),
        weight: 1,
        rank: Some(rank),
        caught: String::new(),
    }
}

/// What a seal that nobody looked at becomes, with this much more left out and these further reasons.
fn approve(by: Approver, left_out: &[&str], reasons: &[&str]) -> Approved {
    let conditions = [
        condition("engineering_floor", ""),
        condition("owner_customer", "not_applicable"),
        condition("user_approval", by.word()),
    ];
    let criteria = [shown(EvidenceRank::Executed)];
    let unseen = Omission::Approval(by).to_string();
    let mut lines = vec![unseen.clone()];
    lines.extend(left_out.iter().map(|line| (*line).to_owned()));
    let mut told: Vec<String> = lines
        .iter()
        .map(|line| format!("left out: {line}"))
        .collect();
    told.extend(reasons.iter().map(|reason| (*reason).to_owned()));
    let before = SealClaims {
        verdict: SealVerdict::Conditional,
        score: 1000,
        reasons: &told,
        conditions: &conditions,
        criteria: &criteria,
        asks: &[],
        left_out: &lines,
        approver: Some(by),
        proof: None,
        stated: &StatedParts::default(),
    };
    approved_by_person(&before)
}

#[test]
fn a_person_makes_it_certified_only_where_nothing_else_was_missing() {
    for by in [Approver::YesFlag, Approver::Clock, Approver::Policy] {
        let approved = approve(by, &[], &[]);
        assert_eq!(approved.verdict, SealVerdict::Certified, "{by}");
        assert_eq!(approved.reasons, [WHOLE]);
        assert_eq!(approved.left_out, Vec::<String>::new());
        let approval = approved.conditions.last().unwrap();
        assert_eq!((approval.looked_at, approval.held), (1, 1));
        assert_eq!(approval.reason, "");
    }
    let coverage = Omission::Coverage.to_string();
    let stated = approve(Approver::YesFlag, &[&coverage], &[]);
    assert_eq!(stated.verdict, SealVerdict::Certified);
    assert_eq!(
        stated.reasons,
        [HOLDS.to_owned(), format!("left out: {coverage}")]
    );
    let debate = Omission::Debate.to_string();
    let missing = approve(Approver::YesFlag, &[&debate], &[]);
    assert_eq!(missing.verdict, SealVerdict::Conditional);
    assert_eq!(missing.reasons, [format!("left out: {debate}")]);
    assert_eq!(missing.left_out, [debate]);
}

#[test]
fn a_reason_that_only_an_older_seal_gives_goes_on_to_count() {
    let told = "weighted_score: 1 criteria are not met: adds";
    let approved = approve(Approver::YesFlag, &[], &[told]);
    assert_eq!(approved.verdict, SealVerdict::Conditional);
    assert_eq!(approved.reasons, [told]);
}

#[test]
fn only_the_line_about_the_approval_goes() {
    assert!(is_approval_line(
        &Omission::Approval(Approver::Policy).to_string()
    ));
    assert!(!is_approval_line("approval: a person looked at the result"));
    assert!(!is_approval_line(
        "approval: nobody looked at the result; an elf shipped it"
    ));
}
