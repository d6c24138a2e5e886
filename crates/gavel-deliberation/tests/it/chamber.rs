//! A council of scripted models over a real store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gavel_agent::ToolContext;
use gavel_deliberation::{Convened, Council, Edition, Held, Matter, Topic, convene};
use gavel_domain::{Caps, ClarifiedMatter, DiscoveryAnswer, Fact, MemoryNote, RunId};
use gavel_models::{CallError, Model, ModelInfo, Models, Part, Reply, Request};
use gavel_rules::council::Experience;
use gavel_run::{DriveEnd, Run, RunError};
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info, text_reply};
use gavel_workspace::{Scrubber, TreeRoot};
use serde_json::{Value, json};

/// The question of every debate.
pub(crate) const TOPIC: &str = "SQLite or PostgreSQL for the job queue?";
/// The idea of every review.
pub(crate) const IDEA: &str = "a bookmark manager with tags";
/// The trap that project memory holds.
pub(crate) const TRAP: &str = "trap-7";

/// What is known about the matter.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) topic: String,
    pub(crate) clarified: Option<ClarifiedMatter>,
    pub(crate) answers: Vec<DiscoveryAnswer>,
    pub(crate) memory: Vec<MemoryNote>,
    pub(crate) trouble: Option<String>,
}

pub(crate) fn note(id: &str, kind: &str, text: &str) -> MemoryNote {
    MemoryNote {
        id: id.to_owned(),
        kind: kind.to_owned(),
        text: text.to_owned(),
    }
}

impl Plan {
    /// A question with two options and nothing known about it.
    pub(crate) fn debate() -> Self {
        Self {
            topic: TOPIC.to_owned(),
            clarified: None,
            answers: Vec::new(),
            memory: Vec::new(),
            trouble: None,
        }
    }

    /// An idea with answers and memory, for reviews.
    pub(crate) fn idea() -> Self {
        Self {
            topic: IDEA.to_owned(),
            clarified: None,
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
            idea: &self.topic,
            answers: &self.answers,
            memory: &self.memory,
            trouble: self.trouble.as_deref(),
        }
    }

