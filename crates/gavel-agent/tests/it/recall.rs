//! What memory says to an agent's task, and what the agent makes of it.

use gavel_domain::{MemoryCited, MemoryRecalled, Tokens};
use gavel_models::{Part, Request};
use gavel_run::RecallSpec;
use gavel_testkit::{FixedRecaller, ScriptedModel};

use crate::bench::Bench;

const TRAP: &str = "trp_01890a5d-ac96-774b-bcce-b302099a8057";
const OTHER: &str = "trp_01890a5d-ac96-774b-bcce-b302099a8058";

fn wants(max_tokens: u64) -> RecallSpec {
    RecallSpec {
        kinds: &["trap"],
        query: "the lock of the queue".to_owned(),
        max_tokens: Tokens(max_tokens),
    }
}

async fn bench(model: &ScriptedModel, memory: &FixedRecaller, spec: Option<RecallSpec>) -> Bench {
    let bench = Bench::new(model, &[]).await.remembering(memory);
    bench.setting(move |agent| agent.recall.clone_from(&spec))
}

fn task_of(request: &Request) -> String {
    let parts = request.messages.get(1).unwrap().parts.iter();
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolCall { .. } | Part::ToolResult { .. } => None,
    });
    texts.collect()
}

#[tokio::test]
async fn an_agent_is_reminded_once_and_what_it_names_is_on_record() {
    let model = ScriptedModel::new().text(&format!("Done; heeded {TRAP}."));
    let memory = FixedRecaller::knowing(&[
        (TRAP, "trap", "The lock is lost when the queue restarts."),
        (OTHER, "trap", "The queue is slow."),
        ("dec_1", "decision", "There is one queue."),
    ]);
    let bench = bench(&model, &memory, Some(wants(400))).await;
    bench.work("Mend the queue.").await;
    assert_eq!(memory.asked(), ["the lock of the queue"]);

    let requests = model.requests();
    let task = task_of(&requests[0]);
    assert!(task.starts_with("Mend the queue.\n\n"), "{task}");
    for told in [
        &format!("] {TRAP} (trap, "),
        "<data source=\"memory\">\nThe lock is lost when the queue restarts.\n</data>",
        OTHER,
    ] {
        assert!(task.contains(told), "{told}: {task}");
    }
    assert!(!task.contains("dec_1"), "a kind that is not wanted: {task}");

    let records = bench.bed.records(bench.run).await;
    let mut recalled = records
        .iter()
        .filter_map(|one| one.read::<MemoryRecalled>().ok());
    assert_eq!(recalled.next().unwrap().items, [TRAP, OTHER]);
    let mut cited = records
        .iter()
        .filter_map(|one| one.read::<MemoryCited>().ok());
    assert_eq!(cited.next().unwrap().items, [TRAP]);

    // Another drive reads what is on record: nobody is asked again, memory as little as the model.
    bench.work("Mend the queue.").await;
    assert_eq!((memory.asked().len(), model.requests().len()), (1, 1));
}

#[tokio::test]
async fn without_anything_to_remember_a_request_is_the_same_to_the_byte() {
    let mut sent = Vec::new();
    for (memory, spec) in [
        (FixedRecaller::knowing(&[(TRAP, "trap", "A lock.")]), None),
        (FixedRecaller::default(), Some(wants(400))),
        // There is no room for it.
        (
            FixedRecaller::knowing(&[(TRAP, "trap", "A lock.")]),
            Some(wants(40)),
        ),
    ] {
        let model = ScriptedModel::new().text(&format!("Done; heeded {TRAP}."));
        let bench = bench(&model, &memory, spec).await;
        bench.work("Mend the queue.").await;
        let requests = model.requests();
        sent.push(serde_json::to_string(&requests[0].messages).unwrap());
        let records = bench.bed.records(bench.run).await;
        let cited = records.iter().any(|one| one.read::<MemoryCited>().is_ok());
        assert!(!cited, "what was not shown cannot be named");
    }
    assert_eq!(sent[0], sent[1]);
    assert_eq!(sent[0], sent[2]);
}
