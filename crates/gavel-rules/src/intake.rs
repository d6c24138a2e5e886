//! Intake: what a prompt says about itself, and which way a run takes because of it.
//!
//! `missing` and `complexity` follow the reference rules to the letter, whatever the language;
//! what those rules cannot see (a new product, a language they were not written for) is told in
//! fields of its own, so that the route can tell "vague" from "new" and from "not scored".

mod complexity;
mod gray_areas;
mod greenfield;
mod ground;
mod language;
mod prompt;
mod route;
mod size;
mod sufficiency;

use serde::{Deserialize, Serialize};

use self::prompt::Prompt;

pub use complexity::{Complexity, ComplexityLabel};
pub use gray_areas::GrayArea;
pub use ground::{Ground, ground_of};
pub use language::Language;
pub use route::{Route, RouteReason};
pub use size::{HalfPoints, Size, SizeLabel};
pub use sufficiency::Gap;

/// Everything that was scored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intake {
    /// True when nothing is missing.
    pub sufficient: bool,
    /// What the prompt leaves open, by the letter of the rules.
    pub missing: Vec<Gap>,
    /// How much thought it needs.
    pub complexity: Complexity,
    /// How much work it is.
    pub size: Size,
    /// Which way a run takes.
    pub route: Route,
    /// Why.
    pub reasons: Vec<RouteReason>,
    /// What is worth asking, the most useful first.
    pub gray_areas: Vec<GrayArea>,
    /// The language, as far as letters and common words tell.
    pub language: Language,
    /// True when something new is to be made.
    pub greenfield: bool,
    /// False when the rules were not written for this language and saw nothing that they know.
    pub scored: bool,
}

/// What is known beside the prompt. The default knows nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// The cap on sprints, where one was given.
    pub max_sprints: Option<u32>,
    /// How many proven principles project memory has for this prompt.
    pub principles: u32,
    /// What kind of task a classifier took it for.
    pub task: Option<Task>,
    /// What a model said about the prompt's clarity.
    pub clarity: Option<Clarity>,
    /// What the person asked for.
    pub council: CouncilWish,
    /// What the repository has for a change to begin with.
    #[serde(default)]
    pub ground: Ground,
}

/// A kind of task that changes the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Finding a fault.
    Debug,
    /// Anything else.
    Other,
}

/// A model's word on a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clarity {
    /// One can begin.
    Clear,
    /// One has to ask.
    Vague,
}

/// Whether a person insists on a debate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouncilWish {
    /// As the scores say.
    #[default]
    AsScored,
    /// `--force-council`.
    Forced,
}

/// Scores a prompt of which nothing else is known.
pub fn score_intake(prompt: &str) -> Intake {
    score_intake_in(prompt, &Circumstances::default())
}

/// Scores a prompt under circumstances.
pub fn score_intake_in(prompt: &str, circumstances: &Circumstances) -> Intake {
    let prompt = Prompt::read(prompt);
    let missing = sufficiency::gaps(&prompt);
    let language = language::detect(&prompt);
    let greenfield = greenfield::wants_something_new(&prompt);
    // A file or a verb that the rules know makes a prompt of any language readable to them.
    let scored =
        !language.is_foreign() || prompt.names_a_file() || sufficiency::has_concrete_verb(&prompt);
    let complexity = complexity::score(&prompt, circumstances);
    let (route, reasons) = route::decide(route::Scores {
        vague: !missing.is_empty(),
        scored,
        greenfield,
        complexity: complexity.label,
        clarity: circumstances.clarity,
        council: circumstances.council,
        ground: circumstances.ground,
    });
    Intake {
        sufficient: missing.is_empty(),
        missing,
        complexity,
        size: size::score(&prompt, circumstances),
        route,
        reasons,
        gray_areas: gray_areas::open(&prompt),
        language,
        greenfield,
        scored,
    }
}

#[cfg(test)]
#[path = "intake_tests.rs"]
mod tests;