    pub(crate) fn matter(&self) -> Matter<'_> {
        Matter {
            clarified: self.clarified.as_ref(),
            answers: &self.answers,
            memory: &self.memory,
            trouble: self.trouble.as_deref(),
            ..Matter::of(&self.topic)
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

/// One run with a council; `test/leader` leads, the others hold seats.
pub(crate) struct Chamber {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    pub(crate) plan: Plan,
    pub(crate) seats: Vec<&'static str>,
    pub(crate) gate: bool,
    pub(crate) experience: Experience,
    /// The first one is followed by runs that are under way; its stories stay.
    pub(crate) edition: Edition,
}

impl Chamber {
    pub(crate) async fn new(models: &[(&'static str, &ScriptedModel)]) -> Self {
        Self::within(models, Caps::default()).await
    }

    pub(crate) async fn within(models: &[(&'static str, &ScriptedModel)], caps: Caps) -> Self {
        let bed = TestBed::with_models(models_of(models)).await;
        let run = bed.start(caps).await;
        let seats = models.iter().map(|(id, _)| *id);
        Self {
            bed,
            run,
            plan: Plan::debate(),
            seats: seats.filter(|id| *id != "test/leader").collect(),
            gate: false,
            experience: Experience::Advisory,
            edition: Edition::First,
        }
    }

    /// Drives the debate to its end.
    pub(crate) async fn convene(&self) -> Convened {
        let convened = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            *convened.lock().unwrap() = Some(self.convene_in(&run).await?);
            Ok(())
        });
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        convened.into_inner().unwrap().unwrap()
    }

    /// Drives a debate that must be held.
    pub(crate) async fn held(&self) -> Held {
        match self.convene().await {
            Convened::Held(held) => *held,
            Convened::Stuck { problem } => panic!("no debate was held: {problem}"),
        }
    }

    pub(crate) async fn convene_in(&self, run: &Run) -> Result<Convened, RunError> {
        let council = Council {
            gate: self.gate,
            experience: self.experience,
            edition: self.edition,
            ..council(&self.seats, self.bed.folder())
        };
        let scope = run.scope("council", 1)?;
        convene(run, &scope, &council, &self.plan.matter()).await
    }

    /// What the run keeps, one line `key kind` per fact of the council.
    pub(crate) async fn keys(&self) -> String {
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

    /// The debate as a story that people can read.
    pub(crate) async fn story(&self) -> String {
        let records = self.bed.records(self.run).await;
        let store = self.bed.store();
        crate::story::of(&records, store.as_ref()).await
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

pub(crate) fn council(seats: &[&str], folder: &Path) -> Council {
    let files = Arc::new(TreeRoot::open(folder).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    let leader = || info("test/leader");
    Council {
        leader: leader(),
        promoted_from: None,
        seats: seats.iter().map(|id| info(id)).collect(),
        judge: leader(),
        researcher: leader(),
        fast: leader(),
        balanced: leader(),
        context: ToolContext::reading(files, scrubber),
        edition: Edition::Second,
        experience: Experience::Advisory,
        gate: false,
    }
}

/// A seat that says the same opening, then its turns one after the other (the last one repeats).
pub(crate) fn seat(opening: Value, turns: &[Value]) -> ScriptedModel {
    let turns = turns.to_vec();
    let next = AtomicUsize::new(0);
    speaking(move |shape| match shape {
        "council_opening" => opening.clone(),
        "council_turn" => {
            let place = next.fetch_add(1, Ordering::SeqCst).min(turns.len() - 1);
            turns.get(place).unwrap().clone()
        }
        other => panic!("no seat is asked for {other}"),
    })
}

/// A seat that keeps to its option.
pub(crate) fn stubborn(option: &str) -> ScriptedModel {
    let words = format!("I stay with {option}. [UNVERIFIED]");
    seat(opening(option, &words, &[]), &[turn(option, &words, &[])])
}

pub(crate) fn opening(option: &str, text: &str, cites: &[&str]) -> Value {
    json!({"text": text, "choices": choices(option, cites), "assumptions": []})
}

pub(crate) fn turn(option: &str, text: &str, cites: &[&str]) -> Value {
    json!({"text": text, "choices": choices(option, cites)})
}

fn choices(option: &str, cites: &[&str]) -> Value {
    json!([{"decision": "storage", "option": option, "confidence": 80, "cites": cites}])
}

/// A leader with an answer for every shape; some can be others, one after the other.
pub(crate) struct Leader {
    answers: BTreeMap<&'static str, Vec<Value>>,
}

impl Leader {
    pub(crate) fn new() -> Self {
        let mut leader = Self {
            answers: BTreeMap::new(),
        };
        leader.set("council_plan", &[plan("decision", 2, &["Keeper", "Mover"])]);
        leader.set(
            "council_research_need",
            &[json!({"needed": false, "why": "it is all there"})],
        );
        leader.set(
            "council_evaluation",
            &[evaluation(true, &["it is not settled"])],
        );
        leader.set(
            "council_summary",
            &[json!({"text": "They differ about storage."})],
        );
        leader.set("council_synthesis", &[synthesis()]);
        leader.set(
            "council_verdict",
            &[json!({"covered": [1], "dissent_kept": true, "evidence_used": true, "confidence": 80, "reason": "it answers the question"})],
        );
        leader
    }

    /// Answers a shape otherwise; the last of several repeats.
    pub(crate) fn with(mut self, shape: &'static str, answers: &[Value]) -> Self {
        self.set(shape, answers);
        self
    }

    fn set(&mut self, shape: &'static str, answers: &[Value]) {
        self.answers.insert(shape, answers.to_vec());
    }

    pub(crate) fn model(self) -> ScriptedModel {
        let asked = Mutex::new(BTreeMap::<String, usize>::new());
        ScriptedModel::by_rule(move |request| {
            let Some(shape) = request.answer.as_ref().map(|answer| answer.name.clone()) else {
                return Ok(text_reply("nothing was found"));
            };
            let answers = self.answers.get(shape.as_str());
            let answers = answers.unwrap_or_else(|| panic!("the leader is asked for {shape}"));
            let mut asked = asked.lock().unwrap();
            let place = asked.entry(shape).or_default();
            let answer = answers.get(*place).or(answers.last()).unwrap();
            *place += 1;
            match answer.as_str() {
                Some(text) => Ok(text_reply(text)),
                None => say(answer),
            }
        })
    }
}

pub(crate) fn leader() -> ScriptedModel {
    Leader::new().model()
}

pub(crate) fn plan(kind: &str, rounds: u32, stances: &[&str]) -> Value {
    let stances = stances
        .iter()
        .map(|name| json!({"name": name, "lens": format!("You speak as {name}."), "focus": ""}));
    json!({
        "intent_summary": "Which store shall hold the jobs?",
        "stances": stances.collect::<Vec<_>>(),
        "decisions": [{"id": "storage", "question": "Which store?", "options": ["SQLite", "PostgreSQL"]}],
        "output_shape": {"kind": kind, "sections": [], "guardrails": []},
        "planned_rounds": rounds,
    })
}

pub(crate) fn evaluation(go_on: bool, unresolved: &[&str]) -> Value {
    json!({
        "criteria": [{"number": 1, "met": unresolved.is_empty(), "deferred": false, "evidence": ""}],
        "unresolved": unresolved,
        "needs_research": false,
        "research_query": "",
        "go_on": go_on,
        "reason": "as seen",
        "extend": 0,
        "next_focus": "",
    })
}

pub(crate) fn synthesis() -> Value {
    json!({
        "summary": "The council weighed two stores.",
        "sections": [],
        "agreed": ["jobs must survive a crash"],
        "tradeoffs": ["one file against one server"],
        "recommendation": "take what the vote says",
        "action_items": [],
        "resolved_answer": "",
        "decisions": [{"id": "storage", "why": "the weightier half of the council wants it"}],
        "settled": [],
        "dissent": [],
        "assumptions": [],
        "readable": "",
    })
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

/// The requests for a shape, in order.
pub(crate) fn requests_for(model: &ScriptedModel, wanted: &str) -> Vec<Request> {
    let asked = model.requests().into_iter();
    asked
        .filter(|request| {
            request
                .answer
                .as_ref()
                .is_some_and(|answer| answer.name == wanted)
        })
        .collect()
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
