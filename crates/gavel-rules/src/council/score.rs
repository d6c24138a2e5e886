//! Whether debates were worth their money.

use gavel_domain::{Badge, DebateStop, MicroUsd, Voices};
use serde::{Deserialize, Serialize};

/// What became of a decision later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionEnd {
    /// Something that was linked to it later bore it out.
    Right,
    /// Something that was linked to it later spoke against it.
    Wrong,
    /// Nothing was linked to it.
    #[default]
    Unknown,
}

/// A decision of a debate, as its score sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionSeen {
    /// Its id.
    pub id: String,
    /// Whether the debate changed what the drafts would have chosen; nothing when that is not known.
    pub changed: Option<bool>,
    /// What became of it.
    pub outcome: DecisionEnd,
}

/// A debate, as its score sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebateSeen {
    /// The run in which it was held.
    pub run: String,
    /// Whose voices stood behind it.
    pub voices: Voices,
    /// Why it ended; nothing when it has not.
    pub stop: Option<DebateStop>,
    /// How many rounds were held.
    pub rounds: u32,
    /// How much it could be relied on.
    pub badge: Option<Badge>,
    /// What it cost.
    pub cost: MicroUsd,
    /// What it decided.
    pub decisions: Vec<DecisionSeen>,
}

/// What debates came to, all in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilScore {
    /// How many debates there were.
    pub debates: u32,
    /// How many reviews by rules there were. They are no debates and count nowhere else.
    pub reviews: u32,
    /// How many debates held no round, since the drafts agreed.
    pub skipped: u32,
    /// How many had samples of one model.
    pub one_model: u32,
    /// The median of their rounds, the lower one of two; nothing without a debate.
    pub rounds_median: Option<u32>,
    /// What they cost.
    pub cost: MicroUsd,
    /// How many decisions they made.
    pub decisions: u32,
    /// How many of these differ from what the drafts would have chosen.
    pub changed: u32,
    /// How many do not. Where it is not known, neither counts.
    pub unchanged: u32,
    /// How many decisions were borne out.
    pub right: u32,
    /// How many were not.
    pub wrong: u32,
    /// Of how many nothing is known.
    pub unknown: u32,
    /// Borne out, of those that the debate changed.
    pub right_when_changed: u32,
    /// Not borne out, of those that the debate changed.
    pub wrong_when_changed: u32,
    /// Borne out, of those that the debate left.
    pub right_when_unchanged: u32,
    /// Not borne out, of those that the debate left.
    pub wrong_when_unchanged: u32,
}

/// Adds debates up. Their order does not matter.
pub fn score(debates: &[DebateSeen]) -> CouncilScore {
    let mut score = CouncilScore::default();
    let mut rounds = Vec::new();
    for debate in debates {
        match debate.voices {
            Voices::Rules => {
                score.reviews += 1;
                continue;
            }
            Voices::OneModel => score.one_model += 1,
            Voices::Several => {}
        }
        score.debates += 1;
        score.skipped += u32::from(debate.stop == Some(DebateStop::DraftsAgree));
        score.cost = MicroUsd(score.cost.0.saturating_add(debate.cost.0));
        rounds.push(debate.rounds);
        for decision in &debate.decisions {
            score.add(decision);
        }
    }
    rounds.sort_unstable();
    score.rounds_median = rounds.get(rounds.len().saturating_sub(1) / 2).copied();
    score
}

impl CouncilScore {
    fn add(&mut self, decision: &DecisionSeen) {
        self.decisions += 1;
        match decision.changed {
            Some(true) => self.changed += 1,
            Some(false) => self.unchanged += 1,
            None => {}
        }
        match decision.outcome {
            DecisionEnd::Right => self.right += 1,
            DecisionEnd::Wrong => self.wrong += 1,
            DecisionEnd::Unknown => self.unknown += 1,
        }
        match (decision.changed, decision.outcome) {
            (Some(true), DecisionEnd::Right) => self.right_when_changed += 1,
            (Some(true), DecisionEnd::Wrong) => self.wrong_when_changed += 1,
            (Some(false), DecisionEnd::Right) => self.right_when_unchanged += 1,
            (Some(false), DecisionEnd::Wrong) => self.wrong_when_unchanged += 1,
            (None, _) | (_, DecisionEnd::Unknown) => {}
        }
    }
}

#[cfg(test)]
#[path = "score_tests.rs"]
mod tests;
