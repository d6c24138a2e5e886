//! The last card: what it tells, what people mean, and what a refusal comes to.

use gavel_domain::{AnswerReply, Door, EvidenceRef, QuestionAsked, Role, Speaker, VerifyVerdict};
use gavel_models::Tier;
use gavel_testkit::ScriptedModel;

use super::*;
use crate::bench::{Bench, Cast, info, tests, verified};

fn judgement() -> Judgement {
    let one = |id: &str, standing, note: &str| CriterionJudged {
        id: id.to_owned(),
        standing,
        evidence: vec![EvidenceRef::Test {
            name: id.to_owned(),
        }],
        note: note.to_owned(),
        weight: 1,
        rank: None,
        caught: String::new(),
    };
    Judgement {
        judged: vec![
            one("added", CriterionStanding::Met, ""),
            one("sorted", CriterionStanding::Partial, "only by name"),
        ],
        score: 750,
        unproven: Vec::new(),
    }
}

async fn bench() -> Bench {
    let cast = Cast {
        leader: "a/lead",
        stances: &[],
        auditor: "a/lead",
        judge: "a/lead",
    };
    let model = (info("a/lead", Tier::Premium), ScriptedModel::new());
    Bench::new(cast, vec![model], &[]).await
}

async fn approved(bench: &Bench) -> Result<Approval, gavel_run::DriveEnd> {
    let reviewed = Reviewed {
        independence: Independence::SelfReview,
        ship: true,
        objections: vec!["Nobody else looked.".to_owned()],
    };
    bench
        .drive(async |way: Way<'_>| {
            let names = tests(&["added"], &[]);
            let (verify, _) = verified(way.run, &names, VerifyVerdict::Passed).await?;
            let case = ToApprove {
                judgement: &judgement(),
                verify: &verify,
                runner: &[],
                proven: None,
                ledger: &Ledger::default(),
                reviewed: Some(&reviewed),
                fallen: &FallenAssumptions::default(),
                try_it: None,
                asks: &[],
            };
            approve(way, &way.run.scope("gate", 1)?, case).await
        })
        .await
}

#[tokio::test]
async fn a_person_sees_what_is_open_and_their_refusal_keeps_its_words() {
    let bench = bench().await;
    let end = approved(&bench).await.unwrap_err();
    assert!(format!("{end:?}").contains("gate-1/approval"), "{end:?}");
    let [asked] = bench.facts::<QuestionAsked>().await.try_into().unwrap();
    assert_eq!(
        (asked.purpose, asked.audience),
        (Purpose::Approval, Audience::Person)
    );
    let mailbox = bench.bed.mailbox();
    let [open] = mailbox
        .questions(bench.run)
        .await
        .unwrap()
        .try_into()
        .unwrap();
    let card = format!("{open:?}");
    for told in [
        "1 of 1 tests passed in a fresh checkout; how much they cover was not measured.",
        "1 of 2 criteria are met. Score: 750 of 1000, at least 900 are asked for.",
        "- not met: sorted (only by name)",
        "One model spoke as product owner and as customer",
        "- against it: Nobody else looked.",
        "Spent so far: $0",
    ] {
        assert!(card.contains(told), "{told}: {card}");
    }
    let words = "Sort by date, too.".to_owned();
    let reply = AnswerReply::Text {
        text: words.clone(),
    };
    mailbox.answer(bench.run, None, reply).await.unwrap();
    assert_eq!(
        approved(&bench).await.unwrap(),
        Approval::NotYet(Some(words))
    );
    let [answered] = bench.facts::<QuestionAnswered>().await.try_into().unwrap();
    assert!(!answered.assumed);
}

#[test]
fn measured_coverage_is_told_as_a_share() {
    let mut verify = VerifyFinished {
        recipe: "cargo".to_owned(),
        verdict: VerifyVerdict::Passed,
        reason: "all_passed".to_owned(),
        executed: 3,
        passed: 3,
        failed: 0,
        skipped: 0,
        output: gavel_domain::Blob::new("").name(),
        tree: None,
        level: None,
        coverage: Some(875),
        smoke: None,
        install: Vec::new(),
    };
    let told = |verify: &VerifyFinished| {
        let case = ToApprove {
            judgement: &judgement(),
            verify,
            runner: &[],
            proven: None,
            ledger: &Ledger::default(),
            reviewed: None,
            fallen: &FallenAssumptions::default(),
            try_it: None,
            asks: &[],
        };
        lines(&case, 700).remove(0)
    };
    let first = told(&verify);
    assert_eq!(
        first,
        "3 of 3 tests passed in a fresh checkout; they cover 87.5 %."
    );
    verify.coverage = None;
    assert!(told(&verify).ends_with("was not measured."));
}

#[test]
fn only_who_may_decide_is_a_person() {
    let answered = |by: Speaker, (assumed, timed_out): (bool, bool)| QuestionAnswered {
        value: AnswerValue::Decide,
        by,
        inbox: None,
        timed_out,
        assumed,
    };
    let speaker = |door, role, decides| Speaker {
        door,
        role,
        decides,
    };
    for (by, how, approver) in [
        (
            speaker(Door::Cli, Role::Person, false),
            (false, false),
            Approver::Person,
        ),
        (
            speaker(Door::Http, Role::Person, true),
            (false, false),
            Approver::Person,
        ),
        (
            speaker(Door::Mcp, Role::Person, false),
            (false, false),
            Approver::YesFlag,
        ),
        (
            speaker(Door::Cli, Role::Person, false),
            (true, false),
            Approver::YesFlag,
        ),
        (
            speaker(Door::Engine, Role::Engine, false),
            (false, true),
            Approver::Clock,
        ),
    ] {
        assert_eq!(
            super::approver(&answered(by, how)),
            approver,
            "{by:?} {how:?}"
        );
    }
}

#[test]
fn how_to_try_it_is_the_first_example_that_can_be_typed() {
    let ran = |program: &str| CommandRan {
        recipe: "x".to_owned(),
        argv: vec![program.to_owned(), "test".to_owned()],
        exit: Some(0),
        level: gavel_domain::SandboxLevel::Landlock,
        millis: 1,
        output: String::new(),
    };
    let criterion = |example: &str| gavel_domain::Criterion {
        id: "added".to_owned(),
        statement: "It is added.".to_owned(),
        example: example.to_owned(),
    };
    let spec = Spec {
        criteria: vec![
            criterion("$ add \"; rm -rf ~\""),
            criterion("$ add --title \"A book\"\nadded 1"),
        ],
        ..Spec::default()
    };
    assert_eq!(
        try_command(&spec, &[ran("cargo")]).as_deref(),
        Some("cargo run -q -- add --title \"A book\"")
    );
    assert_eq!(
        try_command(&Spec::default(), &[ran("cargo")]).as_deref(),
        Some("cargo run -q -- help")
    );
    assert_eq!(try_command(&spec, &[ran("npm")]), None);
    assert_eq!(try_command(&spec, &[]), None);
}
