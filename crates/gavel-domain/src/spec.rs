//! What is to be built: the spec, its criteria, and the phases that fulfil them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A testable statement about the result.
///
/// Its id is the name of the test that shows it: lower-case letters, digits and underscores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// The id, unique in its spec.
    pub id: String,
    /// The statement.
    pub statement: String,
    /// What shows it from outside, see [`crate::CriterionExample`]; may be empty.
    #[serde(default)]
    pub example: String,
}

impl Criterion {
    /// The longest id.
    pub const MAX_ID: usize = 80;

    /// True for a text that can name a criterion and its test.
    pub fn is_id(text: &str) -> bool {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        text.len() <= Self::MAX_ID
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(plain)
    }
}

/// The spec: what a run has agreed to build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// A short name of the product.
    pub title: String,
    /// What it is for.
    pub purpose: String,
    /// Who uses it.
    pub users: Vec<String>,
    /// What it does.
    pub in_scope: Vec<String>,
    /// What it does not do.
    pub out_of_scope: Vec<String>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// How one sees that it is done.
    pub criteria: Vec<Criterion>,
    /// What a criterion weighs in the score, by its id; one where none is given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, u32>,
    /// What may come later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<String>,
    /// How it is divided inside.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub architecture: String,
    /// What goes in and what comes out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub interface: String,
    /// The folders and what each holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Language and libraries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stack: String,
    /// How many sprints it takes, by estimate; zero when nobody said.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sprint_estimate: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Spec {
    /// What a criterion weighs.
    pub fn weight(&self, criterion: &str) -> u32 {
        self.weights.get(criterion).copied().unwrap_or(1).max(1)
    }
}

/// One phase of a build, as the contract `phases` states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Counted from zero.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// What it is for, one sentence.
    pub objective: String,
    /// What it leaves behind.
    pub deliverables: Vec<String>,
    /// The entities of the schema that it covers.
    pub schema_coverage: Vec<String>,
    /// The criteria that hold when it ends.
    pub criteria: Vec<Criterion>,
}

/// A question of the discovery, with what was answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveryAnswer {
    /// The question's id, for example `db-strategy`.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// True when a person said it, false when a recommendation was taken.
    pub by_person: bool,
    /// Where it comes from.
    #[serde(default)]
    pub source: AnswerSource,
    /// Why it was recommended, or why it was not asked; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Where an answer of the discovery comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerSource {
    /// A model recommended it, and nobody said otherwise.
    #[default]
    Recommended,
    /// A council of three recommended it.
    Council,
    /// A person said it.
    Person,
    /// The repository says so.
    Repository,
    /// The idea says so.
    Idea,
    /// Nothing of the spec or the contracts would use it.
    NotNeeded,
    /// It was skipped, and stays open.
    Open,
}

/// What a debate or a review settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What it is about.
    pub title: String,
    /// What was chosen.
    pub choice: String,
    /// Why.
    pub why: String,
    /// What those say who do not agree; empty when nobody does.
    #[serde(default)]
    pub dissent: String,
}

/// An item of project memory as a stage sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNote {
    /// Its id.
    pub id: String,
    /// Its kind, for example `trap`.
    pub kind: String,
    /// What it says.
    pub text: String,
}
