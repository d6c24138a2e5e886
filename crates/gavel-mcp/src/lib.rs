//! MCP, both ways.
//!
//! Outwards: the tools of programs that a person named as sources, for those who look things up. A
//! source is a child process that speaks MCP over its standard input and output. It is started at
//! its first use, sees nothing of the environment but what was named, and ends with its value.
//!
//! Inwards: the served tools of Gavel, over standard input and output or over HTTP.

mod answer;
mod child;
mod conformance;
mod server;
mod source;
mod talk;

pub use conformance::serve_conformance;
pub use server::{
    Completing, HttpDoor, HttpError, HttpLimits, Keys, KeysError, Library, LibraryError, Listed,
    McpServer, Offered, OpenDoor, Page, ReadText, Shop, StdioError, Template, serve_stdio,
};
pub use source::{McpProgram, McpSource, Patience};
