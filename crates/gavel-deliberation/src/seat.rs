//! The seats of a council: a stance, a model, a number.

use gavel_domain::{CouncilSeated, DebatePlan, SeatTaken, Stance, Voices};
use gavel_models::ModelInfo;
use gavel_rules::council::voices;

use crate::Council;

/// A seat of a council.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seat<'a> {
    /// Counted from one.
    pub(crate) number: u32,
    pub(crate) stance: &'a Stance,
    pub(crate) model: &'a ModelInfo,
}

impl Seat<'_> {
    /// A prompt with the name of this seat's stance in its place. What it looks out for was written
    /// by a model, so it stands among the data of the task.
    pub(crate) fn into_prompt(self, prompt: &str) -> String {
        prompt.replace("STANCE", &self.stance.name)
    }

    /// What this seat looks out for.
    pub(crate) fn lens(self) -> String {
        let Stance { lens, focus, .. } = self.stance;
        if focus.is_empty() {
            return lens.clone();
        }
        format!("{lens} Dwell on: {focus}")
    }
}

/// Gives the stances of a plan to the models of a council, in turn; nobody sits without a model.
pub(crate) fn seated<'a>(council: &'a Council, plan: &'a DebatePlan) -> Vec<Seat<'a>> {
    let models = council.seats.iter().cycle();
    let seats = (1..).zip(&plan.stances).zip(models);
    let seat = |((number, stance), model)| Seat {
        number,
        stance,
        model,
    };
    seats.map(seat).collect()
}

/// Whose voices the seats are.
pub(crate) fn voices_of(seats: &[Seat<'_>]) -> Voices {
    let models: Vec<String> = seats.iter().map(|seat| seat.model.id.to_string()).collect();
    voices(&models)
}

/// The seats as they are told.
pub(crate) fn told(council: &Council, seats: &[Seat<'_>]) -> CouncilSeated {
    let taken = seats.iter().map(|seat| SeatTaken {
        seat: seat.number,
        stance: seat.stance.name.clone(),
        origin: seat.stance.origin,
        model: seat.model.id.to_string(),
    });
    CouncilSeated {
        leader: council.leader.id.to_string(),
        promoted_from: council.promoted_from.as_ref().map(ToString::to_string),
        seats: taken.collect(),
        one_model: voices_of(seats) == Voices::OneModel,
    }
}
