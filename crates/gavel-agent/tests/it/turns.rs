//! The turn loop with file tools.

use gavel_agent::WorkStop;
use gavel_models::{MessageRole, Part};
use gavel_testkit::ScriptedModel;

use crate::bench::Bench;

const LIB: &str = "pub fn one() -> u32 {\n    1\n}\n\npub fn two() -> u32 {\n    3\n}\n";

#[tokio::test]
async fn reads_run_together_and_edits_in_order() {
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "read_file", r#"{"path":"src/lib.rs"}"#),
            ("b", "read_file", r#"{"path":"./README.md"}"#),
            (
                "c",
                "edit_file",
                r#"{"path":"src/lib.rs","old":"    3","new":"    2"}"#,
            ),
            (
                "d",
                "read_file",
                r#"{"path":"src/lib.rs","from":5,"lines":2}"#,
            ),
        ])
        .calls(&[(
            "e",
            "write_file",
            r#"{"path":"src/deep/three.rs","content":"pub fn three() {}\n"}"#,
        )])
        .text("Two returns two now.");
    let bench = Bench::new(&model, &[("src/lib.rs", LIB), ("README.md", "# Demo\n")]).await;
    let worked = bench.work("Repair two().").await;
    model.finish();
    assert_eq!(
        (worked.text.as_str(), worked.turns),
        ("Two returns two now.", 3)
    );
    assert_eq!(worked.stop, WorkStop::Done);
    assert_eq!(bench.text("src/lib.rs"), LIB.replace("    3", "    2"));
    assert_eq!(bench.text("src/deep/three.rs"), "pub fn three() {}\n");
    let (ok, read) = bench.result("b");
    let expected = "README.md: lines 1-1 of 1\n<data source=\"README.md\">\n1\t# Demo\n</data>";
    assert_eq!((ok, read.as_str()), (true, expected));
    let (_, after_the_edit) = bench.result("d");
    let expected = "src/lib.rs: lines 5-6 of 7\n<data source=\"src/lib.rs\">\n\
                    5\tpub fn two() -> u32 {\n6\t    2\n</data>";
    assert_eq!(after_the_edit, expected);
    assert_eq!(bench.result("c").1, "edited src/lib.rs, now lines 6-6");
    assert_eq!(
        bench.result("e").1,
        "created src/deep/three.rs: 1 lines, 18 bytes"
    );
    // The user's checkout is as it was.
    assert_eq!(
        std::fs::read_to_string(bench.checkout().join("src/lib.rs")).unwrap(),
        LIB
    );
}

#[tokio::test]
async fn every_reply_call_and_hearing_is_a_fact() {
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "list_directory", "{}"),
            ("b", "write_file", r#"{"path":"b","content":"x"}"#),
        ])
        .text("Done.");
    let bench = Bench::new(&model, &[("a", "")]).await;
    bench.work("Write b.").await;
    insta::assert_snapshot!(bench.story().await, @"
    work-1/turn-1/hear heard
    work-1/turn-1 model_replied
    work-1/turn-1/tool-1 tool_finished
    work-1/turn-1/tool-2:tree tree_recorded
    work-1/turn-1/tool-2 tool_finished
    work-1/turn-2/hear heard
    work-1/turn-2 model_replied
    work-1/turn-3/hear heard
    ");
}

