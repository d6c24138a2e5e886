//! The nine contracts: formats, checks, the tools that read them, and how they are written.
//!
//! A contract is a short text of one of nine kinds. [`check`] says what is wrong with its form and
//! where it disagrees with the contracts that stand already; [`write_contracts`] lets a model
//! write one after another, each checked when it is submitted, and pins them. The formats are
//! described in docs/contracts.md. [`check_binding`] compares them with the texts of a tree. Nothing here
//! touches a work tree.

mod finding;
mod markdown;
mod shelf;

mod binding;
mod check;
mod phases;
mod schema;
mod window;

mod interface;
mod paging;
mod project;
mod reading;
mod served;
mod submit;

mod prompt;
mod write;

#[cfg(test)]
mod samples;

pub use binding::{
    BindingFinding, BindingReport, BindingRule, BindingSeverity, FileText, NotChecked, TreeFile,
    Unread, check_binding,
};
pub use check::{Agreement, MAX_CONTRACT_BYTES, check, check_all, missing_examples};
pub use finding::{Finding, MAX_FINDINGS};
pub use interface::interface_words;
pub use phases::parse_phases;
pub use project::ContractInputs;
pub use reading::reading_tools;
pub use schema::{SchemaEntity, SchemaField, parse_schema};
pub use served::{ContractSource, HeldContract, RunContracts, RunInputs, Sought, served_tools};
pub use shelf::Shelf;
pub use window::{WindowError, phase_window};
pub use write::{Writer, Writing, Written, write_contracts};
