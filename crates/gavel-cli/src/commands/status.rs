//! `gavel status`: reads heads, and what runs were given.

mod list;
mod standing;

pub(crate) use list::list;
pub(crate) use standing::Standing;

use gavel_domain::{Approver, Head, RunState, SourceUse};
use gavel_product::meeting;
use gavel_rules::{AskThread, source_uses};
use gavel_store::{Access, SqliteStore, Store as _};
use gavel_view::{Report, source_line};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::usage::dollars;
use super::{council, loops};
use crate::context::Context;
use crate::driver::{given, records};
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::summary::clipped;
use crate::ui::{Cell, Look, cell, look_of};
use crate::which_run::Unnamed;

/// How much of an idea is shown.
const IDEA_OF_ONE: usize = 200;
/// How many asks without a criterion are told.
const MOST_ASKS: usize = 8;

/// In words for people: a run that is under way though nobody drives it lost its process.
fn state(head: &Head, driven: bool) -> Cell {
    if head.state == RunState::Running && !driven {
        return ("interrupted".to_owned(), Look::Warn);
    }
    (head.state.to_string(), look(head.state))
}

const fn look(state: RunState) -> Look {
    match state {
        RunState::Running | RunState::Sealed | RunState::Closed => Look::Good,
        RunState::Waiting | RunState::Paused | RunState::Halted => Look::Warn,
        RunState::Faulted | RunState::Aborted => Look::Bad,
    }
}

/// Shown times are local, stored ones are UTC.
fn local(head: &Head) -> String {
    let zoned = head.updated_at.to_zoned(TimeZone::system());
    zoned.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

pub(crate) fn as_json(head: &Head) -> Value {
    json!({
        "run": head.run,
        "driver": head.driver,
        "stage": head.stage,
        "state": head.state,
        "question": head.questions.keys().next(),
        "questions": head.questions.keys().collect::<Vec<_>>(),
        "branch": head.branch,
        "spent_usd": head.known_spent().map(dollars),
        "unpriced_calls": head.unpriced,
        "source_calls": head.source_calls,
        "unconfirmed_usd": dollars(head.unconfirmed),
        "cap_usd": head.cap_usd.map(dollars),
        "seq": head.seq,
        "started_at": head.started_at,
        "updated_at": head.updated_at,
    })
}

pub(crate) async fn show(context: &Context, name: &str) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), Some(name), Unnamed::Newest)
        .await?;
    let driver = store.driver(head.run).await?;
    let strong = |text: &str| (text.to_owned(), Look::Strong);
    let mut rows = basics(&head, driver.is_some());
    let given = given(&store, &head).await?;
    let checkout = given.as_ref().and_then(|given| given.checkout.as_ref());
    if let Some(given) = &given {
        let idea = clipped(&given.idea, IDEA_OF_ONE);
        rows.push(vec![strong(about(&head)), cell(idea)]);
    }
    rows.extend(checkout.map(|folder| vec![strong("folder"), cell(folder.display())]));
    let standing = Standing::read(&store, &head).await?;
    let stand = loops::Stand::read(&store, &head).await?;
    let thread = thread(store.as_ref(), &head).await;
    let sources = sources(&store, &head).await?;
    rows.extend(sources.iter().flatten().map(|told| {
        let line = (source_line(told), Look::Warn);
        vec![strong("source"), line]
    }));
    let place = (&head, driver.is_some());
    let of_loop = match &stand {
        Some(stand) => stand.of_one(&mut rows, place),
        None => {
            rows.extend(more(&standing));
            rows.extend(asked(thread.as_ref()));
            None
        }
    };
    if let Some(holder) = &driver {
        rows.push(vec![strong("driven by"), cell(holder)]);
    }
    let next = if let Some(next) = of_loop {
        next
    } else if council::is_under_way(&store, &head).await? {
        format!("gavel resume {}", head.run.short())
    } else {
        next(&head, driver.is_some())
    };
    rows.push(vec![strong("next"), cell(&next)]);
    context.ui.table(&rows);
    if !head.questions.is_empty() {
        let questions = context.mailbox(store).questions(head.run).await?;
        questions
            .iter()
            .for_each(|question| super::answer::card(context, head.run, question));
    }
    let mut data = as_json(&head);
    if let Value::Object(fields) = &mut data {
        fields.insert("driver_process".into(), json!(driver));
        fields.insert(
            "idea".into(),
            json!(given.as_ref().map(|given| &given.idea)),
        );
        fields.insert("folder".into(), json!(checkout));
        fields.insert("next".into(), json!(next));
        fields.insert("thread".into(), json!(thread));
        fields.insert("sources".into(), json!(sources));
        if let Some(Value::Object(stand)) = stand.as_ref().map(loops::Stand::as_json) {
            fields.extend(stand);
        }
        if let Value::Object(built) = standing.as_json() {
            fields.extend(built);
        }
    }
    context.ui.data("status", &data);
    Ok(Exit::Done)
}

