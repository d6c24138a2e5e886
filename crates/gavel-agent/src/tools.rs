//! The tools that work in a tree, one file each.

mod check_syntax;
mod edit_file;
mod files;
mod list_directory;
mod matching;
mod read_file;
mod run_command;
mod run_tests;
mod search_code;
mod write_file;

pub use check_syntax::{CheckSyntax, CheckSyntaxInput};
pub use edit_file::{EditFile, EditFileInput};
pub use list_directory::{ListDirectory, ListDirectoryInput};
pub use read_file::{ReadFile, ReadFileInput};
pub(crate) use run_command::AT_DISK_CAP;
pub use run_command::{RunCommand, RunCommandInput};
pub use run_tests::{RunTests, RunTestsInput};
pub use search_code::{SearchCode, SearchCodeInput};
pub use write_file::{WriteFile, WriteFileInput};

use crate::{Registry, RegistryError};

/// Every tool that works in a tree, for the surface that assembles a registry.
pub fn work_tree_tools(registry: &mut Registry) -> Result<(), RegistryError> {
    registry.add(ReadFile)?;
    registry.add(ListDirectory)?;
    registry.add(SearchCode)?;
    registry.add(CheckSyntax)?;
    registry.add(WriteFile)?;
    registry.add(EditFile)?;
    registry.add(RunTests)?;
    registry.add(RunCommand)
}
