//! What a refusal says to call next can be called by whoever was refused: in every set of tools, by every
//! role, with every key.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bench::{Bench, run_id};
use crate::mcp::{Serving, asked};
use crate::studio::IDEA;

const SETS: [&str; 8] = [
    "core",
    "contracts",
    "runs",
    "branch",
    "memory",
    "loops",
    "build",
    "all",
];
const ROLES: [&str; 9] = [
    "guest",
    "leader",
    "stance",
    "researcher",
    "scout",
    "coder",
    "auditor",
    "fixer",
    "judge",
];
/// A call of these begins something that goes on after the answer.
const BEGINNING: [&str; 3] = ["gavel_start_run", "gavel_council", "gavel_control"];
/// What a suggestion must never come to.
const USELESS: [&str; 4] = [
    "not_allowed",
    "bad_arguments",
    "unknown_tool",
    "bad_context",
];

/// Calls that are refused, of every tool that refuses more than wrong types.
fn wrong(run: &str, looped: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("gavel_get_contract", json!({"kind": "phases"})),
        ("gavel_get_contract", json!({"kind": "nonsense"})),
        ("gavel_get_contract", json!({"kind": "stack", "run": run})),
        (
            "gavel_get_contract",
            json!({"kind": "stack", "run": "beef"}),
        ),
        ("gavel_get_project_contract", json!({"kind": "stack"})),
        ("gavel_get_phase_window", json!({"phase": 99})),
        ("gavel_get_project_context", json!({"about": "spec"})),
        ("gavel_memory_get", json!({"id": "nothing"})),
        ("gavel_memory_update", json!({"id": "nothing", "text": "a"})),
        ("gavel_answer", json!({"run": run, "answer": "1"})),
        (
            "gavel_answer",
            json!({"run": run, "question": "none", "answer": "1"}),
        ),
        ("gavel_control", json!({"run": run, "action": "abort"})),
        ("gavel_council", json!({"run": run})),
        ("gavel_coordinate", json!({"intent": "ideate", "task": "a"})),
        (
            "gavel_coordinate",
            json!({"intent": "ideate", "task": " ", "agent_id": "ann"}),
        ),
        (
            "gavel_coordinate",
            json!({"intent": "ideate", "task": "a", "agent_id": "gavel"}),
        ),
        (
            "gavel_coordinate",
            json!({"intent": "review", "task": "a", "agent_id": "ann", "max_iterations": 2}),
        ),
        ("gavel_loop", json!({"intent": "open", "agent_id": "ann"})),
        (
            "gavel_loop",
            json!({"intent": "open", "title": "a", "kind": "custom", "agent_id": "ann"}),
        ),
        (
            "gavel_loop",
            json!({"intent": "open", "title": "a", "agent_id": "ann",
                              "protocol": {"phases": [], "nonsense": 1}}),
        ),
        ("gavel_loop", json!({"intent": "inbox"})),
        ("gavel_set_session", json!({"run": "beef"})),
    ];
    for tool in [
        "gavel_get_summary",
        "gavel_list_contracts",
        "gavel_get_build_contracts",
        "gavel_run_status",
        "gavel_get_branch_status",
        "gavel_list_branch_commits",
    ] {
        calls.push((tool, json!({"run": "beef"})));
        calls.push((tool, json!({"run": run})));
    }
    calls.extend(wrong_of_loops(looped));
    calls
}

/// The same of loops: every intent, by whoever may and by whoever may not.
fn wrong_of_loops(looped: &str) -> Vec<(&'static str, Value)> {
    let mut calls = Vec::new();
    for intent in [
        "get",
        "brief",
        "turn",
        "complete_turn",
        "add_artifact",
        "advance",
        "pause",
        "resume",
        "close",
        "promote",
    ] {
        calls.push(("gavel_loop", json!({"intent": intent})));
        calls.push((
            "gavel_loop",
            json!({"intent": intent, "loop_id": "beef", "agent_id": "ann"}),
        ));
        for agent in ["ann", "bob", "eve"] {
            for slot in ["champion", "critic", "judge"] {
                calls.push((
                    "gavel_loop",
                    json!({
                        "intent": intent, "loop_id": looped, "agent_id": agent, "slot_id": slot,
                        "expected_version": 1, "reason": "a"
                    }),
                ));
                if matches!(intent, "turn" | "complete_turn" | "resume" | "promote") {
                    calls.push((
                        "gavel_loop",
                        json!({
                            "intent": intent, "loop_id": looped, "agent_id": agent, "slot_id": slot,
                        }),
                    ));
                }
            }
        }
    }
    calls
}