#[tokio::test]
async fn many_calls_of_one_reply_keep_their_order() {
    let calls: Vec<(String, String)> = (1..=12)
        .map(|n| (format!("c{n}"), format!(r#"{{"path":"f{n}"}}"#)))
        .collect();
    let made: Vec<_> = calls
        .iter()
        .map(|(id, arguments)| (id.as_str(), "read_file", arguments.as_str()))
        .collect();
    let model = ScriptedModel::new().calls(&made).text("Read.");
    let names: Vec<(String, String)> = (1..=12)
        .map(|n| (format!("f{n}"), format!("content {n}\n")))
        .collect();
    let files: Vec<_> = names
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let bench = Bench::new(&model, &files).await;
    bench.work("Read all.").await;
    model.finish();
    let last = model.requests().pop().unwrap();
    let ids: Vec<_> = last
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::ToolResult { id, text, .. } => {
                assert!(text.contains(&format!("content {}\n", id.trim_start_matches('c'))));
                Some(id.clone())
            }
            Part::Text { .. } | Part::ToolCall { .. } => None,
        })
        .collect();
    let expected: Vec<_> = calls.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn history_is_sent_as_it_was_and_marked_for_the_cache() {
    let odd = "{ \"path\" :\"a\" }";
    let model = ScriptedModel::new()
        .calls(&[("a", "read_file", odd)])
        .calls(&[("b", "list_directory", "{}")])
        .text("Done.");
    let bench = Bench::new(&model, &[("a", "x\n")]).await;
    bench.work("Look.").await;
    model.finish();
    let requests = model.requests();
    let [first, second, third] = requests.as_slice() else {
        panic!("{} requests", requests.len());
    };
    // Marks included, what was sent once is sent again as it was.
    assert!(second.messages.starts_with(&first.messages));
    assert!(third.messages.starts_with(&second.messages));
    for request in &requests {
        assert!(request.messages.last().unwrap().cache_here);
        assert_eq!(request.tools, first.tools);
    }
    let system = third.messages.first().unwrap();
    assert_eq!(system.role, MessageRole::System);
    let call = second
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .find_map(|part| match part {
            Part::ToolCall { arguments, .. } => Some(arguments.as_str()),
            Part::Text { .. } | Part::ToolResult { .. } => None,
        });
    assert_eq!(call, Some(odd));
}

#[tokio::test]
async fn the_tools_of_a_coder_cost_few_tokens() {
    let model = ScriptedModel::new().text("Done.");
    let bench = Bench::new(&model, &[]).await.commands();
    bench.work("Nothing.").await;
    let request = model.requests().pop().unwrap();
    assert_eq!(request.tools.len(), 8);
    let tools = serde_json::to_string(&request.tools).unwrap();
    let tokens = gavel_models::Tokenizer::O200k.count(&tools).unwrap();
    assert!(tokens.0 <= 600, "{tokens} tokens: {tools}");
}

#[tokio::test]
async fn results_of_one_turn_share_its_room() {
    let ids: Vec<String> = (1..=34).map(|n| format!("c{n}")).collect();
    let calls: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "read_file", r#"{"path":"long"}"#))
        .collect();
    let text = "one of many lines\n".repeat(5_000);
    let model = ScriptedModel::new().calls(&calls[..4]).text("Done.");
    let bench = Bench::new(&model, &[("long", &text)]).await;
    bench.work("Read.").await;
    model.finish();
    let (_, shown) = bench.result("c4");
    assert!((9_000..10_500).contains(&shown.len()), "{}", shown.len());
    assert!(shown.contains("go on with from="), "{shown}");
    // More calls than a reply may make are answered, not made.
    let model = ScriptedModel::new().calls(&calls);
    let bench = Bench::new(&model, &[("long", &text)])
        .await
        .setting(|agent| agent.limits.turns = 1);
    bench.work("Read.").await;
    let story = bench.story().await;
    assert!(
        story.contains("work-1/turn-1/tool-34 tool_finished"),
        "{story}"
    );
    let records = bench.bed.records(bench.run).await;
    let refused = records
        .iter()
        .filter_map(|record| record.read::<gavel_domain::ToolFinished>().ok())
        .filter(|finished| !finished.ok)
        .count();
    assert_eq!(refused, 2);
}

#[test]
fn work_may_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn check(agent: &gavel_agent::Agent, run: &gavel_run::Run, scope: &gavel_domain::Scope) {
        is_send(&agent.work(run, scope, ""));
    }
    let _: fn(&gavel_agent::Agent, &gavel_run::Run, &gavel_domain::Scope) = check;
}
