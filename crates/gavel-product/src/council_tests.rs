//! A council, and a second one that knows why the first plan did not work out.

use gavel_domain::{
    AnswerReply, AssumptionRaised, Confidence, DebateClosed, ModelsChosen, QuestionAsked,
};
use gavel_models::Tier;
use gavel_run::DriveEnd;
use gavel_testkit::{ScriptedModel, text_reply};
use serde_json::{Value, json};

use super::*;
use crate::bench::{Bench, Cast, info};
use crate::idea::Idea;
use crate::scoping::scope_out;

/// What a judge says that is sure, or not.
fn verdict(confidence: u32) -> Value {
    json!({"covered": [1], "dissent_kept": true, "evidence_used": true,
        "confidence": confidence, "reason": "Nobody said what it costs."})
}

/// A voice that answers every shape; as a leader it lists one assumption of its own.
fn voice(claim: &'static str) -> ScriptedModel {
    voice_but(claim, |_| None)
}

fn voice_but(
    claim: &'static str,
    other: impl Fn(&str) -> Option<Value> + Send + Sync + 'static,
) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| {
        let assumed = |who: Option<&str>| {
            let mut one = json!({"claim": claim, "confidence": "high", "how_to_validate": "ask"});
            if let (Some(who), Some(fields)) = (who, one.as_object_mut()) {
                fields.insert("raised_by".to_owned(), json!(who));
            }
            one
        };
        let choices = json!([{"decision": "store", "option": "A", "confidence": 70, "cites": []}]);
        let shape = request.answer.as_ref().unwrap().name.as_str();
        let said = other(shape).unwrap_or_else(|| match shape {
            "council_plan" => json!({
                "intent_summary": "a list", "planned_rounds": 1,
                "stances": [{"name": "Keeper", "lens": "what is kept"},
                    {"name": "Skeptic", "lens": "what breaks"}],
                "decisions": [{"id": "store", "question": "Where?",
                    "options": ["a file", "a server"]}],
                "output_shape": {"kind": "decision"},
            }),
            "council_research_need" => json!({"needed": false, "why": "it is small"}),
            "council_opening" => json!({
                "text": "It is a list [UNVERIFIED].", "choices": choices,
                "assumptions": [assumed(None)],
            }),
            "council_turn" => json!({"text": "Still so.", "choices": choices}),
            "council_evaluation" => json!({"go_on": false, "reason": "settled"}),
            "council_synthesis" => json!({
                "summary": "A list.", "assumptions": [assumed(Some("Skeptic"))],
                "decisions": [{"id": "store", "why": "small"}],
            }),
            "council_verdict" => verdict(90),
            "spec" => json!({
                "title": "list", "purpose": "keeps a list", "users": [], "in_scope": [],
                "out_of_scope": [], "assumptions": [assumed(None)],
                "criteria": [{"id": "is_listed", "statement": "it is listed", "example": "",
                    "weight": 3, "asks": ["a1", "a2", "a3", "a4", "a5", "a6"]}],
            }),
            other => panic!("nobody asks for {other}"),
        });
        Ok(text_reply(&said.to_string()))
    })
}

async fn bench(leader: &ScriptedModel, seats: &[ScriptedModel]) -> Bench {
    bench_of(1, leader, seats).await
}

async fn bench_of(flow: u32, leader: &ScriptedModel, seats: &[ScriptedModel]) -> Bench {
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
    Bench::of_flow(flow, cast, (models.collect(), &[])).await
}

/// The way to the council.
async fn arrive(way: Way<'_>) -> Result<Discovered, Leave> {
    way.enter(Stage::Intake).await?;
    way.enter(Stage::Discovery).await?;
    let staff = Staff::choose(way, 1).await?;
    Ok(Discovered::for_a_change(Idea::typed("a list"), staff))
}

/// A first council, and one that thinks again; each followed by a spec, where that is wanted.
async fn think_twice(bench: &Bench, specs: bool) -> Result<(Discovered, usize), DriveEnd> {
    let work = async |way: Way<'_>| {
        let mut found = arrive(way).await?;
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
    Box::pin(bench.drive(work)).await
}

