//! Agents that know nothing but their inbox and what each answer says to call next, over the real
//! server.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp::{Serving, project};

const TASK: &str = "Should we extract the dispatcher into its own package?";

/// A project that remembers something about its dispatcher.
fn known(bench: &Bench) {
    for text in [
        "The dispatcher calls handlers while it holds the registry lock; two packages deadlock here.",
        "Moving the dispatcher broke plugin discovery: plugins are found by package path.",
        "The dispatcher must not start before the registry is read.",
    ] {
        let added = bench.run(&["memory", "add", "--kind", "trap", text]);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
}

fn calls(serving: &Serving, tool: &str, arguments: &Value) -> Value {
    serving.call(None, tool, arguments)
}

fn does(serving: &Serving, agent: &str, mut arguments: Value) -> Value {
    arguments["agent_id"] = agent.into();
    calls(serving, "gavel_loop", &arguments)
}

/// What stands in angle brackets is what a caller fills in; each text is another one.
fn filled(value: &mut Value, number: &mut u32) {
    match value {
        Value::String(text) if text.starts_with('<') && text.ends_with('>') => {
            *number += 1;
            *text = format!("what number {number} has to say");
        }
        Value::Object(fields) => fields.values_mut().for_each(|value| filled(value, number)),
        Value::Array(items) => items.iter_mut().for_each(|value| filled(value, number)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Makes a call that was suggested.
fn follows(serving: &Serving, next: &Value, number: &mut u32) -> Value {
    let mut arguments = next["arguments"].clone();
    filled(&mut arguments, number);
    calls(serving, next["tool"].as_str().unwrap(), &arguments)
}

/// Everything that waits for an agent, by its first suggestion.
fn waiting(serving: &Serving, agent: &str) -> Vec<Value> {
    let told = does(serving, agent, json!({"intent": "inbox"}));
    let all = ["inbox", "waits_for_you"].iter().flat_map(|name| {
        let list = told["result"][*name].as_array().unwrap().clone();
        list.into_iter()
    });
    all.map(|entry| entry["next"][0].clone()).collect()
}

#[test]
fn two_agents_come_to_a_plan_by_following_next_alone() {
    let bench = project();
    known(&bench);
    let serving = Serving::start(&bench, &[]);
    // In the order of the documents' example: nobody knows codex yet.
    let ask = json!({
        "intent": "ideate", "task": TASK, "agent_id": "claude", "target_agents": "codex"
    });
    let opened = calls(&serving, "gavel_coordinate", &ask);
    assert_eq!(opened["phase"], "critique", "{opened}");
    assert_eq!(opened["result"]["warnings"][0]["code"], "unknown_agent");
    assert_eq!(opened["result"]["waits_for"], json!(["codex"]), "{opened}");
    // Nothing of it is claude's: it is told to look again later.
    assert_eq!(opened["result"]["next"][0]["arguments"]["intent"], "inbox");
    let mut number = 0;
    let mut phases = BTreeSet::new();
    let mut ended = Value::Null;
    for _ in 0..40 {
        for agent in ["claude", "codex"] {
            for next in waiting(&serving, agent) {
                let answer = follows(&serving, &next, &mut number);
                assert_eq!(answer["error"], Value::Null, "{next} {answer}");
                phases.insert(answer["phase"].to_string());
                if answer["status"] == "completed" {
                    ended = answer;
                }
            }
        }
        if !ended.is_null() {
            break;
        }
    }
    assert_eq!(ended["status"], "completed", "{phases:?} {ended}");
    // The end of the way: the plan is proposed, by the same form of call.
    let next = &ended["result"]["next"][0];
    assert_eq!(next["arguments"]["intent"], "promote", "{ended}");
    let kept = follows(&serving, next, &mut number);
    let item = kept["result"]["item"].as_str().unwrap().to_owned();
    assert_eq!(kept["result"]["before"], false, "{kept}");
    let again = follows(&serving, next, &mut number);
    assert_eq!(again["result"]["before"], true, "{again}");
    let proposed = bench.json(&["memory", "list", "--proposed"]);
    assert!(proposed.to_string().contains(&item), "{proposed}");
    let stranger = does(
        &serving,
        "eve",
        json!({"intent": "promote", "loop_id": ended["loop_id"]}),
    );
    assert_eq!(stranger["error"]["code"], "not_a_participant", "{stranger}");
}

#[test]
fn a_named_agent_is_known_before_it_comes() {
    let bench = project();
    known(&bench);
    let settings = bench.folder().join("project/gavel.toml");
    let mut text = std::fs::read_to_string(&settings).unwrap_or_default();
    text.push_str("\n[[agents]]\nname = \"codex\"\n");
    std::fs::write(&settings, text).unwrap();
    let serving = Serving::start(&bench, &[]);
    let ask = json!({
        "intent": "ideate", "task": TASK, "agent_id": "claude", "target_agents": ["codex"]
    });
    let opened = calls(&serving, "gavel_coordinate", &ask);
    assert_eq!(opened["result"]["warnings"], json!([]), "{opened}");
    assert_eq!(waiting(&serving, "codex").len(), 1);
    // A table that says more than a name is refused.
    let wrong = format!(
        "{}command = \"codex\"\n",
        std::fs::read_to_string(&settings).unwrap()
    );
    std::fs::write(&settings, wrong).unwrap();
    let refused = bench.run(&["config"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_failed_turn_and_a_forgotten_critique_are_mended_by_what_is_said() {
    let bench = project();
    known(&bench);
    let serving = Serving::start(&bench, &[]);
    calls(&serving, "gavel_set_session", &json!({"agent": "claude"}));
    let ask = json!({
        "intent": "ideate", "task": TASK, "agent_id": "claude", "target_agents": ["codex"]
    });
    let opened = calls(&serving, "gavel_coordinate", &ask);
    let id = opened["loop_id"].clone();
    let fails = json!({
        "intent": "complete_turn", "loop_id": id, "slot_id": "critic", "outcome": "failed",
        "reason": "no time"
    });
    for _ in 0..3 {
        let failed = does(&serving, "codex", fails.clone());
        assert_eq!(failed["error"], Value::Null, "{failed}");
    }
    assert_eq!(waiting(&serving, "codex"), Vec::<Value>::new());
    let told = does(&serving, "claude", json!({"intent": "inbox"}));
    let waits = &told["result"]["waits_for_you"][0];
    assert_eq!(waits["loop_id"], id, "{told}");
    let mut number = 0;
    let given = follows(&serving, &waits["next"][0], &mut number);
    assert_eq!(given["error"], Value::Null, "{given}");
    // The critic has its turn again, and says what its brief lets it say.
    let turn = waiting(&serving, "codex").remove(0);
    let mut arguments = turn["arguments"].clone();
    filled(&mut arguments, &mut number);
    let critique = arguments["artifacts"][0].clone();
    let end = critique["cites"][0]
        .as_str()
        .unwrap()
        .rsplit('-')
        .next()
        .unwrap()
        .to_owned();
    let mut second = critique.clone();
    second["body"] = "and it is slow".into();
    second["cites"] = format!("{end}, nothing").into();
    arguments["artifacts"] = json!([critique, second, {"type": "nothing_new"}]);
    let said = calls(&serving, "gavel_loop", &arguments);
    let second = &said["result"]["artifacts"][1];
    assert_eq!(
        (&second["counts"], &second["refused_cites"]),
        (&json!(true), &json!(["nothing"]))
    );
    for agent in ["claude", "codex"] {
        let mut next = waiting(&serving, agent).remove(0);
        if agent == "codex" {
            next["arguments"]["artifacts"] = json!([{"type": "nothing_new"}]);
        }
        follows(&serving, &next, &mut number);
    }
    // A plan that forgets one is refused; the refusal's own call mends it.
    let mut plan = waiting(&serving, "claude").remove(0);
    plan["arguments"]["artifacts"][0]["addresses_critique"] = json!([]);
    let refused = follows(&serving, &plan, &mut number);
    assert_eq!(refused["error"]["code"], "critiques_uncovered", "{refused}");
    let done = follows(&serving, &refused["error"]["next"][0], &mut number);
    assert_eq!(done["status"], "completed", "{done}");
}

#[test]
fn warnings_come_over_the_protocol() {
    let bench = project();
    let serving = Serving::start(&bench, &[]);
    let ask = |task: &str| json!({"intent": "ideate", "task": task, "agent_id": "claude"});
    let codes = |answer: &Value| -> Vec<String> {
        let all = answer["result"]["warnings"].as_array().unwrap();
        all.iter()
            .map(|one| one["code"].as_str().unwrap().to_owned())
            .collect()
    };
    let opened = calls(&serving, "gavel_coordinate", &ask(TASK));
    assert_eq!(codes(&opened), ["single_agent", "no_memory"], "{opened}");
    known(&bench);
    let opened = calls(&serving, "gavel_coordinate", &ask("paint the bicycle shed"));
    assert_eq!(
        codes(&opened),
        ["single_agent", "nothing_recalled"],
        "{opened}"
    );
    // More than a brief has room for.
    for number in 0..24 {
        let text = format!("dispatcher {number} {}", "extract the package ".repeat(200));
        let kind = ["trap", "feedback", "runtime_note"][number % 3];
        let added = bench.run(&["memory", "add", "--kind", kind, &text]);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    let opened = calls(&serving, "gavel_coordinate", &ask(TASK));
    assert_eq!(
        codes(&opened),
        ["single_agent", "brief_truncated"],
        "{opened}"
    );
}
