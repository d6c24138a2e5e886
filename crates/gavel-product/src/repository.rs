//! What the repository holds where the run began: read once, from the commit, and on record.

use gavel_domain::{FaultClass, RepositoryRead, Scope};
use gavel_rules::{
    Ecosystem, ManifestFound, RepositoryFound, audit_mode, classify_repository, dependency_names,
    look_at_files, manifests_among, readme_beginning, readme_headings,
};
use gavel_run::{Blobs, Pure, StepFailure};
use gavel_workspace::{FileAt, GitError, RepoPath};

use crate::discovery::scope_name;
use crate::trouble::{Tried, until_mended};
use crate::way::{Leave, Way, read_json, unusable};

/// The largest manifest or README that is read.
const MOST_BYTES: usize = 256 * 1024;
/// How many commits are looked at.
const COMMITS: u32 = 5;
/// How many files of a repository are named to a model.
const MOST_NAMED: usize = 200;

/// Reads the repository at the run's base commit; asks for help when git cannot.
pub(crate) async fn read_repository(way: Way<'_>, scope: &Scope) -> Result<RepositoryFound, Leave> {
    let name = format!("{}/repository", scope_name(scope)?);
    until_mended(way, &name, async |scope: Scope| {
        let run = way.run;
        let base = way.place.base.as_str();
        let effect = |blobs: Blobs| async move {
            let found = look(way).await.map_err(|error| failed(&error))?;
            let text = serde_json::to_string(&found).map_err(|error| failed(&error))?;
            Ok(RepositoryRead {
                kind: found.kind,
                sources: found.sources,
                tests: found.tests,
                found: blobs.keep(text),
            })
        };
        let read = run.step(scope.key("read")?, Pure, &base, effect).await?;
        Ok(Tried::Done(read_json(run, read.value.found).await?))
    })
    .await
}

/// The names of files that a model is told.
pub(crate) async fn some_files_at_base(way: Way<'_>) -> Result<Vec<String>, Leave> {
    let mut files = files_at_base(way).await?;
    files.truncate(MOST_NAMED);
    Ok(files)
}

/// The files of the commit that the run begins with; not of the work tree, which has moved on when
/// this is asked in a later drive.
pub(crate) async fn files_at_base(way: Way<'_>) -> Result<Vec<String>, Leave> {
    let Way { run, place, .. } = way;
    let tree = place.tree.tree_of(&place.base).await;
    let tree = tree.map_err(|error| unusable(run, &error))?;
    let files = place.tree.files_of(&tree).await;
    let files = files.map_err(|error| unusable(run, &error))?;
    Ok(files.iter().map(ToString::to_string).collect())
}

/// The probe (what the manifests say) and the audit (what files, README and history say) at once.
async fn look(way: Way<'_>) -> Result<RepositoryFound, LookError> {
    let files = files_at_base(way)
        .await
        .map_err(|_leave| LookError::Files)?;
    let seen = look_at_files(&files);
    let (manifests, readme, commits) = tokio::join!(
        read_manifests(way, manifests_among(&files)),
        read_readme(way, &files),
        way.place.repository.last_subjects(&way.place.base, COMMITS),
    );
    let (manifests, readme) = (manifests?, readme?);
    Ok(RepositoryFound {
        kind: classify_repository(seen.sources, &manifests),
        mode: audit_mode(files.len(), &seen),
        manifests,
        sources: seen.sources,
        tests: seen.tests,
        source_folders: seen.source_folders,
        test_folders: seen.test_folders,
        documented: seen.documented,
        headings: readme_headings(&readme),
        readme: readme_beginning(&readme),
        commits: commits?,
    })
}

/// Why a repository cannot be looked at.
#[derive(Debug, thiserror::Error)]
enum LookError {
    /// Look at what git says about the repository.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The commit is gone.
    #[error("the files of the commit that the run began with cannot be listed")]
    Files,
}

async fn read_manifests(
    way: Way<'_>,
    among: Vec<(String, Ecosystem)>,
) -> Result<Vec<ManifestFound>, GitError> {
    let mut found = Vec::with_capacity(among.len());
    for (path, ecosystem) in among {
        let text = text_at_base(way, &path).await?;
        found.push(ManifestFound {
            dependencies: dependency_names(ecosystem, &text),
            path,
            ecosystem,
        });
    }
    Ok(found)
}

async fn read_readme(way: Way<'_>, files: &[String]) -> Result<String, GitError> {
    let mut top = files.iter().filter(|path| !path.contains('/'));
    match top.find(|path| path.to_lowercase().starts_with("readme")) {
        Some(path) => text_at_base(way, path).await,
        None => Ok(String::new()),
    }
}

/// A text of the commit; one that cannot be read as text says nothing.
async fn text_at_base(way: Way<'_>, path: &str) -> Result<String, GitError> {
    let place = way.place;
    let Ok(path) = RepoPath::new(path) else {
        return Ok(String::new());
    };
    let found = place.repository.file_at(&place.base, &path, MOST_BYTES);
    Ok(match found.await? {
        FileAt::File(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => String::new(),
    })
}

fn failed(problem: &dyn std::error::Error) -> StepFailure {
    StepFailure::of(FaultClass::Failed, problem)
}
