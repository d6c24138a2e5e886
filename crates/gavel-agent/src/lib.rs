//! Agents: the tool registry, the turn loop (model → tools → guards → compaction), and the tools
//! that work in a tree.
//!
//! Everything a model or a tool does here is a step of a run, so a resumed agent repeats nothing
//! that is on record. This crate knows no stages: whoever uses it says what the task is.

mod agent;
mod ask;
mod declared;
mod heard;
mod history;
mod recall;
mod room;
mod summary;
mod turn;

mod arguments;
mod command_room;
mod context;
mod disk_cap;
mod excerpt;
mod registry;
mod result;
mod served;
mod source;
mod tool;

mod tools;
pub mod toy;

pub use agent::{Agent, AgentLimits, NumberedResult, WorkStop, Worked};
pub use ask::{Ask, Asked, Narrow, Reading, read_answer};
pub use command_room::{CommandRoom, RoomError};
pub use context::ToolContext;
pub use disk_cap::DiskCap;
pub use excerpt::{Cap, DATA_RULE, Excerpt, Keep};
pub use registry::{Caller, Registry, RegistryError, ToolAnswer};
pub use served::{
    Counter, CounterError, FindRun, NextCall, OpenQuestion, Progress, Reached, Refused, Served,
    ServedAnswer, ServedSpec, ServedTool, Session, SessionDesk, SetSession, SetSessionInput,
    SetSessionOutput, ToolHints, ToolSet, Visit,
};
pub use source::{Source, SourceError, SourceTool};
pub use tool::{Data, ToolClass, ToolHandler, ToolOutput, ToolRefusal};
pub use tools::{
    CheckSyntax, CheckSyntaxInput, EditFile, EditFileInput, ListDirectory, ListDirectoryInput,
    ReadFile, ReadFileInput, RunCommand, RunCommandInput, RunTests, RunTestsInput, SearchCode,
    SearchCodeInput, WriteFile, WriteFileInput, work_tree_tools,
};
