//! Debates that look things up: before they begin, and between two rounds.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gavel_deliberation::{Convened, Council, convene};
use gavel_domain::{Caps, Fact, Record, ResearchMade, ResearchOutcome, RunId, Seq, StanceSpoke};
use gavel_models::{CallErrorKind, Part, Request};
use gavel_run::{DriveEnd, Engine, StopHandle, SystemClock};
use gavel_store::{CallState, CallsQuery, Store};
use gavel_testkit::{
    DeadlyStore, Killer, STRICT, ScriptedModel, TestBed, open_store, outcomes, text_reply,
    tool_reply, unbilled,
};
use serde_json::{Value, json};

use crate::chamber::{
    Leader, Plan, council, data, evaluation, info, models_of, opening, plan, requests_for, seat,
    texts, turn,
};

const QUEUE: &str = "// jobs\nlet sql = \"create table job\";\n";
const REPORT: &str = "Jobs are rows of a table [CONFIRMED via src/queue.rs:2 \"create table\"].";
const KEEPS: &str = "It is a table [CONFIRMED via tool:1 \"create table\"], it is slow [CONFIRMED via \
    tool:9].";

/// A council with a researcher of its own, over a tree with one file.
struct World {
    bed: TestBed,
    run: RunId,
    models: Vec<(&'static str, ScriptedModel)>,
}

impl World {
    async fn new(leader: Leader, researcher: ScriptedModel) -> Self {
        let keeper = seat(opening("A", KEEPS, &["tool:1"]), &[turn("A", KEEPS, &[])]);
        let words = "A server scales. [UNVERIFIED]";
        let mover = seat(opening("B", words, &[]), &[turn("B", words, &[])]);
        let models = vec![
            ("a/keeper", keeper),
            ("b/mover", mover),
            ("test/leader", leader.model()),
            ("test/researcher", researcher),
        ];
        let pairs: Vec<_> = models.iter().map(|(id, model)| (*id, model)).collect();
        let bed = TestBed::with_models(models_of(&pairs)).await;
        let run = bed.start(Caps::default()).await;
        std::fs::create_dir_all(bed.folder().join("tree/src")).unwrap();
        std::fs::write(bed.folder().join("tree/src/queue.rs"), QUEUE).unwrap();
        Self { bed, run, models }
    }

    fn council(&self) -> Council {
        Council {
            researcher: info("test/researcher"),
            ..council(&["a/keeper", "b/mover"], &self.bed.folder().join("tree"))
        }
    }

    async fn convene(&self) -> Convened {
        let convened = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            let scope = run.scope("council", 1)?;
            let plan = Plan::debate();
            let came = convene(&run, &scope, &self.council(), &plan.matter()).await?;
            *convened.lock().unwrap() = Some(came);
            Ok(())
        });
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        convened.into_inner().unwrap().unwrap()
    }

    fn model(&self, id: &str) -> &ScriptedModel {
        let found = self.models.iter().find(|(of, _)| *of == id);
        &found.unwrap().1
    }

    async fn facts<F: Fact>(&self) -> Vec<F> {
        facts(&self.bed.records(self.run).await)
    }
}

fn facts<F: Fact>(records: &[Record]) -> Vec<F> {
    let facts = records.iter().filter(|record| record.kind == F::KIND);
    facts.map(|record| record.read().unwrap()).collect()
}

fn needed() -> Leader {
    Leader::new()
        .with("council_plan", &[plan("decision", 2, &["Keeper", "Mover"])])
        .with(
            "council_research_need",
            &[json!({"needed": true, "why": "the code tells"})],
        )
}

