//! The parsers of outside text as plain functions over bytes. `fuzz_targets/` calls them with what
//! libFuzzer makes up; the tests of `gavel-cli` call them with `corpus/` on a stable compiler.
//!
//! A function here panics when a promise is broken; nothing that it is given may make the parsers panic.

use std::collections::BTreeMap;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use gavel_agent::{Counter, SessionDesk, Visit};
use gavel_contracts::{Agreement, Shelf, check, parse_phases, parse_schema, phase_window};
use gavel_domain::{
    BuildFact, Contract, ContractKind, CouncilFact, Digest, Epoch, JudgingFact, LoopFact,
    MoneyFact, OutcomeFact, PlanFact, QuestionFact, Record, RunFact, Seq, StepFact, Timestamp,
    Tokens, WorkFact,
};
use gavel_mcp::{
    Completing, Library, LibraryError, McpServer, Offered, Page, ReadText, Shop, Template,
    serve_stdio,
};
use gavel_memory::Memory;
use gavel_models::{Deadlines, Limits, Reply, Request, ToolChoice, Wire, read_kept};
use gavel_rules::{Layer, Origin, council, resolve, run_settings};
use gavel_workspace::{
    Argv, Closings, CommandOutcome, Confinement, Exit, Output, Recipe, RemoteUrl, VerifySettings,
    coverage, judge, listed_settings, test_names,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A parser over bytes.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also that of its corpus.
pub const TARGETS: [(&str, Target); 12] = [
    ("anthropic_stream", anthropic_stream),
    ("argv", argv),
    ("contracts", contracts),
    ("council_tags", council_tags),
    ("git_settings", git_settings),
    ("journal_lines", journal_lines),
    ("mcp_frames", mcp_frames),
    ("memory_lines", memory_lines),
    ("openai_stream", openai_stream),
    ("remote_url", remote_url),
    ("settings", settings),
    ("test_outputs", test_outputs),
];

/// A stream of Anthropic's wire.
pub fn anthropic_stream(bytes: &[u8]) {
    stream(Wire::Anthropic, bytes);
}

/// A stream of the wire that most providers speak.
pub fn openai_stream(bytes: &[u8]) {
    stream(Wire::OpenAi, bytes);
}

/// Where a network cuts a stream changes nothing about what it says.
fn stream(wire: Wire, bytes: &[u8]) {
    let read = |pieces: &[&[u8]]| {
        let request = Request {
            model: "fuzz/model".parse().expect("a model"),
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            answer: None,
            limits: Limits {
                max_output: Tokens(1_000),
                deadlines: Deadlines::default(),
            },
        };
        let reply: Result<Reply, _> = read_kept(wire, request, pieces);
        format!("{reply:?}")
    };
    let whole = read(&[bytes]);
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    assert_eq!(read(&[first, rest]), whole);
    let single: Vec<_> = bytes.chunks(1).collect();
    assert_eq!(read(&single), whole);
}

/// A command line that a model wrote.
pub fn argv(bytes: &[u8]) {
    let line = String::from_utf8_lossy(bytes);
    if let Ok(argv) = Argv::parse(&line) {
        assert!(!argv.program().is_empty());
        let again = Argv::new(argv.words().iter().cloned());
        assert_eq!(again.expect("words that were taken").words(), argv.words());
    }
}

/// A contract of every kind, alone and beside another one; a zero byte ends the first.
pub fn contracts(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (text, other) = text.split_once('\0').unwrap_or((&text, ""));
    drop((parse_schema(text), parse_phases(text)));
    drop((phase_window(text, 1), phase_window(text, u32::MAX)));
    for beside in ContractKind::ALL {
        let mut shelf = Shelf::default();
        let text_beside = other.to_owned();
        shelf.insert(Contract {
            kind: beside,
            text: text_beside,
        });
        let agreement = Agreement {
            shelf: &shelf,
            spec: None,
        };
        for kind in ContractKind::ALL {
            drop(check(kind, text, &agreement));
        }
    }
}

/// What a seat of a council says.
pub fn council_tags(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for tag in council::tags(&text) {
        assert!(text.get(tag.at.clone()).is_some(), "{tag:?}");
        for source in council::sources(&tag) {
            drop(council::cited(source));
            drop((council::read_cite(source), council::read_behind(source)));
        }
    }
}

/// A stored fact: its kind on the first line, then its body.
pub fn journal_lines(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (kind, body) = text.split_once('\n').unwrap_or((&text, ""));
    let record = Record {
        v: 1,
        run: "01890a5d-ac96-774b-bcce-b302099a8057"
            .parse()
            .expect("an id"),
        seq: Seq(1),
        epoch: Epoch(1),
        key: "start".parse().expect("a key"),
        kind: kind.to_owned(),
        input: Digest::of(""),
        at: Timestamp::UNIX_EPOCH,
        prev: Digest::of(""),
        body: body.to_owned(),
    };
    drop((
        RunFact::read(&record),
        StepFact::read(&record),
        WorkFact::read(&record),
    ));
    drop((
        MoneyFact::read(&record),
        QuestionFact::read(&record),
        PlanFact::read(&record),
    ));
    drop((
        OutcomeFact::read(&record),
        BuildFact::read(&record),
        JudgingFact::read(&record),
    ));
    drop((CouncilFact::read(&record), LoopFact::read(&record)));
}

/// Lines that a client sends over standard input, before and after it has greeted.
pub fn mcp_frames(bytes: &[u8]) {
    let greeting = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
        r#""capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n"
    );
    let greeted = [greeting.as_bytes(), bytes, b"\n"].concat();
    for sent in [bytes.to_vec(), greeted] {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().expect("a runtime");
        let server = McpServer::new(Shop {
            counter: Counter::default(),
            library: Arc::new(NoLibrary),
            desk: Arc::new(SessionDesk::for_one(
                &[7; 32],
                Arc::new(gavel_run::SystemClock),
            )),
            offered: Offered::all(),
            visitor: Visit::guest(),
        });
        let streams = (std::io::Cursor::new(sent), tokio::io::sink());
        // What a client does wrong is an error; that it never ends would be a fault.
        drop(runtime.block_on(serve_stdio(server, streams, CancellationToken::new())));
    }
}

