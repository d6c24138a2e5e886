//! The seats of a council and what each looks out for.

use gavel_models::ModelInfo;

/// What a seat looks out for, in the order in which seats are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stance {
    /// The smallest thing that works.
    Smallest,
    /// What breaks.
    Critic,
    /// The person who uses it.
    User,
    /// What it costs.
    Cost,
}

impl Stance {
    pub(crate) const ALL: [Self; 4] = [Self::Smallest, Self::Critic, Self::User, Self::Cost];

    /// The stored word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Smallest => "smallest",
            Self::Critic => "critic",
            Self::User => "user",
            Self::Cost => "cost",
        }
    }

    /// What the seat is told about itself.
    const fn words(self) -> &'static str {
        match self {
            Self::Smallest => {
                "Smallest thing that works. You want the least that makes the idea true: what can be left \
                 away, what can wait, which part must be there on the first day. Whatever you keep, you \
                 say who would miss it."
            }
            Self::Critic => {
                "What breaks. You look for the place where this plan fails: lost data, wrong input, two \
                 things that cannot both hold, an answer that nobody thought through, a mistake that was \
                 made here before. For each you say how one would notice and what prevents it."
            }
            Self::User => {
                "The person who uses it. You walk through the first five minutes and an ordinary day with \
                 it: what is typed, what is shown, what happens after a mistake. You name what would make \
                 that person put it away."
            }
            Self::Cost => {
                "What it costs. You count what each part takes to build, to run and to keep alive for \
                 years: dependencies, machines, upkeep, lock-in. You name the cheaper way wherever it \
                 gives the same."
            }
        }
    }

    /// A prompt with this stance in its place.
    pub(crate) fn into_prompt(self, prompt: &str) -> String {
        prompt.replace("STANCE", self.words())
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