#[tokio::test]
async fn a_second_council_knows_what_went_wrong_and_adds_to_the_ledger_once() {
    let leader = voice("The disk is local.");
    let seats = [voice("One person."), voice("The disk is local.")];
    let bench = bench(&leader, &seats).await;
    let (found, decisions) = think_twice(&bench, false).await.unwrap();
    assert_eq!(decisions, 2);
    assert_eq!(found.debated.len(), 2);
    assert_eq!(found.doubt, None, "the judge was sure");
    let raised = bench.facts::<AssumptionRaised>().await;
    let told: Vec<_> = raised
        .iter()
        .map(|fact| (fact.raised_by.as_str(), fact.confidence))
        .collect();
    assert_eq!(told, [("Skeptic", Confidence::High)]);
    assert_eq!(found.ledger.entries().len(), 1);
    let closed = bench.facts::<DebateClosed>().await;
    assert_eq!(closed.len(), 2);
    // Openings, turns, and again with the trouble.
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
    let [chosen] = bench.facts::<ModelsChosen>().await.try_into().unwrap();
    assert_eq!(chosen.council, None);
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

/// A debate that its leader cannot draw together is a question, never a plan.
#[tokio::test]
async fn a_debate_that_nobody_draws_together_goes_no_further() {
    let garbage = |shape: &str| (shape == "council_synthesis").then(|| json!("so be it"));
    let leader = voice_but("One person.", garbage);
    let seats = [voice("One person."), voice("Two persons.")];
    let bench = bench(&leader, &seats).await;
    let work = async |way: Way<'_>| {
        let mut found = arrive(way).await?;
        deliberate(way, &mut found, None).await
    };
    let end = bench.drive(work).await.unwrap_err();
    assert!(
        format!("{end:?}").contains("council-1/debate-1/trouble"),
        "{end:?}"
    );
    let told = last_card(&bench).await;
    for part in [
        "could not draw the debate together",
        "Trying again holds a new debate",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(bench.facts::<AssumptionRaised>().await.is_empty());
}

/// Since then it is a question about the synthesis alone, and whoever wants to go on without it does.
#[tokio::test]
async fn a_run_goes_on_without_a_synthesis_when_somebody_wants_that() {
    let garbage = |shape: &str| (shape == "council_synthesis").then(|| json!("so be it"));
    let leader = voice_but("One person.", garbage);
    let seats = [voice("One person."), voice("Two persons.")];
    let bench = bench_of(SECOND_EDITION, &leader, &seats).await;
    let work = async |way: Way<'_>| {
        let mut found = arrive(way).await?;
        let decided = deliberate(way, &mut found, None).await?;
        Ok((decided, found.doubt))
    };
    let mailbox = bench.bed.mailbox();
    let asked = async || {
        let end = bench.drive(work).await.unwrap_err();
        assert!(format!("{end:?}").contains("synthesis/again-"), "{end:?}");
        leader.requests().len()
    };
    let say = async |id: &str| {
        let reply = AnswerReply::Option { id: id.to_owned() };
        mailbox.answer(bench.run, None, reply).await.unwrap();
    };
    let first = asked().await;
    say("again").await;
    let second = asked().await;
    assert_eq!(
        second - first,
        2,
        "the leader is asked twice more, and nobody else"
    );
    say("without").await;
    let (decided, doubt) = bench.drive(work).await.unwrap();
    let choices: Vec<&str> = decided.iter().map(|one| one.choice.as_str()).collect();
    assert_eq!(choices, ["a file"], "the votes stand as they were counted");
    assert!(doubt.is_some(), "and a person is told to look");
    assert_eq!(bench.facts::<DebateClosed>().await.len(), 1);
}

/// What a judge is not sure of stands on the card that a person agrees to.
#[tokio::test]
async fn a_doubt_of_the_judge_is_on_the_card_of_the_spec() {
    let unsure = |shape: &str| (shape == "council_verdict").then(|| verdict(30));
    let leader = voice_but("One person.", unsure);
    let seats = [voice("One person."), voice("One person.")];
    let bench = bench(&leader, &seats).await;
    let work = async |way: Way<'_>| {
        let mut found = arrive(way).await?;
        let decided = deliberate(way, &mut found, None).await?;
        let reason = &found.doubt.as_ref().unwrap().reason;
        assert!(reason.contains("Nobody said what it costs."), "{reason}");
        scope_out(way, &mut found, &decided).await?;
        Ok(())
    };
    let end = Box::pin(bench.drive(work)).await.unwrap_err();
    assert!(format!("{end:?}").contains("scoping-1/agreed"), "{end:?}");
    let told = last_card(&bench).await;
    assert!(
        told.contains("NEEDS HUMAN REVIEW: Nobody said what it costs."),
        "{told}"
    );
}

/// The card of the last question, as JSON.
async fn last_card(bench: &Bench) -> String {
    let asked = bench.facts::<QuestionAsked>().await;
    let store = bench.bed.store();
    let card = store.blob(asked.last().unwrap().card.digest).await;
    String::from_utf8(card.unwrap().unwrap()).unwrap()
}

/// A debate in which one seat names a file that is not there, and the other one does not agree.
async fn disputed() -> Bench {
    let choice = |option: &str, cite: &str| json!([{"decision": "store", "option": option, "confidence": 80, "cites": [cite]}]);
    let keeper = move |shape: &str| {
        let said = json!({
            "text": "One file is enough [CONFIRMED via README.md:1] and fast [CONFIRMED via src/fast.rs:7].",
            "choices": choice("A", "README.md:1"), "assumptions": [],
        });
        ["council_opening", "council_turn"]
            .contains(&shape)
            .then_some(said)
    };
    let skeptic = move |shape: &str| {
        let said = json!({
            "text": "Two writers lose data in a file [UNVERIFIED]. A server keeps them apart.",
            "choices": choice("B", "src/lock.rs:1"), "assumptions": [],
        });
        ["council_opening", "council_turn"]
            .contains(&shape)
            .then_some(said)
    };
    let unsure = |shape: &str| (shape == "council_verdict").then(|| verdict(30));
    let leader = voice_but("One person.", unsure);
    let seats = [voice_but("", keeper), voice_but("", skeptic)];
    let bench = bench(&leader, &seats).await;
    let work = async |way: Way<'_>| {
        let mut found = arrive(way).await?;
        deliberate(way, &mut found, None).await
    };
    bench.drive(work).await.unwrap();
    bench
}

/// What is read of a debate: who chose what, what held, who disagrees, what the judge says.
#[tokio::test]
async fn a_debate_is_read_by_its_stances() {
    let bench = disputed().await;
    let store = bench.bed.store();
    let report = gavel_view::Report::read(store.as_ref(), bench.run)
        .await
        .unwrap();
    let read = serde_json::to_string_pretty(&report.debate).unwrap();
    insta::assert_snapshot!(read);
}
