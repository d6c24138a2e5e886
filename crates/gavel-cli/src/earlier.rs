//! What earlier runs of a project came to, for a new one with a similar idea.

use gavel_domain::ProductBrief;
use gavel_domain::{Aborted, Halted, Head, Record, RunStarted, RunState, Seq};
use gavel_product::EarlierRun;
use gavel_store::{HeadsQuery, ReadError, Store, unless_damaged};
use gavel_workspace::{Belonging, ProjectFolder, RunOrigin};

use crate::failure::Failure;

/// How many runs are looked at, the newest first.
const MOST: usize = 20;
/// Among how many heads they are sought: others are no product runs.
const LOOK_BACK: u32 = 100;

/// Whose earlier runs are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Those of the run's own project.
    OfThisProject,
    /// Those of every project: a person said so.
    OfAllProjects,
}

/// Other product runs, newest first. A run whose texts retention dropped says nothing, nor does one
/// that is damaged, or one that another copy of the project began.
pub(crate) async fn earlier_runs(
    store: &dyn Store,
    own: &Head,
    whose: Earlier,
) -> Result<Vec<EarlierRun>, Failure> {
    let query = HeadsQuery {
        project: own.project.filter(|_| whose == Earlier::OfThisProject),
        unfinished: false,
        limit: LOOK_BACK,
    };
    let mut heads = store.heads(query).await?;
    heads.retain(|head| head.driver == gavel_product::DRIVER && head.run != own.run);
    heads.sort_by_key(|head| std::cmp::Reverse(head.updated_at));
    let ours = ProjectFolder {
        id: own.project,
        root: brief(store, own).await?.map(|brief| brief.checkout),
    };
    let mut earlier = Vec::new();
    for head in heads {
        if earlier.len() == MOST {
            break;
        }
        let read = earlier_run(store, &head).await;
        let Some(Some((run, origin))) = unless_damaged(head.run, read)? else {
            continue;
        };
        if whose == Earlier::OfAllProjects || is_of(&ours, &origin) {
            earlier.push(run);
        }
    }
    Ok(earlier)
}

fn is_of(project: &ProjectFolder, origin: &RunOrigin) -> bool {
    match project.belonging(origin) {
        Belonging::Here | Belonging::Moved => true,
        Belonging::Elsewhere | Belonging::Unknown => false,
    }
}

/// What a run came to, and where it was begun.
async fn earlier_run(
    store: &dyn Store,
    head: &Head,
) -> Result<Option<(EarlierRun, RunOrigin)>, ReadError> {
    let Some(brief) = brief(store, head).await? else {
        return Ok(None);
    };
    let run = EarlierRun {
        run: head.run,
        idea: brief.idea,
        at: head.updated_at,
        state: head.state,
        reason: reason(store, head).await?,
    };
    let origin = RunOrigin {
        project: head.project,
        checkout: Some(brief.checkout),
        git_dir: Some(brief.repository),
    };
    Ok(Some((run, origin)))
}

/// What a run was given; nothing when that is gone or of another version.
async fn brief(store: &dyn Store, head: &Head) -> Result<Option<ProductBrief>, ReadError> {
    let first = store.records(head.run, Seq::ZERO, 1).await?;
    let started = first.first().and_then(|record| record.read().ok());
    let Some(name) = started.and_then(|started: RunStarted| started.brief) else {
        return Ok(None);
    };
    let text = store.blob(name.digest).await?.unwrap_or_default();
    Ok(serde_json::from_slice(&text).ok())
}

/// Why it ended, where it says so: the code, and the beginning of the words.
async fn reason(store: &dyn Store, head: &Head) -> Result<String, ReadError> {
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
