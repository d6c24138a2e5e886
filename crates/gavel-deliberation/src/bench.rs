//! A council: two to four seats, a leader, and what a debate comes to.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use gavel_agent::ToolContext;
use gavel_domain::{Assumption, Decision};
use gavel_models::ModelInfo;

use crate::seat::{Seat, Stance};

/// Who debates.
#[derive(Debug, Clone)]
pub struct Bench {
    /// The models of the seats, two to four; the stance of a seat follows from its place.
    pub seats: Vec<ModelInfo>,
    /// Draws the debate together.
    pub leader: ModelInfo,
    /// Takes secrets out of what people say meanwhile.
    pub context: ToolContext,
}

/// What a debate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Debated {
    /// It was held.
    Decided {
        /// What was decided, in order.
        decisions: Vec<Decision>,
        /// What is taken for granted, with who raised it.
        assumptions: Vec<Assumption>,
        /// The card that people read: what was decided, who dissented, what is assumed, and what
        /// was left unsaid.
        summary: String,
    },
    /// It could not be held: a debate did not take place.
    Stuck {
        /// Why.
        problem: String,
    },
}

impl Bench {
    /// How many seats there can be.
    pub const SEATS: RangeInclusive<usize> = 2..=4;

    /// True when more than one model speaks.
    pub fn has_second_opinion(&self) -> bool {
        let models: BTreeSet<_> = self.seats.iter().map(|model| &model.id).collect();
        models.len() > 1
    }

    /// The seats with their stances, or why there is no council.
    pub(crate) fn seated(&self) -> Result<Vec<Seat<'_>>, String> {
        if !Self::SEATS.contains(&self.seats.len()) {
            return Err(format!(
                "a council has {} to {} seats, not {}",
                Self::SEATS.start(),
                Self::SEATS.end(),
                self.seats.len()
            ));
        }
        let seats = (1..).zip(Stance::ALL).zip(&self.seats);
        let seats = seats.map(|((number, stance), model)| Seat {
            number,
            stance,
            model,
        });
        Ok(seats.collect())
    }
}
