use std::path::PathBuf;
use std::sync::Mutex;

use gavel_agent::{Source, ToolContext};
use gavel_domain::{
    AnswerReply, Caps, ClarifiedMatter, Fact, MemoryNote, ResearchDecided, ResearchSay, RunId,
    ToolFinished,
};
use gavel_models::{CallErrorKind, Part, Request};
use gavel_rules::council::Experience;
use gavel_run::{DriveEnd, Stop};
use gavel_testkit::{ScriptedModel, TEST_PRICE, TestBed, test_info, unbilled};
use gavel_workspace::{Scrubber, TreeRoot};

use super::*;

#[path = "source_tests.rs"]
mod sources;

const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";
const MAIN: &str = "fn main() {\n    let queue = Queue::open();\n    queue.run();\n}\n";
const READ: (&str, &str, &str) = ("a", "read_file", r#"{"path":"src/main.rs"}"#);
const FOUND: &str =
    "The queue is opened at the start [CONFIRMED via src/main.rs:2 \"Queue::open\"].";

/// A run whose researcher is scripted, over a tree of its own.
struct Desk {
    bed: TestBed,
    run: RunId,
    model: ScriptedModel,
    memory: Vec<MemoryNote>,
    known: Vec<FoundResult>,
    known_text: String,
    attended: bool,
    clarified: Option<ClarifiedMatter>,
    earlier: Option<&'static str>,
    sources: Vec<Arc<dyn Source>>,
}

impl Desk {
    /// A desk without files and memory.
    async fn new(model: &ScriptedModel) -> Self {
        let bed = TestBed::new(model.clone()).await;
        let run = bed.start(Caps::default()).await;
        let desk = Self {
            bed,
            run,
            model: model.clone(),
            memory: Vec::new(),
            known: Vec::new(),
            known_text: String::new(),
            attended: false,
            clarified: Some(ClarifiedMatter::default()),
            earlier: None,
            sources: Vec::new(),
        };
        std::fs::create_dir_all(desk.tree().join(".gavel/memory")).unwrap();
        std::fs::create_dir_all(desk.tree().join(".git")).unwrap();
        desk.write("gavel.toml", "");
        desk
    }

    async fn with_files(model: &ScriptedModel) -> Self {
        let desk = Self::new(model).await;
        desk.write("src/main.rs", MAIN);
        desk.write("README.md", "# Jobs\n\nOne process, one file.\n");
        desk
    }

    fn remember(mut self) -> Self {
        self.memory.push(MemoryNote {
            id: "trap-7".to_owned(),
            kind: "trap".to_owned(),
            text: "SQLite locked the queue under two writers.".to_owned(),
        });
        self
    }

    fn tree(&self) -> PathBuf {
        self.bed.folder().join("tree")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.tree().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn council(&self) -> Council {
        let files = Arc::new(TreeRoot::open(&self.tree()).unwrap());
        let scrubber = Arc::new(Scrubber::new([]).unwrap());
        let model = test_info(Some(TEST_PRICE));
        Council {
            leader: model.clone(),
            promoted_from: None,
            seats: vec![model.clone()],
            judge: model.clone(),
            researcher: model.clone(),
            fast: model.clone(),
            balanced: model,
            context: ToolContext::reading(files, scrubber).with_sources(self.sources.clone()),
            edition: Edition::Second,
            experience: Experience::Off,
            gate: false,
        }
    }

    fn matter(&self) -> Matter<'_> {
        Matter {
            memory: &self.memory,
            attended: self.attended,
            clarified: self.clarified.as_ref(),
            earlier: self.earlier,
            ..Matter::of(TOPIC)
        }
    }

    /// Looks something up.
    async fn research(&self) -> Findings {
        let findings = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            let scope = run.scope("council", 1)?.scope("research", 1)?;
            let (council, matter) = (self.council(), self.matter());
            let mut evidence = Evidence::new(&council.context, &matter);
            evidence.add(&self.known);
            let lookup = Lookup {
                number: 1,
                question: "How are jobs kept now?",
                known: &self.known,
                known_text: &self.known_text,
            };
            let found = research(&run, &scope, &council, (&matter, &evidence, lookup)).await?;
            *findings.lock().unwrap() = Some(found);
            Ok(())
        });
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
        findings.into_inner().unwrap().unwrap()
    }

    /// Asks whether something is looked up; nothing while a person is waited for.
    async fn need(&self) -> Option<bool> {
        let needed = Mutex::default();
        let end = self.bed.drive(self.run, async |run| {
            let scope = run.scope("council", 1)?;
            let (council, matter) = (self.council(), self.matter());
            let need = research_need(&run, &scope, &council, &matter).await?.needed;
            *needed.lock().unwrap() = Some(need);
            Ok(())
        });
        match end.await.unwrap() {
            DriveEnd::Through(_) | DriveEnd::Stopped(Stop::Waiting { .. }) => {}
            end @ DriveEnd::Stopped(_) => panic!("{end:?}"),
        }
        needed.into_inner().unwrap()
    }

    async fn fact<F: Fact>(&self) -> F {
        let records = self.bed.records(self.run).await;
        let mut facts = records.iter().filter(|record| record.kind == F::KIND);
        facts.next_back().unwrap().read().unwrap()
    }

    async fn text(&self, made: &ResearchMade) -> String {
        let blob = self.bed.store().blob(made.text.unwrap().digest).await;
        String::from_utf8(blob.unwrap().unwrap()).unwrap()
    }
}

