//! Delivery: what a stranger needs to use the result, where it is missing. Nothing that is there is
//! ever overwritten.

mod manifest;
mod papers;

use gavel_build::Site;
use gavel_domain::{FaultClass, RunId, Scope, Spec, Timestamp, ToolFinished};
use gavel_run::{Blobs, StepCommit, StepFailure, Tree};
use gavel_workspace::{CommitId, FileError, RepoDir, RepoPath, TreeRoot};
use serde::Serialize;

use self::manifest::{with_crate_fields, with_package_fields};
use self::papers::{notes, readme, test_command};
use crate::building::id;
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, read_json};

/// Where the notes of deliveries lie, one file for each run.
const NOTES: &str = ".gavel/delivery";
/// Files in the root of a product; more are no product's root.
const MOST_FILES: usize = 2_000;
/// Fills in what a manifest lacks.
type Fill = fn(&str, &Spec) -> Option<String>;

/// A manifest is not larger.
const MOST_BYTES: usize = 1 << 20;

/// What is delivered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polish<'a> {
    /// Counted from one: before which gate this is.
    pub(crate) number: u32,
    /// What was agreed to be built.
    pub(crate) spec: &'a Spec,
    /// What it was to rest on and was refuted on the way.
    pub(crate) refuted: &'a [String],
    /// The tip of the branch.
    pub(crate) commit: &'a CommitId,
    /// The moment, from a fact.
    pub(crate) at: Timestamp,
}

/// What the notes of a delivery tell.
#[derive(Debug, Clone, Copy, Serialize)]
struct Delivered<'a> {
    spec: &'a Spec,
    refuted: &'a [String],
}

/// What the texts are made from.
#[derive(Serialize)]
#[serde(untagged)]
enum Input<'a> {
    /// The spec alone, as it was before anything could be refuted.
    Spec(&'a Spec),
    /// With what was refuted.
    Refuted(Delivered<'a>),
}

/// Adds a README, missing fields of a manifest and the notes of this delivery in one commit; returns
/// the new tip, or the old one when nothing was missing.
pub(crate) async fn polish(
    way: Way<'_>,
    site: &Site,
    polish: Polish<'_>,
) -> Result<CommitId, Leave> {
    let name = format!("delivery-{}/files", polish.number);
    until_mended(way, &name, async |scope: Scope| {
        Ok(Tried::Done(polish_once(way, site, polish, &scope).await?))
    })
    .await
}

async fn polish_once(
    way: Way<'_>,
    site: &Site,
    polish: Polish<'_>,
    scope: &Scope,
) -> Result<CommitId, Leave> {
    let (run, work_tree) = (way.run, &*site.tree);
    let effect = |blobs: Blobs| async move {
        let (context, id) = (site.context.clone(), run.id());
        let (spec, refuted) = (polish.spec.clone(), polish.refuted.to_vec());
        let written = tokio::task::spawn_blocking(move || {
            let delivered = Delivered {
                spec: &spec,
                refuted: &refuted,
            };
            write(context.files(), delivered, id)
        });
        let written = written.await.map_err(failed)?.map_err(failed)?;
        let written = serde_json::to_string(&written).map_err(failed)?;
        Ok(ToolFinished {
            tool: "polish".to_owned(),
            ok: true,
            result: blobs.keep(written),
            level: None,
            source: None,
        })
    };
    let key = scope.key("written")?;
    let input = match (polish.spec, polish.refuted) {
        (spec, []) => Input::Spec(spec),
        (spec, refuted) => Input::Refuted(Delivered { spec, refuted }),
    };
    let written = run.step(key, Tree::new(work_tree), &input, effect).await?;
    let written: Vec<String> = read_json(run, written.value.result).await?;
    if written.is_empty() {
        return Ok(polish.commit.clone());
    }
    let commit = StepCommit {
        work_tree,
        branch: &site.branch,
        parent: polish.commit,
        title: "delivery",
        at: polish.at,
    };
    let made = run.commit(scope.key("commit")?, commit).await?;
    Ok(id(run, &made.value)?)
}

/// What a README says that Gavel writes itself.
pub(crate) fn readme_text(spec: &Spec) -> String {
    readme(spec, None)
}

/// Writes what is missing; returns the files that were written.
fn write(files: &TreeRoot, delivered: Delivered<'_>, run: RunId) -> Result<Vec<String>, FileError> {
    let spec = delivered.spec;
    let names = names(files)?;
    let tests = test_command(&names);
    let mut written = Vec::new();
    let mut put = |name: &str, text: &str| {
        if let Ok(path) = RepoPath::new(name) {
            files.write(&path, text.as_bytes())?;
            written.push(name.to_owned());
        }
        Ok::<_, FileError>(())
    };
    let is_readme = |name: &String| name.to_ascii_lowercase().starts_with("readme");
    if !names.iter().any(is_readme) {
        put("README.md", &readme(spec, tests))?;
    }
    for (name, fill) in [
        ("package.json", with_package_fields as Fill),
        ("Cargo.toml", with_crate_fields as Fill),
    ] {
        if let Some(text) = text_of(files, name)
            && let Some(filled) = fill(&text, spec)
        {
            put(name, &filled)?;
        }
    }
    let own = format!("{NOTES}/{}.md", run.short());
    // These are the run's own: what was refuted since they were written belongs into them.
    let is_old = !delivered.refuted.is_empty();
    let told = notes(delivered, tests, run);
    if is_missing(files, &own) || (is_old && text_of(files, &own).is_some_and(|text| text != told))
    {
        put(&own, &told)?;
    }
    Ok(written)
}

/// The names in the root.
fn names(files: &TreeRoot) -> Result<Vec<String>, FileError> {
    let listing = files.list(&RepoDir::ROOT, MOST_FILES)?;
    let names = listing.entries.iter().map(|entry| entry.name.to_string());
    Ok(names.collect())
}

/// The text of a file that may be filled in; a link out of the tree, a binary or a huge one is left
/// alone.
fn text_of(files: &TreeRoot, name: &str) -> Option<String> {
    let content = files.read(&RepoPath::new(name).ok()?, MOST_BYTES).ok()?;
    if content.left_out() > 0 {
        return None;
    }
    String::from_utf8(content.bytes).ok()
}

fn is_missing(files: &TreeRoot, name: &str) -> bool {
    let found = RepoPath::new(name).map(|path| files.read(&path, 0));
    matches!(found, Ok(Err(FileError::NotFound { .. })))
}

fn failed(problem: impl std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, &problem)
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
mod tests;
