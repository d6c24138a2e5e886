//! Commands about the files of memory: redact, compact, export, import.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use gavel_domain::{RunId, Speaker};
use gavel_memory::{FindError, ItemId, MEMORY_FOLDER, Stamp, Written, runs_given};
use gavel_store::Access;
use gavel_workspace::{RepoPath, Repository};
use serde_json::json;

use super::desk::Desk;
use super::show::tell;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::repository_root;

/// An export that is larger is no memory.
const MOST_BYTES: u64 = 64 << 20;
/// How many runs are named one by one.
const TOLD: usize = 5;

pub(super) async fn redact(context: &Context, name: &str) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    // What was left out for its secret is in no list: it goes by its whole id.
    let id = match (desk.memory.item(name), name.parse::<ItemId>()) {
        (Ok(item), _) => item.id,
        (Err(FindError::None { .. }), Ok(id)) => id,
        (Err(error), _) => return Err(error.into()),
    };
    let mut draw = gavel_run::fresh_id;
    let mut stamp = Stamp::new(desk.now, Speaker::PERSON, &mut draw);
    let redaction = desk.memory.redact(id, &mut stamp)?;
    desk.keep(redaction.written.clone()).await?;
    let before = redaction.written == Written::default();
    let everywhere = redaction.by_hand.is_empty() && redaction.too_large.is_empty();
    context.ui.line(if everywhere && before {
        format!("{id} was redacted before: nothing was written")
    } else if everywhere {
        format!("{id} is redacted")
    } else {
        format!("{id} is redacted where Gavel could look; not everywhere")
    });
    for file in &redaction.files {
        context.ui.line(format!("rewritten: {file}"));
    }
    for (file, line) in &redaction.by_hand {
        let note = format!("{file}:{line} names it and cannot be read: look at it yourself");
        context.ui.beside(note);
    }
    for file in &redaction.too_large {
        let note = format!("{file} is too large to look into: search it for {id} yourself");
        context.ui.beside(note);
    }
    let runs = in_runs(context, &desk, id).await?;
    let since = since(context, &desk, id).await;
    match &since {
        Ok(Some(commit)) => {
            let short: String = commit.chars().take(12).collect();
            let note = format!("still in git history since {short}; rotate it");
            context.ui.beside(note);
        }
        Ok(None) => {}
        Err(failure) => {
            let why = failure.message();
            let note =
                format!("git could not be asked ({why}): it may be in git history; rotate it");
            context.ui.beside(note);
        }
    }
    let by_hand = redaction.by_hand.iter();
    let by_hand = by_hand.map(|(file, line)| json!({ "file": file, "line": line }));
    let data = json!({
        "id": id,
        "files": redaction.files,
        "by_hand": by_hand.collect::<Vec<_>>(),
        "too_large": redaction.too_large,
        "in_runs": runs,
        "in_history_since": since.ok().flatten(),
    });
    context.ui.data("memory_redacted", &data);
    Ok(Exit::Done)
}

/// The runs and loops whose journals hold what they were told of the item.
async fn in_runs(context: &Context, desk: &Desk<'_>, id: ItemId) -> Result<Vec<RunId>, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let runs = runs_given(store.as_ref(), desk.project, id).await?;
    if !runs.is_empty() {
        let count = runs.len();
        let mut named: Vec<String> = runs.iter().take(TOLD).map(|run| run.short()).collect();
        if count > TOLD {
            named.push("…".to_owned());
        }
        let named = named.join(", ");
        let note = format!("still in what runs or loops were told ({count}: {named}); rotate it");
        context.ui.beside(note);
    }
    Ok(runs)
}

/// The oldest commit that holds a line of the item.
async fn since(context: &Context, desk: &Desk<'_>, id: ItemId) -> Result<Option<String>, Failure> {
    let Some(repository_folder) = repository_root(&desk.root) else {
        return Ok(None);
    };
    let inside = desk
        .root
        .strip_prefix(repository_folder)
        .unwrap_or(Path::new(""));
    let folder = RepoPath::from_path(&inside.join(MEMORY_FOLDER));
    let folder = folder.map_err(|error| Failure::new(Exit::Bug, error))?;
    let failed = |error: anyhow::Error| Failure::new(Exit::Failed, error);
    let repository = Repository::open(&context.git()?, repository_folder).await;
    let repository = repository.map_err(|error| failed(error.into()))?;
    let commit = repository.first_commit_with(&folder, &id.to_string()).await;
    let commit = commit.map_err(|error| failed(error.into()))?;
    Ok(commit.map(|commit| commit.to_string()))
}

pub(super) async fn compact(context: &Context) -> Result<Exit, Failure> {
    let desk = Desk::open(context).await?;
    let done = desk.memory.compact(desk.now)?;
    for month in &done.months {
        context.ui.line(format!(
            "{}: {} files with {} events are one now, {}",
            month.month,
            month.files,
            month.events,
            month.file.display()
        ));
    }
    if done.months.is_empty() {
        context
            .ui
            .line("no month that is over has more than one file");
    } else {
        context
            .ui
            .note("nothing is lost: commit it like any other change");
    }
    for file in &done.untouched {
        context
            .ui
            .note(format!("{file} stays: a line of it cannot be read"));
    }
    let months = done.months.iter().map(|month| {
        json!({
            "month": month.month,
            "file": month.file,
            "files": month.files,
            "events": month.events,
        })
    });
    let data = json!({ "months": months.collect::<Vec<_>>(), "untouched": done.untouched });
    context.ui.data("memory_compacted", &data);
    Ok(Exit::Done)
}

pub(super) async fn export(context: &Context, all: bool) -> Result<Exit, Failure> {
    let desk = Desk::open(context).await?;
    let mut text = String::new();
    for line in desk.memory.export(all) {
        text.push_str(line);
        text.push('\n');
    }
    context.ui.raw(text.as_bytes());
    tell(context, desk.memory.problems());
    Ok(Exit::Done)
}

pub(super) async fn import(context: &Context, file: &Path) -> Result<Exit, Failure> {
    let text = read_all(&context.directory().join(file), file)?;
    let mut desk = Desk::open(context).await?;
    let mut draw = gavel_run::fresh_id;
    let mut stamp = Stamp::new(desk.now, Speaker::PERSON, &mut draw);
    let imported = desk.memory.import(&text, &mut stamp)?;
    desk.keep(imported.written.clone()).await?;
    context.ui.line(format!(
        "{} new items, {} new events; {} events were known",
        imported.items.len(),
        imported.new,
        imported.known
    ));
    let data = json!({
        "items": imported.items,
        "new_events": imported.new,
        "known_events": imported.known,
        "file": imported.written.file,
    });
    context.ui.data("memory_imported", &data);
    Ok(Exit::Done)
}

fn read_all(path: &Path, typed: &Path) -> Result<String, Failure> {
    let read = || -> anyhow::Result<String> {
        let mut text = String::new();
        let read = if typed == Path::new("-") {
            let mut input = std::io::stdin().take(MOST_BYTES + 1);
            input.read_to_string(&mut text)
        } else {
            let mut input = std::fs::File::open(path)?.take(MOST_BYTES + 1);
            input.read_to_string(&mut text)
        };
        let read = u64::try_from(read?).unwrap_or(u64::MAX);
        anyhow::ensure!(read <= MOST_BYTES, "more than {MOST_BYTES} bytes");
        Ok(text)
    };
    let text = read().with_context(|| format!("{} cannot be read", typed.display()));
    text.map_err(|error| Failure::new(Exit::Usage, error))
}
