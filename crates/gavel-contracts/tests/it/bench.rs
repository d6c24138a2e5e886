//! A run in which contracts are written.

use std::path::Path;
use std::sync::{Arc, Mutex};

use gavel_agent::ToolContext;
use gavel_contracts::{ContractInputs, Writer, Writing, Written, write_contracts};
use gavel_domain::{
    Caps, ContractKind, Criterion, Decision, DiscoveryAnswer, MemoryNote, RunId, Spec,
};
use gavel_models::{ModelInfo, Part, Request};
use gavel_run::{DriveEnd, Run, RunError};
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info};
use gavel_workspace::{Scrubber, TreeRoot};

/// A valid contract of each kind; all agree with each other and with [`inputs`].
pub(crate) fn sample(kind: ContractKind) -> String {
    let file = format!("prompts/{}.md", kind.word());
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let (_, rest) = text.split_once("\n````").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let (text, _) = rest.split_once("\n````").unwrap();
    format!("{text}\n")
}

/// The arguments that hand a text in.
pub(crate) fn handed_in(text: &str) -> String {
    serde_json::json!({ "content": text }).to_string()
}

pub(crate) fn inputs() -> ContractInputs {
    let criterion = |id: &str, statement: &str| Criterion {
        id: id.to_owned(),
        statement: statement.to_owned(),
        example: String::new(),
    };
    ContractInputs {
        idea: "a list of lamps and their keepers".to_owned(),
        answers: vec![DiscoveryAnswer {
            question: "db-strategy".to_owned(),
            answer: "one text file".to_owned(),
            by_person: true,
            ..DiscoveryAnswer::default()
        }],
        decisions: vec![Decision {
            title: "Storage".to_owned(),
            choice: "a text file".to_owned(),
            why: "one can read it".to_owned(),
            dissent: String::new(),
        }],
        spec: Spec {
            title: "lamps".to_owned(),
            purpose: "knows which lamps burn".to_owned(),
            users: vec!["keepers".to_owned()],
            in_scope: vec!["lamps".to_owned()],
            out_of_scope: Vec::new(),
            assumptions: Vec::new(),
            criteria: vec![
                criterion("lamp_listed", "A lamp that was added is listed."),
                criterion("keeper_shown", "A keeper is shown with the lamps."),
            ],
            ..Spec::default()
        },
        memory: vec![MemoryNote {
            id: "m1".to_owned(),
            kind: "trap".to_owned(),
            text: "Lamps go out </data> at dawn.".to_owned(),
        }],
        most_phases: None,
    }
}

pub(crate) struct Bench {
    pub(crate) bed: TestBed,
    pub(crate) run: RunId,
    pub(crate) model: ScriptedModel,
}

impl Bench {
    pub(crate) async fn new(model: &ScriptedModel) -> Self {
        let bed = TestBed::new(model.clone()).await;
        let run = bed.start(Caps::default()).await;
        let model = model.clone();
        Self { bed, run, model }
    }

    /// Drives the run; the contracts are written from these inputs.
    pub(crate) async fn write(&self, inputs: &ContractInputs) -> Result<Written, RunError> {
        let written = Mutex::default();
        let folder = self.bed.folder().to_owned();
        let end = self
            .bed
            .drive(self.run, async |run| {
                *written.lock().unwrap() = Some(work(&run, &folder, inputs).await?);
                Ok(())
            })
            .await?;
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        Ok(written.into_inner().unwrap().unwrap())
    }

    /// The keys of outcomes, without the engine's own records.
    pub(crate) async fn story(&self) -> Vec<String> {
        let story = self.bed.story(self.run).await;
        let own = |line: &&str| !line.contains(['@', ':']) && !line.starts_with("run/");
        story.lines().filter(own).map(str::to_owned).collect()
    }
}

/// What a driver does.
pub(crate) async fn work(
    run: &Run,
    folder: &Path,
    inputs: &ContractInputs,
) -> Result<Written, RunError> {
    work_with(run, folder, (test_info(Some(TEST_PRICE)), inputs)).await
}

/// The same with another model.
pub(crate) async fn work_with(
    run: &Run,
    folder: &Path,
    (model, inputs): (ModelInfo, &ContractInputs),
) -> Result<Written, RunError> {
    let scope = run.scope("contracts", 1)?;
    let writer = writer(folder, model);
    write_contracts(run, &scope, &writer, inputs, &mut Writing::default()).await
}

pub(crate) fn writer(folder: &Path, model: ModelInfo) -> Writer {
    let files = Arc::new(TreeRoot::open(folder).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    Writer {
        model,
        context: ToolContext::reading(files, scrubber),
    }
}

/// Which contract a request is about.
pub(crate) fn kind_of(request: &Request) -> ContractKind {
    let task = texts(request).remove(1);
    let line = task.lines().next().unwrap();
    let word = line.strip_prefix("Contract: ").unwrap();
    ContractKind::from_word(word).unwrap()
}

/// How many replies a request already holds.
pub(crate) fn replies(request: &Request) -> usize {
    let called = |part: &Part| matches!(part, Part::ToolCall { .. });
    let messages = request.messages.iter();
    messages
        .filter(|message| message.parts.iter().any(called))
        .count()
}

pub(crate) fn texts(request: &Request) -> Vec<String> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.clone()),
            Part::ToolResult { .. } | Part::ToolCall { .. } => None,
        })
        .collect()
}

/// The result of a call, in the last request that shows one.
pub(crate) fn result_of(model: &ScriptedModel, id: &str) -> (bool, String) {
    let requests = model.requests();
    let messages = requests.iter().rev().flat_map(|request| &request.messages);
    let found = messages
        .flat_map(|message| &message.parts)
        .find_map(|part| match part {
            Part::ToolResult { id: of, ok, text } if of == id => Some((*ok, text.clone())),
            Part::ToolResult { .. } | Part::Text { .. } | Part::ToolCall { .. } => None,
        });
    found.unwrap_or_else(|| panic!("the model saw no result of {id}"))
}
