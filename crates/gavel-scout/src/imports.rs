//! What a file imports, as it is written there. Which file that means, `graph` finds out.

mod python;
mod rust;
mod script;

use crate::language::Family;
use crate::source::Code;

/// Something that a file imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    /// As it is written: `crate::a::b`, `..a.b`, `./a`.
    pub(crate) target: String,
    pub(crate) line: u32,
    pub(crate) kind: ImportKind,
}

/// When an import counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportKind {
    /// As soon as the file is read.
    Eager,
    /// Only later, or only for types: no cycle at run time.
    Late,
    /// It makes the other file a part of the program: `mod x;`.
    Declares,
}

/// The imports of a file; none for languages whose imports are not followed.
pub(crate) fn imports_of(code: &Code<'_>) -> Vec<Import> {
    match code.language.family() {
        Family::Rust => rust::imports(code),
        Family::Python => python::imports(code),
        Family::Script => script::imports(code),
        Family::Go
        | Family::Jvm
        | Family::DotNet
        | Family::Php
        | Family::Ruby
        | Family::Prisma
        | Family::Sql
        | Family::Counted => Vec::new(),
    }
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
