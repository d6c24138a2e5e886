//! Who runs the tests of a tree, compared with the commit that the run begins with.

use std::collections::BTreeMap;

use gavel_rules::{
    RunnerBase, RunnerConsent, RunnerNote, RunnerSetting, RunnerStanding, compare_runners,
    look_at_files,
};
use gavel_workspace::{
    CommitId, EntryChange, TreeEntry, TreeFiles, TreeId, WorkTree, WorkTreeError, restored,
    runner_settings,
};

use crate::Site;

/// The longest text that is looked into; what is longer counts as it is.
const MOST_BYTES: usize = 1 << 20;

/// What a comparison came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerCompared {
    /// What is worth a word.
    pub notes: Vec<RunnerNote>,
    /// What makes the tree one whose runner is the one before the run.
    pub(crate) changes: Vec<EntryChange>,
}

impl RunnerCompared {
    /// The settings that a person would have to agree to.
    pub fn changed(&self) -> impl Iterator<Item = &RunnerNote> {
        let notes = self.notes.iter();
        notes.filter(|note| match note.standing {
            RunnerStanding::BaseUsed | RunnerStanding::AllowedByPerson => true,
            RunnerStanding::Unchanged | RunnerStanding::Refused => false,
        })
    }

    /// Refuses what still differs once everything was put back.
    pub(crate) fn unless_left(mut self, after: &Self) -> Self {
        if after.changed().next().is_some() {
            for note in &mut self.notes {
                if note.standing == RunnerStanding::BaseUsed {
                    note.standing = RunnerStanding::Refused;
                }
            }
        }
        self
    }

    /// True when nothing may run the tests of this tree.
    pub(crate) fn is_refused(&self) -> bool {
        let refused = |note: &RunnerNote| note.standing == RunnerStanding::Refused;
        self.notes.iter().any(refused)
    }
}

/// Compares who runs the tests of a commit with who did before the run. Reads git's objects alone,
/// so that it comes to the same in every drive.
pub async fn compare_runner(
    site: &Site,
    commit: &CommitId,
    consent: RunnerConsent,
) -> Result<RunnerCompared, WorkTreeError> {
    let tree = site.tree.tree_of(commit).await?;
    compare_tree(site, &tree, consent).await
}

pub(crate) async fn compare_tree(
    site: &Site,
    tree: &TreeId,
    consent: RunnerConsent,
) -> Result<RunnerCompared, WorkTreeError> {
    let base = site.tree.tree_of(&site.base).await?;
    let (before, names) = files_of(&site.tree, &base).await?;
    let now = if base == *tree {
        before.clone()
    } else {
        files_of(&site.tree, tree).await?.0
    };
    let (was, is): (Vec<RunnerSetting>, _) = (runner_settings(&before), runner_settings(&now));
    let seen = look_at_files(&names);
    // A project that is still to come has no runner of its own to be compared with.
    let is_new = base != *tree && was.is_empty() && seen.sources + seen.tests == 0;
    let compared_with = if is_new {
        RunnerBase::NewProject
    } else {
        RunnerBase::Project(&was)
    };
    let notes = compare_runners(compared_with, &is, (consent, site.runner_rules));
    let put_back: Vec<(&str, &str)> = notes
        .iter()
        .filter(|note| note.standing == RunnerStanding::BaseUsed)
        .map(|note| (note.file.as_str(), note.name.as_str()))
        .collect();
    let changes = restored(&before, &now, &put_back);
    Ok(RunnerCompared { notes, changes })
}

/// The files of a tree with the texts that settings are read from, and all names.
async fn files_of(tree: &WorkTree, id: &TreeId) -> Result<(TreeFiles, Vec<String>), WorkTreeError> {
    let entries = tree.entries_of(id).await?;
    let read: Vec<&TreeEntry> = entries
        .iter()
        .filter(|entry| entry.mode != "160000" && TreeFiles::is_read(entry))
        .collect();
    let mut texts = BTreeMap::new();
    if !read.is_empty() {
        let ids: Vec<&str> = read.iter().map(|entry| entry.id.as_str()).collect();
        let contents = tree.contents_of(&ids).await?;
        for (entry, content) in read.iter().zip(contents) {
            if content.len() <= MOST_BYTES {
                let text = String::from_utf8_lossy(&content).into_owned();
                texts.insert(entry.path.clone(), text);
            }
        }
    }
    let names = entries.iter().map(|entry| entry.path.clone()).collect();
    Ok((TreeFiles::new(entries, texts), names))
}
