//! What to do after a debate.

use gavel_domain::{Badge, OutputKind};
use serde::{Deserialize, Serialize};

/// What a person can do with the result of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// Have it drawn together again.
    RetrySynthesis,
    /// Ask on.
    FollowUp,
    /// Have a plan made of it.
    MakePlan,
    /// Do what the plan says.
    Execute,
    /// Keep it as it is.
    Save,
}

impl NextAction {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] = [
        Self::RetrySynthesis,
        Self::FollowUp,
        Self::MakePlan,
        Self::Execute,
        Self::Save,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::RetrySynthesis => "retry_synthesis",
            Self::FollowUp => "follow_up",
            Self::MakePlan => "make_plan",
            Self::Execute => "execute",
            Self::Save => "save",
        }
    }
}

/// What is known when a debate has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterDebate {
    /// True when it was drawn together.
    pub synthesised: bool,
    /// True when a criterion is not met.
    pub criteria_unmet: bool,
    /// True when a section that was asked for says nothing.
    pub empty_sections: bool,
    /// How much it can be relied on.
    pub badge: Badge,
    /// True when it has a plan.
    pub has_plan: bool,
    /// What kind of answer it is.
    pub kind: OutputKind,
}

/// What to recommend. What is missing comes before what follows; to go and do something is only
/// recommended where somebody wanted something done and part of what was said was checked.
pub const fn recommend_next(after: &AfterDebate) -> NextAction {
    if !after.synthesised {
        return NextAction::RetrySynthesis;
    }
    let checked = match after.badge {
        Badge::Low => return NextAction::FollowUp,
        Badge::High | Badge::Medium => true,
        Badge::NotMeasured => false,
    };
    if after.criteria_unmet || after.empty_sections {
        return NextAction::FollowUp;
    }
    match after.kind {
        OutputKind::ImplementationPlan if !after.has_plan => NextAction::MakePlan,
        OutputKind::ImplementationPlan | OutputKind::ActionItems if after.has_plan && checked => {
            NextAction::Execute
        }
        OutputKind::Decision
        | OutputKind::Evaluation
        | OutputKind::Investigation
        | OutputKind::ResolveQuestion
        | OutputKind::ImplementationPlan
        | OutputKind::ActionItems => NextAction::Save,
    }
}

#[cfg(test)]
#[path = "next_tests.rs"]
mod tests;
