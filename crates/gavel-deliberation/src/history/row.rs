//! A debate as one bounded row, for lists and queries.

use gavel_domain::{Assumption, DebatePlan, OutputKind, SynthesisOutcome};
use serde::{Deserialize, Serialize};

use crate::readable::excerpt;
use crate::synthesis::{Drawn, FinalPosition};

const MOST_STANCES: usize = 8;
const MOST_EXCERPT: usize = 200;
const MOST_TOPIC: usize = 400;
const MOST_SYNTHESIS: usize = 1_500;
const MOST_RECOMMENDATION: usize = 400;
const MOST_ASSUMPTIONS: usize = 40;

/// A debate in a list; every text has a most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilRow {
    /// What was asked.
    pub topic: String,
    /// What kind of answer it gives.
    pub kind: OutputKind,
    /// Who stood where in the end; at most eight.
    pub stances: Vec<RowStance>,
    /// How the synthesis came about.
    pub synthesis: SynthesisOutcome,
    /// The first 1,500 characters of the text for people.
    pub text: String,
    /// What to do; empty when the council does not say.
    pub recommendation: String,
    /// What is taken for granted; at most forty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Assumption>,
}

/// Where a stance stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowStance {
    /// Its name.
    pub stance: String,
    /// Its model.
    pub model: String,
    /// How its last turn begins.
    pub excerpt: String,
    /// The key of that turn.
    pub turn: String,
}

/// The row of a debate.
pub(crate) fn row(
    topic: &str,
    plan: &DebatePlan,
    positions: &[FinalPosition],
    (drawn, assumptions): (&Drawn, &[Assumption]),
) -> CouncilRow {
    let stances = positions.iter().take(MOST_STANCES);
    let stances = stances.map(|position| RowStance {
        stance: excerpt(&position.stance, MOST_EXCERPT),
        model: position.model.clone(),
        excerpt: excerpt(&position.text, MOST_EXCERPT),
        turn: position.turn.clone(),
    });
    CouncilRow {
        topic: excerpt(topic, MOST_TOPIC),
        kind: plan.output_shape.kind,
        stances: stances.collect(),
        synthesis: drawn.how,
        // Its lines are kept: it is Markdown.
        text: drawn.readable.chars().take(MOST_SYNTHESIS).collect(),
        recommendation: excerpt(&drawn.outcome.recommendation, MOST_RECOMMENDATION),
        assumptions: assumptions.iter().take(MOST_ASSUMPTIONS).cloned().collect(),
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
