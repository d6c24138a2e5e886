//! What runs learned: shown, kept in the memory of their project or refused. Keeping a lesson twice is
//! keeping it once, since its ids follow from the record that proposes it.

use std::path::Path;

use anyhow::anyhow;
use gavel_domain::{RunId, Speaker};
use gavel_memory::{Kind, LessonOrigin, Memory, NewItem, Provenance, Stamp};
use gavel_product::{Candidate, Standing, candidates};
use gavel_store::{Access, HeadsQuery, SqliteStore, Store as _};
use serde_json::{Value, json};

use crate::context::{Context, Newest};
use crate::driver::given;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;
use crate::summary::{clipped, quoted};
use crate::ui::{Look, cell};

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
    let mut memory = open(checkout)?;
    let (mut kept, mut open) = (0, 0);
    for lesson in &all {
        match lesson.standing {
            Standing::Kept if settle(&mut memory, lesson, Decided::Keep)? => kept += 1,
            Standing::Open if !memory.knows(id(lesson)) => open += 1,
            Standing::Kept | Standing::Open | Standing::Refused => {}
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

/// Lists what nobody decided about, over the runs of this project.
pub(crate) async fn proposed(context: &Context, kinds: &[Kind]) -> Result<Exit, Failure> {
    let root = project::root(context.directory())?;
    let memory = open(&root)?;
    let store = context.store(Access::ReadOnly).await?;
    let query = HeadsQuery {
        project: project::of(&root)?,
        unfinished: false,
        limit: MOST_RUNS,
    };
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    for head in store.heads(query).await? {
        let checkout = given(&store, &head).await?.and_then(|given| given.checkout);
        // Without an id a project is known by its folder.
        if !checkout.is_some_and(|checkout| same_folder(&checkout, &root)) {
            continue;
        }
        for lesson in undecided(&candidates(store.as_ref(), head.run).await?, &memory) {
            if !kinds.is_empty() && !kinds.contains(&lesson.kind) {
                continue;
            }
            let text = lesson.text.as_deref().unwrap_or_default();
            rows.push(vec![
                (lesson.run.short(), Look::Strong),
                (lesson.number.to_string(), Look::Strong),
                cell(lesson.kind),
                cell(clipped(text, SHOWN)),
            ]);
            data.push(as_json(lesson));
        }
    }
    if rows.is_empty() {
        context.ui.line("nothing is proposed");
    } else {
        let titles = ["run", "number", "kind", "lesson"];
        rows.insert(
            0,
            titles.map(|title| (title.to_owned(), Look::Faint)).to_vec(),
        );
        context.ui.table(&rows);
        context.ui.note(
            "gavel memory accept RUN [NUMBER …] keeps, gavel memory reject RUN [NUMBER …] drops",
        );
    }
    let data = json!({ "items": data, "problems": [] });
    context.ui.data("memory", &data);
    Ok(Exit::Done)
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
        .run(store.as_ref(), Some(run), Newest::OfAll)
        .await?;
    let checkout = given(&store, &head).await?.and_then(|given| given.checkout);
    let Some(checkout) = checkout else {
        let lost = anyhow!("run {run} has no project whose memory could keep anything");
        return Err(Failure::new(Exit::Usage, lost));
    };
    let all = candidates(store.as_ref(), head.run).await?;
    let mut memory = open(&checkout)?;
    let chosen = if numbers.is_empty() {
        undecided(&all, &memory)
    } else {
        named(&all, numbers)?
    };
    let mut done = Vec::new();
    for lesson in chosen {
        let changed = settle(&mut memory, lesson, decided)?;
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

fn undecided<'a>(all: &'a [Candidate], memory: &Memory) -> Vec<&'a Candidate> {
    let open = |lesson: &&Candidate| {
        let known = memory.knows(id(lesson));
        lesson.standing == Standing::Open && lesson.text.is_some() && !known
    };
    all.iter().filter(open).collect()
}

/// Writes what was decided about one lesson; false when memory has its word on it already.
fn settle(memory: &mut Memory, lesson: &Candidate, decided: Decided) -> Result<bool, Failure> {
    let id = id(lesson);
    if memory.knows(id) {
        return Ok(false);
    }
    let origin = origin(lesson);
    match decided {
        Decided::Refuse => {
            let mut ids = origin.refusing();
            let _tracked = memory.refuse(id, &mut Stamp::new(lesson.at, Speaker::PERSON, &mut ids))?;
        }
        Decided::Keep => {
            let Some(text) = &lesson.text else {
                let gone = anyhow!("the text of lesson {} is no longer kept", lesson.number);
                return Err(Failure::new(Exit::Failed, gone));
            };
            let rests_on = lesson.rests_on.as_ref().unwrap_or(&lesson.key);
            let provenance = Provenance::Run {
                run: lesson.run,
                key: Some(rests_on.to_string()),
            };
            let item = NewItem {
                tags: lesson
                    .stage
                    .map(|stage| stage.word().to_owned())
                    .into_iter()
                    .collect(),
                ..NewItem::new(lesson.kind, text, provenance)
            };
            let mut ids = origin.keeping();
            let _tracked = memory.add(item, &mut Stamp::new(lesson.at, Speaker::PERSON, &mut ids))?;
        }
    }
    Ok(true)
}

fn open(checkout: &Path) -> Result<Memory, Failure> {
    if !checkout.is_dir() {
        let gone = anyhow!("{} is no longer there", checkout.display());
        return Err(Failure::new(Exit::Failed, gone));
    }
    Ok(Memory::open(checkout)?)
}

fn origin(lesson: &Candidate) -> LessonOrigin<'_> {
    LessonOrigin {
        run: lesson.run,
        key: lesson.key.as_str(),
        at: lesson.at,
    }
}

fn id(lesson: &Candidate) -> gavel_memory::ItemId {
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
