//! Whether project memory was looked into: "none found" says where.

use serde::Serialize;

/// Whether project memory was looked into for something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryLooked {
    /// It answered.
    #[default]
    Asked,
    /// It was not to be asked.
    NotAsked,
    /// There is no project that could have one.
    NoProject,
    /// It was asked and did not answer in time.
    TooSlow,
    /// It was asked and could not be read.
    Unreadable,
}

impl MemoryLooked {
    /// What a record of a recall says by the word that it keeps for why there was no answer.
    pub fn of_recall(unanswered: &str) -> Self {
        match unanswered {
            "" => Self::Asked,
            "too_slow" => Self::TooSlow,
            _ => Self::Unreadable,
        }
    }

    /// What the reader must know; nothing where it answered.
    pub const fn gap(self) -> Option<&'static str> {
        match self {
            Self::Asked => None,
            Self::NotAsked => Some("Project memory was not asked: what it knows is missing here."),
            Self::NoProject => Some("There is no project here whose memory could be asked."),
            Self::TooSlow => Some(
                "Project memory did not answer in time (memory.recall_ms): what it knows is missing here.",
            ),
            Self::Unreadable => {
                Some("Project memory could not be read: what it knows is missing here.")
            }
        }
    }

    /// That nothing which was looked into does something: `name it`, `say`.
    pub(super) fn nothing_does(self, does: &str) -> String {
        let gap = match self {
            Self::Asked => return format!("neither project memory nor the files {does}"),
            Self::NotAsked => "project memory was not asked",
            Self::NoProject => "there is no project whose memory could be asked",
            Self::TooSlow => "project memory did not answer in time",
            Self::Unreadable => "project memory could not be read",
        };
        format!("the files do not {does}, and {gap}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_looked_into_is_never_said_to_be_silent() {
        use MemoryLooked::{Asked, NoProject, NotAsked, TooSlow, Unreadable};
        assert_eq!(
            Asked.nothing_does("name it"),
            "neither project memory nor the files name it"
        );
        for looked in [NotAsked, NoProject, TooSlow, Unreadable] {
            let told = looked.nothing_does("name it");
            assert!(told.starts_with("the files do not name it, and "), "{told}");
            assert!(looked.gap().is_some());
        }
        let words = ["", "too_slow", "unreadable", "another"];
        assert_eq!(
            words.map(MemoryLooked::of_recall),
            [Asked, TooSlow, Unreadable, Unreadable]
        );
    }
}
