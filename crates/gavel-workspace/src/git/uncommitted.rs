//! What a checkout holds beside what is committed. Nothing is refreshed or written, and no filter of the
//! repository is asked.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::call::{Call, Git, GitError, Plumbing};
use super::object_id::CommitId;
use super::repository::Repository;

/// A link as git stores it.
const LINK: &str = "120000";
/// A file that may be executed.
const EXECUTABLE: &str = "100755";

impl Repository {
    /// The files of a checkout in this folder that differ from those of a commit, and those that no commit
    /// and no ignore rule of the project names; in the order of names, as people read them.
    pub async fn uncommitted(
        &self,
        folder: &Path,
        commit: &CommitId,
    ) -> Result<Vec<String>, GitError> {
        let own = self.git();
        let index = own.git_dir.join("index");
        let git = Git::new(&own.program, &own.git_dir, folder, &index);
        let tree = Call::new(Plumbing::LsTree)
            .args(["-r", "-z", "--full-tree"])
            .arg(commit.as_str());
        let answer = git.run(tree).await?;
        let mut different: Vec<String> = Vec::new();
        let mut wanted: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
        for line in answer.stdout.split(|byte| *byte == 0) {
            if line.is_empty() {
                continue;
            }
            let tab = line.iter().position(|byte| *byte == b'\t');
            let (meta, path) = tab
                .and_then(|tab| line.split_at_checked(tab))
                .ok_or_else(|| answer.garbled())?;
            let path = path.get(1..).unwrap_or_default();
            let mut fields = meta.split(|byte| *byte == b' ');
            let (mode, id) = (fields.next().unwrap_or_default(), fields.next_back());
            let file = folder.join(OsStr::from_bytes(path)).symlink_metadata().ok();
            // Submodules are repositories of their own.
            match String::from_utf8_lossy(mode).as_ref() {
                "160000" => {}
                mode if is_of_mode(file.as_ref(), mode) => {
                    let is_named = !path.contains(&b'\n') && mode != LINK;
                    wanted.extend(is_named.then_some((path, id.unwrap_or_default())));
                }
                _ => different.push(shown(path)),
            }
        }
        different.extend(self.edited(folder, &wanted).await?);
        let others = Call::new(Plumbing::LsFiles).args(["-z", "--others", "--exclude-standard"]);
        let others = git.run(others).await?;
        let others = others.stdout.split(|byte| *byte == 0);
        different.extend(others.filter(|name| !name.is_empty()).map(shown));
        different.sort_unstable();
        different.dedup();
        Ok(different)
    }

    /// Those of these files whose bytes have another id.
    async fn edited(
        &self,
        folder: &Path,
        wanted: &BTreeMap<&[u8], &[u8]>,
    ) -> Result<Vec<String>, GitError> {
        let mut names = Vec::new();
        for path in wanted.keys() {
            names.extend_from_slice(folder.as_os_str().as_bytes());
            names.push(b'/');
            names.extend_from_slice(path);
            names.push(b'\n');
        }
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let hash = Call::new(Plumbing::HashObject)
            .args(["--no-filters", "--stdin-paths"])
            .input(&names);
        let answer = self.git().run(hash).await?;
        let ids = answer.stdout.split(|byte| *byte == b'\n');
        let pairs = wanted.iter().zip(ids);
        let edited = pairs.filter(|((_, id), found)| **id != *found);
        Ok(edited.map(|((path, _), _)| shown(path)).collect())
    }
}

fn is_of_mode(file: Option<&Metadata>, mode: &str) -> bool {
    let Some(file) = file else {
        return false;
    };
    if mode == LINK {
        return file.is_symlink();
    }
    let may_run = file.permissions().mode() & 0o100 != 0;
    file.is_file() && may_run == (mode == EXECUTABLE)
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use gavel_testkit::{git, git_program};

    use super::*;

    #[tokio::test]
    async fn what_is_not_committed_is_named_and_nothing_is_written() {
        let bed = tempfile::tempdir().unwrap();
        let folder = bed.path();
        for (name, text) in [("a.txt", "a\n"), ("b c.txt", "b\n"), ("gone.txt", "\n")] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        std::fs::write(folder.join(".gitignore"), "*.log\n").unwrap();
        symlink("a.txt", folder.join("link")).unwrap();
        git(folder, &["init", "-q", "-b", "main"]);
        git(folder, &["add", "."]);
        git(folder, &["commit", "-q", "-m", "begin"]);
        let commit: CommitId = git(folder, &["rev-parse", "HEAD"]).parse().unwrap();
        let look = async || {
            let repository = Repository::open(&git_program(), folder).await.unwrap();
            repository.uncommitted(folder, &commit).await.unwrap()
        };
        assert_eq!(look().await, Vec::<String>::new());
        // The same bytes at another time are no change, and what is ignored is none.
        std::fs::write(folder.join("a.txt"), "a\n").unwrap();
        std::fs::write(folder.join("noise.log"), "x").unwrap();
        assert_eq!(look().await, Vec::<String>::new());
        let index = std::fs::read(folder.join(".git/index")).unwrap();
        std::fs::write(folder.join("b c.txt"), "other\n").unwrap();
        std::fs::remove_file(folder.join("gone.txt")).unwrap();
        std::fs::write(folder.join("new.txt"), "n").unwrap();
        std::fs::remove_file(folder.join("link")).unwrap();
        std::fs::write(folder.join("link"), "a.txt").unwrap();
        assert_eq!(look().await, ["b c.txt", "gone.txt", "link", "new.txt"]);
        assert_eq!(std::fs::read(folder.join(".git/index")).unwrap(), index);
    }
}
