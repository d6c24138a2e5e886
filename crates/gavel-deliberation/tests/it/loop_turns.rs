//! Turns of loops that scripted models take: what is handed in, what is asked for again, and what
//! comes to nothing.

use std::sync::Mutex;

use gavel_deliberation::loops::{Handed, Taken, TurnAsk, Voice, take_turn};
use gavel_domain::{Caps, LoopKind, LoopPhase, Profile, Slot};
use gavel_models::CallErrorKind;
use gavel_rules::deliberation::{consult, ideation, review, word};
use gavel_run::DriveEnd;
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info, unbilled};
use serde_json::{Value, json};

use crate::chamber::{requests_for, texts};

const TRAP: &str = "trp_0199c7d2-8a10-7abc-9def-0123456789ab";
const NOTE: &str = "rtn_0199c7d2-8a10-7abc-9def-00000000beef";
const CRITIQUES: [&str; 2] = ["art_9a8057cc_2", "art_9a8057cc_3"];

/// A phase of one of the protocols.
fn phase(name: &str) -> LoopPhase {
    let all = [ideation(true), review(), consult()];
    let mut phases = all.into_iter().flat_map(|protocol| protocol.phases);
    phases.find(|phase| phase.name.as_str() == name).unwrap()
}

fn slot(phase: &LoopPhase) -> Slot {
    Slot {
        id: "slot-1".to_owned(),
        role: phase
            .roles
            .first()
            .cloned()
            .unwrap_or_else(|| word("critic")),
        agent: Some(gavel_domain::AgentId::gavel()),
        profile: Some(Profile::Pessimist),
    }
}

/// Lets the model take a turn twice over: the second drive must come to the same without asking.
async fn taken(phase: &LoopPhase, model: &ScriptedModel) -> Taken {
    let bed = TestBed::new(model.clone()).await;
    let run = bed.start(Caps::default()).await;
    let voice = Voice {
        model: test_info(Some(TEST_PRICE)),
    };
    let slot = slot(phase);
    let (items, to_answer) = (
        [TRAP, NOTE].map(str::to_owned),
        CRITIQUES.map(str::to_owned),
    );
    let mut all = Vec::new();
    for _ in 0..2 {
        let result = Mutex::default();
        let end = bed.drive(run, async |run| {
            let ask = TurnAsk {
                kind: LoopKind::Ideation,
                phase,
                slot: &slot,
                brief: "# Your turn",
                items: &items,
                proposed: &[],
                to_answer: &to_answer,
            };
            let scope = run.scope("taken", 1)?;
            *result.lock().unwrap() = Some(take_turn(&run, &scope, &voice, ask).await?);
            Ok(())
        });
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        all.push(result.into_inner().unwrap().unwrap());
        model.forbid_requests();
    }
    model.finish();
    assert_eq!(all.first(), all.last());
    all.remove(0)
}

/// A model that says these things, one after the other.
fn says(answers: &[Value]) -> ScriptedModel {
    let said = answers.iter();
    said.fold(ScriptedModel::new(), |model, answer| {
        match answer.as_str() {
            Some(text) => model.text(text),
            None => model.text(&answer.to_string()),
        }
    })
}

async fn handed(name: &str, answers: &[Value]) -> Vec<Handed> {
    match taken(&phase(name), &says(answers)).await {
        Taken::Handed(handed) => handed,
        Taken::Failed { why } => panic!("the turn failed: {why}"),
    }
}

async fn failed(name: &str, answers: &[Value]) -> String {
    match taken(&phase(name), &says(answers)).await {
        Taken::Failed { why } => why,
        Taken::Handed(handed) => panic!("it was handed in: {handed:?}"),
    }
}

fn kinds(handed: &[Handed]) -> Vec<&str> {
    handed.iter().map(|one| one.kind.as_str()).collect()
}

fn critique(text: &str, cites: &[&str]) -> Value {
    json!({"text": text, "cites": cites, "kind": "memory_conflict"})
}

fn critiques(critiques: &[Value], nothing_new: bool) -> Value {
    json!({"critiques": critiques, "nothing_new": nothing_new, "good_enough": false, "why": "that is all"})
}

#[tokio::test]
async fn a_critic_hands_in_several_critiques_at_once() {
    let said = critiques(
        &[
            critique("It hangs.", &[TRAP]),
            critique("It loses jobs.", &["[trp_456789ab]", "`art_9a8057cc_1`"]),
            critique(" ", &[TRAP]),
        ],
        true,
    );
    let handed = handed("critique", &[said]).await;
    assert_eq!(kinds(&handed), ["critique", "critique", "nothing_new"]);
    let bodies: Vec<&str> = handed.iter().map(|one| one.body.as_str()).collect();
    let expected = [
        "Memory conflict: It hangs.",
        "Memory conflict: It loses jobs.",
        "that is all",
    ];
    assert_eq!(bodies, expected);
    // A short id is handed in as the whole one.
    assert_eq!(handed[0].cites, [TRAP]);
    assert_eq!(handed[1].cites, [TRAP, "art_9a8057cc_1"]);
}

