//! Pages: what comes first, what comes after, and how it is said.

mod run;
mod scout;
mod seal;

pub use run::{run_document, run_summary};
pub use scout::{scout_document, scout_plan_document, scout_quick_document};
pub use seal::seal_document;
