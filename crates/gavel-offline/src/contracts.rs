//! The nine contracts: written for a plan, and read again by whoever writes code.

mod criteria;
mod phases;
mod read;
mod write;

use gavel_domain::{ContractKind, Criterion, ExampleProblem};

pub use self::phases::phases_of;
pub use self::read::read_contracts;
pub use self::write::write_contract;

use crate::design::{Design, DesignProblem};

/// What the contracts are written from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What is to be built.
    pub design: Design,
    /// How one sees that it is done: those of the spec, word for word.
    pub criteria: Vec<Criterion>,
    /// What the discovery settled: question id and answer.
    pub answers: Vec<(String, String)>,
    /// What the project remembers.
    pub memory: Vec<String>,
    /// True when everything is to be built in one phase.
    pub one_phase: bool,
}

/// Why contracts cannot be built: which contract, where in it, and what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractProblem {
    /// A place does not have the form that it needs.
    #[error("{}: {place}: {remedy}", contract.file_name())]
    Form {
        /// The contract.
        contract: ContractKind,
        /// The heading, row, command or criterion.
        place: String,
        /// What to write there.
        remedy: String,
    },
    /// Schema and interface make no design.
    #[error("schema.md and physics.yaml: {0}")]
    Design(#[from] DesignProblem),
    /// A criterion's example cannot be run.
    #[error("phases.md: criterion `{id}`: {source}")]
    Example {
        /// The criterion.
        id: String,
        /// What is wrong with its example.
        source: ExampleProblem,
    },
}

/// The lines that are not in a fence.
fn unfenced(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

#[cfg(test)]
#[path = "contracts_tests.rs"]
mod tests;
