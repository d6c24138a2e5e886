//! Owner and customer through their seam: who is asked how often, and who has the last word.

use gavel_domain::{BreakerTripped, CriterionStanding, EvidenceRef, VerifyVerdict};
use gavel_models::Request;
use gavel_testkit::{ScriptedModel, text_reply};
use serde_json::{Value, json};

use super::*;
use crate::bench::{Bench, Cast, info};

/// Says this whenever it is asked for a shape.
fn speaker(owner: Value, customer: Value) -> ScriptedModel {
    ScriptedModel::by_rule(move |request: &Request| {
        let shape = request.answer.as_ref().map(|answer| answer.name.as_str());
        Ok(text_reply(&match shape {
            Some("owner") => owner.to_string(),
            Some("customer") => customer.to_string(),
            other => format!("nobody asks for {other:?}"),
        }))
    })
}

fn owner(ship: bool, objections: &[&str]) -> Value {
    json!({"ship": ship, "reasons": ["OWNER-WORD"], "objections": objections, "answers": ["no"]})
}

fn customer(ship: bool, objections: &[&str]) -> Value {
    json!({"ship": ship, "reasons": ["CUSTOMER-WORD"], "objections": objections})
}

async fn reviewed(bench: &Bench) -> Result<Reviewed, gavel_run::DriveEnd> {
    let judged = [CriterionJudged {
        id: "added".to_owned(),
        standing: CriterionStanding::Met,
        evidence: vec![EvidenceRef::Test {
            name: "cli::added".to_owned(),
        }],
        note: String::new(),
        weight: 1,
        rank: None,
        caught: String::new(),
    }];
    bench
        .drive(async |way: Way<'_>| {
            let names = crate::bench::tests(&["cli::added"], &[]);
            let (verify, _) =
                crate::bench::verified(way.run, &names, VerifyVerdict::Passed).await?;
            let mut staff = Staff::choose(way, 1).await?;
            let shown = Shown {
                spec: &Spec::default(),
                judged: &judged,
                verify: &verify,
            };
            review(way, "gate-1/owner", &mut staff, shown).await
        })
        .await
}

async fn bench(cast: Cast<'_>, models: &[(&str, Tier, &ScriptedModel)]) -> Bench {
    let models = models
        .iter()
        .map(|(id, tier, model)| (info(id, *tier), (*model).clone()));
    Bench::new(cast, models.collect(), &[]).await
}

#[tokio::test]
async fn the_closer_they_are_the_longer_they_talk() {
    let table = [
        ("b/other", Tier::Premium, Independence::CrossProvider, 1),
        ("a/small", Tier::Fast, Independence::OtherTier, 3),
        ("a/twin", Tier::Premium, Independence::SameTier, 5),
    ];
    for (other, tier, wanted, rounds) in table {
        let lead = speaker(owner(true, &[]), customer(false, &["never asked"]));
        let second = speaker(owner(false, &[]), customer(false, &["It is slow."]));
        let cast = Cast {
            leader: "a/lead",
            stances: &["a/lead"],
            auditor: "a/lead",
            judge: other,
        };
        let models = [("a/lead", Tier::Premium, &lead), (other, tier, &second)];
        let bench = bench(cast, &models).await;
        let said = reviewed(&bench).await.unwrap();
        // The owner has the last word; what was said against it is kept.
        assert_eq!((said.independence, said.ship), (wanted, true), "{other}");
        assert_eq!(said.objections, ["It is slow."]);
        assert_eq!(lead.requests().len(), rounds, "{other}");
        assert_eq!(second.requests().len(), rounds, "{other}");
        let [fact] = bench.facts::<OwnerReviewed>().await.try_into().unwrap();
        assert_eq!(
            (fact.mode.as_str(), fact.rounds),
            (wanted.word(), u32::try_from(rounds).unwrap())
        );
        assert_eq!(
            (fact.owner.as_str(), fact.customer.as_str()),
            ("a/lead", other)
        );
        assert!(fact.ship && fact.dissent);
        assert!(bench.facts::<BreakerTripped>().await.is_empty());
        // Each hears what the other said before.
        let last = format!("{:?}", lead.requests().last().unwrap());
        assert!(last.contains("CUSTOMER-WORD"), "{last}");
        let dissents = last_system(&second).contains("strongest objection");
        assert_eq!(dissents, wanted == Independence::SameTier);
        lead.forbid_requests();
        second.forbid_requests();
        assert_eq!(reviewed(&bench).await.unwrap(), said);
    }
}

fn last_system(model: &ScriptedModel) -> String {
    let requests = model.requests();
    format!("{:?}", requests.last().unwrap().messages.first().unwrap())
}

#[tokio::test]
async fn one_model_alone_reviews_itself_dissents_and_is_no_deadlock() {
    let lead = speaker(owner(true, &["Nobody else looked."]), customer(true, &[]));
    let cast = Cast {
        leader: "a/lead",
        stances: &["a/lead", "a/lead"],
        auditor: "a/lead",
        judge: "a/lead",
    };
    let bench = bench(cast, &[("a/lead", Tier::Premium, &lead)]).await;
    let said = reviewed(&bench).await.unwrap();
    assert_eq!(
        (said.independence, said.ship),
        (Independence::SelfReview, true)
    );
    assert_eq!(said.objections, ["Nobody else looked."]);
    assert_eq!(lead.requests().len(), 1);
    let [tripped] = bench.facts::<BreakerTripped>().await.try_into().unwrap();
    assert_eq!(
        (
            tripped.breaker.as_str(),
            tripped.reason.as_str(),
            tripped.degraded
        ),
        ("cb_5", "role_collision", true)
    );
    let [fact] = bench.facts::<OwnerReviewed>().await.try_into().unwrap();
    assert_eq!((fact.mode.as_str(), fact.dissent), ("self_review", true));
}

#[tokio::test]
async fn an_owner_who_refuses_says_what_stands_against_it() {
    let lead = speaker(owner(false, &["The list is lost."]), customer(true, &[]));
    let second = speaker(owner(true, &[]), customer(true, &[]));
    let cast = Cast {
        leader: "a/lead",
        stances: &["b/other"],
        auditor: "a/lead",
        judge: "a/lead",
    };
    let models = [
        ("a/lead", Tier::Premium, &lead),
        ("b/other", Tier::Premium, &second),
    ];
    let bench = bench(cast, &models).await;
    let said = reviewed(&bench).await.unwrap();
    assert!(!said.ship);
    assert_eq!(said.objections, ["The list is lost."]);
}

#[tokio::test]
async fn agreement_where_dissent_is_asked_for_is_asked_again_and_then_trouble() {
    let lead = speaker(owner(true, &[]), customer(true, &[]));
    let cast = Cast {
        leader: "a/lead",
        stances: &[],
        auditor: "a/lead",
        judge: "a/lead",
    };
    let bench = bench(cast, &[("a/lead", Tier::Premium, &lead)]).await;
    let end = reviewed(&bench).await.unwrap_err();
    assert!(
        format!("{end:?}").contains("gate-1/owner-1/trouble"),
        "{end:?}"
    );
    assert_eq!(lead.requests().len(), 3);
    let again = format!("{:?}", lead.requests()[1].messages.last().unwrap());
    assert!(again.contains("strongest objection"), "{again}");
}
