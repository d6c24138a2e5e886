//! `cargo xtask catalogue`: reduces the price list inside the Python package `litellm` to the
//! catalogue that `gavel-models` compiles in. Run by hand, reviewed as a diff, committed.

mod choose;
mod date;
mod decimal;
mod entry;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use self::entry::{Entry, Listed};
use crate::args::Args;
use crate::{place, python, say};

const PACKAGE: &str = "litellm";
const MEMBER: &str = "litellm/model_prices_and_context_window_backup.json";
const CATALOGUE: &str = "crates/gavel-models/src/catalogue.json";

/// Runs the verb.
pub(crate) fn run(mut args: Args) -> Result<()> {
    let wheel = args.value("--wheel")?.map(PathBuf::from);
    let today = args.value("--today")?.unwrap_or_else(date::today);
    args.finish()?;
    let folder = place::scratch("catalogue")?;
    let wheel = match wheel {
        Some(wheel) => {
            fs::canonicalize(&wheel).with_context(|| format!("no wheel at {}", wheel.display()))?
        }
        None => python::wheel(PACKAGE, &folder)?,
    };
    let list = folder.join("prices.json");
    python::member(&wheel, MEMBER, &list)?;
    let text = fs::read_to_string(&list).context("the wheel's price list")?;
    let entries = reduce(&text, &today)?;
    fs::write(place::root().join(CATALOGUE), render(&entries)?)
        .with_context(|| format!("cannot write {CATALOGUE}"))?;
    say::line(&format!("{CATALOGUE}: {} models", entries.len()));
    for (provider, count) in per_provider(&entries) {
        say::line(&format!("  {provider} {count}"));
    }
    Ok(())
}

/// The entries that we keep, sorted by id.
fn reduce(text: &str, today: &str) -> Result<Vec<Entry>> {
    let listed: BTreeMap<String, Listed<'_>> =
        serde_json::from_str(text).context("the price list changed its form")?;
    let mut entries = BTreeMap::new();
    for (name, listed) in &listed {
        if let Some(entry) = Entry::read(name, listed, today).with_context(|| name.clone())? {
            let id = entry.id.clone();
            if let Some(other) = entries.insert(id, entry)
                && !entries_agree(&entries, &other)
            {
                bail!("two entries of the list disagree about {}", other.id);
            }
        }
    }
    let twins: Vec<String> = entries
        .values()
        .filter(|entry| choose::is_twin(entry, &entries))
        .map(|entry| entry.id.clone())
        .collect();
    entries.retain(|id, _| !twins.contains(id));
    if entries.is_empty() {
        bail!("the price list holds no model that we know");
    }
    Ok(entries.into_values().collect())
}

fn entries_agree(entries: &BTreeMap<String, Entry>, other: &Entry) -> bool {
    entries
        .get(&other.id)
        .is_some_and(|entry| entry.equals(other))
}

/// One model a line, so that a change of price reads as one changed line.
fn render(entries: &[Entry]) -> Result<String> {
    let lines: Result<Vec<String>, _> = entries.iter().map(serde_json::to_string).collect();
    Ok(format!("[\n{}\n]\n", lines?.join(",\n")))
}

fn per_provider(entries: &[Entry]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.provider).or_default() += 1;
    }
    counts
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
