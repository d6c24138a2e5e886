//! What a run is given when it starts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::IdeaOrigin;

/// The brief of a run, kept as JSON; places are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductBrief {
    /// The idea, as it was typed.
    pub idea: String,
    /// Who said it; a person, in briefs from before it was kept.
    #[serde(default, skip_serializing_if = "IdeaOrigin::is_person")]
    pub said_by: IdeaOrigin,
    /// The git program.
    pub git: PathBuf,
    /// The checkout whose memory is read; never written.
    pub checkout: PathBuf,
    /// Its repository's git dir.
    pub repository: PathBuf,
    /// The commit to begin with.
    pub base: String,
    /// The folder of the build's work tree; what belongs to it lies beside it.
    pub work_tree: PathBuf,
    /// The prefix of build branches, for example `gavel/`.
    pub branch_prefix: String,
    /// A wish about the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// True when project memory is not to be asked.
    #[serde(default)]
    pub without_memory: bool,
    /// True when the council is to debate whatever the scores say.
    #[serde(default)]
    pub force_council: bool,
    /// True when a person gives a verdict after each phase.
    #[serde(default)]
    pub review_phases: bool,
    /// True when the contracts are to have three phases at most.
    #[serde(default)]
    pub mini: bool,
    /// True when the idea is about the repository as it is, so it is not taken for a new product.
    #[serde(default)]
    pub from_repo: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn briefs_are_read_as_they_were_written() {
        let before = concat!(
            r#"{"idea":"a list","git":"/git","checkout":"/c","repository":"/c/.git","base":"a1","#,
            r#""work_tree":"/w","branch_prefix":"gavel/","without_memory":false,"force_council":false,"#,
            r#""review_phases":false,"mini":false,"from_repo":false}"#
        );
        let after = before.replace(r#""a list","#, r#""a list","said_by":"plan_step","#);
        let agent = after.replace("plan_step", "agent");
        for (text, said_by) in [
            (before, IdeaOrigin::Person),
            (&after, IdeaOrigin::PlanStep),
            (&agent, IdeaOrigin::Agent),
        ] {
            let brief: ProductBrief = serde_json::from_str(text).unwrap();
            assert_eq!(brief.said_by, said_by);
            assert_eq!(serde_json::to_string(&brief).unwrap(), text);
        }
    }
}
