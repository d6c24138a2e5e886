//! Credential files of a project: agents' commands never see them, verifications only those that are
//! made for tests.

use gavel_workspace::{
    CommitId, RepoPath, Scrubber, TreeEntry, WorkTree, WorkTreeError, credential_values,
    is_credential_file, is_test_credential, is_token_free,
};

/// The longest credential file whose values are known.
const MOST_BYTES: usize = 1 << 20;

/// Which files of a project commands do not see, and what is taken out of what they print.
#[derive(Debug, Default)]
pub struct HiddenFiles {
    /// Hidden from the commands of agents.
    pub(crate) from_agents: Vec<RepoPath>,
    /// Hidden from verifications, too.
    pub(crate) from_tests: Vec<RepoPath>,
    /// Takes out the values of what verifications see.
    scrubber: Option<Scrubber>,
}

impl HiddenFiles {
    /// Looks at the commit that a run begins with: whatever is called like a credential there is one,
    /// except what the person's own settings reveal. What a run itself writes is nobody's secret.
    pub async fn at(
        tree: &WorkTree,
        base: &CommitId,
        revealed: &[String],
    ) -> Result<Self, WorkTreeError> {
        let entries = tree.entries_of(&tree.tree_of(base).await?).await?;
        let credentials: Vec<(RepoPath, &TreeEntry)> = entries
            .iter()
            .filter(|entry| !revealed.contains(&entry.path))
            .filter_map(|entry| Some((RepoPath::new(&entry.path).ok()?, entry)))
            .filter(|(path, _)| is_credential_file(path))
            .collect();
        if credentials.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<&str> = credentials
            .iter()
            .map(|(_, entry)| entry.id.as_str())
            .collect();
        let contents = tree.contents_of(&ids).await?;
        let mut hidden = Self::default();
        let mut values = Vec::new();
        for ((path, _), content) in credentials.into_iter().zip(contents) {
            let text = String::from_utf8_lossy(content.get(..MOST_BYTES).unwrap_or(&content));
            hidden.from_agents.push(path.clone());
            if is_test_credential(&path) || is_token_free(&path, &text) {
                values.extend(credential_values(&text));
            } else {
                hidden.from_tests.push(path);
            }
        }
        match Scrubber::new(values.iter().map(String::as_str)) {
            Ok(scrubber) => hidden.scrubber = Some(scrubber),
            Err(error) => {
                // What cannot be taken out of an output is not shown to a test either.
                tracing::warn!(%error, "verifications see no credential file");
                hidden.from_tests.clone_from(&hidden.from_agents);
            }
        }
        Ok(hidden)
    }

    /// The files that not even verifications see.
    pub fn from_tests(&self) -> &[RepoPath] {
        &self.from_tests
    }

    /// A text of a verification without the values of the credentials that it may see.
    pub(crate) fn scrub(&self, text: String) -> String {
        match &self.scrubber {
            Some(scrubber) => scrubber.scrub(&text).text,
            None => text,
        }
    }
}