/// What was asked for and what shows it; nothing for a run that cannot be told, which `review` and
/// `doctor` say: where it stands is shown all the same.
async fn thread(store: &SqliteStore, head: &Head) -> Option<AskThread> {
    if head.driver != gavel_product::DRIVER {
        return None;
    }
    let report = Report::read(store, head.run).await.ok()?;
    report.thread
}

/// The sources outside the project that were asked, or that nobody agreed to ask; nothing where the
/// journal cannot be read.
async fn sources(store: &SqliteStore, head: &Head) -> Result<Option<Vec<SourceUse>>, Failure> {
    match head.driver.as_str() {
        gavel_product::DRIVER | meeting::DRIVER => {
            let records = unless_damaged(head.run, records(store, head).await)?;
            Ok(records.map(|records| source_uses(&records)))
        }
        _ => Ok(Some(Vec::new())),
    }
}

/// How much of what was asked for has criteria, and what has none.
fn asked(thread: Option<&AskThread>) -> Vec<Vec<Cell>> {
    let Some(thread) = thread else {
        return Vec::new();
    };
    let title = |text: &str| (text.to_owned(), Look::Strong);
    let mut rows = vec![vec![title("asked"), cell(thread.counted())]];
    let uncovered = thread.uncovered().take(MOST_ASKS);
    rows.extend(uncovered.map(|ask| {
        let line = clipped(&ask.line(), IDEA_OF_ONE);
        vec![title(""), (line, look_of(ask.tone()))]
    }));
    rows.extend(
        thread
            .own_line()
            .map(|line| vec![title(""), (line, Look::Faint)]),
    );
    rows
}

/// What every run has, in rows of names and values.
fn basics(head: &Head, driven: bool) -> Vec<Vec<Cell>> {
    let strong = |text: &str| (text.to_owned(), Look::Strong);
    let cap = head
        .cap_usd
        .map_or_else(|| "no cap".to_owned(), |cap| cap.to_string());
    vec![
        vec![strong("run"), cell(head.run)],
        vec![strong("state"), state(head, driven)],
        vec![
            strong("stage"),
            cell(head.stage.map_or("-", gavel_domain::Stage::word)),
        ],
        vec![
            strong("spent"),
            cell(format!("{} of {cap}", head.spent_text())),
        ],
        vec![
            strong("branch"),
            cell(head.branch.as_deref().unwrap_or("-")),
        ],
        vec![strong("records"), cell(head.seq)],
        vec![strong("changed"), cell(local(head))],
    ]
}

/// What the text is called that a run was given.
fn about(head: &Head) -> &'static str {
    match head.driver.as_str() {
        meeting::DRIVER => "topic",
        gavel_deliberation::loops::DRIVER => "proposal",
        _ => "idea",
    }
}

/// What only the facts tell: the build, crashes, a breaker.
fn more(standing: &Standing) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    let mut add = |title: &str, text: Option<String>, look: Look| {
        rows.extend(text.map(|text| vec![(title.to_owned(), Look::Strong), (text, look)]));
    };
    add("build", standing.told(), Look::Plain);
    add(
        "pushed",
        standing.push.map(|push| push.to_string()),
        Look::Plain,
    );
    let approved = standing.approved.map(|by| match by.rule {
        Some(rule) => format!("by the rule {rule}; nobody looked"),
        None if by.approver == Approver::Person => "by a person who looked".to_owned(),
        None => format!("{}; nobody looked", by.approver),
    });
    add("approved", approved, Look::Plain);
    add("crashes", standing.crashes(), Look::Warn);
    let breaker = standing.breaker.as_ref();
    let breaker =
        breaker.map(|(_, reason)| format!("{}: it waits for you", reason.replace('_', " ")));
    add("breaker", breaker, Look::Warn);
    let errors = standing.errors.iter();
    let titles = std::iter::once("went wrong").chain(std::iter::repeat(""));
    for (title, error) in titles.zip(errors) {
        add(title, Some(error.clone()), Look::Bad);
    }
    rows
}

/// What to type now.
fn next(head: &Head, driven: bool) -> String {
    let run = head.run.short();
    match head.state {
        RunState::Running if driven => format!("gavel watch {run}"),
        RunState::Running | RunState::Faulted => format!("gavel resume {run}"),
        RunState::Paused if head.questions.is_empty() => format!("gavel resume {run}"),
        RunState::Waiting | RunState::Paused => format!("gavel answer {run}"),
        RunState::Closed => format!("gavel council show {run}"),
        RunState::Halted | RunState::Aborted | RunState::Sealed => format!("gavel review {run}"),
    }
}
