//! The nine contracts: written for a plan, and read again by whoever writes code.

use gavel_domain::{ContractKind, Criterion, Phase};

use crate::design::{Design, DesignProblem};
use crate::transcript::TranscriptProblem;

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
        source: TranscriptProblem,
    },
}

/// The text of one contract.
pub fn write_contract(kind: ContractKind, plan: &Plan) -> String {
    format!("{} {}", kind.file_name(), plan.design.program())
}

/// The two phases: what is stored can be read; then everything else.
pub fn phases_of(plan: &Plan) -> [Phase; 2] {
    [0, 1].map(|number| Phase {
        number,
        name: String::new(),
        objective: plan.design.purpose().to_owned(),
        deliverables: Vec::new(),
        schema_coverage: Vec::new(),
        criteria: Vec::new(),
    })
}

/// What is built by the end of a phase, from contract texts alone: the design with the commands of
/// that phase and those before, and their criteria. `windows` are the phase windows from 0 on; a
/// phase may be in several of them.
pub fn read_contracts(
    schema: &str,
    physics: &str,
    windows: &[String],
    phase: u32,
) -> Result<(Design, Vec<Criterion>), ContractProblem> {
    Err(ContractProblem::Form {
        contract: ContractKind::Schema,
        place: format!("phase {phase}"),
        remedy: format!("{} {} {}", schema.len(), physics.len(), windows.len()),
    })
}
