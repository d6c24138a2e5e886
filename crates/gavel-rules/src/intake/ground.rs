//! What a repository has for a change to begin with.

use serde::{Deserialize, Serialize};

use super::prompt::Prompt;

/// Files at the root that every new repository may have, by how their names begin.
const SAY_NOTHING: [&str; 7] = [
    "readme",
    "license",
    "licence",
    "copying",
    ".git",
    ".editorconfig",
    "gavel.toml",
];
/// Gavel's own folder: memory, contracts and seals are no project by themselves.
const OWN: &str = ".gavel/";

/// What a run begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Nobody looked.
    #[default]
    Unknown,
    /// Nothing that the prompt could mean.
    Bare,
    /// Something that can be changed.
    Project,
}

/// Says what the files of a repository are for a prompt. A file that the prompt names is something
/// to change, even a README alone.
pub fn ground_of<'a>(prompt: &str, files: impl IntoIterator<Item = &'a str>) -> Ground {
    let prompt = Prompt::read(prompt);
    let is_named = |file: &str| {
        let file = file.to_lowercase();
        let names = |named: &String| {
            let rest = file.strip_suffix(named.trim_start_matches("./"));
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        prompt.files().iter().any(names)
    };
    let counts = |file: &str| is_named(file) || !says_nothing(file);
    if files.into_iter().any(counts) {
        Ground::Project
    } else {
        Ground::Bare
    }
}

fn says_nothing(file: &str) -> bool {
    let file = file.to_lowercase();
    file.starts_with(OWN)
        || (!file.contains('/') && SAY_NOTHING.iter().any(|start| file.starts_with(start)))
}
