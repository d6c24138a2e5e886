use std::sync::Arc;

use gavel_agent::{Counter, Refused, ServedAnswer, Visit};
use gavel_domain::{ContractKind, RunId, RunState, Timestamp};
use serde_json::{Value, json};

use super::{ContractSource, HeldContract, RunContracts, RunInputs, Sought, served_tools};
use crate::ContractInputs;
use crate::samples::{sample_shelf, sample_spec};

/// Two runs: a sealed one, and a newer one that has only begun.
struct TwoRuns;

fn run(number: u8) -> RunId {
    format!("00000000-0000-7000-8000-{number:012x}")
        .parse()
        .unwrap()
}

fn sealed() -> RunContracts {
    let shelf = sample_shelf();
    let contracts = shelf.iter().map(|contract| HeldContract {
        kind: contract.kind,
        version: 1,
        pinned: true,
        text: Some(contract.text.clone()),
    });
    RunContracts {
        run: run(1),
        state: RunState::Sealed,
        started_at: Timestamp::UNIX_EPOCH,
        idea: "a bookmark manager".to_owned(),
        contracts: contracts.collect(),
        versions: vec![HeldContract {
            kind: ContractKind::Stack,
            version: 2,
            pinned: false,
            text: Some("# Stack, written anew".to_owned()),
        }],
    }
}

fn begun() -> RunContracts {
    let manifesto = HeldContract {
        kind: ContractKind::Manifesto,
        version: 2,
        pinned: false,
        text: None,
    };
    RunContracts {
        run: run(2),
        state: RunState::Running,
        started_at: Timestamp::UNIX_EPOCH,
        idea: String::new(),
        contracts: vec![manifesto],
        versions: Vec::new(),
    }
}

/// One whose contracts cannot be read.
fn damaged() -> RunContracts {
    let mut run = sealed();
    for contract in &mut run.contracts {
        contract.text = Some("{ nothing".to_owned());
    }
    run
}

impl ContractSource for TwoRuns {
    fn of_run<'a>(&'a self, _: &'a Visit, run: Option<&'a str>) -> Sought<'a, RunContracts> {
        let found = match run {
            None | Some("1") => Ok(sealed()),
            Some("2") => Ok(begun()),
            Some("3") => Ok(damaged()),
            Some(other) => Err(Refused::new(
                "not_found",
                format!("there is no run {other}"),
            )),
        };
        Box::pin(async { found })
    }

    fn of_project<'a>(&'a self, _: &'a Visit) -> Sought<'a, Vec<RunContracts>> {
        Box::pin(async { Ok(vec![begun(), sealed()]) })
    }

    fn inputs<'a>(&'a self, _: &'a Visit, asked: Option<&'a str>) -> Sought<'a, RunInputs> {
        let inputs = ContractInputs {
            idea: "a bookmark manager\nwith tags".to_owned(),
            answers: Vec::new(),
            decisions: Vec::new(),
            spec: sample_spec(),
            memory: Vec::new(),
            most_phases: None,
        };
        let has_spec = asked != Some("2");
        Box::pin(async move {
            Ok(RunInputs {
                run: run(1),
                inputs,
                has_spec,
            })
        })
    }
}

async fn call(tool: &str, arguments: Value) -> Result<ServedAnswer, Refused> {
    let mut counter = Counter::default();
    let source: Arc<dyn ContractSource> = Arc::new(TwoRuns);
    served_tools(&mut counter, &source).unwrap();
    counter.call(&Visit::guest(), tool, arguments).await
}

#[tokio::test]
async fn a_contract_is_read_in_pieces_that_make_the_whole() {
    let long = "line of a contract\n".repeat(1_500);
    let mut read = String::new();
    let mut from = None;
    loop {
        let page = super::text::page(run(1), ("ui.md", &long), from).unwrap();
        let page = serde_json::to_value(&page).unwrap();
        read.push_str(page["text"].as_str().unwrap());
        assert_eq!(page["lines"], 1_500);
        match page["next_from"].as_u64() {
            Some(next) => from = Some(u32::try_from(next).unwrap()),
            None => break,
        }
    }
    assert_eq!(read, long);
    let past = super::text::page(run(1), ("ui.md", &long), Some(1_501)).unwrap_err();
    assert_eq!(
        past.message,
        "ui.md has 1500 lines: ask for `from` 1 to 1500"
    );
}

#[tokio::test]
async fn secrets_do_not_leave() {
    let text = "# Stack\n- token: ghp_0123456789abcdefghijABCDEFGHIJ012345\n";
    let page = super::text::page(run(1), ("stack.md", text), None).unwrap();
    let page = serde_json::to_value(&page).unwrap();
    assert!(
        !page["text"].as_str().unwrap().contains("ghp_0123"),
        "{page}"
    );
}

#[tokio::test]
async fn phases_are_handed_out_by_their_windows_only() {
    for tool in ["gavel_get_contract", "gavel_get_project_contract"] {
        let refused = call(tool, json!({ "kind": "phases" })).await.unwrap_err();
        assert_eq!(refused.code, "use_phase_window");
        assert_eq!(refused.next[0].tool, "gavel_get_phase_window");
    }
    let window = call("gavel_get_phase_window", json!({ "phase": "0" }))
        .await
        .unwrap();
    let text = window.structured["text"].as_str().unwrap();
    assert!(text.starts_with("Window: phases 0 and 1 of"), "{text}");
    let refused = call("gavel_get_phase_window", json!({ "phase": 99 }))
        .await
        .unwrap_err();
    assert_eq!(refused.code, "no_such_phase");
}

