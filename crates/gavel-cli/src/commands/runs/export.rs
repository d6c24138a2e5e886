//! `gavel runs export`: what can still be read of a run, in a file.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use gavel_domain::RunId;
use gavel_store::{Access, Salvage, SavedRecord, SavedText};
use serde_json::{Value, json};

use super::named;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub(super) async fn run(context: &Context, name: &str, file: &Path) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let run = named(context, &store, name).await?;
    let saved = store.salvage(run).await?;
    let path = context.directory().join(file);
    write(&path, &lines(run, &saved)).map_err(|error| Failure::new(Exit::Failed, error))?;
    let (records, texts, damaged) = (saved.records.len(), saved.texts.len(), damaged(&saved));
    let told = match damaged {
        0 => "nothing of it is damaged".to_owned(),
        some => format!("{some} of them damaged, and marked so"),
    };
    context.ui.line(format!(
        "run {}: {records} records and {texts} texts in {}, {told}",
        run.short(),
        path.display()
    ));
    let data = json!({
        "run": run,
        "file": path,
        "records": records,
        "texts": texts,
        "damaged": damaged,
    });
    context.ui.data("runs_export", &data);
    Ok(Exit::Done)
}

/// Only its owner reads the file: it holds what models were told.
fn write(path: &Path, lines: &[Value]) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let told = || path.display().to_string();
    let mut file = BufWriter::new(options.open(path).with_context(told)?);
    for line in lines {
        writeln!(file, "{line}").with_context(told)?;
    }
    file.flush().with_context(told)
}

fn damaged(saved: &Salvage) -> usize {
    let records = saved.records.iter().map(|record| &record.problem);
    let texts = saved.texts.iter().map(|text| &text.problem);
    records.chain(texts).filter(|one| one.is_some()).count()
}

fn lines(run: RunId, saved: &Salvage) -> Vec<Value> {
    let head = json!({
        "schema": "gavel/run_export/v1",
        "run": run,
        "records": saved.records.len(),
        "texts": saved.texts.len(),
        "damaged": damaged(saved),
    });
    let records = saved.records.iter().map(record);
    let texts = saved.texts.iter().map(text);
    std::iter::once(head).chain(records).chain(texts).collect()
}

fn record(record: &SavedRecord) -> Value {
    let plain = || Value::String(record.body.clone());
    json!({
        "seq": record.seq,
        "key": record.key,
        "kind": record.kind,
        "at": record.at,
        "body": serde_json::from_str(&record.body).unwrap_or_else(|_| plain()),
        "damaged": record.problem,
    })
}

fn text(text: &SavedText) -> Value {
    json!({
        "digest": text.digest,
        "bytes": text.content.len(),
        "text": String::from_utf8_lossy(&text.content),
        "damaged": text.problem,
    })
}
