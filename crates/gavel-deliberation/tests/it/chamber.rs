//! A council of scripted models over a real store.

use std::sync::{Arc, Mutex};

use gavel_agent::ToolContext;
use gavel_deliberation::{Bench as Council, Debated, Topic, debate};
use gavel_domain::{Caps, DiscoveryAnswer, Fact, MemoryNote, RunId, StanceSpoke};
use gavel_models::{CallError, Model, ModelInfo, Models, Part, Reply, Request};
use gavel_run::{DriveEnd, Run, RunError};
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info, text_reply};
use gavel_workspace::{Scrubber, TreeRoot};
use serde_json::{Value, json};

/// The idea of every test.
pub(crate) const IDEA: &str = "a bookmark manager with tags";
/// The trap that project memory holds.
pub(crate) const TRAP: &str = "trap-7";

/// What is known about the idea.
pub(crate) struct Plan {
    pub(crate) idea: String,
    pub(crate) answers: Vec<DiscoveryAnswer>,
    pub(crate) memory: Vec<MemoryNote>,
    pub(crate) trouble: Option<String>,
}

impl Plan {
    pub(crate) fn new() -> Self {
        let note = |id: &str, kind: &str, text: &str| MemoryNote {
            id: id.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
        };
        Self {
            idea: IDEA.to_owned(),
            answers: vec![
                answer("target-platform", "cli", false),
                answer("db-strategy", "one text file", true),
            ],
            memory: vec![
                note(TRAP, "trap", "Tags with spaces broke the bookmark file."),
                note("decision-2", "decision", "Ids are never used again."),
            ],
            trouble: None,
        }
    }

    pub(crate) fn topic(&self) -> Topic<'_> {
        Topic {
            idea: &self.idea,
            answers: &self.answers,
            memory: &self.memory,
            trouble: self.trouble.as_deref(),
        }
    }
}

pub(crate) fn answer(question: &str, answer: &str, by_person: bool) -> DiscoveryAnswer {
    DiscoveryAnswer {
        question: question.to_owned(),
        answer: answer.to_owned(),
        by_person,
        ..DiscoveryAnswer::default()
    }
}

/// One run with a council; `leader` leads, `a/one` … hold seats.
pub(crate) struct Chamber {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    pub(crate) plan: Plan,
    pub(crate) seats: Vec<&'static str>,
}

impl Chamber {
    pub(crate) async fn new(models: &[(&'static str, &ScriptedModel)]) -> Self {
        let bed = TestBed::with_models(models_of(models)).await;
        let run = bed.start(Caps::default()).await;
        let seats = models.iter().map(|(id, _)| *id);
        Self {
            bed,
            run,
            plan: Plan::new(),
            seats: seats.filter(|id| *id != "test/leader").collect(),
        }
    }

    /// Drives the debate to its end.
    pub(crate) async fn debate(&self) -> Debated {
        let debated = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            *debated.lock().unwrap() = Some(self.debate_in(&run).await?);
            Ok(())
        });
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        debated.into_inner().unwrap().unwrap()
    }

    async fn debate_in(&self, run: &Run) -> Result<Debated, RunError> {
        let council = council(&self.seats, self.bed.folder());
        let scope = run.scope("council", 1)?;
        debate(run, &scope, &council, &self.plan.topic()).await
    }

    /// What the run keeps, one line `key kind` per fact of the debate.
    pub(crate) async fn story(&self) -> String {
        let story = self.bed.story(self.run).await;
        let own = |line: &&str| !line.contains('@') && line.starts_with("council");
        story
            .lines()
            .filter(own)
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Every fact of a kind.
    pub(crate) async fn facts<F: Fact>(&self) -> Vec<F> {
        let records = self.bed.records(self.run).await;
        records
            .iter()
            .filter(|record| record.kind == F::KIND)
            .map(|record| record.read().unwrap())
            .collect()
    }

    /// `(seat, round, held, broken)` of everybody who spoke.
    pub(crate) async fn spoke(&self) -> Vec<(u32, u32, u32, u32)> {
        let mut spoke: Vec<_> = self
            .facts::<StanceSpoke>()
            .await
            .iter()
            .map(|spoke| {
                let evidence = (spoke.evidence_held, spoke.evidence_broken);
                (spoke.seat, spoke.round, evidence.0, evidence.1)
            })
            .collect();
        spoke.sort_unstable_by_key(|(seat, round, ..)| (*round, *seat));
        spoke
    }
}

pub(crate) fn models_of(models: &[(&'static str, &ScriptedModel)]) -> Models {
    let mut all = Models::default();
    for (id, model) in models {
        let model: Arc<dyn Model> = Arc::new((*model).clone());
        all.insert(info(id), model);
    }
    all
}

pub(crate) fn info(id: &str) -> ModelInfo {
    ModelInfo {
        id: id.parse().unwrap(),
        ..test_info(Some(TEST_PRICE))
    }
}

pub(crate) fn council(seats: &[&str], folder: &std::path::Path) -> Council {
    let files = Arc::new(TreeRoot::open(folder).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    Council {
        seats: seats.iter().map(|id| info(id)).collect(),
        leader: info("test/leader"),
        context: ToolContext::reading(files, scrubber),
    }
}

/// A model that answers every shape sensibly; its texts begin with its name.
pub(crate) fn speaker(name: &'static str) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| say(&speech(name, shape(request))))
}

/// A model that answers by a function from the shape's name.
pub(crate) fn speaking(rule: impl Fn(&str) -> Value + Send + 'static) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| say(&rule(shape(request))))
}

pub(crate) fn say(value: &Value) -> Result<Reply, CallError> {
    Ok(text_reply(&value.to_string()))
}

/// The name of the shape that a request asks for.
pub(crate) fn shape(request: &Request) -> &str {
    &request.answer.as_ref().unwrap().name
}

/// A good answer of a shape.
pub(crate) fn speech(name: &str, shape: &str) -> Value {
    match shape {
        "council_draft" => draft(name, &["idea", "answer:db-strategy"]),
        "council_reply" => json!({
            "agree": [format!("{name} takes the text file")],
            "dispute": [{"claim": "tags need an index", "why": "there are few", "evidence": ["idea"]}],
            "position": format!("{name} stays"),
        }),
        "council_synthesis" => json!({
            "summary": "A small program will be built.",
            "decisions": [
                {"title": "storage", "choice": "one text file", "why": "a person said so", "dissent": ""},
                {"title": "tags", "choice": "words", "why": "simple", "dissent": "spaces are lost"},
            ],
        }),
        other => panic!("nobody asks for {other}"),
    }
}

pub(crate) fn draft(name: &str, evidence: &[&str]) -> Value {
    json!({
        "position": format!("{name} drafts"),
        "claims": [{"text": format!("{name} claims"), "evidence": evidence}],
        "risks": ["it is never used"],
        "recommendation": "build it",
    })
}

/// The texts of a request.
pub(crate) fn texts(request: &Request) -> String {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        Part::ToolResult { .. } | Part::ToolCall { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The data of a name in a request, without its fence.
pub(crate) fn data(request: &Request, name: &str) -> Option<String> {
    let all = texts(request);
    let (_, rest) = all.split_once(&format!(" source=\"{name}\""))?;
    let (_, rest) = rest.split_once(">\n")?;
    let (text, _) = rest.split_once("</data")?;
    Some(text.to_owned())
}
