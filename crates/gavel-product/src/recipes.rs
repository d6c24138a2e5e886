//! Whether anything here can be verified at all: looked at before a model is asked for anything.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{FaultClass, Scope, ToolFinished};
use gavel_rules::{RecipeStanding, Trip, blank_verification, look_at_files};
use gavel_run::{Blobs, Pure, StepFailure};
use gavel_workspace::{CommitId, FileAt, FileList, RecipeFound, RepoPath, recipe_of};
use serde::{Deserialize, Serialize};

use crate::breakers::{Choice, Tripped, trip};
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, json, read_json};

/// Manifests are small; what is longer is no manifest.
const MOST_BYTES: usize = 1 << 20;
/// More manifests than detection needs to be sure: only .NET projects come in such numbers, and of
/// those that were not read the name decides.
const MOST_READ: usize = 200;

/// What was found about verifying a tree, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Found {
    has_source: bool,
    /// The code of what is missing; none when there are tests.
    missing: Option<String>,
    /// What to do about it.
    told: String,
}

/// Asks how to go on when a tree has source and no way to test it. One without source may still
/// bring its tests, so its first verification decides.
pub(crate) async fn blank(
    way: Way<'_>,
    scope: &Scope,
    commit: &CommitId,
) -> Result<Option<Choice>, Leave> {
    let found = look(way, scope, commit).await?;
    let Some(tripped) = tripped(&found) else {
        return Ok(None);
    };
    let room = scope.scope("recipe", 1)?;
    let at = Tripped {
        scope: &room,
        sprint: None,
        role: None,
        told: &found.told,
    };
    Ok(Some(trip(way, at, &tripped).await?))
}

fn tripped(found: &Found) -> Option<Trip> {
    let standing = match found.missing.as_deref() {
        None => RecipeStanding::Tests { coverage: None },
        Some("no_test_commands") => RecipeStanding::NoTests,
        Some("search_stopped") => RecipeStanding::Unseen,
        Some(_) => RecipeStanding::NoRecipe,
    };
    blank_verification(found.has_source, standing)
}

/// Looks at the files of a commit and runs nothing. A repository that cannot be read may be mended.
async fn look(way: Way<'_>, scope: &Scope, commit: &CommitId) -> Result<Found, Leave> {
    let run = way.run;
    let effect = |blobs: Blobs| async move {
        let found = look_at(way, commit).await?;
        Ok(ToolFinished {
            tool: "look_for_recipe".to_owned(),
            ok: found.missing.is_none(),
            result: blobs.keep(json(run, &found).map_err(|error| failed(&error))?),
            level: None,
            source: None,
        })
    };
    let name = scope.key("look-for-recipe")?.to_string();
    until_mended(way, &name, async |scope: Scope| {
        let input = commit.as_str();
        let looked = run.step(scope.key("recipe")?, Pure, &input, effect).await?;
        Ok(Tried::Done(read_json(run, looked.value.result).await?))
    })
    .await
}

async fn look_at(way: Way<'_>, commit: &CommitId) -> Result<Found, StepFailure> {
    let place = way.place;
    let tree = place.tree.tree_of(commit).await;
    let tree = tree.map_err(|error| failed(&error))?;
    let files = place.tree.files_of(&tree).await;
    let files = files.map_err(|error| failed(&error))?;
    let names: Vec<String> = files.iter().map(ToString::to_string).collect();
    let list = FileList::first_of(files, FileList::MOST);
    let recipe = recipe_at(way, commit, &list).await?;
    let seen = look_at_files(&names);
    Ok(Found {
        has_source: seen.sources + seen.tests > 0,
        missing: recipe.missing().map(str::to_owned),
        told: recipe.told(),
    })
}

/// Reads what detection asks for until it asks for nothing more.
async fn recipe_at(
    way: Way<'_>,
    commit: &CommitId,
    list: &FileList,
) -> Result<RecipeFound, StepFailure> {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    loop {
        let asked = RefCell::new(BTreeSet::new());
        let found = recipe_of(list, |name| {
            let known = texts.get(name);
            if known.is_none() {
                asked.borrow_mut().insert(name.to_owned());
            }
            known.cloned().flatten()
        });
        let asked = asked.into_inner();
        let more = MOST_READ.saturating_sub(texts.len());
        if asked.is_empty() || more == 0 {
            return Ok(found);
        }
        let there: BTreeSet<&str> = list.paths().iter().map(RepoPath::as_str).collect();
        for name in asked.into_iter().take(more) {
            let path = name.parse().ok().filter(|_| there.contains(&*name));
            let text = match path {
                Some(path) => text_at(way, commit, &path).await?,
                None => None,
            };
            texts.insert(name, text);
        }
    }
}

async fn text_at(
    way: Way<'_>,
    commit: &CommitId,
    path: &RepoPath,
) -> Result<Option<String>, StepFailure> {
    let file = way.place.repository.file_at(commit, path, MOST_BYTES).await;
    Ok(match file.map_err(|error| failed(&error))? {
        FileAt::File(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        FileAt::Missing | FileAt::NotAFile | FileAt::TooLarge => None,
    })
}

/// A step that could not be done.
pub(crate) fn failed(error: &dyn std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, error)
}
