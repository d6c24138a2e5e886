//! `gavel memory`: what the project remembers.

use gavel_domain::Speaker;
use gavel_memory::{
    Acceptance, Item, Kind, Memory, NewItem, Problem, Provenance, Severity, Stamp, State,
};
use gavel_product::report::harmless;
use serde_json::{Value, json};
use uuid::Uuid;

use super::control::read_text;
use super::lessons::{self, Decided};
use crate::args::{MemoryAddArgs, MemoryCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;
use crate::ui::{Cell, Look, cell};

/// How much of a text a list shows.
const SHOWN_CHARS: usize = 90;
/// How many problems are told one by one.
const TOLD: usize = 5;

pub(crate) async fn run(context: &Context, command: MemoryCommand) -> Result<Exit, Failure> {
    match command {
        MemoryCommand::Add(args) => add(context, args),
        MemoryCommand::List {
            kind,
            proposed: true,
            ..
        } => lessons::proposed(context, &kind).await,
        MemoryCommand::List { kind, all, .. } => list(context, &kind, all),
        MemoryCommand::Accept { run, numbers } => {
            lessons::decide(context, &run, &numbers, Decided::Keep).await
        }
        MemoryCommand::Reject { run, numbers } => {
            lessons::decide(context, &run, &numbers, Decided::Refuse).await
        }
        MemoryCommand::Search { query, kind, limit } => search(context, query, &kind, limit),
        MemoryCommand::Get { id } => get(context, &id),
        MemoryCommand::Retire { id } => retire(context, &id),
    }
}

fn add(context: &Context, args: MemoryAddArgs) -> Result<Exit, Failure> {
    let root = project::root(context.directory())?;
    let mut memory = Memory::open(&root)?;
    let text = read_text(args.text)?;
    let paths = args.path.iter();
    let paths = paths.map(|path| project::path_from_root(path, context.directory(), &root));
    let new = NewItem {
        tags: args.tag,
        paths: paths.collect::<Result<_, _>>()?,
        severity: args.severity,
        ..NewItem::new(args.kind, text, Provenance::Person)
    };
    let added = stamped(|stamp| memory.add(new, stamp))?;
    let file = added.file.unwrap_or_default();
    for id in &added.ids {
        let item = memory.item(&id.to_string())?;
        context
            .ui
            .line(format!("{}  {}", item.id, file.display()));
        let mut data = as_json(item);
        insert(&mut data, "file", json!(file));
        context.ui.data("memory_item", &data);
    }
    Ok(Exit::Done)
}

fn list(context: &Context, kinds: &[Kind], all: bool) -> Result<Exit, Failure> {
    let memory = open(context)?;
    let now = Context::clock().now();
    let wanted =
        |item: &&Item| (all || item.is_live(now)) && (kinds.is_empty() || kinds.contains(&item.kind));
    let items: Vec<&Item> = memory.items().filter(wanted).collect();
    if items.is_empty() {
        context.ui.line("nothing is remembered yet");
    }
    context
        .ui
        .table(&items.iter().map(|item| row(item)).collect::<Vec<_>>());
    let data: Vec<Value> = items.iter().map(|item| as_json(item)).collect();
    Ok(finish(context, &memory, &data))
}

fn search(context: &Context, query: String, kinds: &[Kind], limit: usize) -> Result<Exit, Failure> {
    let memory = open(context)?;
    let query = read_text(query)?;
    let found = memory.search(&query, kinds, limit, Context::clock().now());
    if found.is_empty() {
        context.ui.line("nothing fits");
    }
    let rows: Vec<_> = found.iter().map(|found| row(&found.item)).collect();
    context.ui.table(&rows);
    let data = found.iter().map(|found| {
        let mut data = as_json(&found.item);
        insert(&mut data, "score", json!(rounded(found.score)));
        data
    });
    Ok(finish(context, &memory, &data.collect::<Vec<_>>()))
}

fn get(context: &Context, id: &str) -> Result<Exit, Failure> {
    let memory = open(context)?;
    let item = memory.item(id)?;
    card(context, item);
    tell(context, memory.problems());
    context.ui.data("memory_item", &as_json(item));
    Ok(Exit::Done)
}

fn retire(context: &Context, id: &str) -> Result<Exit, Failure> {
    let mut memory = open(context)?;
    let id = memory.item(id)?.id;
    let _written = stamped(|stamp| memory.retire(id, stamp))?;
    context.ui.line(format!("{id} is retired"));
    let item = memory.item(&id.to_string())?;
    context.ui.data("memory_item", &as_json(item));
    Ok(Exit::Done)
}

fn open(context: &Context) -> Result<Memory, Failure> {
    let root = project::root(context.directory())?;
    Ok(Memory::open(&root)?)
}

/// Acts as the person at this command line, now.
fn stamped<T>(act: impl FnOnce(&mut Stamp<'_>) -> T) -> T {
    let mut draw = Uuid::now_v7;
    let now = Context::clock().now();
    act(&mut Stamp::new(now, Speaker::PERSON, &mut draw))
}

fn finish(context: &Context, memory: &Memory, items: &[Value]) -> Exit {
    let problems = memory.problems();
    tell(context, problems);
    let problems: Vec<Value> = problems.iter().map(problem_json).collect();
    let data = json!({ "items": items, "problems": problems });
    context.ui.data("memory", &data);
    Exit::Done
}

/// Tells what was wrong with files; all of it is in the data.
fn tell(context: &Context, problems: &[Problem]) {
    for problem in problems.iter().take(TOLD) {
        context.ui.note(problem);
    }
    let more = problems.len().saturating_sub(TOLD);
    if more > 0 {
        let where_all = "gavel memory list --json shows all";
        context.ui.note(format!("and {more} more: {where_all}"));
    }
}

fn row(item: &Item) -> Vec<Cell> {
    let line = item.text.lines().next().unwrap_or_default();
    let mut text: String = harmless(line).chars().take(SHOWN_CHARS).collect();
    if text.chars().count() < harmless(&item.text).chars().count() {
        text.push('…');
    }
    let tags: Vec<_> = item
        .tags
        .iter()
        .map(|tag| harmless(&format!("#{tag}")))
        .collect();
    vec![
        (item.id.short(), Look::Strong),
        cell(item.kind),
        (standing(item).to_owned(), Look::Warn),
        cell(text),
        (tags.join(" "), Look::Faint),
    ]
}

/// What a list says beside an item: how bad it is, or why it does not count.
fn standing(item: &Item) -> &'static str {
    match (item.state, item.acceptance) {
        (State::Retired | State::Redacted, _) => item.state.word(),
        (State::Live, Acceptance::Accepted) => item.severity.map_or("", Severity::word),
        (State::Live, Acceptance::Proposed | Acceptance::Rejected) => item.acceptance.word(),
    }
}

fn card(context: &Context, item: &Item) {
    let strong = |text: &str| (text.to_owned(), Look::Strong);
    let paths: Vec<_> = item.paths.iter().map(ToString::to_string).collect();
    let mut rows = vec![
        vec![strong("id"), cell(item.id)],
        vec![strong("kind"), cell(item.kind)],
        vec![strong("state"), cell(item.state.word())],
        vec![strong("acceptance"), cell(item.acceptance.word())],
        vec![strong("written"), cell(item.created_at)],
        vec![strong("tags"), cell(harmless(&item.tags.join(" ")))],
        vec![strong("about"), cell(paths.join(" "))],
    ];
    let severity = item.severity.map(|severity| cell(severity.word()));
    rows.extend(severity.map(|severity| vec![strong("severity"), severity]));
    context.ui.table(&rows);
    context.ui.line("");
    context.ui.line(harmless(&item.text));
}

fn as_json(item: &Item) -> Value {
    let mut data = serde_json::to_value(item).unwrap_or(Value::Null);
    insert(&mut data, "short", json!(item.id.short()));
    data
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "file": problem.file,
        "line": problem.line,
        "message": problem.trouble.to_string(),
    })
}

fn insert(data: &mut Value, name: &str, value: Value) {
    if let Value::Object(fields) = data {
        fields.insert(name.to_owned(), value);
    }
}

/// Three decimals are enough to compare.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
