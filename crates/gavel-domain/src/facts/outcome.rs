//! What a council, or the review that stands in its place, came to.

use serde::{Deserialize, Serialize};

use crate::fact::fact_group;
use crate::{Badge, BlobRef, OutputKind, Voices};

fact_group!(
    /// Facts of what a council came to.
    OutcomeFact {
        /// The leader drew the debate together, or could not.
        SynthesisMade = "synthesis_made",
        /// A judge read the synthesis.
        CouncilJudged = "council_judged",
        /// Something was decided.
        DecisionMade = "decision_made",
        /// The debate is over.
        DebateClosed = "debate_closed",
        /// Rules reviewed the plan, without a debate.
        ReviewMade = "review_made",
        /// Rules held options against evidence, without a debate.
        OptionsReviewed = "options_reviewed",
    }
);

/// How a synthesis came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SynthesisOutcome {
    /// At once.
    Made,
    /// From the final positions alone, after a first try that could not be used.
    MadeCompact,
    /// Not at all.
    Failed,
}

/// The leader drew the debate together, or could not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynthesisMade {
    /// How.
    pub outcome: SynthesisOutcome,
    /// The outcome as JSON, a line `---READABLE---`, and the text for people; what was wrong, for
    /// one that failed.
    pub text: BlobRef,
    /// The leader's answer as JSON, its citations looked up; nothing where they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<BlobRef>,
}

/// A judge read the synthesis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilJudged {
    /// How sure the judge is that it is complete, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// True when a person should look.
    pub needs_person: bool,
    /// Why.
    pub reason: BlobRef,
    /// True when the model that wrote the synthesis judged it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub self_judged: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// Something was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionMade {
    /// Counted from one in its debate.
    pub number: u32,
    /// The decision with its reasons, as JSON.
    pub text: BlobRef,
    /// True when a seat did not agree.
    pub dissent: bool,
    /// The id that the plan gave it; nothing for what came up on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The option that carries it, counted from zero; nothing when it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<u32>,
    /// True when the debate changed what the blind openings came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
}

/// The debate is over; its decisions are facts of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateClosed {
    /// What the leader drew from it, with the dissent and the questions that nobody answered.
    pub summary: BlobRef,
    /// How it is told in a list: topic, stances, excerpts, as JSON of bounded length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<BlobRef>,
    /// What kind of answer it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OutputKind>,
    /// Whose voices stand behind it.
    #[serde(default)]
    pub voices: Voices,
    /// How many rounds were held.
    #[serde(default)]
    pub rounds: u32,
    /// Checked of all tagged claims, in hundredths; nothing when nobody tagged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<u32>,
    /// How much it can be relied on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<Badge>,
    /// How many stances still disagree.
    #[serde(default)]
    pub dissenters: u32,
}

/// Rules reviewed the plan: a checklist, no voices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewMade {
    /// The checklist, as JSON.
    pub items: BlobRef,
    /// How many items speak for the plan.
    pub speaks_for: u32,
    /// How many speak against it.
    pub speaks_against: u32,
}

/// Rules held options against evidence: no voices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsReviewed {
    /// The review, as JSON.
    pub review: BlobRef,
    /// How many options there are.
    pub options: u32,
    /// How many citations it rests on.
    pub cites: u32,
    /// The option that the evidence favours, counted from zero in the order of the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<u32>,
}
