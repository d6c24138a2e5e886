//! MCP: the tools of programs that a person named as sources, for those who look things up.
//!
//! A source is a child process that speaks MCP over its standard input and output. It is started at
//! its first use, sees nothing of the environment but what was named, and ends with its value.

mod answer;
mod child;
mod source;
mod talk;

pub use source::{McpProgram, McpSource, Patience};
