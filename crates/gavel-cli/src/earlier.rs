//! What other runs on this machine came to, for a new one with a similar idea.

use gavel_domain::{Aborted, Halted, Head, Record, RunStarted, RunState, Seq};
use gavel_product::{EarlierRun, ProductBrief};
use gavel_store::{HeadsQuery, Store};

use crate::failure::Failure;

/// How many runs are looked at, the newest first.
const MOST: usize = 20;
/// Among how many heads they are sought: others are no product runs.
const LOOK_BACK: u32 = 100;

/// Other product runs, newest first. A run whose texts retention dropped says nothing.
pub(crate) async fn earlier_runs(
    store: &dyn Store,
    own: &Head,
) -> Result<Vec<EarlierRun>, Failure> {
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: LOOK_BACK,
    };
    let mut heads = store.heads(query).await?;
    heads.retain(|head| head.driver == gavel_product::DRIVER && head.run != own.run);
    heads.sort_by_key(|head| std::cmp::Reverse(head.updated_at));
    heads.truncate(MOST);
    let mut earlier = Vec::with_capacity(heads.len());
    for head in heads {
        let first = store.records(head.run, Seq::ZERO, 1).await?;
        let started = first.first().and_then(|record| record.read().ok());
        let Some(name) = started.and_then(|started: RunStarted| started.brief) else {
            continue;
        };
        let text = store.blob(name.digest).await?.unwrap_or_default();
        let Ok(brief) = serde_json::from_slice::<ProductBrief>(&text) else {
            continue;
        };
        earlier.push(EarlierRun {
            run: head.run,
            idea: brief.idea,
            at: head.updated_at,
            state: head.state,
            reason: reason(store, &head).await?,
        });
    }
    Ok(earlier)
}

/// Why it ended, where it says so: the code, and the beginning of the words.
async fn reason(store: &dyn Store, head: &Head) -> Result<String, Failure> {
    if !matches!(head.state, RunState::Halted | RunState::Aborted) {
        return Ok(String::new());
    }
    // The last words stand at the end.
    let after = Seq(head.seq.0.saturating_sub(20));
    let last = store.records(head.run, after, u32::MAX).await?;
    let Some((code, detail)) = last.iter().rev().find_map(ending) else {
        return Ok(String::new());
    };
    let words = match detail {
        Some(name) => store.blob(name.digest).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    let words = String::from_utf8_lossy(&words);
    let words = words.lines().next().unwrap_or_default();
    Ok(match (code.is_empty(), words.is_empty()) {
        (true, _) => words.to_owned(),
        (false, true) => code,
        (false, false) => format!("{code}, {words}"),
    })
}

fn ending(record: &Record) -> Option<(String, Option<gavel_domain::BlobRef>)> {
    if let Ok(halted) = record.read::<Halted>() {
        return Some((halted.reason, halted.detail));
    }
    let aborted = record.read::<Aborted>().ok()?;
    Some((String::new(), aborted.reason))
}