#[tokio::test]
async fn nothing_new_and_good_enough_stand_for_themselves() {
    let said = json!({"critiques": [], "nothing_new": true, "good_enough": true, "why": ""});
    let handed = handed("critique", &[said]).await;
    assert_eq!(kinds(&handed), ["nothing_new", "critic_signal"]);
    assert!(handed.iter().all(|one| !one.body.is_empty()));
}

#[tokio::test]
async fn a_wrong_citation_is_asked_for_once_more() {
    let wrong = critiques(&[critique("It hangs.", &["trp_made_up"])], true);
    let right = critiques(&[critique("It hangs.", &[NOTE])], true);
    let model = says(&[wrong, right]);
    let taken = taken(&phase("critique"), &model).await;
    let Taken::Handed(handed) = taken else {
        panic!("{taken:?}")
    };
    assert_eq!(handed[0].cites, [NOTE]);
    let asked = requests_for(&model, "loop_critique");
    let again = texts(&asked[1]);
    assert!(
        again.contains("`trp_made_up` is not in the brief"),
        "{again}"
    );
    assert!(again.contains(TRAP), "{again}");
}

#[tokio::test]
async fn what_still_cites_nothing_is_handed_in_beside_what_holds() {
    let said = critiques(
        &[
            critique("It hangs.", &[TRAP]),
            critique("It is ugly.", &["common sense"]),
        ],
        false,
    );
    let handed = handed("critique", &[said.clone(), said]).await;
    // The desk refuses the second one, where everybody can see it.
    assert_eq!(kinds(&handed), ["critique", "critique"]);
    assert_eq!(handed[1].cites, ["common sense"]);
}

#[tokio::test]
async fn too_few_critiques_are_asked_for_or_said_to_be_all() {
    let few = critiques(&[critique("It hangs.", &[TRAP])], false);
    let all = critiques(&[critique("It hangs.", &[TRAP])], true);
    let model = says(&[few, all]);
    let taken = taken(&phase("critique"), &model).await;
    let Taken::Handed(handed) = taken else {
        panic!("{taken:?}")
    };
    assert_eq!(kinds(&handed), ["critique", "nothing_new"]);
    let again = texts(&requests_for(&model, "loop_critique")[1]);
    assert!(again.contains("3 are wanted"), "{again}");
}

#[tokio::test]
async fn hopeless_answers_fail_with_the_reason() {
    let nothing = critiques(&[], false);
    let why = failed("critique", &[nothing.clone(), nothing]).await;
    assert!(why.contains("nothing_new"), "{why}");
    let baseless = critiques(&[critique("It is ugly.", &[])], false);
    let why = failed("critique", &[baseless.clone(), baseless]).await;
    assert!(why.contains("names no accepted memory item"), "{why}");
    let why = failed("synthesis", &[json!("no JSON"), json!("none again")]).await;
    assert!(why.contains("not JSON"), "{why}");
    let empty =
        json!({"summary": "Do it.", "steps": [" "], "addresses_critique": [], "waived": []});
    let why = failed("synthesis", &[empty.clone(), empty]).await;
    assert!(why.contains("steps"), "{why}");
}

#[tokio::test]
async fn a_model_that_refuses_is_a_failed_turn() {
    let model = ScriptedModel::new().error(unbilled(CallErrorKind::Refused));
    let taken = taken(&phase("critique"), &model).await;
    assert!(matches!(taken, Taken::Failed { .. }), "{taken:?}");
}

#[tokio::test]
async fn a_revision_says_how_each_critique_is_answered() {
    let partly =
        json!({"text": "Move it.", "answers": [{"critique": CRITIQUES[0], "how": "tested"}]});
    let model = says(&[partly.clone(), partly]);
    let taken = taken(&phase("revision"), &model).await;
    let Taken::Handed(handed) = taken else {
        panic!("{taken:?}")
    };
    assert_eq!(kinds(&handed), ["revision"]);
    let body =
        "Move it.\n\nWhat is answered:\n- art_9a8057cc_2: tested\n\nNot answered: art_9a8057cc_3";
    assert_eq!(handed[0].body, body);
    assert_eq!(handed[0].cites, [CRITIQUES[0]]);
    let again = texts(&requests_for(&model, "loop_revision")[1]);
    assert!(again.contains("no entry for art_9a8057cc_3"), "{again}");
}

