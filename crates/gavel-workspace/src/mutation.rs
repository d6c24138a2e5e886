//! Planting faults in product code: one copy of a tree carries many, each behind a switch.
//!
//! A test that no fault can make fail shows nothing. Here places are found (tree-sitter), faults are
//! planted so that all of them are off, what was executed is read, and faults that do not compile are
//! taken out. What runs the tests, and what follows from a test that notices nothing, is decided
//! elsewhere.
//!
//! The switch is a number in a file outside the tree, so that it reaches every process of a test. Each
//! fault has two numbers: one turns it on, the other (the neutral one) leads the place through the same
//! code without changing what it does. A test that fails under both notices the switch and not the fault.
//! Decoys have numbers of the same kind and change nothing: a test that fails for one reads the sources.

mod alarm;
mod control;
mod decoy;
mod diagnostics;
mod draft;
mod exclusions;
mod helper;
mod javascript;
mod numbers;
mod place;
mod planted;
mod product_files;
mod python;
mod render;
mod rust;
mod selection;
mod sources;

pub use exclusions::{Exclusion, Exclusions, MutationTool};
pub use place::{FaultKind, FaultPlace, MutationError, find_fault_places};
pub use planted::{Alarm, Alarms, Decoy, Fault, PlantRequest, PlantedTree, Switch};
pub use product_files::is_product_file;
