//! What stands against a phase: failed tests, missing tests, findings, files of Gavel's own that were
//! touched.
//!
//! Each has an identity, so that the same trouble found again is the same, and one that is gone can
//! be told from one that is new.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    Criterion, Digest, ErrorResolved, ErrorTracked, Scope, VerifyFinished, VerifyVerdict,
};
use gavel_run::{Blobs, Pure, Run, RunError};
use gavel_workspace::{ChangeKind, ChangedFile, TestNames};

use crate::audit::{Finding, Severity};

/// The folder of the contracts on a build branch.
const CONTRACTS: &str = ".gavel/contracts/";
/// The folder of contracts, memory and seals.
const OWN: &str = ".gavel";
/// Settings, and the keys whose seals a project trusts.
const SETTINGS: &str = "gavel.toml";

/// One thing that stands against a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// Who found it.
    pub(crate) source: &'static str,
    /// What it is.
    pub(crate) text: String,
}

/// Troubles by identity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Troubles(BTreeMap<Digest, Trouble>);

impl Troubles {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.values().map(|one| one.text.clone()).collect()
    }

    fn add(&mut self, source: &'static str, identity: &[&str], text: String) {
        let fields = [source].into_iter().chain(identity.iter().copied());
        let identity = Digest::of_fields(fields.map(str::as_bytes));
        self.0.insert(identity, Trouble { source, text });
    }

    /// What a verification found: failed tests by name, else its verdict unless it passed.
    pub(crate) fn verified(&mut self, fact: &VerifyFinished, tests: &TestNames) {
        for name in &tests.failed {
            let text = format!("the test {name} failed");
            self.add("verify", &["test", name], text);
        }
        let word = match fact.verdict {
            VerifyVerdict::Passed => return,
            VerifyVerdict::Failed if !tests.failed.is_empty() => return,
            VerifyVerdict::Failed => "failed",
            VerifyVerdict::Unclear => "is unclear",
        };
        let text = format!("the verification {word}: {}", fact.reason);
        self.add("verify", &["verdict", &fact.reason], text);
    }

    /// Criteria that no test is named after.
    pub(crate) fn missing(&mut self, ids: &[&str]) {
        for id in ids {
            let text = format!("no test named {id} was executed");
            self.add("verify", &["missing", id], text);
        }
    }

    /// What an auditor calls an error.
    pub(crate) fn audited(&mut self, findings: &[Finding]) {
        for one in findings {
            match one.severity {
                Severity::Warning => {}
                Severity::Error => {
                    let place = if one.file.is_empty() {
                        String::new()
                    } else {
                        format!("{}: ", one.file)
                    };
                    let text = format!("{place}{}", one.message);
                    self.add("audit", &[&one.file, &one.message], text);
                }
            }
        }
    }

    /// Contracts, memory, seals and settings are not the builder's to change: whoever merges the
    /// branch would trust them.
    pub(crate) fn touched(&mut self, changed: &[ChangedFile]) {
        for file in changed {
            let name = file.name.to_string();
            if !is_own(&name) {
                continue;
            }
            let (what, how) = if name.starts_with(CONTRACTS) && file.kind != ChangeKind::Added {
                ("contract", "a contract was changed")
            } else {
                ("own", "a file of Gavel's own was written")
            };
            let text = format!("{name}: {how}, which no phase may do");
            self.add("gate", &[what, &name], text);
        }
    }

    /// Records what is new since an earlier look, and what is gone.
    pub(crate) async fn record(
        &self,
        run: &Run,
        (scope, sprint): (&Scope, u32),
        before: &Self,
    ) -> Result<(), RunError> {
        for (error, trouble) in &self.0 {
            if before.0.contains_key(error) {
                continue;
            }
            let key = scope.key(&format!("found-{}", error.short()))?;
            let record = |blobs: Blobs| async move {
                Ok(ErrorTracked {
                    error: *error,
                    source: trouble.source.to_owned(),
                    sprint,
                    text: blobs.keep(trouble.text.as_str()),
                })
            };
            run.step(key, Pure, error, record).await?;
        }
        for error in before.0.keys() {
            if !self.0.contains_key(error) {
                let key = scope.key(&format!("gone-{}", error.short()))?;
                let error = *error;
                run.decide(key, ErrorResolved { error, sprint }).await?;
            }
        }
        Ok(())
    }
}

/// True for what only Gavel and people write.
fn is_own(name: &str) -> bool {
    let first = name.split('/').next().unwrap_or_default();
    first.eq_ignore_ascii_case(OWN) || name.eq_ignore_ascii_case(SETTINGS)
}

/// The criteria of which no test was executed; none are missed where the runner names no tests.
pub(crate) fn missing_tests<'a>(
    criteria: &'a [Criterion],
    fact: &VerifyFinished,
    tests: &TestNames,
) -> Vec<&'a str> {
    // A script may call a runner that names only failures; and where nothing ran, that is the
    // trouble.
    let named: BTreeSet<_> = fact.recipe.split('+').collect();
    if named.contains("npm") || fact.executed == 0 {
        return Vec::new();
    }
    let ids = criteria.iter().map(|criterion| criterion.id.as_str());
    ids.filter(|id| !tests.knows(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gavel_workspace::{RepoPath, TreeName};

    fn found(kind: ChangeKind, name: &str) -> Vec<String> {
        let name = TreeName::Path(RepoPath::new(name).unwrap());
        let mut troubles = Troubles::default();
        troubles.touched(&[ChangedFile { kind, name }]);
        troubles.texts()
    }

    #[test]
    fn what_is_gavels_own_is_not_a_phases_to_write() {
        for name in [
            ".gavel/contracts/extra.md",
            ".gavel/memory/2026-11/note.jsonl",
            ".Gavel/seal/x.dsse.json",
            "gavel.toml",
        ] {
            let texts = found(ChangeKind::Added, name);
            assert_eq!(
                texts,
                [format!(
                    "{name}: a file of Gavel's own was written, which no phase may do"
                )]
            );
        }
        let texts = found(ChangeKind::Modified, ".gavel/contracts/stack.md");
        assert_eq!(
            texts,
            [".gavel/contracts/stack.md: a contract was changed, which no phase may do"]
        );
        for name in ["src/main.rs", "docs/gavel.toml", ".gavelrc"] {
            assert_eq!(found(ChangeKind::Added, name), [""; 0], "{name}");
        }
    }
}
