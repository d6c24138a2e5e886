//! Ideas that need more than rules: said before anything is promised, and taken up once a model is there.

use gavel_domain::{ContractSubmitted, ContractsPinned, RunId, Seq};
use gavel_models::{Model, Part, ReplyStream, Request};
use gavel_offline::Offline;
use gavel_store::Store as _;
use gavel_testkit::{asked_for, fake_server, model_rule, open_store};

use crate::bench::run_id;
use crate::studio::{Served, Speaks, Studio, shape};

/// Tried always; those behind them only when asked for.
const ALWAYS: usize = 5;

const FAR: &str = "a game engine";

/// A model that can do what the rules cannot: to it, the far idea is an easy one.
struct Able;

impl Model for Able {
    fn stream(&self, mut request: Request) -> ReplyStream {
        let parts = request
            .messages
            .iter_mut()
            .flat_map(|message| &mut message.parts);
        for part in parts {
            if let Part::Text { text } | Part::ToolResult { text, .. } = part {
                *text = text.replace(FAR, "a bookmark manager with tags");
            }
        }
        Offline.stream(request)
    }
}

/// How many facts of a run tell of contracts.
fn contracts(studio: &Studio, run: RunId) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&studio.bench.state()).await;
        let records = store.records(run, Seq::ZERO, 100_000).await.unwrap();
        let facts = records.iter().filter(|record| {
            record.read::<ContractSubmitted>().is_ok() || record.read::<ContractsPinned>().is_ok()
        });
        facts.count()
    })
}

#[test]
fn far_ideas_need_a_model() {
    let ideas: Vec<&str> = include_str!("far.txt").lines().collect();
    let count = if asked_for("ideas") {
        ideas.len()
    } else {
        ALWAYS
    };
    let studio = Studio::offline();
    for (idea, number) in ideas.iter().take(count).zip(100..) {
        let id = format!("01890a5d-ac96-774b-bcce-b302099a8{number}");
        let into = format!("made-{number}");
        let fixed = ["--json", "start", idea, "--into", &into, "--run", &id];
        let asked = studio.run(&[&fixed[..], &["--yes"]].concat());
        assert_eq!(asked.code, Some(3), "{idea}: {asked:?}");
        for words in [
            "This cannot be done as it was said.",
            "The offline rules can build command-line programs",
            "ANTHROPIC_API_KEY",
            "gavel resume",
        ] {
            assert!(asked.stdout.contains(words), "{idea}: {words}: {asked:?}");
        }
        assert_eq!(contracts(&studio, id.parse().unwrap()), 0, "{idea}");
    }
}

#[test]
fn a_model_that_is_connected_later_takes_the_run_on() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let asked = studio.run(&["start", FAR, "--into", "made", "--run", &id, "--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let server = fake_server().rule(model_rule(Able, shape)).start();
    let able = Served {
        name: "able",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    studio.set("[models]\npaid = \"agreed\"\n", &[able]);
    let slots = [
        "-c",
        "models.slots.leader=able/rules",
        "-c",
        "models.slots.coder=able/rules",
    ];
    let on = studio.run(&[&slots[..], &["resume", &id, "--yes"]].concat());
    // The model builds something else than a game engine: that takes a person's word.
    assert_eq!(on.code, Some(3), "{on:?}");
    assert!(on.stdout.contains("Only the leader says"), "{on:?}");
    let agreed = ["answer", &id, "--option", "1", "--resume", "--yes"];
    let on = studio.run(&[&slots[..], &agreed].concat());
    assert_eq!(on.code, Some(0), "{on:?}");
    assert!(contracts(&studio, run_id()) > 9, "{on:?}");
    assert!(studio.tree().contains("src/main.rs"));
}
