//! What the contracts say about the code, compared with the files of a tree by rules.
//!
//! Boundaries, stack and physics are compared; what they and the other contracts say and no rule can
//! check is listed as such. Everything in the tree is written by whoever is judged: what cannot be
//! read counts against it, and nothing is excused by a mark that the tree itself carries.

mod boundaries;
mod code;
mod entry;
mod language;
mod layers;
mod lexer;
mod manifests;
mod physics;
mod report;
mod rust_items;
mod rust_paths;
mod stack;
mod stack_text;
mod tree;

use gavel_domain::ContractKind;

pub use report::{BindingFinding, BindingReport, BindingRule, BindingSeverity, NotChecked};
pub use tree::{FileText, TreeFile, Unread};

use crate::Shelf;
use report::Collector;
use tree::Tree;

/// Compares the contracts of a build with all files of a tree.
///
/// The result is the same for the same contracts and files, in whatever order they come.
pub fn check_binding<'a>(
    shelf: &Shelf,
    files: impl IntoIterator<Item = TreeFile<'a>>,
) -> BindingReport {
    let tree = Tree::new(files);
    let mut collector = Collector::default();
    for kind in ContractKind::ALL {
        let Some(contract) = shelf.get(kind) else {
            collector.not_checked(kind, "the whole contract", "there is no such contract");
            continue;
        };
        match kind {
            ContractKind::Boundaries => boundaries::check(&contract.text, &tree, &mut collector),
            ContractKind::Stack => stack::check(&contract.text, &tree, &mut collector),
            ContractKind::Physics => physics::check(&contract.text, &tree, &mut collector),
            ContractKind::Manifesto
            | ContractKind::Blueprint
            | ContractKind::Schema
            | ContractKind::Ui
            | ContractKind::Phases
            | ContractKind::BuilderDirective => {
                let (what, why) = beyond_rules(kind);
                collector.not_checked(kind, what, why);
            }
        }
    }
    collector.into_report()
}

/// What a contract says that no rule compares with code, and why.
const fn beyond_rules(kind: ContractKind) -> (&'static str, &'static str) {
    match kind {
        ContractKind::Manifesto => ("its principles", "they are for people and judges to weigh"),
        ContractKind::Blueprint => (
            "intent, invariants, what ships and how it is deployed",
            "only its layers are known to rules, through boundaries.json",
        ),
        ContractKind::Schema => (
            "entities, their fields and types",
            "no rule knows how a program keeps its data",
        ),
        ContractKind::Ui => (
            "screens and flows",
            "what a program shows is seen only by running it",
        ),
        ContractKind::Phases => (
            "objectives, deliverables and exit criteria",
            "criteria are shown at the gate, one by one, and not by reading code",
        ),
        ContractKind::BuilderDirective => (
            "its instructions",
            "they are about how to build, and code does not show that",
        ),
        ContractKind::Stack => ("storage", "no rule knows how a program keeps its data"),
        ContractKind::Physics => (
            "arguments, answers and exits of commands",
            "they are seen only by running the program",
        ),
        ContractKind::Boundaries => ("its reasons", "they are for people to read"),
    }
}

#[cfg(test)]
#[path = "binding_tests.rs"]
mod tests;
