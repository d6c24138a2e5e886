//! What runs learned: shown, kept in the memory of their project or refused. Keeping a lesson twice is
//! keeping it once, since its ids follow from the record that proposes it.

use std::path::Path;

use anyhow::anyhow;
use gavel_domain::{RunId, Speaker};
use gavel_memory::{
    AddError, Item, ItemId, Kind, LessonOrigin, Memory, NewItem, Provenance, Stamp, Written,
    keep_written, project_key,
};
use gavel_product::{Candidate, Standing, candidates};
use gavel_store::{Access, HeadsQuery, SqliteStore, Store as _};
use serde_json::{Value, json};

use super::memory::{Desk, item_json, item_line};
use crate::context::Context;
use crate::driver::given;
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::project;
use crate::summary::{clipped, quoted};
use crate::ui::{Look, cell};
use crate::which_run::Unnamed;

/// How many runs are looked at for undecided lessons, the newest first.
const MOST_RUNS: u32 = 200;
/// How much of a lesson a list shows.
const SHOWN: usize = 100;

/// What a person decides about a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    Keep,
    Refuse,
}

/// Keeps what was accepted in the run or by a setting, and says what waits for a word.
pub(crate) async fn after_run(
    context: &Context,
    store: &SqliteStore,
    (run, checkout): (RunId, &Path),
) -> Result<(), Failure> {
    let all = candidates(store, run).await?;
    let (mut memory, key) = open(store, checkout).await?;
    let (mut kept, mut open) = (0, 0);
    for lesson in &all {
        match lesson.standing {
            Standing::Kept => {
                let written = settle(&mut memory, lesson, Decided::Keep)?;
                kept += usize::from(written != Written::default());
                keep_written(store, &key, written).await?;
            }
            // What has no words cannot be shown, so nobody could decide about it.
            Standing::Open if lesson.text.is_some() && !memory.knows(id(lesson)) => open += 1,
            Standing::Open | Standing::Refused => {}
        }
    }
    let folder = checkout.display();
    if kept > 0 {
        let note = format!("{} kept in {folder}/.gavel/memory", count(kept));
        context.ui.note(note);
    }
    if open > 0 {
        let short = run.short();
        let here = project::root(context.directory());
        let here = here.is_ok_and(|root| same_folder(checkout, &root));
        // What is proposed is listed for one project: it has to be the one of this run.
        let gavel = if here {
            "gavel".to_owned()
        } else {
            format!("gavel -C {}", quoted(checkout))
        };
        context.ui.note(format!(
            "{} may be kept: {gavel} memory list --proposed shows, {gavel} memory accept {short} \
             keeps",
            count(open)
        ));
    }
    Ok(())
}

/// Lists what nobody decided about: what runs of this project learned, and proposals.
pub(crate) async fn proposed(context: &Context, kinds: &[Kind]) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let fits = |kind: Kind| kinds.is_empty() || kinds.contains(&kind);
    let now = desk.now;
    let held = desk.memory.items().filter(|item| item.is_proposed(now));
    let held: Vec<Item> = held.filter(|item| fits(item.kind)).cloned().collect();
    desk.offer_lessons().await?;
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    for lesson in desk.lessons.iter().filter(|lesson| fits(lesson.kind)) {
        let text = lesson.text.as_deref().unwrap_or_default();
        rows.push(vec![
            (id(lesson).short(), Look::Strong),
            cell(lesson.kind),
            cell(format!("{} {}", lesson.run.short(), lesson.number)),
            cell(clipped(text, SHOWN)),
        ]);
        data.push(as_json(lesson));
    }
    for item in &held {
        rows.push(vec![
            (item.id.short(), Look::Strong),
            cell(item.kind),
            cell(""),
            cell(item_line(item)),
        ]);
        data.push(item_json(item, now));
    }
    if rows.is_empty() {
        context.ui.line("nothing is proposed");
    } else {
        let titles = ["id", "kind", "run", "what"];
        rows.insert(
            0,
            titles.map(|title| (title.to_owned(), Look::Faint)).to_vec(),
        );
        context.ui.table(&rows);
        context.ui.note(
            "gavel memory accept ID … keeps, gavel memory reject ID … drops; a run and the numbers \
             of its lessons do as well",
        );
    }
    let data = json!({ "items": data, "problems": [] });
    context.ui.data("memory", &data);
    Ok(Exit::Done)
}

