//! The plan of a phase: which files it touches.

use std::collections::BTreeSet;

use gavel_workspace::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const MAX_FILES: usize = 120;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct PlanAnswer {
    pub(crate) files: Vec<PlannedFile>,
    /// What the coder must know; may be empty.
    pub(crate) notes: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PlannedFile {
    pub(crate) path: String,
    action: FileAction,
    purpose: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FileAction {
    Create,
    Modify,
    Delete,
}

impl PlannedFile {
    /// Where it is, and what it is for.
    pub(crate) fn in_words(&self) -> String {
        format!("{} {}", self.path, self.purpose)
    }
}

/// Says what makes a plan unusable.
pub(crate) fn check(plan: &PlanAnswer) -> Result<(), String> {
    if plan.files.is_empty() {
        return Err("`files` is empty: a phase touches at least one file".to_owned());
    }
    if plan.files.len() > MAX_FILES {
        return Err(format!("at most {MAX_FILES} files fit into one phase"));
    }
    let mut seen = BTreeSet::new();
    for file in &plan.files {
        let path = RepoPath::new(&file.path)
            .map_err(|error| format!("`{}` cannot be planned: {error}", file.path))?;
        if path.as_str().starts_with(".gavel/") {
            return Err(format!(
                "`{path}` is Gavel's own: plan nothing below .gavel/"
            ));
        }
        if !seen.insert(path.to_string()) {
            return Err(format!("`{path}` is planned twice"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(paths: &[&str]) -> Result<(), String> {
        let file = |path: &&str| PlannedFile {
            path: (*path).to_owned(),
            action: FileAction::Create,
            purpose: String::new(),
        };
        check(&PlanAnswer {
            files: paths.iter().map(file).collect(),
            notes: String::new(),
        })
    }

    #[test]
    fn a_plan_names_files_of_the_tree_once() {
        assert_eq!(problem(&["src/main.rs", "tests/it.rs"]), Ok(()));
        for paths in [
            &[] as &[&str],
            &["../outside"],
            &["/etc/passwd"],
            &[".gavel/contracts/stack.md"],
            &["a.rs", "a.rs"],
            &[""],
        ] {
            assert!(problem(paths).is_err(), "{paths:?}");
        }
        let many = vec!["a"; MAX_FILES + 1];
        assert_eq!(
            problem(&many).unwrap_err(),
            "at most 120 files fit into one phase"
        );
    }
}
