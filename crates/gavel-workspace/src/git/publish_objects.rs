//! What a commit needs goes from the private objects into the repository's; all else stays private, and
//! is gone with the work tree.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use super::call::{Answer, Call, GitError, Plumbing};
use super::commit::NewCommit;
use super::object_id::CommitId;
use super::turn::remove_if_there;
use super::worktree::WorkTree;

const SUBMODULE: &str = "160000";

impl WorkTree {
    /// Gives the repository every object that a commit adds to its parent, before a ref names it.
    ///
    /// The parent is a commit of the repository, so whatever its tree has at the same path is there.
    pub(super) async fn publish_objects(
        &self,
        new: &NewCommit<'_>,
        commit: &CommitId,
    ) -> Result<(), GitError> {
        let call = Call::new(Plumbing::DiffTree)
            .args(["-r", "-t", "-z", "--raw", "--no-abbrev", "--no-renames"])
            .args([new.parent.as_str(), new.tree.as_str()]);
        let answer = self.inside.run(call).await?;
        let mut ids: Vec<String> = objects_after(&answer)?.into_iter().collect();
        // In the order in which git writes: what names something follows it.
        ids.extend([new.tree.to_string(), commit.to_string()]);
        let missing = self.missing_in_repository(&ids).await?;
        let (from, to) = (self.private.objects(), self.refs.git_dir.join("objects"));
        let copy = move || {
            missing
                .iter()
                .try_for_each(|id| copy_object(id, &from, &to))
        };
        tokio::task::spawn_blocking(copy)
            .await
            .map_err(|lost| GitError::Io {
                path: self.private.objects(),
                source: io::Error::other(lost),
            })?
    }

    /// Those that the repository does not have, in the same order.
    async fn missing_in_repository(&self, ids: &[String]) -> Result<Vec<String>, GitError> {
        let mut asked = ids.join("\n");
        asked.push('\n');
        let call = Call::new(Plumbing::CatFile)
            .arg("--batch-check=%(objectname)")
            .input(asked.as_bytes());
        let answer = self.refs.run(call).await?;
        let lines = answer.line()?.lines();
        let missing = lines.filter_map(|line| line.strip_suffix(" missing"));
        Ok(missing.map(str::to_owned).collect())
    }
}

/// The files and folders that a raw difference leads to.
fn objects_after(answer: &Answer) -> Result<BTreeSet<String>, GitError> {
    let mut ids = BTreeSet::new();
    let mut fields = answer.stdout.split(|byte| *byte == 0);
    while let Some(entry) = fields.next().filter(|entry| !entry.is_empty()) {
        let _path = fields.next();
        let entry = str::from_utf8(entry).map_err(|_error| answer.garbled())?;
        let columns: Vec<&str> = entry.split(' ').collect();
        let [_, mode, _, id, _] = columns.as_slice() else {
            return Err(answer.garbled());
        };
        let is_removed = id.bytes().all(|digit| digit == b'0');
        if !is_removed && *mode != SUBMODULE {
            ids.insert((*id).to_owned());
        }
    }
    Ok(ids)
}

/// Puts one object of ours into another object folder, whole or not at all.
fn copy_object(id: &str, from: &Path, to: &Path) -> Result<(), GitError> {
    let Some((folder, name)) = id.split_at_checked(2) else {
        return Ok(());
    };
    let (from, to) = (from.join(folder).join(name), to.join(folder));
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| {
            let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
            if full.contains(&source.kind()) {
                let command = Plumbing::CommitTree.name();
                GitError::NoSpace { command, path }
            } else {
                GitError::Io { path, source }
            }
        }
    };
    fs::create_dir_all(&to).map_err(failed(&to))?;
    let target = to.join(name);
    match fs::hard_link(&from, &target) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(failed(&from)(error));
        }
        // Another disk, or one without links.
        Err(_) => {}
    }
    let half = to.join(format!("tmp_obj_{name}"));
    // A copy that was cut off is written over by the next.
    remove_if_there(&half)?;
    fs::copy(&from, &half)
        .and_then(|_bytes| fs::File::open(&half)?.sync_all())
        .and_then(|()| fs::rename(&half, &target))
        .map_err(failed(&target))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "aabbccddaabbccddaabbccddaabbccddaabbccdd";

    #[test]
    fn an_object_is_copied_also_to_another_disk_and_never_twice() {
        let here = tempfile::tempdir_in("/dev/shm").unwrap();
        let there = tempfile::tempdir_in("/var/tmp").unwrap();
        let name = ID.split_at(2).1;
        for (from, to) in [(&here, &there), (&there, &here)] {
            let objects = from.path().join("objects");
            fs::create_dir_all(objects.join("aa")).unwrap();
            fs::write(objects.join("aa").join(name), "an object").unwrap();
            let target = to.path().join("copies");
            fs::create_dir_all(target.join("aa")).unwrap();
            fs::write(target.join("aa").join(format!("tmp_obj_{name}")), "an o").unwrap();
            copy_object(ID, &objects, &target).unwrap();
            copy_object(ID, &objects, &target).unwrap();
            let found = fs::read_dir(target.join("aa")).unwrap();
            assert_eq!(found.count(), 1);
            let found = fs::read_to_string(target.join("aa").join(name)).unwrap();
            assert_eq!(found, "an object");
        }
    }

    #[test]
    fn an_object_that_is_nowhere_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let failed = copy_object(ID, &temp.path().join("a"), &temp.path().join("b"));
        assert!(matches!(failed, Err(GitError::Io { .. })), "{failed:?}");
    }
}