/// What runs of a project learned and nobody decided about.
pub(crate) async fn undecided_of(
    context: &Context,
    root: &Path,
    memory: &Memory,
) -> Result<Vec<Candidate>, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let query = HeadsQuery {
        project: project::of(root)?,
        unfinished: false,
        limit: MOST_RUNS,
    };
    let mut found = Vec::new();
    for head in store.heads(query).await? {
        let given = unless_damaged(head.run, given(&store, &head).await)?.flatten();
        let checkout = given.and_then(|given| given.checkout);
        // Without an id a project is known by its folder.
        if checkout.is_some_and(|checkout| same_folder(&checkout, root)) {
            let all = candidates(store.as_ref(), head.run).await;
            let all = unless_damaged(head.run, all.map_err(Failure::from))?.unwrap_or_default();
            let new = undecided(&all, memory).into_iter();
            found.extend(new.filter(|lesson| !memory.knows(id(lesson))).cloned());
        }
    }
    Ok(found)
}

/// Shows a lesson among the items, as a proposal.
pub(crate) fn offer(memory: &mut Memory, lesson: &Candidate) -> Result<(), Failure> {
    let Some(item) = item(lesson) else {
        return Ok(());
    };
    let mut ids = origin(lesson).offering();
    let mut stamp = Stamp::new(lesson.at, Speaker::ENGINE, &mut ids);
    match memory.offer(item, &mut stamp) {
        // What does not fit memory is shown by its run alone.
        Ok(_) | Err(AddError::Secret { .. } | AddError::TooLong { .. } | AddError::Empty) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Keeps or refuses lessons of a run, all that are undecided unless some are named.
pub(crate) async fn decide(
    context: &Context,
    run: &str,
    numbers: &[u32],
    decided: Decided,
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), Some(run), Unnamed::Newest)
        .await;
    let head = head.map_err(|failure| {
        failure.hint("gavel memory list --proposed shows what waits for a word, with its ids")
    })?;
    let checkout = given(&store, &head).await?.and_then(|given| given.checkout);
    let Some(checkout) = checkout else {
        let lost = anyhow!("run {run} has no project whose memory could keep anything");
        return Err(Failure::new(Exit::Usage, lost));
    };
    let all = candidates(store.as_ref(), head.run).await?;
    let (mut memory, key) = open(&store, &checkout).await?;
    let chosen = if numbers.is_empty() {
        undecided(&all, &memory)
    } else {
        named(&all, numbers)?
    };
    let mut done = Vec::new();
    for lesson in chosen {
        let written = settle(&mut memory, lesson, decided)?;
        let changed = written != Written::default();
        if !written.is_settled() {
            let store = context.store(Access::ReadWrite).await?;
            keep_written(store.as_ref(), &key, written).await?;
        }
        let (number, text) = (lesson.number, lesson.text.as_deref().unwrap_or_default());
        let told = match (changed, decided) {
            (true, Decided::Keep) => "kept",
            (true, Decided::Refuse) => "refused",
            (false, _) => "was decided before",
        };
        let line = format!("{number}. {told}: {}", clipped(text, SHOWN));
        context.ui.line(line);
        let mut item = as_json(lesson);
        if let Value::Object(fields) = &mut item {
            fields.insert("changed".to_owned(), json!(changed));
            let word = match decided {
                Decided::Keep => "accepted",
                Decided::Refuse => "rejected",
            };
            fields.insert("acceptance".to_owned(), json!(word));
        }
        done.push(item);
    }
    if done.is_empty() {
        context.ui.line("nothing is undecided");
    }
    let data = json!({ "items": done, "problems": [] });
    context.ui.data("memory", &data);
    Ok(Exit::Done)
}

fn named<'a>(all: &'a [Candidate], numbers: &[u32]) -> Result<Vec<&'a Candidate>, Failure> {
    let find = |number: &u32| {
        let found = all.iter().find(|lesson| lesson.number == *number);
        found.ok_or_else(|| {
            let there = all.len();
            Failure::usage(format!("there is no lesson {number}: the run has {there}"))
                .hint("gavel memory list --proposed shows the undecided ones")
        })
    };
    numbers.iter().map(find).collect()
}