fn texts(request: &Request) -> String {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text { text } | Part::ToolResult { text, .. } => Some(text.as_str()),
        Part::ToolCall { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn offered(request: &Request) -> Vec<&str> {
    request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect()
}

#[tokio::test]
async fn findings_stand_on_lines_that_a_tool_showed() {
    let model = ScriptedModel::new().calls(&[READ]).text(FOUND);
    let desk = Desk::with_files(&model).await;
    let findings = desk.research().await;
    model.finish();
    assert_eq!(
        (findings.outcome, findings.text.as_str()),
        (ResearchOutcome::Found, FOUND)
    );
    let [result] = findings.results.as_slice() else {
        panic!("{:?}", findings.results)
    };
    assert_eq!((result.label, result.ok), (1, true));
    assert_eq!(result.key, "council-1/research-1/turn-1/tool-1");
    let requests = model.requests();
    let [first, second] = requests.as_slice() else {
        panic!("{} requests", requests.len())
    };
    assert_eq!(
        offered(first),
        ["list_directory", "read_file", "search_code"]
    );
    assert!(
        texts(first).contains("README.md\nsrc/\n"),
        "{}",
        texts(first)
    );
    assert!(texts(second).contains("tool:1\nsrc/main.rs: lines 1-4 of 4"));
    let made: ResearchMade = desk.fact().await;
    assert_eq!((made.results, made.held), (1, 1));
}

#[tokio::test]
async fn a_second_drive_buys_and_reads_nothing_again() {
    let model = ScriptedModel::new().calls(&[READ]).text(FOUND);
    let desk = Desk::with_files(&model).await;
    let before = desk.research().await;
    // The tree moved on: what was recorded stands.
    std::fs::remove_dir_all(desk.tree().join("src")).unwrap();
    std::fs::remove_file(desk.tree().join("README.md")).unwrap();
    model.forbid_requests();
    assert_eq!(desk.research().await, before);
    model.finish();
}

#[tokio::test]
async fn with_nothing_to_look_into_no_model_is_asked() {
    let model = ScriptedModel::new();
    let desk = Desk::new(&model).await;
    let findings = desk.research().await;
    assert_eq!(findings.outcome, ResearchOutcome::NoSources);
    assert!(findings.text.is_empty() && findings.results.is_empty());
    assert!(model.requests().is_empty());
    let look: ToolFinished = desk.fact().await;
    assert!(!look.ok);
}

#[tokio::test]
async fn an_empty_project_that_remembers_is_searched_for_memories() {
    let text = "Two writers locked it [CONFIRMED via memory:trap-7].";
    let model = ScriptedModel::new()
        .calls(&[("a", "search_memory", r#"{"query":"sqlite writers"}"#)])
        .text(text);
    let desk = Desk::new(&model).await.remember();
    let findings = desk.research().await;
    model.finish();
    assert_eq!(
        (findings.outcome, findings.text.as_str()),
        (ResearchOutcome::Found, text)
    );
    let requests = model.requests();
    assert_eq!(offered(requests.first().unwrap()), ["search_memory"]);
    assert!(texts(requests.last().unwrap()).contains("SQLite locked the queue"));
}

#[tokio::test]
async fn what_no_tool_showed_is_rejected_however_well_it_cites() {
    for text in [
        "Queues are hard [UNVERIFIED].",
        "It is known [CONFIRMED via src/none.rs:1].",
        // It is there, but nobody looked.
        "One process [CONFIRMED via README.md:3 \"One process\"].",
        "It was asked [CONFIRMED via idea]. It failed [CONFIRMED via tool:2].",
        "Memory says so [CONFIRMED via memory:trap-7].",
    ] {
        let model = ScriptedModel::new()
            .calls(&[READ, ("b", "read_file", r#"{"path":"none"}"#)])
            .text(text);
        let desk = Desk::with_files(&model).await.remember();
        let findings = desk.research().await;
        assert_eq!(findings.outcome, ResearchOutcome::Rejected, "{text}");
        assert_eq!(findings.text, "", "{text}");
        // The results are there for whoever wants to cite them.
        assert_eq!(findings.results.len(), 2);
        let made: ResearchMade = desk.fact().await;
        assert!(!desk.text(&made).await.is_empty());
    }
}

#[tokio::test]
async fn a_broken_source_beside_a_good_one_is_shown_as_unverified() {
    let text = format!("{FOUND}\nIt never stops [CONFIRMED via src/main.rs:9].");
    let model = ScriptedModel::new().calls(&[READ]).text(&text);
    let desk = Desk::with_files(&model).await;
    let findings = desk.research().await;
    assert_eq!(findings.outcome, ResearchOutcome::Found);
    let expected = "It never stops [UNVERIFIED: the file has 4 lines (src/main.rs:9)].";
    assert_eq!(findings.text, format!("{FOUND}\n{expected}"));
}

#[tokio::test]
async fn what_was_known_is_not_news() {
    for text in [
        "NOTHING NEW",
        "**Nothing new.** The README says no more.",
        FOUND,
        // Other words, the same evidence.
        "It opens one [CONFIRMED via src/main.rs:2 \"Queue::open\"], as was said.",
    ] {
        let model = ScriptedModel::new().calls(&[READ]).text(text);
        let mut desk = Desk::with_files(&model).await;
        FOUND.clone_into(&mut desk.known_text);
        let findings = desk.research().await;
        assert_eq!(findings.outcome, ResearchOutcome::NothingNew, "{text}");
        assert_eq!(findings.text, "");
    }
}

#[tokio::test]
async fn numbers_go_on_from_those_that_are_known() {
    let text = "It runs [CONFIRMED via tool:4 \"queue.run\"]; see also tool:3.";
    let model = ScriptedModel::new().calls(&[READ]).text(text);
    let mut desk = Desk::with_files(&model).await;
    desk.known.push(FoundResult {
        label: 3,
        key: "council-1/research-0/turn-1/tool-1".to_owned(),
        tool: "read_file".to_owned(),
        ok: true,
        pages: Vec::new(),
        text: String::new(),
    });
    let findings = desk.research().await;
    assert_eq!(
        (findings.outcome, findings.text.as_str()),
        (ResearchOutcome::Found, text)
    );
    let labels: Vec<_> = findings.results.iter().map(|one| one.label).collect();
    assert_eq!(labels, [4]);
}

#[tokio::test]
async fn a_model_that_fails_or_never_reports_is_an_outcome() {
    let refused = ScriptedModel::new().error(unbilled(CallErrorKind::Refused));
    let desk = Desk::with_files(&refused).await;
    assert_eq!(desk.research().await.outcome, ResearchOutcome::Failed);
    // It calls tools to the end of its turns and says nothing.
    let mut silent = ScriptedModel::new();
    for from in 1..=TURNS {
        let arguments = format!(r#"{{"path":"src/main.rs","from":{from}}}"#);
        let id = format!("call-{from}");
        silent = silent.calls(&[(id.as_str(), "read_file", arguments.as_str())]);
    }
    let desk = Desk::with_files(&silent).await;
    let findings = desk.research().await;
    silent.finish();
    assert_eq!(findings.outcome, ResearchOutcome::Failed);
}

#[tokio::test]
async fn the_leader_says_whether_something_is_looked_up() {
    for (said, needed) in [
        (
            r#"{"needed":true,"why":"The code says how it is now."}"#,
            true,
        ),
        (
            r#"{"needed":false,"why":"It is a matter of taste."}"#,
            false,
        ),
    ] {
        let model = ScriptedModel::new().text(said);
        let desk = Desk::with_files(&model).await;
        assert_eq!(desk.need().await, Some(needed));
        let decided: ResearchDecided = desk.fact().await;
        let by = ResearchSay::Leader;
        assert_eq!(decided, ResearchDecided { needed, by });
    }
}

#[tokio::test]
async fn without_a_usable_say_things_are_looked_up() {
    let garbage = ScriptedModel::new().text("maybe").text("{}");
    let refused = ScriptedModel::new().error(unbilled(CallErrorKind::Refused));
    for model in [garbage, refused] {
        let desk = Desk::with_files(&model).await;
        assert_eq!(desk.need().await, Some(true));
        model.finish();
        let decided: ResearchDecided = desk.fact().await;
        assert_eq!(decided.by, ResearchSay::Rule);
    }
    let nobody = ScriptedModel::new();
    let desk = Desk::new(&nobody).await;
    assert_eq!(desk.need().await, Some(true));
    assert!(nobody.requests().is_empty());
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_expects_it() {
    let wants = r#"{"needed":true,"why":"The code says how it is now."}"#;
    let wants_not = r#"{"needed":false,"why":"It is a matter of taste."}"#;
    let matter = Some(ClarifiedMatter::default());
    for (says, clarified, earlier, needed) in [
        // The topic is taken as it is; a debate follows another one up; the leader wants nothing.
        (wants, None, None, true),
        (wants, matter.clone(), Some("SQLite it was."), true),
        (wants_not, matter, None, false),
    ] {
        let model = ScriptedModel::new().text(says);
        let mut desk = Desk::with_files(&model).await;
        desk.attended = true;
        desk.clarified = clarified;
        desk.earlier = earlier;
        assert_eq!(desk.need().await, Some(needed), "{says} {earlier:?}");
        let decided: ResearchDecided = desk.fact().await;
        assert_eq!(decided.by, ResearchSay::Leader);
        desk.model.finish();
    }
}

#[tokio::test]
async fn a_person_may_overrule_the_leader() {
    let said = r#"{"needed":true,"why":"The code says how it is now."}"#;
    let model = ScriptedModel::new().text(said);
    let mut desk = Desk::with_files(&model).await;
    desk.attended = true;
    assert_eq!(desk.need().await, None);
    let mailbox = desk.bed.mailbox();
    let open = mailbox.questions(desk.run).await.unwrap();
    let [question] = open.as_slice() else {
        panic!("{open:?}")
    };
    assert_eq!(question.asked.recommended.as_deref(), Some("research"));
    assert!(
        question.card.text.contains("wants to look"),
        "{:?}",
        question.card
    );
    let why = question.card.why.as_deref().unwrap();
    assert!(why.contains("The code says how it is now."));
    let skip = AnswerReply::Option {
        id: "skip".to_owned(),
    };
    let answered = mailbox.answer(desk.run, Some(question.id.clone()), skip);
    answered.await.unwrap();
    assert_eq!(desk.need().await, Some(false));
    let decided: ResearchDecided = desk.fact().await;
    assert_eq!(decided.by, ResearchSay::Person);
    desk.model.finish();
}
