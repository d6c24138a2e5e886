//! `gavel memory accept` and `reject`: by the ids of items, or by a run and the numbers of its lessons.

use gavel_memory::{ItemId, Written};
use serde_json::{Value, json};

use super::desk::Desk;
use super::show::{as_json, insert, short, words};
use crate::commands::lessons::{self, Decided};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(super) async fn decide(
    context: &Context,
    names: &[String],
    decided: Decided,
) -> Result<Exit, Failure> {
    let Some((first, rest)) = names.split_first() else {
        return Err(Failure::usage("name what is meant"));
    };
    let mut desk = Desk::open(context).await?;
    // Ids of items begin with their kind; ids of runs have no such sign, and neither has the end of an
    // item's id.
    if !first.contains('_') && desk.memory.item(first).is_err() {
        let numbers = rest.iter().map(|word| {
            word.parse::<u32>().map_err(|_no| {
                Failure::usage(format!("`{word}` is no number of a lesson"))
                    .hint("after a run come numbers; items are named by their whole ids")
            })
        });
        let numbers = numbers.collect::<Result<Vec<u32>, _>>()?;
        return lessons::decide(context, first, &numbers, decided).await;
    }
    let mut ids = Vec::new();
    for name in names {
        ids.push(desk.find(name).await?);
    }
    let mut done = Vec::new();
    for id in ids {
        done.push(settle(context, &mut desk, id, decided).await?);
    }
    let data = json!({ "items": done, "problems": [] });
    context.ui.data("memory", &data);
    Ok(Exit::Done)
}

/// Keeps one proposal.
pub(super) async fn accept_one(
    context: &Context,
    desk: &mut Desk<'_>,
    id: ItemId,
) -> Result<Exit, Failure> {
    let item = settle(context, desk, id, Decided::Keep).await?;
    context.ui.data("memory_item", &item);
    Ok(Exit::Done)
}

async fn settle(
    context: &Context,
    desk: &mut Desk<'_>,
    id: ItemId,
    decided: Decided,
) -> Result<Value, Failure> {
    let before = desk.memory.item(&id.to_string())?.clone();
    if decided == Decided::Keep && before.is_proposed(desk.now) {
        words(context, &before);
    }
    let lesson = desk.lessons.iter().find(|lesson| lessons::id(lesson) == id);
    let written = match lesson.cloned() {
        Some(lesson) => {
            let written = lessons::settle(&mut desk.memory, &lesson, decided)?;
            desk.keep(written.clone()).await?;
            written
        }
        None => {
            desk.write(|memory, stamp| match decided {
                Decided::Keep => memory.accept(id, stamp),
                Decided::Refuse => memory.reject(id, stamp),
            })
            .await?
        }
    };
    let changed = written != Written::default();
    let told = match (changed, decided) {
        (true, Decided::Keep) => "kept",
        (true, Decided::Refuse) => "refused",
        (false, _) => "was decided before",
    };
    context
        .ui
        .line(format!("{}  {told}: {}", id.short(), short(&before)));
    // Of what a run learned and nobody wants, no words stay.
    let item = desk.memory.item(&id.to_string()).unwrap_or(&before);
    let mut data = as_json(item, desk.now);
    let word = match decided {
        Decided::Keep => "accepted",
        Decided::Refuse => "rejected",
    };
    insert(&mut data, "acceptance", json!(word));
    insert(&mut data, "changed", json!(changed));
    insert(&mut data, "file", json!(written.file));
    Ok(data)
}
