//! What the writer of a contract is told. The texts are files in `prompts/`.

use gavel_domain::ContractKind;

pub(crate) const SYSTEM: &str = include_str!("../prompts/system.md");

const SKELETON: &str = "The skeleton shows the format alone. Its product, its names and its \
    sentences are not yours: take none of them over.";

/// The task: its first line names the kind, then come the rules of that kind.
pub(crate) fn task(kind: ContractKind) -> String {
    format!("Contract: {kind}\n\n{}\n{SKELETON}", rules(kind))
}

const fn rules(kind: ContractKind) -> &'static str {
    match kind {
        ContractKind::Manifesto => include_str!("../prompts/manifesto.md"),
        ContractKind::Blueprint => include_str!("../prompts/blueprint.md"),
        ContractKind::Stack => include_str!("../prompts/stack.md"),
        ContractKind::Schema => include_str!("../prompts/schema.md"),
        ContractKind::Physics => include_str!("../prompts/physics.md"),
        ContractKind::Boundaries => include_str!("../prompts/boundaries.md"),
        ContractKind::Ui => include_str!("../prompts/ui.md"),
        ContractKind::Phases => include_str!("../prompts/phases.md"),
        ContractKind::BuilderDirective => include_str!("../prompts/builder_directive.md"),
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
