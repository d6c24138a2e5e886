//! The way of a run: straight to work, or through the council.

use serde::{Deserialize, Serialize};

use super::{Clarity, ComplexityLabel, CouncilWish, Ground};

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// One sprint, no debate, no scoping.
    HotPath,
    /// Discovery, debate, spec.
    Council,
}

impl Route {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::HotPath => "hot_path",
            Self::Council => "council",
        }
    }

    /// The route that a stored word names.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::HotPath, Self::Council];
        all.into_iter().find(|route| route.word() == word)
    }
}

/// Why that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// Gaps, and no sign of what is wanted.
    Vague,
    /// Gaps, as every new product has them.
    NewProduct,
    /// The rules cannot read the language.
    LanguageNotScored,
    /// The rules cannot read the language, and a model says that one can begin.
    ModelSaysClear,
    /// The complexity is medium.
    MediumComplexity,
    /// The complexity is high.
    HighComplexity,
    /// A person asked for the council.
    ForceCouncil,
    /// A change is asked for, and the repository holds nothing that could be changed.
    NothingToChange,
    /// Nothing is missing.
    Sufficient,
    /// The complexity is low.
    LowComplexity,
}

impl RouteReason {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vague => "vague",
            Self::NewProduct => "new_product",
            Self::LanguageNotScored => "language_not_scored",
            Self::ModelSaysClear => "model_says_clear",
            Self::MediumComplexity => "medium_complexity",
            Self::HighComplexity => "high_complexity",
            Self::ForceCouncil => "force_council",
            Self::NothingToChange => "nothing_to_change",
            Self::Sufficient => "sufficient",
            Self::LowComplexity => "low_complexity",
        }
    }

    /// One sentence for a person.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Vague => "it is not yet clear what is wanted",
            Self::NewProduct => "something new is to be made, and its questions are open",
            Self::LanguageNotScored => "the local rules do not read this language",
            Self::ModelSaysClear => "a model says that it is clear",
            Self::MediumComplexity => "it needs some thought",
            Self::HighComplexity => "it needs a design",
            Self::ForceCouncil => "you asked for the council",
            Self::NothingToChange => "there is nothing here yet that could be changed",
            Self::Sufficient => "target, scope and intent are clear",
            Self::LowComplexity => "it is a simple change",
        }
    }
}

/// What the route depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scores {
    pub(super) vague: bool,
    pub(super) scored: bool,
    pub(super) greenfield: bool,
    pub(super) complexity: ComplexityLabel,
    pub(super) clarity: Option<Clarity>,
    pub(super) council: CouncilWish,
    pub(super) ground: Ground,
}

/// Decides; reasons against the hot path come first, and one is enough.
pub(super) fn decide(scores: Scores) -> (Route, Vec<RouteReason>) {
    let mut reasons = Vec::new();
    // A model may stand in for rules that cannot read the language, and for nothing else.
    let vouched = !scores.scored && scores.clarity == Some(Clarity::Clear);
    match (scores.scored, scores.vague, scores.greenfield) {
        (false, _, _) if vouched => {}
        (false, _, _) => reasons.push(RouteReason::LanguageNotScored),
        (true, true, true) => reasons.push(RouteReason::NewProduct),
        (true, true, false) => reasons.push(RouteReason::Vague),
        (true, false, _) => {}
    }
    match scores.complexity {
        ComplexityLabel::Low => {}
        ComplexityLabel::Medium => reasons.push(RouteReason::MediumComplexity),
        ComplexityLabel::High => reasons.push(RouteReason::HighComplexity),
    }
    if scores.council == CouncilWish::Forced {
        reasons.push(RouteReason::ForceCouncil);
    }
    // Told only where it decides: a new product begins with nothing, and that is no news.
    if reasons.is_empty() && scores.ground == Ground::Bare {
        reasons.push(RouteReason::NothingToChange);
    }
    if !reasons.is_empty() {
        return (Route::Council, reasons);
    }
    let clear = if vouched {
        RouteReason::ModelSaysClear
    } else {
        RouteReason::Sufficient
    };
    (Route::HotPath, vec![clear, RouteReason::LowComplexity])
}
