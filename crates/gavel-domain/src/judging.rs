//! What is judged: assumptions, criteria, and the evidence that they point at.

use serde::{Deserialize, Serialize};

use crate::EvidenceRank;

/// How sure somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Medium,
    /// The plan rests on it.
    High,
}

/// What became of an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionStatus {
    /// Nobody looked yet.
    Unverified,
    /// It is so.
    Validated,
    /// It is not so.
    Refuted,
    /// It was put off, by a person or because nobody looked.
    Deferred,
}

/// An entry of the assumption ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// Its id, the same for the same claim.
    pub id: String,
    /// What is taken for granted.
    pub claim: String,
    /// Who raised it: a role or the name of a stance.
    pub raised_by: String,
    /// How sure they were.
    pub confidence: Confidence,
    /// How one would find out; `test:NAME` and `file:PATH` are looked at by the program itself.
    pub how_to_validate: String,
    /// What became of it.
    pub status: AssumptionStatus,
    /// What shows it; empty while unverified.
    #[serde(default)]
    pub evidence: String,
}

/// How far a criterion holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionStanding {
    /// It holds.
    Met,
    /// It holds in part.
    Partial,
    /// It does not hold, or nobody knows.
    Unmet,
}

/// In what executions of an example differ from it as it is written. Their folders always do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ExampleChanges {
    /// Other values stood in the place of written ones.
    pub values: bool,
    /// Steps were repeated, or came in another order.
    pub order: bool,
    /// What a program keeps of it that knows the written answers by heart.
    #[serde(default, skip_serializing_if = "keeps_nothing")]
    pub by_heart: ByHeart,
}

/// What of an example a program keeps that knows its written answers by heart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByHeart {
    /// Nothing, as far as could be tried; or nothing goes in that could be known.
    #[default]
    Nothing,
    /// All of it: something goes in, and no value of it could be another one.
    Values,
    /// A number that comes out: it stayed as it is written, or nothing came, when other numbers went in.
    Numbers,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn keeps_nothing(by_heart: &ByHeart) -> bool {
    matches!(by_heart, ByHeart::Nothing)
}

/// Something that a judgement points at; every one is looked up before it counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EvidenceRef {
    /// A test that was executed and passed.
    Test {
        /// Its full name.
        name: String,
    },
    /// A line of a file in the judged tree.
    File {
        /// The file.
        path: String,
        /// The line, counted from one.
        line: u32,
    },
    /// A commit of the build's branch.
    Commit {
        /// Its id.
        id: String,
    },
    /// A command on record, with how it ended.
    Command {
        /// Its words, separated by spaces.
        command: String,
        /// Its exit code.
        exit: i32,
    },
    /// The recorded smoke run.
    Smoke {
        /// What was asked, for example `GET /health`.
        request: String,
    },
    /// The criterion's own example, executed by Gavel.
    Example {
        /// How often it was executed and held.
        runs: u32,
        /// In what these executions differ; none where it was not kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changes: Option<ExampleChanges>,
    },
}

/// What was judged about a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionJudged {
    /// The criterion.
    pub id: String,
    /// How far it holds; never better than its evidence.
    pub standing: CriterionStanding,
    /// What shows it, each looked up and found.
    #[serde(default)]
    pub evidence: Vec<EvidenceRef>,
    /// Why not, or what the judge said; empty for a test of the criterion's name.
    #[serde(default)]
    pub note: String,
    /// Its weight in the score.
    #[serde(default = "one")]
    pub weight: u32,
    /// How firmly it was shown; none where nothing shows it, and in runs that did not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<EvidenceRank>,
    /// A fault that its test caught, as `file:line: before became after`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caught: String,
}

const fn one() -> u32 {
    1
}

/// The name by which criteria know a test: the last part of its full name, without its parameters.
pub fn test_name(full: &str) -> &str {
    let whole = test_without_parameters(full);
    whole.rsplit("::").next().unwrap_or(whole)
}

/// A test's full name without the parameters in brackets at its end: they tell runs of one test
/// apart, and all of them together are that test.
pub fn test_without_parameters(full: &str) -> &str {
    match full.split_once('[') {
        Some((test, _)) if full.ends_with(']') && !test.is_empty() => test,
        Some(_) | None => full,
    }
}

/// What a repository was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryKind {
    /// Nothing is there yet.
    Greenfield,
    /// Something is there, and it is not clear what.
    Ambiguous,
    /// A project.
    Existing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_no_part_of_a_test_s_name() {
        for (full, whole, name) in [
            ("added", "added", "added"),
            ("cli::added", "cli::added", "added"),
            ("t.py::added[1-2]", "t.py::added", "added"),
            ("t.py::added[a::b[0]]", "t.py::added", "added"),
            ("[id]/t.py::added", "[id]/t.py::added", "added"),
            (
                "t.py::added[1] twice",
                "t.py::added[1] twice",
                "added[1] twice",
            ),
            ("[all]", "[all]", "[all]"),
            ("", "", ""),
        ] {
            assert_eq!(test_without_parameters(full), whole, "{full}");
            assert_eq!(test_name(full), name, "{full}");
        }
    }
}