#[tokio::test]
async fn a_plan_accounts_for_every_critique() {
    let plan = json!({
        "summary": "Do it.",
        "steps": ["Move it.", "", "Test it."],
        "addresses_critique": ["[art_9a8057cc_2]"],
        "waived": [{"id": CRITIQUES[1], "reason": "out of scope"}],
    });
    let handed = handed("synthesis", &[plan]).await;
    assert_eq!(kinds(&handed), ["plan_draft"]);
    assert_eq!(handed[0].body, "Do it.\n\n1. Move it.\n2. Test it.");
    assert_eq!(handed[0].addresses, [CRITIQUES[0]]);
    assert_eq!(
        handed[0].waived,
        [(CRITIQUES[1].to_owned(), "out of scope".to_owned())]
    );
}

#[tokio::test]
async fn a_plan_names_no_critique_that_is_not_there() {
    let plan = json!({
        "summary": "Do it.",
        "steps": ["Move it."],
        "addresses_critique": ["art_9a8057cc_9", CRITIQUES[0]],
        "waived": [{"id": CRITIQUES[0], "reason": ""}],
    });
    let model = says(&[plan.clone(), plan]);
    let taken = taken(&phase("synthesis"), &model).await;
    let Taken::Handed(handed) = taken else {
        panic!("{taken:?}")
    };
    // Said to be addressed and waived without a reason: it is neither, and the desk reports it.
    assert_eq!(handed[0].addresses, [""; 0]);
    assert_eq!(handed[0].waived, []);
    assert!(
        handed[0].body.contains("art_9a8057cc_9"),
        "{}",
        handed[0].body
    );
    let again = texts(&requests_for(&model, "loop_plan")[1]);
    for wrong in [
        "`art_9a8057cc_9` is no critique",
        "art_9a8057cc_2 is both addressed and waived",
        "art_9a8057cc_3 is neither addressed nor waived",
    ] {
        assert!(again.contains(wrong), "{wrong}: {again}");
    }
}

#[tokio::test]
async fn reviewers_find_something_or_accept() {
    let found = json!({"findings": [{"text": "It hangs.", "cites": []}], "nothing_new": true, "accepted": false, "why": ""});
    assert_eq!(
        kinds(&handed("findings", std::slice::from_ref(&found)).await),
        ["finding", "nothing_new"]
    );
    assert_eq!(
        kinds(&handed("followup_review", &[found]).await),
        ["followup", "nothing_new"]
    );
    let fine =
        json!({"findings": [], "nothing_new": true, "accepted": true, "why": "it is tested"});
    let handed_in = handed("findings", &[fine]).await;
    assert_eq!(handed_in[0].body, "accepted: it is tested");
    let both = json!({"findings": [{"text": "It hangs.", "cites": []}], "nothing_new": true, "accepted": true, "why": ""});
    let handed_in = handed("findings", &[both.clone(), both]).await;
    assert_eq!(kinds(&handed_in), ["finding", "nothing_new"]);
    let verdict = handed("verdict", &[json!({"accepted": false, "why": "it hangs"})]).await;
    assert_eq!(verdict[0].body, "changes-requested: it hangs");
}

#[tokio::test]
async fn texts_are_handed_in_as_their_phase_calls_them() {
    let text = json!({"text": "So it is.", "cites": [TRAP]});
    for name in ["proposal", "reframe", "advice"] {
        let handed = handed(name, std::slice::from_ref(&text)).await;
        assert_eq!(kinds(&handed), [name]);
        assert_eq!(handed[0].cites, [TRAP]);
    }
    let other = json!({"artifacts": [{"type": "question", "text": "Which?", "cites": []}]});
    assert_eq!(kinds(&handed("question", &[other]).await), ["question"]);
    let wrong = json!({"artifacts": [{"type": "advice", "text": "This.", "cites": []}]});
    let why = failed("question", &[wrong.clone(), wrong]).await;
    assert!(why.contains("advice is none of question"), "{why}");
}

#[tokio::test]
async fn a_phase_of_ones_own_that_takes_more_gets_the_general_shape() {
    let own = LoopPhase {
        produces: vec![word("critique"), word("risk")],
        ..phase("critique")
    };
    let said = json!({"artifacts": [{"type": "risk", "text": "It hangs.", "cites": [TRAP]}]});
    let taken = taken(&own, &says(&[said])).await;
    let Taken::Handed(handed) = taken else {
        panic!("{taken:?}")
    };
    assert_eq!(kinds(&handed), ["risk"]);
}
