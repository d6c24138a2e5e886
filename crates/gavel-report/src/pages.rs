//! Pages: what comes first, what comes after, and how it is said.

mod run;
mod seal;

pub use run::{run_document, run_summary};
pub use seal::seal_document;
