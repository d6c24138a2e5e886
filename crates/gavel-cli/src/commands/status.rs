//! `gavel status`: reads heads, and what runs were given.

mod standing;

pub(crate) use standing::Standing;

use gavel_domain::{Head, RunState};
use gavel_product::meeting;
use gavel_store::{Access, HeadsQuery, Store as _};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::usage::dollars;
use super::{council, loops};
use crate::context::{Context, Newest};
use crate::driver::given;
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::summary::clipped;
use crate::ui::{Cell, Look, cell};

const SHOWN: u32 = 50;
/// How much of an idea is told.
const IDEA_IN_LIST: usize = 32;
const IDEA_OF_ONE: usize = 200;

pub(crate) async fn list(context: &Context) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: SHOWN,
    };
    let heads = store.heads(query).await?;
    if heads.is_empty() {
        context.ui.line("no runs yet");
    } else {
        let titles = ["run", "state", "stage", "spent", "changed", "next", "idea"];
        let mut rows = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
        for head in &heads {
            let given = unless_damaged(head.run, given(&store, head).await)?.flatten();
            let idea = given.map(|given| clipped(&given.idea, IDEA_IN_LIST));
            let driven = store.driver(head.run).await?.is_some();
            let mut cells = row(head, idea.as_deref(), driven);
            let stand = loops::Stand::read(&store, head).await;
            if let Some(stand) = unless_damaged(head.run, stand)?.flatten() {
                stand.in_list(&mut cells, (head, driven));
            }
            rows.push(cells);
        }
        context.ui.table(&rows);
    }
    let runs: Vec<Value> = heads.iter().map(as_json).collect();
    context.ui.data("status", &json!({ "runs": runs }));
    Ok(Exit::Done)
}

fn row(head: &Head, idea: Option<&str>, driven: bool) -> Vec<Cell> {
    vec![
        (head.run.short(), Look::Strong),
        state(head, driven),
        cell(head.stage.map_or("-", gavel_domain::Stage::word)),
        cell(head.spent()),
        cell(local(head)),
        cell(next(head, driven)),
        cell(idea.unwrap_or("-")),
    ]
}

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
        "spent_usd": dollars(head.spent()),
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
        .run(store.as_ref(), Some(name), Newest::OfAll)
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
    let place = (&head, driver.is_some());
    let of_loop = match &stand {
        Some(stand) => stand.of_one(&mut rows, place),
        None => {
            rows.extend(more(&standing));
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
        vec![strong("spent"), cell(format!("{} of {cap}", head.spent()))],
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
