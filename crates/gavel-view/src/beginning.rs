//! What was known at the beginning: the route, the repository, earlier runs.

use gavel_domain::{IntakeClassified, RepositoryKind, RouteDecided, RunId};
use serde::Serialize;
use serde_json::Value;

use crate::Text;

/// How the idea was scored, and why it went the way it went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouteTold {
    /// The route's word.
    pub route: String,
    /// True when nothing is missing.
    pub sufficient: bool,
    /// What the idea leaves open.
    pub missing: Vec<String>,
    /// The label of the complexity.
    pub complexity: String,
    /// The label of the size.
    pub size: String,
    /// Why this route, as codes.
    pub reasons: Vec<String>,
    /// Everything that was scored and known.
    pub inputs: Option<Text<Value>>,
}

impl RouteTold {
    pub(crate) fn of(fact: RouteDecided, inputs: Option<Text<Value>>) -> Self {
        Self {
            route: fact.route,
            sufficient: fact.sufficient,
            missing: fact.missing,
            complexity: fact.complexity,
            size: fact.size,
            reasons: fact.reasons,
            inputs,
        }
    }
}

/// What a model said about the idea, beside the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClarityTold {
    /// Its model.
    pub model: String,
    /// `clear` or `vague`; none when it gave no usable answer.
    pub clarity: Option<String>,
}

impl From<IntakeClassified> for ClarityTold {
    fn from(fact: IntakeClassified) -> Self {
        Self {
            model: fact.model,
            clarity: fact.clarity,
        }
    }
}

/// What the repository held where the run began.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RepositoryTold {
    /// What it was taken for.
    pub kind: RepositoryKind,
    /// Source files.
    pub sources: u32,
    /// Test files.
    pub tests: u32,
    /// What was found in it.
    pub found: Text<Value>,
}

/// Earlier runs with a similar idea.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EarlierTold {
    /// Their ids, most similar first.
    pub runs: Vec<RunId>,
    /// What is known of them, in the same order.
    pub texts: Text<Value>,
}
