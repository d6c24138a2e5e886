//! A council, and a second one that knows why the first plan did not work out.

use gavel_domain::{AssumptionRaised, Confidence};
use gavel_models::Tier;
use gavel_run::DriveEnd;
use gavel_testkit::{ScriptedModel, text_reply};
use serde_json::json;

use super::*;
use crate::bench::{Bench, Cast, info};
use crate::scoping::scope_out;

/// A voice that answers every shape; as a leader it lists one assumption of its own.
fn voice(claim: &'static str) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| {
        let assumed = |who: Option<&str>| {
            let mut one = json!({"claim": claim, "confidence": "high", "how_to_validate": "ask"});
            if let (Some(who), Some(fields)) = (who, one.as_object_mut()) {
                fields.insert("raised_by".to_owned(), json!(who));
            }
            one
        };
        let said = match request.answer.as_ref().unwrap().name.as_str() {
            "council_draft" => json!({
                "position": "yes", "claims": [{"text": "it is a list", "evidence": ["idea"]}],
                "risks": [], "recommendation": "build it", "assumptions": [assumed(None)],
            }),
            "council_reply" => json!({"agree": [], "dispute": [], "position": "yes"}),
            "council_synthesis" => json!({
                "summary": "A list.", "assumptions": [assumed(Some("Skeptic"))],
                "decisions": [{"title": "store", "choice": "a file", "why": "small",
                    "dissent": "", "dissent_by": []}],
            }),
            "spec" => json!({
                "title": "list", "purpose": "keeps a list", "users": [], "in_scope": [],
                "out_of_scope": [], "assumptions": [assumed(None)],
                "criteria": [{"id": "is_listed", "statement": "it is listed", "example": "",
                    "weight": 3}],
            }),
            other => panic!("nobody asks for {other}"),
        };
        Ok(text_reply(&said.to_string()))
    })
}

async fn bench(leader: &ScriptedModel, seats: &[ScriptedModel]) -> Bench {
    let ids = ["b/one", "c/two"];
    let stances = ids.get(..seats.len()).unwrap();
    let cast = Cast {
        leader: "a/lead",
        stances,
        auditor: "a/lead",
        judge: "a/lead",
    };
    let models = ids
        .into_iter()
        .zip(seats)
        .chain([("a/lead", leader)])
        .map(|(id, model)| (info(id, Tier::Premium), model.clone()));
    Bench::new(cast, models.collect(), &[]).await
}

/// A first council, and one that thinks again; each followed by a spec, where that is wanted.
async fn think_twice(bench: &Bench, specs: bool) -> Result<(Discovered, usize), DriveEnd> {
    let work = async |way: Way<'_>| {
        way.enter(Stage::Intake).await?;
        way.enter(Stage::Discovery).await?;
        let staff = Staff::choose(way, 1).await?;
        let mut found = Discovered::for_a_change("a list".to_owned(), staff);
        let first = deliberate(way, &mut found, None).await?;
        way.enter(Stage::Scoping).await?;
        way.enter(Stage::Contracts).await?;
        way.enter(Stage::Building).await?;
        let again = way.next_round();
        let trouble = Some("the tests went in circles");
        let second = deliberate(again, &mut found, trouble).await?;
        if specs {
            scope_out(again, &mut found, &second).await?;
        }
        Ok((found, first.len() + second.len()))
    };
    bench.drive(work).await
}

#[tokio::test]
async fn a_second_council_knows_what_went_wrong_and_adds_to_the_ledger_once() {
    let leader = voice("The disk is local.");
    let seats = [voice("One person."), voice("The disk is local.")];
    let bench = bench(&leader, &seats).await;
    let (found, decisions) = think_twice(&bench, false).await.unwrap();
    assert_eq!(decisions, 2);
    assert_eq!(found.debated.len(), 2);
    let raised = bench.facts::<AssumptionRaised>().await;
    let told: Vec<_> = raised
        .iter()
        .map(|fact| (fact.raised_by.as_str(), fact.confidence))
        .collect();
    assert_eq!(told, [("Skeptic", Confidence::High)]);
    assert_eq!(found.ledger.entries().len(), 1);
    let closed = bench.facts::<DebateClosed>().await;
    assert_eq!(closed.len(), 2);
    // Drafts, replies, and again with the trouble.
    for seat in &seats {
        let knows: Vec<bool> = seat
            .requests()
            .iter()
            .map(|request| {
                let text = serde_json::to_string(&request.messages).unwrap();
                text.contains("the tests went in circles")
            })
            .collect();
        assert_eq!(knows, [false, false, true, true]);
    }
    // It stays so, and nobody is asked again.
    for model in seats.iter().chain([&leader]) {
        model.forbid_requests();
    }
    let (again, _) = think_twice(&bench, false).await.unwrap();
    assert_eq!(again.ledger, found.ledger);
}

#[tokio::test]
async fn without_seats_rules_review_both_times_and_a_spec_has_a_room_for_each_round() {
    let leader = voice("One person.");
    let bench = bench(&leader, &[]).await;
    let end = think_twice(&bench, true).await.unwrap_err();
    assert!(
        format!("{end:?}").contains("rethink-2/scoping-1/agreed"),
        "{end:?}"
    );
    let story = bench.bed.story(bench.run).await;
    for key in [
        "council-1/review",
        "council-2/review",
        "council-2/decision-1",
    ] {
        assert!(story.contains(key), "{key}: {story}");
    }
    assert!(!story.contains("council-1/decision-1"), "{story}");
    assert_eq!(
        leader.requests().len(),
        1,
        "the spec alone is written by a model"
    );
}
