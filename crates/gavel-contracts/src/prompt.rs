//! What the writer of a contract is told. The texts are files in `prompts/`.

use gavel_domain::{ContractKind, Spec};

pub(crate) const SYSTEM: &str = include_str!("../prompts/system.md");

/// The words of the product in the skeletons.
const PRODUCT: [&str; 2] = ["lamp", "keeper"];

const SKELETON: &str = "The skeleton shows the format alone. Its product, its names and its \
    sentences are not yours: take none of them over.";

/// The task: its first line names the kind, then come the rules of that kind and the bound of the
/// phases.
pub(crate) fn task(kind: ContractKind, most_phases: Option<u32>) -> String {
    let bound = match (kind, most_phases) {
        (ContractKind::Phases, Some(most)) => format!("\n\nAt most {most} phase(s)."),
        _ => String::new(),
    };
    format!("Contract: {kind}\n\n{}\n{SKELETON}{bound}", rules(kind))
}

/// The line of the skeleton that a text has taken over with its product, where the spec knows
/// nothing of that product.
pub(crate) fn copied(kind: ContractKind, text: &str, spec: &Spec) -> Option<&'static str> {
    let of_skeleton = |words: &str| {
        let words = words.to_lowercase();
        PRODUCT.iter().any(|word| words.contains(word))
    };
    let ours = [&spec.title, &spec.purpose].into_iter();
    let mut ours = ours.chain(&spec.in_scope);
    if ours.any(|words| of_skeleton(words)) {
        return None;
    }
    let mut skeleton = rules(kind).lines().map(str::trim);
    skeleton.find(|line| of_skeleton(line) && text.lines().any(|other| other.trim() == *line))
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
