//! Pages: views as documents, and documents as Markdown, HTML and pictures.
//!
//! Every sentence about a run that a document holds is written here. Nothing here reads a store or
//! prints.

mod document;
mod pages;
mod render;

pub use document::{Bar, Block, Document, Line, MapEdge, MapNode, ModuleMap, Span, Tone, WayRow};
pub use pages::{
    run_document, run_summary, scout_document, scout_plan_document, scout_quick_document,
    seal_document,
};

#[cfg(test)]
mod run_loop_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod run_truth_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod scout_tests;
