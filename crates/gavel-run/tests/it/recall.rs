//! Project memory behind a run: asked once, never waited for long, never a reason to fail.

use std::sync::Mutex;

use gavel_domain::{MemoryRecalled, RunId, Settings, Timestamp, Tokens};
use gavel_run::{
    NamedAsk, NewRun, RecallAsk, RecallError, RecallSpec, RecalledItem, Recaller, Recalling,
};
use gavel_testkit::{FixedRecaller, ScriptedModel, TestBed};
use serde_json::{Value, json};

use crate::key;

/// A memory whose files are damaged.
struct Damaged;

impl Recaller for Damaged {
    fn recall<'a>(&'a self, _: RecallAsk<'a>) -> Recalling<'a> {
        damaged()
    }

    fn named<'a>(&'a self, _: NamedAsk<'a>) -> Recalling<'a> {
        damaged()
    }

    fn items<'a>(&'a self, _: &'a [String], _: Timestamp) -> Recalling<'a> {
        damaged()
    }
}

fn damaged() -> Recalling<'static> {
    let error = std::io::Error::other("a damaged file");
    Box::pin(async { Err(RecallError::Unreadable(Box::new(error))) })
}

fn all(items: Vec<RecalledItem>, _: Timestamp) -> Vec<RecalledItem> {
    items
}

async fn start(bed: &TestBed, values: Value) -> RunId {
    let new = NewRun {
        driver: "test".into(),
        flow: 1,
        settings: Settings {
            values: serde_json::from_value(values).unwrap(),
            ..Settings::default()
        },
        project: None,
        brief: None,
    };
    bed.engine().start(new).await.unwrap()
}

/// What a drive recalls; `None` when nobody was asked.
async fn recalled(bed: &TestBed, run: RunId) -> Option<Vec<String>> {
    let got = Mutex::new(None);
    let drive = bed.drive(run, async |run| {
        let spec = RecallSpec {
            kinds: &["trap"],
            query: "locks".to_owned(),
            max_tokens: Tokens(400),
        };
        let recalled = run.recall(key("task/recalled"), &spec, all).await?;
        *got.lock().unwrap() = recalled.map(|recalled| recalled.value);
        Ok(())
    });
    drive.await.unwrap();
    let got = got.into_inner().unwrap();
    got.map(|items| items.into_iter().map(|item| item.text).collect())
}

async fn facts(bed: &TestBed, run: RunId) -> Vec<(usize, String)> {
    let records = bed.records(run).await;
    let facts = records
        .iter()
        .filter_map(|one| one.read::<MemoryRecalled>().ok());
    facts
        .map(|fact| (fact.items.len(), fact.unanswered))
        .collect()
}

#[tokio::test]
async fn what_was_recalled_holds_whatever_memory_says_later() {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let memory = FixedRecaller::knowing(&[("trp_1", "trap", "one"), ("dec_1", "decision", "two")]);
    let bed = bed.with_recaller(memory.clone());
    let run = start(&bed, json!({})).await;
    let one = Some(vec!["one".to_owned()]);
    assert_eq!(recalled(&bed, run).await, one);
    assert_eq!(recalled(&bed, run).await, one);
    assert_eq!(memory.asked(), ["locks"]);
    let bed = bed.with_recaller(FixedRecaller::knowing(&[("trp_2", "trap", "other")]));
    assert_eq!(recalled(&bed, run).await, one);
    assert_eq!(facts(&bed, run).await, [(1, String::new())]);
}

#[tokio::test]
async fn nobody_is_asked_without_memory_or_against_the_settings() {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let without = start(&bed, json!({})).await;
    assert_eq!(recalled(&bed, without).await, None);
    let memory = FixedRecaller::knowing(&[("trp_1", "trap", "one")]);
    let bed = bed.with_recaller(memory.clone());
    let against = start(&bed, json!({ "memory.inject": "off" })).await;
    assert_eq!(recalled(&bed, against).await, None);
    assert_eq!(memory.asked(), Vec::<String>::new());
    for run in [without, against] {
        assert_eq!(facts(&bed, run).await, []);
    }
}

#[tokio::test]
async fn memory_that_is_slow_or_damaged_gives_nothing_and_the_record_says_so() {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let bed = bed.with_recaller(FixedRecaller::silent());
    // Less than the least patience is the least.
    let slow = start(&bed, json!({ "memory.recall_ms": 1 })).await;
    assert_eq!(recalled(&bed, slow).await, Some(Vec::new()));
    assert_eq!(facts(&bed, slow).await, [(0, "too_slow".to_owned())]);
    let bed = bed.with_recaller(Damaged);
    let damaged = start(&bed, json!({})).await;
    assert_eq!(recalled(&bed, damaged).await, Some(Vec::new()));
    assert_eq!(facts(&bed, damaged).await, [(0, "unreadable".to_owned())]);
}