#[tokio::test]
async fn a_summary_tells_what_there_is_and_what_is_missing() {
    let whole = call("gavel_get_summary", json!({}))
        .await
        .unwrap()
        .structured;
    assert_eq!(whole["idea"], "a bookmark manager");
    assert_eq!(whole["contracts"].as_array().unwrap().len(), 9);
    assert_eq!(whole["missing"], json!([]));
    assert_eq!(whole["phases"][0]["number"], 0);
    assert!(!whole["layers"].as_array().unwrap().is_empty());
    let begun = call("gavel_get_summary", json!({ "run": "2" }))
        .await
        .unwrap()
        .structured;
    assert_eq!(begun["contracts"], json!(["manifesto"]));
    assert_eq!(begun["missing"].as_array().unwrap().len(), 8);
}

#[tokio::test]
async fn a_summary_says_which_contracts_it_could_not_read() {
    let summary = call("gavel_get_summary", json!({ "run": "3" })).await;
    let summary = summary.unwrap();
    assert_eq!(summary.structured["phases"], json!([]));
    let line = summary.line;
    assert!(
        line.ends_with("; cannot be read: phases, boundaries"),
        "{line}"
    );
    let whole = call("gavel_get_summary", json!({})).await.unwrap().line;
    assert!(!whole.contains("cannot be read"), "{whole}");
}

#[tokio::test]
async fn what_holds_in_a_project_is_that_of_the_sealed_run() {
    let list = call("gavel_list_project_contracts", json!({}))
        .await
        .unwrap();
    assert_eq!(list.structured["holds"], json!(run(1).to_string()));
    assert_eq!(list.structured["runs"][0]["run"], json!(run(2).to_string()));
    let stack = call("gavel_get_project_contract", json!({ "kind": "stack" }))
        .await
        .unwrap();
    assert_eq!(stack.structured["run"], json!(run(1).to_string()));
    assert_eq!(stack.structured["name"], "stack.md");
}

#[tokio::test]
async fn a_build_is_handed_out_at_once_and_says_what_is_left_out() {
    let build = call("gavel_get_build_contracts", json!({}))
        .await
        .unwrap()
        .structured;
    assert_eq!(build["contracts"].as_array().unwrap().len(), 8);
    assert_eq!(build["left_out"], json!(["phases"]));
    let refused = call("gavel_get_build_contracts", json!({ "run": "2" }))
        .await
        .unwrap_err();
    assert_eq!(refused.code, "not_pinned");
}

/// What is pinned is served; what is written anew has to be asked for by its number.
#[tokio::test]
async fn other_versions_are_handed_out_by_their_numbers_alone() {
    let get = |more: serde_json::Value| {
        let mut arguments = json!({"kind": "stack"});
        let fields = arguments.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        call("gavel_get_contract", arguments)
    };
    let held = get(json!({})).await.unwrap().structured;
    assert_eq!(
        (&held["version"], &held["pinned"]),
        (&json!(1), &json!(true))
    );
    let newer = get(json!({"version": 2})).await.unwrap().structured;
    assert_eq!(
        (&newer["version"], &newer["pinned"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(newer["text"], "# Stack, written anew");
    let none = get(json!({"version": 3})).await.unwrap_err();
    assert_eq!(none.code, "not_written");
    assert!(
        none.message.contains("no version 3 of stack"),
        "{}",
        none.message
    );
}

#[tokio::test]
async fn refusals_say_what_helps() {
    let refused = call("gavel_get_contract", json!({ "kind": "poem" }))
        .await
        .unwrap_err();
    assert!(
        refused.message.contains("builder_directive"),
        "{}",
        refused.message
    );
    let refused = call("gavel_get_contract", json!({ "kind": "ui", "run": "2" })).await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.code, refused.next[0].tool),
        ("not_written", "gavel_get_summary")
    );
    let refused = call(
        "gavel_get_contract",
        json!({ "kind": "manifesto", "run": "2" }),
    )
    .await;
    assert_eq!(refused.unwrap_err().code, "text_gone");
    let refused = call("gavel_list_contracts", json!({ "run": "9" }))
        .await
        .unwrap_err();
    assert_eq!(refused.code, "not_found");
    let refused = call(
        "gavel_get_project_context",
        json!({ "about": "spec", "run": "2" }),
    )
    .await;
    assert_eq!(refused.unwrap_err().code, "not_written");
}

#[tokio::test]
async fn the_context_is_the_one_that_writers_read() {
    let idea = call(
        "gavel_get_project_context",
        json!({ "about": "idea", "from": 2 }),
    )
    .await;
    let idea = idea.unwrap().structured;
    assert_eq!(
        (&idea["name"], &idea["text"]),
        (&json!("idea"), &json!("with tags"))
    );
    let spec = call("gavel_get_project_context", json!({ "about": "spec" }))
        .await
        .unwrap();
    let text = spec.structured["text"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(text).unwrap().is_object());
}
