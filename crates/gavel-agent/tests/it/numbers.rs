//! Results that a model can cite by number.

use std::sync::Mutex;

use gavel_agent::NumberedResult;
use gavel_models::ToolChoice;
use gavel_run::DriveEnd;
use gavel_testkit::ScriptedModel;

use crate::bench::Bench;

/// Drives an agent whose results are numbered from `first` on.
async fn numbered(bench: &Bench, first: u32) -> Vec<NumberedResult> {
    let given = Mutex::default();
    let brief = bench.brief();
    let end = bench.bed.drive(bench.run, async |run| {
        let (agent, scope) = brief.agent(&run).await?;
        let worked = agent.work_numbered(&run, &scope, "Look.", first).await?;
        *given.lock().unwrap() = worked.1;
        Ok(())
    });
    let end = end.await.unwrap();
    assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
    given.into_inner().unwrap()
}

#[tokio::test]
async fn results_are_numbered_in_the_order_of_calls_in_every_drive() {
    let read = |id, path| (id, "read_file", path);
    let model = ScriptedModel::new()
        .calls(&[
            read("a", r#"{"path":"one"}"#),
            read("b", r#"{"path":"nowhere"}"#),
        ])
        .calls(&[("c", "no_such_tool", "{}"), read("d", r#"{"path":"two"}"#)])
        .text("Seen.");
    let bench = Bench::new(&model, &[("one", "1\n"), ("two", "2\n")]).await;
    let given = numbered(&bench, 4).await;
    let told: Vec<_> = given
        .iter()
        .map(|one| (one.number, one.key.as_str(), one.tool.as_str(), one.ok))
        .collect();
    assert_eq!(
        told,
        [
            (4, "work-1/turn-1/tool-1", "read_file", true),
            (5, "work-1/turn-1/tool-2", "read_file", false),
            (6, "work-1/turn-2/tool-1", "unknown", false),
            (7, "work-1/turn-2/tool-2", "read_file", true),
        ]
    );
    let (_, shown) = bench.result("d");
    assert_eq!(shown, format!("tool:7\n{}", given.last().unwrap().text));
    assert!(
        shown.starts_with("tool:7\ntwo: lines 1-1 of 1\n"),
        "{shown}"
    );
    assert!(bench.result("b").1.starts_with("tool:5\n"));
    model.finish();
    model.forbid_requests();
    assert_eq!(numbered(&bench, 4).await, given);
}

#[tokio::test]
async fn the_last_turn_is_for_the_report() {
    let model = ScriptedModel::new()
        .calls(&[("a", "read_file", r#"{"path":"one"}"#)])
        .text("One.");
    let bench = Bench::new(&model, &[("one", "1\n")]).await;
    let bench = bench.setting(|agent| agent.limits.turns = 2);
    numbered(&bench, 1).await;
    let choices: Vec<_> = model
        .requests()
        .into_iter()
        .map(|request| request.tool_choice)
        .collect();
    assert_eq!(choices, [ToolChoice::Auto, ToolChoice::None]);
    model.finish();
}