#[derive(Debug)]
struct NoLibrary;

type Found<'a, T> = Pin<Box<dyn Future<Output = Result<T, LibraryError>> + Send + 'a>>;

impl Library for NoLibrary {
    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    fn list<'a>(&'a self, _visit: &'a Visit, _after: Option<&'a str>) -> Found<'a, Page> {
        let (items, next) = (Vec::new(), None);
        Box::pin(async move { Ok(Page { items, next }) })
    }

    fn read<'a>(&'a self, _visit: &'a Visit, uri: &'a str) -> Found<'a, ReadText> {
        let uri = uri.to_owned();
        Box::pin(async move { Err(LibraryError::NotFound { uri }) })
    }

    fn complete<'a>(
        &'a self,
        _visit: &'a Visit,
        _completing: &'a Completing,
    ) -> Found<'a, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// Lines of memory, as a repository brings them.
pub fn memory_lines(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let nowhere = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let memory = Memory::open_with(nowhere, &lines).expect("a folder without memory");
    for item in memory.items() {
        assert!(memory.knows(item.id));
        drop(item.id.short());
    }
    for problem in memory.problems() {
        drop(problem.to_string());
    }
}

/// What git printed of a repository's own settings.
pub fn git_settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let settings = listed_settings(bytes);
    let entries: Vec<&str> = text.split_terminator('\0').collect();
    assert_eq!(settings.len(), entries.len());
    for ((name, value), entry) in settings.iter().zip(entries) {
        assert!(!name.contains(['\0', '\n']), "{name:?}");
        match entry.contains('\n') {
            true => assert_eq!(format!("{name}\n{value}"), entry),
            false => assert_eq!((name.as_str(), value.as_str()), (entry, "true")),
        }
        // The addresses among them are read next.
        if let Ok(url) = RemoteUrl::new(value) {
            drop(url.to_string());
        }
    }
}

/// The address of a remote.
pub fn remote_url(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(url) = RemoteUrl::new(&text) {
        let shown = url.to_string();
        assert!(!shown.contains(char::is_control), "{shown:?}");
    }
}

/// A settings file of a project.
pub fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    drop(VerifySettings::read(&text));
    let Ok(table) = toml::from_str::<toml::Table>(&text) else {
        return;
    };
    let mut values = BTreeMap::new();
    flatten("", &toml::Value::Table(table), &mut values);
    let origin = Origin::Project("gavel.toml".to_owned());
    match resolve(vec![Layer { origin, values }]) {
        Ok(effective) => drop(run_settings(&effective)),
        Err(problems) => problems
            .iter()
            .for_each(|problem| drop(problem.to_string())),
    }
}

/// Turns nested tables into dotted keys.
fn flatten(prefix: &str, value: &toml::Value, values: &mut BTreeMap<String, Value>) {
    let toml::Value::Table(table) = value else {
        let plain = serde_json::to_value(value).unwrap_or_default();
        values.insert(prefix.to_owned(), plain);
        return;
    };
    for (name, value) in table {
        flatten(
            format!("{prefix}.{name}").trim_start_matches('.'),
            value,
            values,
        );
    }
}

/// What a test runner printed.
pub fn test_outputs(bytes: &[u8]) {
    const RECIPES: [&str; 10] = [
        "cargo",
        "node_test",
        "npm",
        "pytest",
        "unittest",
        "django",
        "go",
        "maven",
        "dotnet",
        "own",
    ];
    let text = String::from_utf8_lossy(bytes);
    assert!(coverage(&text).is_none_or(|thousandths| thousandths <= 1_000));
    for recipe in RECIPES {
        drop(test_names(recipe, &text));
    }
    let outcome = CommandOutcome {
        exit: Exit::Code(0),
        output: Output {
            total_bytes: bytes.len() as u64,
            text: text.into_owned(),
            cut_bytes: 0,
            replaced_bytes: false,
        },
        confinement: Confinement::absent(Vec::new()),
        elapsed: Duration::ZERO,
        open_network: false,
        hosts: Vec::new(),
        refused: Vec::new(),
    };
    for recipe in [Recipe::Cargo { locked: false }, Recipe::Go, Recipe::Dotnet] {
        for closes in [Closings::One, Closings::Several] {
            drop(judge(&recipe, closes, &outcome));
        }
    }
}
