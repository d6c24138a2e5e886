//! The server over a pipe, in both revisions.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use gavel_agent::ToolSet;
use gavel_mcp::Offered;
use serde_json::{Value, json};

use crate::bench::{Bench, Client};

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

async fn both(bench: &Bench) -> [Client; 2] {
    let older = Client::older(bench.server.clone(), json!({})).await;
    let newest = Client::newest(bench.server.clone(), &json!({}));
    [older, newest]
}

#[tokio::test]
async fn both_revisions_see_and_call_the_same() {
    let bench = Bench::new(Offered::all());
    for mut client in both(&bench).await {
        let list = client.ask("tools/list", json!({})).await;
        assert_eq!(
            names(&list),
            [
                "gavel_answer",
                "gavel_memory_add",
                "gavel_memory_search",
                "gavel_run_status",
                "gavel_set_session"
            ]
        );
        let tool = &list["result"]["tools"][2];
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(
            tool["inputSchema"]["properties"]["context"]["type"],
            "string"
        );
        assert_eq!(
            tool["outputSchema"]["anyOf"],
            json!([{ "required": ["text"] }, { "required": ["error"] }])
        );

        let found = client
            .call("gavel_memory_search", json!({"text": "a", "limit": "3"}))
            .await;
        let result = &found["result"];
        assert_eq!(result["structuredContent"], json!({"text": ":a"}));
        assert_eq!(
            result["content"],
            json!([{"type": "text", "text": "found"}])
        );
        assert_eq!(result["isError"], false);
        let complete = client.is_newest().then_some("complete");
        for result in [result, &list["result"]] {
            assert_eq!(result["resultType"].as_str(), complete);
        }
    }
}

