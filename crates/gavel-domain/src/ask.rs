//! What was asked for: short spans of a person's own words, and what became of each.

use serde::{Deserialize, Serialize};

/// A span of a person's own words that asks for something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// `a1`, `a2` …, in the order in which they were said.
    pub id: String,
    /// The words, as they were said.
    pub text: String,
    /// Where they were said.
    pub source: AskSource,
    /// The asks of the words that the person said in the place of these; none while these stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reworded_as: Vec<String>,
}

impl Ask {
    /// True while its words stand: the person said no others in their place.
    pub fn stands(&self) -> bool {
        self.reworded_as.is_empty()
    }
}

/// Who said the words that a run begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdeaOrigin {
    /// A person, to this program.
    #[default]
    Person,
    /// Another program, which may have them from a person or not.
    Agent,
    /// A council wrote them, as a step of a plan that a person approved.
    PlanStep,
}

impl IdeaOrigin {
    /// True where a person said them; what is stored does not name that.
    pub const fn is_person(&self) -> bool {
        matches!(self, Self::Person)
    }

    /// Where the asks of these words were said.
    pub const fn source(self) -> AskSource {
        match self {
            Self::Person => AskSource::Idea,
            Self::Agent => AskSource::Agent,
            Self::PlanStep => AskSource::PlanStep,
        }
    }
}

/// Where an ask was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AskSource {
    /// In the idea.
    Idea,
    /// As the answer to a question.
    Answer {
        /// The question's id.
        question: String,
    },
    /// In an idea that a program gave: nobody knows whether a person said it.
    Agent,
    /// In a step of a council's plan, which a person approved and did not write.
    PlanStep,
    /// While the run worked, without being asked.
    Interjection,
    /// As the answer to a question, in the place of earlier words.
    Rewording {
        /// The question's id.
        question: String,
    },
}

/// What became of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AskStanding {
    /// Criteria serve it.
    Covered {
        /// Their ids; never empty.
        criteria: Vec<String>,
    },
    /// The leader says that criteria serve it, and nothing in them does so.
    Claimed {
        /// Their ids; never empty.
        criteria: Vec<String>,
        /// Why that is not taken for granted.
        doubt: ClaimDoubt,
        /// True when a person agreed to the spec that showed it.
        #[serde(default)]
        agreed: bool,
    },
    /// No criterion serves it, for a reason that is stated.
    Excluded {
        /// Why.
        reason: String,
        /// True when a person agreed to the spec that showed it.
        #[serde(default, skip_serializing_if = "is_false")]
        agreed: bool,
    },
    /// No criterion serves it, and nobody stated why.
    Open,
    /// The person said other words in its place, which are asks of their own.
    Reworded,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Why it is not taken for granted that criteria serve an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimDoubt {
    /// No telling word of the ask stands in them.
    NoSharedWord,
    /// They are said to serve many asks at once, and their examples show nothing of this one.
    ServesEverything,
    /// The writer says that they serve what it guessed to be meant.
    Guessed,
}

impl ClaimDoubt {
    /// The doubt in words, after `the leader's word alone: `.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoSharedWord => "no word of it stands in these criteria",
            Self::ServesEverything => {
                "they are to serve many asks at once, and their examples show nothing of it"
            }
            Self::Guessed => "a word of it was taken for a field to type a text into, as a guess",
        }
    }
}

/// An ask with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskAccount {
    /// The ask.
    #[serde(flatten)]
    pub ask: Ask,
    /// What became of it.
    pub standing: AskStanding,
}

impl AskAccount {
    /// True while nothing answers for it.
    pub fn is_open(&self) -> bool {
        self.standing == AskStanding::Open
    }

    /// True while its words stand: the person said no others in their place.
    pub fn stands(&self) -> bool {
        self.standing != AskStanding::Reworded
    }

    /// True where only the leader says that it is served, and no person agreed to that.
    pub const fn is_only_claimed(&self) -> bool {
        match self.standing {
            AskStanding::Claimed { agreed, .. } => !agreed,
            AskStanding::Covered { .. }
            | AskStanding::Excluded { .. }
            | AskStanding::Open
            | AskStanding::Reworded => false,
        }
    }

    /// True where it was left out, and no person agreed to that.
    pub const fn is_left_out_unseen(&self) -> bool {
        match self.standing {
            AskStanding::Excluded { agreed, .. } => !agreed,
            AskStanding::Covered { .. }
            | AskStanding::Claimed { .. }
            | AskStanding::Open
            | AskStanding::Reworded => false,
        }
    }

    /// The criteria that serve it, or are said to.
    pub fn criteria(&self) -> &[String] {
        match &self.standing {
            AskStanding::Covered { criteria } | AskStanding::Claimed { criteria, .. } => criteria,
            AskStanding::Excluded { .. } | AskStanding::Open | AskStanding::Reworded => &[],
        }
    }

    /// The same, after a person agreed to the spec that showed it.
    #[must_use]
    pub fn agreed_to(mut self) -> Self {
        match &mut self.standing {
            AskStanding::Claimed { agreed, .. } | AskStanding::Excluded { agreed, .. } => {
                *agreed = true;
            }
            AskStanding::Covered { .. } | AskStanding::Open | AskStanding::Reworded => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_asks_are_read_as_they_were_written() {
        let before =
            r#"{"id":"a1","text":"books","source":{"kind":"idea"},"standing":{"kind":"open"}}"#;
        let after = concat!(
            r#"{"id":"a1","text":"books","source":{"kind":"idea"},"#,
            r#""reworded_as":["a2"],"standing":{"kind":"reworded"}}"#
        );
        let new = concat!(
            r#"{"id":"a2","text":"films","#,
            r#""source":{"kind":"rewording","question":"open-asks"},"#,
            r#""standing":{"kind":"covered","criteria":["film_is_listed"]}}"#
        );
        let reworded = AskAccount {
            ask: Ask {
                id: "a1".to_owned(),
                text: "books".to_owned(),
                source: AskSource::Idea,
                reworded_as: vec!["a2".to_owned()],
            },
            standing: AskStanding::Reworded,
        };
        assert_eq!(serde_json::to_string(&reworded).unwrap(), after);
        let agent =
            r#"{"id":"a1","text":"books","source":{"kind":"agent"},"standing":{"kind":"open"}}"#;
        let step = r#"{"id":"a1","text":"books","source":{"kind":"plan_step"},"standing":{"kind":"open"}}"#;
        for text in [before, after, new, agent, step] {
            let account: AskAccount = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&account).unwrap(), text);
        }
    }
}