fn request((tool, arguments): (&str, Value)) -> (&'static str, Value) {
    ("tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Fills in what stands in angle brackets.
fn filled(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with('<') => *text = "something".to_owned(),
        Value::Object(fields) => fields.values_mut().for_each(filled),
        Value::Array(items) => items.iter_mut().for_each(filled),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The calls that refusals suggest, once each.
fn suggested(answers: &[Value]) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for answer in answers {
        let next = answer["result"]["structuredContent"]["error"]["next"].as_array();
        for call in next.into_iter().flatten() {
            let mut call = call.clone();
            filled(&mut call["arguments"]);
            if seen.insert(format!("{} {}", call["tool"], call["arguments"])) {
                all.push(call);
            }
        }
    }
    all
}

/// A project with a run that waits for somebody, and a loop of two.
fn place() -> (Bench, String, String, String) {
    let bench = Bench::new();
    let run = run_id().to_string();
    let started = bench.run(&["start", IDEA, "--into", "made", "--run", &run]);
    assert_eq!(started.code, Some(3), "{started:?}");
    let made = bench.folder().join("project/made");
    let made = made.to_str().unwrap().to_owned();
    let open = json!({"name": "gavel_coordinate", "arguments": {
        "intent": "ideate", "task": "Move it.", "agent_id": "ann", "target_agents": ["bob"]
    }});
    let opened = asked(&bench, &["-C", &made], &[("tools/call", open)]);
    let looped = opened[1]["result"]["structuredContent"]["loop_id"].clone();
    (bench, made, run, looped.as_str().unwrap().to_owned())
}

#[test]
fn every_next_of_every_refusal_is_callable_by_whoever_was_refused() {
    let (bench, made, run, looped) = place();
    let end = run.get(run.len() - 8..).unwrap();
    let mut walked = 0;
    for set in SETS {
        for role in ROLES {
            // A role of another run than all of a set is told of nothing new: each is tried once.
            if role != "guest" && !matches!(set, "core" | "all") {
                continue;
            }
            let mut flags = vec!["-C", &made, "--tools", set];
            if role != "guest" {
                flags.extend(["--as", role, "--build", end]);
            }
            let mut requests: Vec<_> = wrong(&run, &looped).into_iter().map(request).collect();
            requests.insert(0, ("tools/list", json!({})));
            let answers = asked(&bench, &flags, &requests);
            let listed = answers[1]["result"]["tools"].as_array().unwrap();
            let names: BTreeSet<&str> = listed
                .iter()
                .map(|tool| tool["name"].as_str().unwrap())
                .collect();
            let next = suggested(&answers);
            for call in &next {
                let tool = call["tool"].as_str().unwrap();
                assert!(names.contains(tool), "{set} {role}: {call}");
            }
            let calls = next
                .iter()
                .filter(|call| !BEGINNING.contains(&call["tool"].as_str().unwrap()));
            let calls: Vec<&Value> = calls.collect();
            let requests: Vec<_> = calls
                .iter()
                .map(|call| request((call["tool"].as_str().unwrap(), call["arguments"].clone())))
                .collect();
            let answers = asked(&bench, &flags, &requests);
            for (call, answer) in calls.iter().zip(answers.iter().skip(1)) {
                assert!(answer["error"].is_null(), "{set} {role}: {call} {answer}");
                let code = &answer["result"]["structuredContent"]["error"]["code"];
                let useless = USELESS.iter().any(|useless| code == *useless);
                assert!(!useless, "{set} {role}: {call} {answer}");
                walked += 1;
            }
        }
    }
    assert!(walked > 100, "{walked} suggestions were walked");
}

#[test]
fn a_key_that_reads_is_told_of_calls_that_read_and_what_is_switched_off_is_named() {
    let (bench, made, run, looped) = place();
    for scope in ["read", "propose", "decide"] {
        let key = bench.json(&["keys", "create", "--scope", scope]);
        let key = key["key"].as_str().unwrap();
        let serving = Serving::start(&bench, &["-C", &made, "--tools", "all", "--require-key"]);
        let (_, names) = serving.list(Some(key));
        let mut walked = 0;
        for (tool, arguments) in wrong(&run, &looped) {
            let refused = serving.call(Some(key), tool, &arguments);
            for next in refused["error"]["next"].as_array().into_iter().flatten() {
                let name = next["tool"].as_str().unwrap();
                assert!(names.iter().any(|known| known == name), "{scope}: {next}");
                if BEGINNING.contains(&name) {
                    continue;
                }
                let mut arguments = next["arguments"].clone();
                filled(&mut arguments);
                let answer = serving.call(Some(key), name, &arguments);
                let code = &answer["error"]["code"];
                let useless = USELESS.iter().any(|useless| code == *useless);
                assert!(!useless && !answer.is_null(), "{scope}: {next} {answer}");
                walked += 1;
            }
        }
        assert!(walked > 10, "{scope}: {walked}");
    }
    // What would help and is switched off stands in the sentence, with the words that switch it on.
    let call = request(("gavel_get_contract", json!({"kind": "stack", "run": run})));
    let off = asked(
        &bench,
        &["-C", &made, "--tools", "contracts"],
        std::slice::from_ref(&call),
    );
    let error = &off[1]["result"]["structuredContent"]["error"];
    assert_eq!(error["next"], json!([]), "{error}");
    let told = error["message"].as_str().unwrap();
    assert!(told.contains("--tools contracts,runs"), "{told}");
    let on = asked(&bench, &["-C", &made], &[call]);
    let error = &on[1]["result"]["structuredContent"]["error"];
    assert_eq!(error["next"][0]["tool"], "gavel_run_status", "{error}");
}
