//! Decisions about project memory: which status may follow which, how much an item still weighs, what
//! is stale, and which items look alike or say the opposite. Plain values in, plain values out.

mod hints;
mod lifecycle;
mod staleness;
mod status;

pub use hints::{Opposed, Opposition, Statement, most_alike, opposition, overlap};
pub use lifecycle::{Life, LifeClass, RECENT_DAYS, life_class, lifecycle};
pub use staleness::{Stale, Standing, staleness};
pub use status::{Course, Status, StatusProblem, UnknownStatus, check_status};