/// Reads the file, then reports; the same request always gets the same answer.
fn reader(report: &'static str) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| {
        Ok(if has_result(request) {
            text_reply(report)
        } else {
            tool_reply(&[("a", "read_file", r#"{"path":"src/queue.rs"}"#)])
        })
    })
}

fn has_result(request: &Request) -> bool {
    let mut parts = request.messages.iter().flat_map(|message| &message.parts);
    parts.any(|part| matches!(part, Part::ToolResult { .. }))
}

#[tokio::test]
async fn what_was_found_can_be_cited_by_everybody_and_what_was_not_cannot() {
    let world = World::new(needed(), reader(REPORT)).await;
    world.convene().await;
    let made = world.facts::<ResearchMade>().await;
    let [made] = made.as_slice() else {
        panic!("{made:?}")
    };
    assert_eq!(made.outcome, ResearchOutcome::Found);
    assert_eq!((made.results, made.held), (1, 1));
    let mover = world.model("b/mover");
    let opens = &requests_for(mover, "council_opening")[0];
    assert_eq!(data(opens, "findings").unwrap().trim(), REPORT);
    assert!(
        texts(opens).contains("tool:1 (read_file)"),
        "{}",
        texts(opens)
    );
    // The result that exists holds, the one that does not is shown as unverified.
    let other = data(&requests_for(mover, "council_turn")[0], "other_seat").unwrap();
    assert!(other.contains("[CONFIRMED via tool:1"), "{other}");
    assert!(
        other.contains("[UNVERIFIED: no tool result has this number"),
        "{other}"
    );
    let spoke = world.facts::<StanceSpoke>().await;
    let keeper = spoke.iter().find(|spoke| spoke.seat == 1).unwrap();
    assert_eq!((keeper.evidence_held, keeper.evidence_broken), (1, 1));
    assert_eq!(keeper.choices[0].held, 1);
}

#[tokio::test]
async fn a_report_that_no_tool_supports_reaches_nobody() {
    let invented = "Everybody uses a server [CONFIRMED via tool:7].";
    let world = World::new(needed(), reader(invented)).await;
    world.convene().await;
    let made = world.facts::<ResearchMade>().await;
    assert_eq!(made[0].outcome, ResearchOutcome::Rejected);
    for request in world.model("b/mover").requests() {
        assert!(!texts(&request).contains("Everybody uses a server"));
    }
}

#[tokio::test]
async fn a_look_between_rounds_that_finds_nothing_new_says_so() {
    let mut asks = evaluation(true, &["how jobs are kept"]);
    asks["needs_research"] = Value::Bool(true);
    asks["research_query"] = json!("How are jobs kept?");
    let leader = needed().with("council_evaluation", &[asks, evaluation(false, &[])]);
    let world = World::new(leader, reader(REPORT)).await;
    world.convene().await;
    let made = world.facts::<ResearchMade>().await;
    let came: Vec<_> = made
        .iter()
        .map(|made| (made.number, made.outcome))
        .collect();
    let expected = [
        (1, ResearchOutcome::Found),
        (2, ResearchOutcome::NothingNew),
    ];
    assert_eq!(came, expected);
    let researcher = world.model("test/researcher").requests();
    let asked = data(researcher.last().unwrap(), "question").unwrap();
    assert_eq!(asked.trim(), "How are jobs kept?");
    let known = data(researcher.last().unwrap(), "known").unwrap();
    assert_eq!(known.trim(), REPORT);
    // The second look gives its result the second number.
    let shown = researcher.last().unwrap().messages.iter();
    let shown = shown
        .flat_map(|message| &message.parts)
        .find_map(|part| match part {
            Part::ToolResult { text, .. } => Some(text.as_str()),
            Part::Text { .. } | Part::ToolCall { .. } => None,
        });
    assert!(shown.unwrap().starts_with("tool:2\n"), "{shown:?}");
    let turns = requests_for(world.model("b/mover"), "council_turn");
    let findings = data(turns.last().unwrap(), "findings").unwrap();
    assert!(findings.contains("No new evidence"), "{findings}");
}

#[tokio::test]
async fn where_the_researchers_model_fails_the_leaders_looks() {
    let dead = ScriptedModel::by_rule(|_| Err(unbilled(CallErrorKind::Unauthorized)));
    let world = World::new(needed(), dead).await;
    world.convene().await;
    let made = world.facts::<ResearchMade>().await;
    // The leader of these tests reports without having looked.
    assert_eq!(made[0].outcome, ResearchOutcome::Rejected);
    let leader = world.model("test/leader").requests();
    let looked = leader.iter().find(|request| request.answer.is_none());
    assert!(looked.is_some_and(|request| !request.tools.is_empty()));
    let story = world.bed.story(world.run).await;
    let again = "council-1/research-1/again-1/turn-1 model_replied";
    assert!(story.contains(again), "{story}");
}

/// One process: drives, and dies when the killer strikes.
fn live(world: &World, killer: &Killer, deadly: bool) -> Option<Convened> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let convened = Mutex::default();
    let end = runtime.block_on(async {
        let store = open_store(&world.bed.state()).await;
        let store: Arc<dyn Store> = if deadly {
            Arc::new(DeadlyStore::new(store, killer.clone()))
        } else {
            store
        };
        let pairs: Vec<_> = world
            .models
            .iter()
            .map(|(id, model)| (*id, model))
            .collect();
        let models = Arc::new(models_of(&pairs));
        let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
        let work = engine.drive(world.run, STRICT, StopHandle::new(), async |run| {
            let scope = run.scope("council", 1)?;
            let plan = Plan::debate();
            let came = convene(&run, &scope, &world.council(), &plan.matter()).await?;
            *convened.lock().unwrap() = Some(came);
            Ok(())
        });
        tokio::select! {
            biased;
            () = killer.strikes() => None,
            end = work => Some(end),
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    end?.unwrap();
    convened.into_inner().unwrap()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(work)
}

fn kept(world: &World) -> (Vec<Record>, usize) {
    block_on(async {
        let store = open_store(&world.bed.state()).await;
        let records = store.records(world.run, Seq::ZERO, 10_000).await.unwrap();
        let calls = store.calls(CallsQuery::default()).await.unwrap();
        let settled = |call: &&_| {
            matches!(
                call,
                gavel_store::CallRow {
                    state: CallState::Settled,
                    ..
                }
            )
        };
        (records, calls.iter().filter(settled).count())
    })
}

#[test]
fn a_debate_that_looks_things_up_survives_a_death_around_every_fact() {
    let world = || block_on(World::new(needed(), reader(REPORT)));
    let calm = world();
    let undisturbed = live(&calm, &Killer::new(), false).unwrap();
    let (records, settled) = kept(&calm);
    let deadly = world();
    let killer = Killer::new();
    let resumed = (0..500).find_map(|_| live(&deadly, &killer, true)).unwrap();
    assert!(killer.count() > records.len());
    assert_eq!(resumed, undisturbed);
    let (resumed, bought) = kept(&deadly);
    assert_eq!(outcomes(&resumed), outcomes(&records));
    assert_eq!(bought, settled, "every reply was bought once");
    assert_eq!(
        facts::<ResearchMade>(&resumed),
        facts::<ResearchMade>(&records)
    );
}