/// What nobody decided about, even if somebody said something about it.
fn undecided<'a>(all: &'a [Candidate], memory: &Memory) -> Vec<&'a Candidate> {
    let waits = |lesson: &Candidate| {
        let item = memory.item(&id(lesson).to_string());
        !memory.knows(id(lesson)) || item.is_ok_and(|item| item.is_proposed(lesson.at))
    };
    let open = |lesson: &&Candidate| {
        lesson.standing == Standing::Open && lesson.text.is_some() && waits(lesson)
    };
    all.iter().filter(open).collect()
}

/// Writes what was decided about one lesson; nothing when memory has its word on it already.
pub(crate) fn settle(
    memory: &mut Memory,
    lesson: &Candidate,
    decided: Decided,
) -> Result<Written, Failure> {
    let id = id(lesson);
    let (at, origin) = (lesson.at, origin(lesson));
    // Somebody said something about it before, and did not decide.
    if memory.knows(id) {
        let held = memory.item(&id.to_string());
        if !held.is_ok_and(|item| item.is_proposed(at)) {
            return Ok(Written::default());
        }
        let mut ids = gavel_run::fresh_id;
        let now = Context::clock().now();
        let mut stamp = Stamp::new(now, Speaker::PERSON, &mut ids);
        return Ok(match decided {
            Decided::Keep => memory.accept(id, &mut stamp)?,
            Decided::Refuse => memory.reject(id, &mut stamp)?,
        });
    }
    match decided {
        Decided::Refuse => {
            let mut ids = origin.refusing();
            let mut stamp = Stamp::new(at, Speaker::PERSON, &mut ids);
            Ok(memory.refuse(id, &mut stamp)?)
        }
        Decided::Keep => {
            let Some(item) = item(lesson) else {
                let gone = anyhow!("the text of lesson {} is no longer kept", lesson.number);
                return Err(Failure::new(Exit::Failed, gone));
            };
            let mut ids = origin.keeping();
            let mut stamp = Stamp::new(at, Speaker::PERSON, &mut ids);
            memory.withdraw(id);
            Ok(memory.add(item, &mut stamp)?)
        }
    }
}

/// The lesson as an item; nothing once its text is no longer kept.
fn item(lesson: &Candidate) -> Option<NewItem> {
    let text = lesson.text.as_ref()?;
    let rests_on = lesson.rests_on.as_ref().unwrap_or(&lesson.key);
    let provenance = Provenance::Run {
        run: lesson.run,
        key: Some(rests_on.to_string()),
    };
    let stage = lesson.stage.map(|stage| stage.word().to_owned());
    Some(NewItem {
        tags: stage.into_iter().collect(),
        ..NewItem::new(lesson.kind, text, provenance)
    })
}

/// The memory of a checkout, and what the store calls its project.
async fn open(store: &SqliteStore, checkout: &Path) -> Result<(Memory, String), Failure> {
    if !checkout.is_dir() {
        let gone = anyhow!("{} is no longer there", checkout.display());
        return Err(Failure::new(Exit::Failed, gone));
    }
    let key = project_key(project::of(checkout)?, checkout);
    let lines = store.memory_lines(&key).await?;
    Ok((Memory::open_with(checkout, &lines)?, key))
}

fn origin(lesson: &Candidate) -> LessonOrigin<'_> {
    LessonOrigin {
        run: lesson.run,
        key: lesson.key.as_str(),
        at: lesson.at,
    }
}

/// The id that it has as an item.
pub(crate) fn id(lesson: &Candidate) -> ItemId {
    origin(lesson).item(lesson.kind)
}

fn as_json(lesson: &Candidate) -> Value {
    json!({
        "id": id(lesson),
        "run": lesson.run,
        "number": lesson.number,
        "kind": lesson.kind,
        "text": lesson.text,
        "stage": lesson.stage,
        "rests_on": lesson.rests_on.as_ref().unwrap_or(&lesson.key),
        "acceptance": "proposed",
        "at": lesson.at,
    })
}

fn same_folder(left: &Path, right: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(left) == real(right)
}

fn count(lessons: usize) -> String {
    match lessons {
        1 => "1 lesson".to_owned(),
        many => format!("{many} lessons"),
    }
}