#[tokio::test]
async fn a_refusal_is_a_result_that_names_the_next_call() {
    let bench = Bench::new(Offered::all());
    for mut client in both(&bench).await {
        let refused = client
            .call("gavel_memory_search", json!({"text": "nothing"}))
            .await;
        assert_eq!(refused["result"]["isError"], true);
        let next = json!([{
            "tool": "gavel_memory_add", "arguments": {"text": "<it>"}, "when": "to add it"
        }]);
        let error = json!({
            "code": "not_found", "message": "there is nothing", "next": next, "data": null
        });
        assert_eq!(
            refused["result"]["structuredContent"],
            json!({ "error": error })
        );
        let wrong = client
            .call("gavel_memory_search", json!({"limit": "many"}))
            .await;
        assert_eq!(wrong["result"]["isError"], true);
        assert_eq!(
            wrong["result"]["structuredContent"]["error"]["code"],
            "bad_arguments"
        );
        let unknown = client.call("gavel_nothing", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

#[tokio::test]
async fn what_is_switched_off_is_neither_listed_nor_called() {
    let offered = Offered {
        sets: BTreeSet::from([ToolSet::Runs]),
        names: BTreeSet::from(["gavel_memory_search"]),
        words: vec!["core".to_owned(), "runs".to_owned()],
    };
    let bench = Bench::new(offered);
    let mut client = Client::older(bench.server, json!({})).await;
    let list = client.ask("tools/list", json!({})).await;
    let expected = ["gavel_answer", "gavel_memory_search", "gavel_run_status"];
    assert_eq!(names(&list), expected);
    let off = client.call("gavel_memory_add", json!({})).await;
    let message = off["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("--tools core,runs,memory"), "{message}");
}

#[tokio::test]
async fn progress_comes_before_the_answer_and_only_when_wanted() {
    let bench = Bench::new(Offered::all());
    let mut client = Client::older(bench.server, json!({})).await;
    let params = json!({
        "name": "gavel_memory_add", "arguments": {}, "_meta": {"progressToken": "p"}
    });
    client.ask("tools/call", params).await;
    let told: Vec<_> = client
        .aside
        .drain(..)
        .map(|word| word["params"].clone())
        .collect();
    let word = |done: f64| json!({"progressToken": "p", "progress": done, "total": 2.0});
    assert_eq!(told, [word(1.0), word(2.0)]);
    client.call("gavel_memory_add", json!({})).await;
    assert!(client.aside.is_empty());
}

#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    let bench = Bench::new(Offered::all());
    let mut client = Client::older(bench.server.clone(), json!({})).await;
    let params = json!({
        "name": "gavel_memory_add", "arguments": {"text": "for ever"},
        "_meta": {"progressToken": "p"}
    });
    let id = client.begin("tools/call", params).await;
    let began = client.receive().await;
    assert_eq!(began["method"], "notifications/progress");
    assert!(!bench.dropped.load(Ordering::SeqCst));
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": "enough"}
    });
    client.send(cancel).await;
    // Others are served meanwhile, and by then the call is gone.
    client.call("gavel_memory_search", json!({})).await;
    while !bench.dropped.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn resources_prompts_and_completions_are_there() {
    let bench = Bench::new(Offered::all());
    for mut client in both(&bench).await {
        let list = client.ask("resources/list", json!({})).await;
        assert_eq!(list["result"]["resources"][0]["uri"], "gavel://memory/a");
        assert_eq!(list["result"]["nextCursor"], "page-2");
        let list = client
            .ask("resources/list", json!({"cursor": "page-2"}))
            .await;
        assert_eq!(list["result"]["resources"][0]["uri"], "gavel://memory/b");
        let read = client
            .ask("resources/read", json!({"uri": "gavel://memory/a"}))
            .await;
        assert_eq!(read["result"]["contents"][0]["text"], "{}");
        let nothing = client
            .ask("resources/read", json!({"uri": "gavel://memory/z"}))
            .await;
        assert_eq!(nothing["error"]["data"]["uri"], "gavel://memory/z");
        let prompts = client.ask("prompts/list", json!({})).await;
        let names = prompts["result"]["prompts"].as_array().unwrap().iter();
        let names: Vec<_> = names
            .map(|prompt| prompt["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["start", "council", "ideate"]);
        let wish = json!({"name": "ideate", "arguments": {"proposal": "split it"}});
        let filled = client.ask("prompts/get", wish).await;
        let text = filled["result"]["messages"][0]["content"]["text"]
            .as_str()
            .unwrap();
        assert!(text.ends_with("proposal:\nsplit it"), "{text}");
        let empty = client.ask("prompts/get", json!({"name": "ideate"})).await;
        assert_eq!(empty["error"]["code"], -32602);
        let wish = json!({
            "ref": {"type": "ref/resource", "uri": "gavel://memory/{id}"},
            "argument": {"name": "id", "value": "trp_"}
        });
        let completed = client.ask("completion/complete", wish).await;
        assert_eq!(
            completed["result"]["completion"]["values"],
            json!(["trp_1"])
        );
    }
}

#[tokio::test]
async fn a_session_goes_with_its_handle() {
    let bench = Bench::new(Offered::all());
    for mut client in both(&bench).await {
        let set = client
            .call("gavel_set_session", json!({"agent": "critic"}))
            .await;
        let context = set["result"]["structuredContent"]["context"].clone();
        let with = json!({"text": "a", "context": context});
        let found = client.call("gavel_memory_search", with).await;
        assert_eq!(found["result"]["structuredContent"]["text"], "critic:a");
        let params = json!({
            "name": "gavel_memory_search", "arguments": {"text": "a"},
            "_meta": {"gavel/context": context}
        });
        let found = client.ask("tools/call", params).await;
        assert_eq!(found["result"]["structuredContent"]["text"], "critic:a");
        let without = client
            .call("gavel_memory_search", json!({"text": "a"}))
            .await;
        assert_eq!(without["result"]["structuredContent"]["text"], ":a");
        let forged = json!({"text": "a", "context": "gvs_e30.AAAA"});
        let refused = client.call("gavel_memory_search", forged).await;
        let error = &refused["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "bad_context");
        assert_eq!(error["next"][0]["tool"], "gavel_set_session");
    }
}

#[tokio::test]
async fn an_older_client_that_can_is_asked_and_its_answer_passed_on() {
    let bench = Bench::new(Offered::all());
    let mut client = Client::older(bench.server.clone(), json!({"elicitation": {}})).await;
    let params = json!({"name": "gavel_run_status", "arguments": {}});
    let id = client.begin("tools/call", params).await;
    let asked = client.receive().await;
    assert_eq!(asked["method"], "elicitation/create");
    let form = &asked["params"]["requestedSchema"]["properties"]["answer"];
    assert_eq!(form["enum"], json!(["json", "text"]));
    let said = json!({
        "jsonrpc": "2.0", "id": asked["id"],
        "result": {"action": "accept", "content": {"answer": "json"}}
    });
    client.send(said).await;
    let status = client.answer(id).await;
    assert_eq!(status["result"]["structuredContent"]["text"], "1 answers");
    assert_eq!(bench.answers.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_declines_is_not_asked_again() {
    let bench = Bench::new(Offered::all());
    let mut client = Client::older(bench.server.clone(), json!({"elicitation": {}})).await;
    let params = json!({"name": "gavel_run_status", "arguments": {}});
    let id = client.begin("tools/call", params.clone()).await;
    let asked = client.receive().await;
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}});
    client.send(said).await;
    let status = client.answer(id).await;
    assert_eq!(status["result"]["structuredContent"]["text"], "0 answers");
    let status = client.ask("tools/call", params).await;
    assert_eq!(status["result"]["structuredContent"]["text"], "0 answers");
    assert!(client.aside.is_empty(), "not asked again");
}

#[tokio::test]
async fn the_newest_revision_asks_by_its_result() {
    let bench = Bench::new(Offered::all());
    let can = json!({"elicitation": {"form": {}}});
    let mut client = Client::newest(bench.server.clone(), &can);
    let params = json!({"name": "gavel_run_status", "arguments": {}});
    let asked = client.ask("tools/call", params.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let request = &asked["result"]["inputRequests"]["format"];
    assert_eq!(request["method"], "elicitation/create");
    let with = |said: Value| {
        let mut params = params.clone();
        params["inputResponses"] = json!({"format": said});
        params
    };
    let wrong = with(json!({"action": "accept", "content": {"answer": "xml"}}));
    let refused = client.ask("tools/call", wrong).await;
    assert_eq!(refused["error"]["code"], -32602);
    assert_eq!(bench.answers.load(Ordering::SeqCst), 0);
    let right = with(json!({"action": "accept", "content": {"answer": "text"}}));
    let status = client.ask("tools/call", right).await;
    assert_eq!(status["result"]["structuredContent"]["text"], "1 answers");
}

#[tokio::test]
async fn who_cannot_be_asked_reads_the_plain_answer() {
    let bench = Bench::new(Offered::all());
    for mut client in both(&bench).await {
        let status = client.call("gavel_run_status", json!({})).await;
        assert_eq!(status["result"]["structuredContent"]["text"], "0 answers");
    }
}
