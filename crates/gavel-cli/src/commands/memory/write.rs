//! Commands that write: add, edit, mark, promote, retire.

use gavel_memory::{
    Acceptance, Expiry, Item, ItemId, Kind, NewItem, Patch, Provenance, Visibility, Written,
};
use gavel_workspace::RepoPath;
use serde_json::{Value, json};

use super::desk::Desk;
use super::show::{as_json, insert, short};
use crate::args::{ExpiresWord, MarkWord, MemoryAddArgs, MemoryEditArgs};
use crate::commands::control::read_text;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;

pub(super) async fn add(context: &Context, args: MemoryAddArgs) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let text = read_text(args.text)?;
    let expires_at = match args.expires {
        Some(word) => expiry(word, &desk)?.at(),
        None => None,
    };
    let new = NewItem {
        title: args.title,
        tags: args.tag,
        paths: paths(context, &desk, &args.path)?,
        severity: args.severity,
        status: args.status,
        expires_at,
        acceptance: if args.propose {
            Acceptance::Proposed
        } else {
            Acceptance::Accepted
        },
        visibility: match (args.private, args.machine) {
            (true, _) => Visibility::Private,
            (false, true) => Visibility::Machine,
            (false, false) => Visibility::Shared,
        },
        ..NewItem::new(args.kind, text, Provenance::Person)
    };
    let added = desk.write(|memory, stamp| memory.add(new, stamp)).await?;
    for id in &added.ids {
        told(context, &desk, (*id, &added))?;
    }
    Ok(Exit::Done)
}

pub(super) async fn edit(context: &Context, args: MemoryEditArgs) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let id = desk.find(&args.id).await?;
    let given = |all: Vec<String>| (!all.is_empty()).then_some(all);
    let patch = Patch {
        title: args.title,
        text: args.text.map(read_text).transpose()?,
        tags: given(args.tag),
        paths: match given(args.path) {
            Some(typed) => Some(paths(context, &desk, &typed)?),
            None => None,
        },
        severity: args.severity,
        status: args.status,
        expires: match args.expires {
            Some(word) => Some(expiry(word, &desk)?),
            None => None,
        },
    };
    let written = desk
        .write(|memory, stamp| memory.change(id, patch, stamp))
        .await?;
    told(context, &desk, (id, &written))
}

pub(super) async fn mark(
    context: &Context,
    name: &str,
    (how, by): (MarkWord, Option<&str>),
) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let id = desk.find(name).await?;
    let (written, line) = match (how, by) {
        (MarkWord::Mark(mark), None) => {
            let written = desk
                .write(|memory, stamp| memory.mark(id, mark, stamp))
                .await?;
            let word = mark.word().replace('_', " ");
            (written, format!("{id} is marked: {word}"))
        }
        (MarkWord::SupersededBy, Some(by)) => {
            let by = desk.find(by).await?;
            let written = desk
                .write(|memory, stamp| memory.supersede(id, by, stamp))
                .await?;
            (written, format!("{by} took the place of {id}"))
        }
        (MarkWord::SupersededBy, None) => {
            let usage = Failure::usage("superseded-by needs the item that took its place");
            return Err(usage.hint(format!("gavel memory mark {name} superseded-by ID")));
        }
        (MarkWord::Mark(_), Some(by)) => {
            return Err(Failure::usage(format!(
                "`{by}` is one word too many: only superseded-by takes a second item"
            )));
        }
    };
    context.ui.line(line);
    finish(context, &desk, (id, &written))
}

pub(super) async fn promote(
    context: &Context,
    name: &str,
    kind: Option<Kind>,
) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let id = desk.find(name).await?;
    let Some(kind) = kind.filter(|kind| *kind != id.kind()) else {
        return super::decide::accept_one(context, &mut desk, id).await;
    };
    if let Some(other) = desk.memory.item(&id.to_string())?.superseded_by {
        return promoted_before(context, &desk, (id, other, kind));
    }
    let written = desk
        .write(|memory, stamp| memory.promote(id, kind, stamp))
        .await?;
    let made = written.ids.first().copied().unwrap_or(id);
    context.ui.line(format!("{made} took the place of {id}"));
    finish(context, &desk, (made, &written))
}

