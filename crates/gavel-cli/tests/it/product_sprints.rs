//! Sprints that fail before they succeed, sprints that lead nowhere, and a cap in the middle.

use gavel_domain::{
    BreakerTripped, CommitMade, ContractsPinned, CriteriaJudged, FeedbackRouted, GateJudged,
    Halted, SprintOpened, StageEntered, VerifyFinished, VerifyVerdict,
};
use gavel_testkit::SeenRequest;

use crate::bench::run_id;
use crate::clumsy::{Manner, clumsy, studio};

/// Everything that a request tells its model.
fn told(request: &SeenRequest) -> String {
    request.body.to_string()
}

#[test]
fn a_sprint_that_fails_tells_the_next_one_until_it_passes() {
    let server = clumsy(Manner::Restless, |sprint| {
        3_usize.saturating_sub(sprint as usize)
    });
    let studio = studio(&server);
    let done = studio.start(&["--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let seen = studio.look();

    // The first fails, the second is better, the third passes.
    let scores: Vec<u32> = seen
        .facts::<CriteriaJudged>()
        .into_iter()
        .filter(|judged| judged.sprint > 0)
        .take(3)
        .map(|judged| judged.score)
        .collect();
    assert_eq!(scores.len(), 3);
    assert!(scores[0] < scores[1] && scores[1] < scores[2], "{scores:?}");
    assert_eq!(scores[2], 1000);
    let opened = seen.facts::<SprintOpened>();
    let phases: Vec<_> = opened
        .iter()
        .map(|sprint| (sprint.phase, sprint.of_phase))
        .take(4)
        .collect();
    assert_eq!(
        phases,
        [(Some(0), 1), (Some(0), 2), (Some(0), 3), (Some(1), 1)]
    );
    // One model in every role is told as less, and stops nothing.
    let breakers = seen.facts::<BreakerTripped>();
    assert!(breakers.iter().all(|one| one.degraded), "{breakers:?}");

    // What failed was routed, and stands in what the next sprint is asked.
    let routed = seen.facts::<FeedbackRouted>();
    let to: Vec<_> = routed
        .iter()
        .map(|feedback| {
            (
                feedback.sprint,
                feedback.condition.as_str(),
                feedback.to.as_str(),
            )
        })
        .collect();
    assert_eq!(
        to,
        [
            (2, "engineering_floor", "coder"),
            (3, "engineering_floor", "coder")
        ]
    );
    let requests = server.requests();
    let focused: Vec<String> = requests
        .iter()
        .map(told)
        .filter(|text| text.contains("You write the code") && text.contains("Open criteria:"))
        .collect();
    assert!(!focused.is_empty(), "the coder is told what is open");
    assert!(focused[0].contains("failed"), "{}", focused[0]);
    assert!(
        requests
            .iter()
            .map(told)
            .any(|text| text.contains("your-earlier-sprints") && text.contains("### Sprint 1")),
        "roles remember"
    );
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}

#[test]
fn sprints_that_lead_nowhere_are_stopped_and_a_person_says_how_to_go_on() {
    let server = clumsy(Manner::Restless, |sprint| usize::from(sprint <= 3));
    let studio = studio(&server);
    let id = run_id().to_string();
    let stopped = studio.start(&["--yes"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");
    let seen = studio.look();
    let tripped = seen.facts::<BreakerTripped>();
    assert_eq!(tripped.len(), 1, "{tripped:?}");
    assert_eq!(tripped[0].breaker, "cb_2");
    assert_eq!(tripped[0].sprint, Some(3));
    assert_eq!(tripped[0].numbers["delta_last"], 0);
    assert_eq!(seen.facts::<SprintOpened>().len(), 3);
    let asked = server.requests().len();

    // Going on without an answer asks again and calls nobody.
    let again = studio.run(&["resume", &id, "--yes"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert_eq!(server.requests().len(), asked);

    // One more sprint, with words that reach it.
    let words = "Write the tests without a panic.";
    let answered = studio.run(&["answer", &id, words, "--resume", "--yes"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let requests = server.requests();
    assert!(
        requests[asked..]
            .iter()
            .map(told)
            .any(|text| text.contains(words))
    );
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}

#[test]
fn the_council_thinks_again_and_the_build_goes_on_from_what_there_is() {
    let server = clumsy(Manner::Restless, |sprint| usize::from(sprint <= 3));
    let studio = studio(&server);
    let id = run_id().to_string();
    let stopped = studio.start(&["--yes"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");
    let rethought = studio.run(&["answer", &id, "rethink", "--resume", "--yes"]);
    assert_eq!(rethought.code, Some(0), "{rethought:?}");
    let seen = studio.look();
    let stages: Vec<_> = seen
        .facts::<StageEntered>()
        .into_iter()
        .map(|entered| entered.stage.word())
        .collect();
    assert_eq!(
        stages.join(" "),
        "intake discovery council scoping contracts building council contracts building gating \
         sealing lessons"
    );
    assert_eq!(seen.facts::<ContractsPinned>().len(), 2);
    let numbers: Vec<_> = seen
        .facts::<SprintOpened>()
        .into_iter()
        .map(|sprint| sprint.sprint)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5], "sprints are counted over the run");
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}

#[test]
fn sprints_that_change_nothing_and_models_that_repeat_themselves_are_stopped() {
    for (manner, breaker, reason) in [
        (Manner::Stubborn, "cb_8", "no_change"),
        (Manner::Forgetful, "cb_10", "same_call"),
    ] {
        let server = clumsy(manner, |_| 1);
        let studio = studio(&server);
        let stopped = studio.start(&["--yes"]);
        assert_eq!(stopped.code, Some(3), "{stopped:?}");
        let seen = studio.look();
        let tripped = seen.facts::<BreakerTripped>();
        let tripped: Vec<_> = tripped
            .iter()
            .map(|one| (one.breaker.as_str(), one.reason.as_str()))
            .collect();
        assert_eq!(tripped, [(breaker, reason)], "{manner:?}");
        // Whoever stops keeps what there is, and is told that it is no proof.
        let id = run_id().to_string();
        let halted = studio.run(&["answer", &id, "stop", "--resume", "--yes"]);
        assert_eq!(halted.code, Some(1), "{halted:?}");
        assert_eq!(studio.look().facts::<Halted>()[0].reason, "breaker_tripped");
        server.finish();
    }
}

#[test]
fn a_result_that_is_refused_twice_for_the_same_reasons_is_a_question() {
    let server = clumsy(Manner::Refusing, |_| 0);
    let studio = studio(&server);
    let id = run_id().to_string();
    let stopped = studio.start(&["--yes"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");
    let seen = studio.look();
    let gates = seen.facts::<GateJudged>();
    assert_eq!(gates.len(), 2, "{gates:?}");
    assert!(gates.iter().all(|gate| !gate.passed));
    assert_ne!(
        gates[0].commit, gates[1].commit,
        "a sprint changed something"
    );
    let last = seen.facts::<BreakerTripped>().pop().unwrap();
    assert_eq!(
        (last.breaker.as_str(), last.numbers["refusals"]),
        ("cb_7", 2)
    );
    // Whoever stops there leaves it to the gate's last word.
    let halted = studio.run(&["answer", &id, "stop", "--resume", "--yes"]);
    assert_eq!(halted.code, Some(5), "{halted:?}");
    assert_eq!(studio.look().facts::<Halted>()[0].reason, "gate_failed");
    server.finish();
}

#[test]
fn a_first_phase_that_brings_no_tests_is_stopped_before_it_costs_more() {
    let server = clumsy(Manner::Bare, |sprint| usize::from(sprint <= 1));
    let studio = studio(&server);
    let id = run_id().to_string();
    let stopped = studio.start(&["--yes"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");
    let seen = studio.look();
    let last = seen.facts::<BreakerTripped>().pop().unwrap();
    assert_eq!(
        (last.breaker.as_str(), last.reason.as_str(), last.sprint),
        ("cb_3", "no_recipe", Some(1))
    );
    // The next sprint is told to bring them, and does.
    let done = studio.run(&["answer", &id, "retry", "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}

#[test]
fn a_model_that_cannot_be_reached_any_more_is_asked_for() {
    let server = clumsy(Manner::Restless, |sprint| usize::from(sprint <= 3));
    let studio = studio(&server);
    let id = run_id().to_string();
    let stopped = studio.start(&["--yes"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");

    // The endpoint is gone from the settings; the next sprint finds out before it spends.
    studio.set("", &[]);
    let asked = server.requests().len();
    let gone = studio.run(&["answer", &id, "retry", "--resume", "--yes"]);
    assert_eq!(gone.code, Some(7), "{gone:?}");
    let seen = studio.look();
    let last = seen.facts::<BreakerTripped>().pop().unwrap();
    assert_eq!(last.breaker, "cb_6", "{gone:?}");
    assert_eq!(last.role, Some(gavel_domain::Role::Leader));
    assert_eq!(server.requests().len(), asked, "nobody was called");

    // Another model goes on.
    let done = studio.run(&["resume", &id, "--model", "offline", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}

#[test]
fn a_phase_that_never_passes_is_never_called_done() {
    let server = clumsy(Manner::Restless, |_| 1);
    let studio = studio(&server);
    let id = run_id().to_string();
    let ended = studio.start(&["--yes", "--max-sprints", "2"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let seen = studio.look();
    let halted = seen.facts::<Halted>();
    assert_eq!(halted.len(), 1);
    assert_eq!(halted[0].reason, "max_sprints_reached");
    let sprints = seen.facts::<SprintOpened>().len();
    assert_eq!(sprints, 2, "as many as the run may have");
    let verified = seen.facts::<VerifyFinished>();
    assert!(
        verified
            .iter()
            .all(|one| one.verdict != VerifyVerdict::Passed)
    );
    // What was built stays on the branch.
    assert!(seen.facts::<CommitMade>().len() >= 3);
    // The run's own values count, whatever is set now.
    let again = studio.run(&["resume", &id, "--yes", "-c", "run.max_sprints=8"]);
    assert_ne!(again.code, Some(0), "{again:?}");
    assert_eq!(studio.look().facts::<SprintOpened>().len(), sprints);
    server.finish();
}

#[test]
fn a_cap_in_the_middle_pauses_and_more_money_goes_on() {
    let server = clumsy(Manner::Restless, |_| 0);
    let studio = studio(&server);
    let id = run_id().to_string();
    let paused = studio.start(&["--yes", "--max-cost", "0.12"]);
    assert_eq!(paused.code, Some(4), "{paused:?}");
    let seen = studio.look();
    let tripped = seen.facts::<BreakerTripped>();
    assert!(
        tripped
            .iter()
            .any(|one| one.breaker == "cb_4" || one.breaker == "cb_1"),
        "{tripped:?}"
    );
    let spent = studio.bench.json(&["usage", &id]);
    assert!(spent["cost_usd"].as_f64().unwrap() <= 0.12, "{spent}");
    let raised = studio.run(&["answer", &id, "--limit", "20", "--resume", "--yes"]);
    assert_eq!(raised.code, Some(0), "{raised:?}");
    assert_eq!(studio.seal()["valid"], true);
    server.finish();
}
