//! What a place for a fault is, and the search for places in one file.

use std::ops::{Range, RangeInclusive};

use crate::path::RepoPath;
use crate::syntax::{SourceLanguage, SyntaxCheckError, parse};
use crate::tree_root::FileError;

use super::draft::Drafts;
use super::{javascript, python, rust};

/// What a fault does to the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// A function without a result does nothing.
    EmptyBody,
    /// A function returns a default without doing anything.
    DefaultValue,
    /// A condition decides the other way; that of a loop ends it.
    NegatedCondition,
    /// A comparison or a range is off by one step: `<` becomes `<=`.
    Boundary,
    /// `==` becomes `!=`, and the like.
    Equality,
    /// `&&` becomes `||`, `!x` becomes `x`, `true` becomes `false`.
    Logic,
    /// `+` becomes `-`, and the like.
    Arithmetic,
    /// A statement is left out.
    DroppedStatement,
}

impl FaultKind {
    /// True when it takes the whole body of a function away: almost any test notices a result of another
    /// type.
    pub const fn takes_body(self) -> bool {
        match self {
            Self::EmptyBody | Self::DefaultValue => true,
            Self::NegatedCondition
            | Self::Boundary
            | Self::Equality
            | Self::Logic
            | Self::Arithmetic
            | Self::DroppedStatement => false,
        }
    }
}

/// A place in a source file where a fault can be planted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultPlace {
    /// The file.
    pub file: RepoPath,
    /// The line, from 1.
    pub line: u32,
    /// The function around it, with what it belongs to: `Parser::next`; `<top>` outside of functions.
    pub function: String,
    /// The lines of that function, from 1.
    pub function_lines: RangeInclusive<u32>,
    /// What the fault does.
    pub kind: FaultKind,
    /// What stands there, shortened to one line.
    pub before: String,
    /// What it becomes, shortened to one line.
    pub after: String,
    /// True when the function is marked `#[mutants::skip]`. Whoever wrote the code wrote the mark too, so
    /// that by itself it excludes nothing.
    pub marked_skip: bool,
    pub(super) wrap: Wrap,
}

/// How a fault is written: text before and after a range of the source, which itself stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrap {
    pub(super) range: Range<usize>,
    /// Text before the range; [`SWITCH`] stands for "this fault is on".
    pub(super) open: String,
    pub(super) close: String,
    /// How many inline modules stand around it (Rust).
    pub(super) modules: usize,
    /// The function around it, as a range of the source.
    pub(super) function: Range<usize>,
}

/// Stands in a wrap for the expression that is true when the fault is on. No language has it in code.
pub(super) const SWITCH: char = '\0';

/// Why faults could not be planted.
#[derive(Debug, thiserror::Error)]
pub enum MutationError {
    /// A source file is too long or too tangled: leave it out.
    #[error("`{file}` cannot be read as code, leave it out")]
    Unreadable {
        /// The file.
        file: RepoPath,
        /// What the parser said.
        #[source]
        source: SyntaxCheckError,
    },
    /// A file of the tree could not be read or written: make the copy anew.
    #[error("the copy that faults are planted in cannot be used, make it anew")]
    Tree(#[from] FileError),
    /// The folder for switch and trace cannot be used: give another.
    #[error("`{folder}` cannot hold the switch of the faults, give a folder of its own")]
    Control {
        /// The folder.
        folder: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A project's own mutation settings cannot be read: mend or remove them.
    #[error("`{file}` excludes code from mutation and cannot be read: {problem}")]
    Settings {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

/// Lists the places of a file in the order in which they stand there, outer ones first.
///
/// Tests inside of the file are left out. Code that does not parse has no places.
pub fn find_fault_places(
    language: SourceLanguage,
    file: &RepoPath,
    source: &str,
) -> Result<Vec<FaultPlace>, MutationError> {
    // The mark for the switch must not be in the text that faults are made of.
    if source.contains(SWITCH) {
        return Ok(Vec::new());
    }
    let tree = parse(language, source).map_err(|source| MutationError::Unreadable {
        file: file.clone(),
        source,
    })?;
    let mut drafts = Drafts::new(file, source);
    match language {
        SourceLanguage::Rust => rust::find(&tree, &mut drafts),
        SourceLanguage::Python => python::find(&tree, &mut drafts),
        SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx => {
            javascript::find(&tree, &mut drafts);
        }
    }
    Ok(drafts.into_places())
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
