//! Action items lifted into a plan.
