//! What history still holds although the files no longer do.

use super::call::{Call, GitError, Plumbing};
use super::object_id::CommitId;
use super::repository::Repository;
use crate::path::RepoPath;

impl Repository {
    /// The oldest commit of any branch in which a file below a folder began to hold a text, or
    /// `None` when no commit ever did. The text is taken as it is, not as a pattern.
    pub async fn first_commit_with(
        &self,
        folder: &RepoPath,
        text: &str,
    ) -> Result<Option<CommitId>, GitError> {
        let call = Call::new(Plumbing::RevList)
            .args(["--reverse", "--topo-order", "--all", "--"])
            .arg(folder.as_str());
        let commits = self.git().run(call).await?;
        if commits.stdout.is_empty() {
            return Ok(None);
        }
        let call = Call::new(Plumbing::DiffTree)
            .args(["--stdin", "--root", "-m", "-r", "--name-only"])
            .args(["--no-renames", "--no-ext-diff", "--no-textconv"])
            .arg(format!("-S{text}"))
            .arg("--")
            .arg(folder.as_str())
            .input(&commits.stdout);
        let answer = self.git().run(call).await?;
        // The ids of commits that fit stand on lines of their own, each before its files.
        let found = String::from_utf8_lossy(&answer.stdout);
        Ok(found.lines().find_map(|line| line.parse().ok()))
    }
}
