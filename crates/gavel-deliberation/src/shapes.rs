//! What models are asked for, as shapes, and what makes an answer usable.

use gavel_domain::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Assumed;
use crate::assumed::Listed;

const MOST_CLAIMS: usize = 20;
const MOST_DECISIONS: usize = 20;
const MOST_ASSUMED: usize = 12;
/// Who raised what no seat did.
const LEADER: &str = "leader";

/// A seat's blind draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Draft {
    /// Where the seat stands, in a few sentences.
    pub(crate) position: String,
    /// What it claims.
    pub(crate) claims: Vec<Claim>,
    /// What would make the result useless.
    pub(crate) risks: Vec<String>,
    /// One thing to do.
    pub(crate) recommendation: String,
    /// What the plan takes for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) assumptions: Vec<Assumed>,
}

/// A claim with what it stands on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Claim {
    /// The claim.
    pub(crate) text: String,
    /// `idea`, `answer:QUESTION` or `memory:ID`.
    pub(crate) evidence: Vec<String>,
}

/// A seat's answer to the other drafts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Reply {
    /// Points of others that it takes over.
    pub(crate) agree: Vec<String>,
    /// Points of others that it thinks wrong.
    pub(crate) dispute: Vec<Dispute>,
    /// Where it stands now.
    pub(crate) position: String,
}

/// A point that a seat thinks wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Dispute {
    /// The point.
    pub(crate) claim: String,
    /// Why it is wrong.
    pub(crate) why: String,
    /// `idea`, `answer:QUESTION` or `memory:ID`.
    pub(crate) evidence: Vec<String>,
}

/// What the leader draws from a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Synthesis {
    /// Three to five sentences.
    pub(crate) summary: String,
    /// What was decided.
    pub(crate) decisions: Vec<Settled>,
    /// What the plan takes for granted after the debate.
    #[serde(default)]
    pub(crate) assumptions: Vec<Listed>,
}

/// A decision as the leader gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Settled {
    /// What it is about.
    pub(crate) title: String,
    /// What was chosen.
    pub(crate) choice: String,
    /// Why.
    pub(crate) why: String,
    /// What those say who do not agree; empty when nobody does.
    pub(crate) dissent: String,
    /// Their stances, by name.
    #[serde(default)]
    pub(crate) dissent_by: Vec<String>,
}

impl From<Settled> for Decision {
    fn from(settled: Settled) -> Self {
        let said = settled.dissent.trim();
        let who = settled.dissent_by.join(", ");
        let dissent = if who.is_empty() || said.is_empty() || said.starts_with(&who) {
            said.to_owned()
        } else {
            format!("{who}: {said}")
        };
        Self {
            title: settled.title,
            choice: settled.choice,
            why: settled.why,
            dissent,
        }
    }
}

/// Something that a seat says, with the evidence that it names.
pub(crate) trait Speech: Serialize {
    /// Every tag, in order.
    fn tags(&self) -> Vec<&str>;
}

impl Speech for Draft {
    fn tags(&self) -> Vec<&str> {
        let tags = self.claims.iter().flat_map(|claim| &claim.evidence);
        tags.map(String::as_str).collect()
    }
}

impl Speech for Reply {
    fn tags(&self) -> Vec<&str> {
        let tags = self.dispute.iter().flat_map(|dispute| &dispute.evidence);
        tags.map(String::as_str).collect()
    }
}

pub(crate) fn check_draft(draft: &Draft) -> Result<(), String> {
    let mut wrong = Vec::new();
    wrong.extend(empty("position", &draft.position));
    wrong.extend(empty("recommendation", &draft.recommendation));
    if draft.claims.is_empty() || draft.claims.len() > MOST_CLAIMS {
        wrong.push(format!("`claims` must have 1 to {MOST_CLAIMS} entries"));
    }
    for (place, claim) in draft.claims.iter().enumerate() {
        wrong.extend(empty(&format!("claims[{place}].text"), &claim.text));
    }
    wrong.extend(Assumed::problems(&draft.assumptions, MOST_ASSUMED));
    all_right(&wrong)
}

pub(crate) fn check_reply(reply: &Reply) -> Result<(), String> {
    let mut wrong = Vec::new();
    wrong.extend(empty("position", &reply.position));
    if reply.dispute.len() > MOST_CLAIMS || reply.agree.len() > MOST_CLAIMS {
        wrong.push(format!(
            "`agree` and `dispute` may have {MOST_CLAIMS} entries each"
        ));
    }
    for (place, point) in reply.agree.iter().enumerate() {
        wrong.extend(empty(&format!("agree[{place}]"), point));
    }
    for (place, dispute) in reply.dispute.iter().enumerate() {
        wrong.extend(empty(&format!("dispute[{place}].claim"), &dispute.claim));
        wrong.extend(empty(&format!("dispute[{place}].why"), &dispute.why));
    }
    all_right(&wrong)
}

/// Checks a synthesis of a council with these stances.
pub(crate) fn check_synthesis(synthesis: &Synthesis, stances: &[&str]) -> Result<(), String> {
    let mut wrong = Vec::new();
    wrong.extend(empty("summary", &synthesis.summary));
    if synthesis.decisions.is_empty() || synthesis.decisions.len() > MOST_DECISIONS {
        wrong.push(format!(
            "`decisions` must have 1 to {MOST_DECISIONS} entries"
        ));
    }
    for (place, decision) in synthesis.decisions.iter().enumerate() {
        for (name, text) in [
            ("title", &decision.title),
            ("choice", &decision.choice),
            ("why", &decision.why),
        ] {
            wrong.extend(empty(&format!("decisions[{place}].{name}"), text));
        }
        for who in decision
            .dissent_by
            .iter()
            .filter(|who| !stances.contains(&who.as_str()))
        {
            wrong.push(format!(
                "`decisions[{place}].dissent_by`: nobody here is called `{who}`; the seats are {}",
                stances.join(", ")
            ));
        }
        if !decision.dissent_by.is_empty() && decision.dissent.trim().is_empty() {
            wrong.push(format!(
                "`decisions[{place}].dissent` must say what they say"
            ));
        }
    }
    let listed: Vec<Assumed> = synthesis.assumptions.iter().map(Listed::assumed).collect();
    wrong.extend(Assumed::problems(&listed, MOST_ASSUMED));
    for (place, one) in synthesis.assumptions.iter().enumerate() {
        let who = one.raised_by.trim();
        if who != LEADER && !stances.contains(&who) {
            wrong.push(format!(
                "`assumptions[{place}].raised_by` is one of {}, {LEADER}",
                stances.join(", ")
            ));
        }
    }
    all_right(&wrong)
}

fn empty(name: &str, text: &str) -> Option<String> {
    text.trim()
        .is_empty()
        .then(|| format!("`{name}` must not be empty"))
}

fn all_right(wrong: &[String]) -> Result<(), String> {
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}
