//! The seats of a council and what each looks out for.

use gavel_models::ModelInfo;

/// What a seat looks out for, in the order in which seats are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// What is known.
    Researcher,
    /// What breaks.
    Skeptic,
    /// What it costs.
    CostController,
    /// How it holds together.
    Architect,
}

impl Stance {
    /// Whoever finds out and whoever doubts come first: a council of two needs both.
    pub(crate) const ALL: [Self; 4] = [
        Self::Researcher,
        Self::Skeptic,
        Self::CostController,
        Self::Architect,
    ];

    /// The name, stored and shown.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Researcher => "Researcher",
            Self::Skeptic => "Skeptic",
            Self::CostController => "Cost-Controller",
            Self::Architect => "Architect",
        }
    }

    /// What the seat is told about itself.
    const fn lens(self) -> &'static str {
        match self {
            Self::Researcher => {
                "You ask what is known and what is only believed. You walk through the first five \
                 minutes and an ordinary day of the person who uses it, compare that with what the \
                 idea, the answers and project memory really say, and name what nobody has found out \
                 yet and how one would."
            }
            Self::Skeptic => {
                "You look for the place where this plan fails: lost data, wrong input, two things \
                 that cannot both hold, an answer that nobody thought through, a mistake that was \
                 made here before. For each you say how one would notice and what prevents it."
            }
            Self::CostController => {
                "You want the least that makes the idea true. You count what each part takes to \
                 build, to run and to keep alive for years: dependencies, machines, upkeep, lock-in. \
                 You name what can wait, and the cheaper way wherever it gives the same."
            }
            Self::Architect => {
                "You ask how it holds together: which parts there are, what each owns, what passes \
                 between them, which choice is hard to take back later. You want few parts with clear \
                 borders, and you say which of them can be tested by itself."
            }
        }
    }

    /// A prompt with this stance in its place.
    pub(crate) fn into_prompt(self, prompt: &str) -> String {
        prompt.replace("STANCE", &format!("{}. {}", self.name(), self.lens()))
    }
}

/// A seat of a council.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<'a> {
    /// Counted from one.
    pub(crate) number: u32,
    pub(crate) stance: Stance,
    pub(crate) model: &'a ModelInfo,
}

impl Seat<'_> {
    pub(crate) fn model_name(&self) -> String {
        self.model.id.to_string()
    }
}