/// What somebody promoted once has its place taken: doing it again is doing it once.
fn promoted_before(
    context: &Context,
    desk: &Desk<'_>,
    (id, other, kind): (ItemId, ItemId, Kind),
) -> Result<Exit, Failure> {
    let told = format!("{other} took the place of {id} before");
    if other.kind() != kind {
        return Err(Failure::new(Exit::Conflict, anyhow::anyhow!(told))
            .hint(format!("gavel memory get {} shows it", other.short())));
    }
    context.ui.line(told);
    finish(context, desk, (other, &Written::default()))
}

pub(super) async fn retire(context: &Context, name: &str) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let id = desk.find(name).await?;
    let written = desk.write(|memory, stamp| memory.retire(id, stamp)).await?;
    let told = match written == Written::default() {
        true => "was over before: nothing was written",
        false => "is retired",
    };
    context.ui.line(format!("{id} {told}"));
    finish(context, &desk, (id, &written))
}

/// Says where an item was written, what it reminds of, and all of it as data.
fn told(
    context: &Context,
    desk: &Desk<'_>,
    (id, written): (ItemId, &Written),
) -> Result<Exit, Failure> {
    let item = desk.memory.item(&id.to_string())?;
    let place = match &written.file {
        Some(file) => file.display().to_string(),
        None => held(item).to_owned(),
    };
    context.ui.line(format!("{id}  {place}"));
    let mut data = data(desk, item, written);
    remind(context, desk, item, &mut data);
    context.ui.data("memory_item", &data);
    Ok(Exit::Done)
}

pub(super) fn finish(
    context: &Context,
    desk: &Desk<'_>,
    (id, written): (ItemId, &Written),
) -> Result<Exit, Failure> {
    let item = desk.memory.item(&id.to_string())?;
    context.ui.data("memory_item", &data(desk, item, written));
    Ok(Exit::Done)
}

fn data(desk: &Desk<'_>, item: &Item, written: &Written) -> Value {
    let mut data = as_json(item, desk.now);
    insert(&mut data, "file", json!(written.file));
    data
}

const fn held(item: &Item) -> &'static str {
    match item.visibility {
        Visibility::Private => "kept for you, outside of the repository",
        Visibility::Machine => "kept on this machine, outside of the repository",
        Visibility::Shared => "waits for a word: gavel memory accept keeps it",
    }
}

/// Names items that look alike or seem to say the opposite. They never stop anybody.
fn remind(context: &Context, desk: &Desk<'_>, item: &Item, data: &mut Value) {
    let hints = desk.memory.hints(item, desk.now);
    let named = |id: ItemId| desk.memory.item(&id.to_string()).ok();
    let (mut similar, mut contradicts) = (Vec::new(), Vec::new());
    for (id, share) in hints.similar {
        let Some(other) = named(id) else { continue };
        let note = format!("similar: {} {}", id.short(), short(other));
        context.ui.note(note);
        similar.push(
            json!({ "id": id, "share": super::look::rounded(share), "label": other.label() }),
        );
    }
    for (id, opposed) in hints.contradicts {
        let Some(other) = named(id) else { continue };
        let (one, against) = opposed.phrases;
        let note = format!(
            "may contradict ({one} / {against}): {} {}",
            id.short(),
            short(other)
        );
        context.ui.note(note);
        contradicts.push(json!({
            "id": id,
            "how": opposed.how,
            "phrases": [one, against],
            "label": other.label(),
        }));
    }
    insert(data, "similar", json!(similar));
    insert(data, "contradicts", json!(contradicts));
}

fn paths(context: &Context, desk: &Desk<'_>, typed: &[String]) -> Result<Vec<RepoPath>, Failure> {
    let typed = typed.iter();
    typed
        .map(|path| project::path_from_root(path, context.directory(), &desk.root))
        .collect()
}

fn expiry(word: ExpiresWord, desk: &Desk<'_>) -> Result<Expiry, Failure> {
    let at = match word {
        ExpiresWord::Never => return Ok(Expiry::Never),
        ExpiresWord::At(at) => at,
        ExpiresWord::In(seconds) => {
            let at = desk.now.as_second().saturating_add(seconds);
            gavel_domain::Timestamp::from_second(at)
                .map_err(|_far| Failure::usage("that is too far away").hint("say never"))?
        }
    };
    if at <= desk.now {
        return Err(Failure::usage(format!("{at} is over already")));
    }
    Ok(Expiry::At(at))
}
