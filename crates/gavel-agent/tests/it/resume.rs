//! One agent, killed before and after every fact and resumed, comes to the same end.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Digest, Record, RunId, RunState, Seq};
use gavel_models::{Part, Reply, Request, ToolChoice};
use gavel_run::{DriveEnd, Engine, RunError, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{
    DeadlyStore, Killer, STRICT, ScriptedModel, TEST_PRICE, models_with, open_store, outcomes,
    text_reply, tool_reply,
};

use crate::bench::Bench;

const SCRIPT: [&[(&str, &str)]; 4] = [
    &[
        ("read_file", r#"{"path":"log"}"#),
        ("list_directory", "{}"),
        (
            "edit_file",
            r#"{"path":"log","old":"end","new":"one\nend"}"#,
        ),
    ],
    &[
        (
            "edit_file",
            r#"{"path":"log","old":"end","new":"two\nend"}"#,
        ),
        ("read_file", r#"{"path":"log"}"#),
    ],
    &[("write_file", r#"{"path":"new/file","content":"made"}"#)],
    &[(
        "edit_file",
        r#"{"path":"log","old":"no such line","new":"x"}"#,
    )],
];

/// Answers by the number of replies that the request already holds, so a call that is made again
/// gets the same answer.
fn scripted(request: &Request) -> Reply {
    if request.tool_choice == ToolChoice::None {
        return text_reply("The log was read and two lines were added.");
    }
    let summarised = serde_json::to_string(&request.messages).unwrap_or_default();
    let folded = usize::from(summarised.contains("Earlier turns of this task"));
    let replies = request.messages.iter().filter(|message| {
        message
            .parts
            .iter()
            .any(|part| matches!(part, Part::ToolCall { .. }))
    });
    let turn = replies.count() + folded;
    let Some(calls) = SCRIPT.get(turn) else {
        return text_reply("All done.");
    };
    let ids: Vec<String> = (0..calls.len()).map(|n| format!("t{turn}-{n}")).collect();
    let made: Vec<_> = calls
        .iter()
        .zip(&ids)
        .map(|((tool, arguments), id)| (id.as_str(), *tool, *arguments))
        .collect();
    let mut reply = tool_reply(&made);
    if turn == 0 {
        // Long enough for the conversation to be compacted after the next turn.
        reply.text = "I look at the log first. ".repeat(250);
    }
    reply
}

struct World {
    bench: Bench,
    run: RunId,
}

impl World {
    async fn new() -> Self {
        let model = ScriptedModel::by_rule(|request| Ok(scripted(request)));
        let bench = Bench::new(&model, &[("log", "begin\nend\n")])
            .await
            .setting(|agent| {
                agent.limits.compaction.limit = gavel_domain::Tokens(2_700);
                agent.limits.compaction.keep_turns = 1;
                agent.limits.compaction.summary = gavel_domain::Tokens(100);
            });
        let run = bench.run;
        Self { bench, run }
    }

    /// One process: drives, and dies when the killer strikes.
    fn live(&self, killer: &Killer, deadly: bool) -> Option<Result<DriveEnd, RunError>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let brief = self.bench.brief();
        let model = self.bench.model.clone();
        let end = runtime.block_on(async {
            let store = open_store(&self.bench.bed.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models_with(model, Some(TEST_PRICE)));
            let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
            let work = engine.drive(self.run, STRICT, StopHandle::new(), async |run| {
                let worked = brief.work(&run, "Keep the log.").await?;
                assert_eq!(worked.text, "All done.");
                Ok(())
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = work => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        end
    }

    fn records(&self) -> Vec<Record> {
        self.look(async |store| store.records(self.run, Seq::ZERO, 10_000).await.unwrap())
    }

    fn look<T>(&self, look: impl AsyncFnOnce(Arc<dyn Store>) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async { look(open_store(&self.bench.bed.state()).await).await })
    }
}

fn world() -> World {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(World::new())
}

#[test]
fn an_agent_killed_around_every_fact_ends_like_the_undisturbed_one() {
    let calm = world();
    let end = calm.live(&Killer::new(), false).unwrap().unwrap();
    assert_eq!(end, DriveEnd::Through(RunState::Running));
    let story: Vec<_> = calm
        .records()
        .iter()
        .map(|record| record.key.to_string())
        .collect();
    assert!(
        story.iter().any(|key| key.ends_with("/summary")),
        "{story:#?}"
    );

    let deadly = world();
    let killer = Killer::new();
    let end = (0..500).find_map(|_| deadly.live(&killer, true)).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    assert!(
        killer.count() > calm.records().len(),
        "{} deaths",
        killer.count()
    );

    assert_eq!(outcomes(&deadly.records()), outcomes(&calm.records()));
    for file in ["log", "new/file"] {
        assert_eq!(deadly.bench.text(file), calm.bench.text(file));
    }
    assert_eq!(calm.bench.text("log"), "begin\none\ntwo\nend\n");

    // Every reply was bought once; what a death lost was booked.
    calm.bench.model.finish();
    deadly.bench.model.finish();
    let (settled, lost) = deadly.look(async |store| {
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let count = |state| calls.iter().filter(|call| call.state == state).count();
        assert_eq!(count(CallState::Reserved), 0);
        (count(CallState::Settled), count(CallState::Lost))
    });
    assert_eq!(settled, calm.bench.model.requests().len());
    let requests = deadly.bench.model.requests().len();
    assert!(
        requests <= settled + lost,
        "{requests} > {settled} + {lost}"
    );
    // The same questions were asked, some of them twice.
    let asked = |world: &World| {
        let mut all: Vec<_> = world
            .bench
            .model
            .requests()
            .iter()
            .map(|request| Digest::of_json(request).unwrap())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(asked(&deadly), asked(&calm));
}
