//! The rule-based model: no weights, no network, no randomness.
//!
//! Pure functions for now: an idea becomes a [`Design`] or is refused, a design becomes criteria, and
//! both become a small command-line program. The same input always gives the same bytes.

mod criteria;
mod design;
mod program;
mod understand;

pub use criteria::{Criterion, Step, criteria};
pub use design::{
    Command, Design, DesignParts, DesignProblem, Entity, Field, Group, Kind, NAME_LIMIT,
};
pub use program::{File, transcript, write_program};
pub use understand::{Barrier, CAN_DO, Reason, Understood, understand};
