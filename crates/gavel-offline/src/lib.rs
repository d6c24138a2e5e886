//! The rule-based model: no weights, no network, no randomness.
//!
//! Pure functions: an idea becomes a [`Design`] or is refused, a design becomes criteria and nine
//! contracts, and contracts become a small command-line program. The same input always gives the
//! same bytes. Whoever writes code knows nothing but the contracts.

mod change;
mod contracts;
mod criteria;
mod design;
mod english;
mod model;
mod program;
mod template;
mod understand;
mod wire;

pub use contracts::{ContractProblem, Plan, phases_of, read_contracts, write_contract};
pub use criteria::criteria;
pub use design::{
    Command, Design, DesignParts, DesignProblem, Entity, Field, Group, Kind, NAME_LIMIT,
};
pub use model::{Offline, info};
pub use program::{File, write_program};
pub use understand::{Barrier, CAN_DO, Reason, Understood, understand};
