//! What a seal says happened, and what a reader is told: who approved, what nobody knows the price of, who audited,
//! what was refuted; and statements that contradict themselves, whoever signed them.

use gavel_build::{SealApproval, SealPredicate, SealRefuted};
use gavel_domain::{
    ApprovalRule, Approver, Ask, AskAccount, AskSource, AskStanding, CriterionStanding,
    EvidenceRank, EvidenceRef, GateCondition, MicroUsd,
};
use gavel_rules::{Omission, SealVerdict};

use crate::bench::Ended;
use crate::seal::{BRANCH, Desk};

/// Signs another statement about the branch, and checks it with the key that signed.
fn check(change: impl FnOnce(&mut SealPredicate)) -> Ended {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", BRANCH]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.seal_with(&desk.key, change);
    desk.run(&[
        "seal",
        "verify",
        "--key",
        &desk.key.public().to_string(),
        BRANCH,
    ])
}

fn approved(predicate: &mut SealPredicate, by: Approver, rule: Option<ApprovalRule>) {
    predicate.approval = Some(SealApproval {
        by,
        at: predicate.sealed_at,
        rule,
    });
    let six = [
        "engineering_floor",
        "evidence",
        "weighted_score",
        "assumption_ledger",
        "owner_customer",
        "user_approval",
    ];
    let looked = by == Approver::Person;
    predicate.conditions = six
        .map(|id| {
            let waived = id == "user_approval" && !looked;
            GateCondition {
                id: id.to_owned(),
                holds: true,
                looked_at: u32::from(!waived),
                held: u32::from(!waived),
                reason: if waived {
                    by.word().to_owned()
                } else {
                    String::new()
                },
            }
        })
        .to_vec();
    if !looked {
        let line = Omission::Approval(by).to_string();
        predicate.left_out.push(line);
    }
}

fn executed(predicate: &mut SealPredicate) {
    for one in &mut predicate.criteria {
        one.standing = Some(CriterionStanding::Met);
        one.rank = Some(EvidenceRank::Executed);
        one.proof = vec![EvidenceRef::Example {
            runs: 3,
            changes: None,
        }];
    }
}

#[track_caller]
fn says(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    let shown = ended
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for told in words {
        assert!(shown.contains(told), "{told}: {shown}");
    }
}

#[test]
fn each_approver_has_its_words() {
    let person = check(|seal| approved(seal, Approver::Person, None));
    says(
        &person,
        0,
        &[
            "approved a person looked at the result and agreed",
            "6 of 6 that apply hold",
        ],
    );
    for (by, words) in [
        (
            Approver::YesFlag,
            "approved --yes; nobody looked at the result",
        ),
        (
            Approver::Clock,
            "approved the clock; nobody looked at the result",
        ),
    ] {
        let ended = check(|seal| approved(seal, by, None));
        let waived = format!("user_approval waived ({})", by.word());
        says(
            &ended,
            0,
            &[words, &waived, "approval: nobody looked at the result"],
        );
    }
    let policy = check(|seal| {
        executed(seal);
        approved(
            seal,
            Approver::Policy,
            Some(ApprovalRule::EveryCriterionExecuted),
        );
    });
    let words =
        "approved the rule `every_criterion_executed` of the person's settings; nobody looked";
    says(&policy, 0, &[words, "user_approval waived (policy)"]);
    let older = check(|_| ());
    says(&older, 0, &["approved this seal does not say who approved"]);
}

#[test]
fn what_nobody_knows_is_unknown_and_never_nothing() {
    let unknown = check(|seal| {
        seal.spend.usd = None;
        seal.spend.unpriced_calls = 12;
    });
    says(
        &unknown,
        0,
        &[
            "spend unknown, 12 calls",
            "12 of the calls have no known price",
        ],
    );
    let unmetered = check(|seal| {
        seal.spend.usd = Some(MicroUsd(2_000));
        seal.spend.unmetered_calls = 3;
        seal.spend.reported_calls = 2;
    });
    let words = [
        "$0.002, 12 calls",
        "3 of the calls are counted by nobody",
        "2 of the calls have the figures of their agent",
    ];
    says(&unmetered, 0, &words);
}

#[test]
fn who_did_not_audit_and_what_was_refuted_is_said() {
    let alone = check(|seal| seal.left_out.push(Omission::Audit.to_string()));
    says(&alone, 0, &["audit: nobody audited the code"]);
    let refuted = |settled: Option<&str>| {
        let settled = settled.map(str::to_owned);
        let claim = "the list fits into memory".to_owned();
        check(move |seal| seal.refuted = vec![SealRefuted { claim, settled }])
    };
    let settled = refuted(Some("a person said that the result stands without it"));
    let words =
        "refuted the list fits into memory: a person said that the result stands without it";
    says(&settled, 0, &[words]);
    says(
        &refuted(None),
        0,
        &["refuted the list fits into memory: NOT settled"],
    );
}

/// What is said of a statement, and what is changed in it.
type Lie = (&'static str, fn(&mut SealPredicate));

#[test]
fn every_contradiction_is_refused_by_name_whoever_signed_it() {
    let lies: [Lie; 8] = [
        ("it says 900 of 1000, its criteria come to 1000", |seal| {
            seal.score = 900;
        }),
        ("can be `conditional` at most: left out: debate", |seal| {
            seal.verdict = SealVerdict::Certified;
        }),
        ("can be `conditional` at most: --yes shipped it", |seal| {
            approved(seal, Approver::YesFlag, None);
            seal.left_out.clear();
            seal.verdict = SealVerdict::Certified;
        }),
        ("a rule of the person's settings shipped it", |seal| {
            executed(seal);
            approved(
                seal,
                Approver::Policy,
                Some(ApprovalRule::EveryCriterionExecuted),
            );
            seal.left_out.clear();
            seal.verdict = SealVerdict::Certified;
        }),
        ("a rule approved it, and is not named", |seal| {
            approved(seal, Approver::Policy, None);
        }),
        (
            "the rule `every_criterion_executed` approved it, and its criteria are not so",
            |seal| {
                approved(
                    seal,
                    Approver::Policy,
                    Some(ApprovalRule::EveryCriterionExecuted),
                );
            },
        ),
        (
            "a person approved it, and the condition user_approval says otherwise",
            |seal| {
                approved(seal, Approver::YesFlag, None);
                seal.approval.as_mut().unwrap().by = Approver::Person;
            },
        ),
        ("\"with tags\" is called covered, by no criterion", |seal| {
            seal.asks = vec![AskAccount {
                ask: Ask {
                    id: "a1".to_owned(),
                    text: "with tags".to_owned(),
                    source: AskSource::Idea,
                    reworded_as: Vec::new(),
                },
                standing: AskStanding::Covered {
                    criteria: Vec::new(),
                },
            }];
        }),
    ];
    for (told, lie) in lies {
        let ended = check(lie);
        says(&ended, 5, &["NOT valid", "contradicts itself", told]);
    }
}
