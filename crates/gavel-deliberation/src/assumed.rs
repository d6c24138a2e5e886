//! Assumptions as models name them.

use std::collections::BTreeSet;

use gavel_domain::{Assumption, Confidence};
use gavel_rules::assume;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Something that a plan takes for granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assumed {
    /// What is taken for granted, one sentence.
    pub claim: String,
    /// `high` when the plan falls with it, `medium` when a part does, `low` for a guess.
    #[schemars(schema_with = "confidences")]
    pub confidence: Confidence,
    /// `test:NAME`, `file:PATH`, the id of a criterion, or how a person would find out.
    pub how_to_validate: String,
}

impl Assumed {
    /// The entry of the ledger, raised by a role or a stance.
    pub fn by(&self, who: &str) -> Assumption {
        assume(&self.claim, who, self.confidence, &self.how_to_validate)
    }

    /// What makes a list of them unusable.
    pub fn problems(all: &[Self], most: usize) -> Vec<String> {
        let mut wrong = Vec::new();
        if all.len() > most {
            wrong.push(format!("`assumptions` may have {most} entries"));
        }
        for (place, one) in all.iter().enumerate() {
            if one.claim.trim().is_empty() {
                wrong.push(format!("`assumptions[{place}].claim` must not be empty"));
            }
        }
        wrong
    }
}

/// An assumption as the leader lists it, with the stance that raised it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Listed {
    /// What is taken for granted, one sentence.
    pub(crate) claim: String,
    /// `high` when the plan falls with it, `medium` when a part does, `low` for a guess.
    #[schemars(schema_with = "confidences")]
    pub(crate) confidence: Confidence,
    /// `test:NAME`, `file:PATH`, or how a person would find out.
    pub(crate) how_to_validate: String,
    /// The name of the stance, or `leader`.
    pub(crate) raised_by: String,
}

impl Listed {
    pub(crate) fn assumed(&self) -> Assumed {
        Assumed {
            claim: self.claim.clone(),
            confidence: self.confidence,
            how_to_validate: self.how_to_validate.clone(),
        }
    }

    pub(crate) fn entry(&self) -> Assumption {
        self.assumed().by(self.raised_by.trim())
    }
}

/// Each claim once, as it was made first: seats that say the same in every round say it once.
pub(crate) fn once(all: Vec<Assumption>) -> Vec<Assumption> {
    let plain = |claim: &str| {
        let words: Vec<&str> = claim.split_whitespace().collect();
        let line = words.join(" ").to_lowercase();
        line.trim_end_matches(['.', '!', ' ']).to_owned()
    };
    let mut known = BTreeSet::new();
    let mut all = all;
    all.retain(|one| known.insert(plain(&one.claim)));
    all
}

/// The words as a closed list, so that a server which enforces schemas lets no other through.
fn confidences(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["high", "medium", "low"]})
}
