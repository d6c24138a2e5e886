//! The sandbox around commands: what they may touch, and the processes that hold them to it.
//!
//! Gavel starts itself again as `gavel sandbox-exec ORDER -- argv`; see `exec.rs` for the stages
//! and `report.rs` for how they answer. Only `crate::command` starts a sandbox.

mod bubblewrap;
mod capabilities;
mod descendants;
mod disk;
mod exec;
mod file_tree;
mod folder_digest;
mod gateway;
mod http;
mod init;
mod inner;
mod landlock;
mod level;
mod lock;
mod nameless;
mod namespaces;
mod policy;
mod probe;
mod profile_env;
mod reaching;
mod report;
mod seccomp;
mod session;
mod supervisor;

pub use exec::{SANDBOX_EXEC, sandbox_exec};
pub use level::{Confinement, Gap};
pub use lock::{OrphanError, wait_for_orphans};
pub(crate) use policy::{AlsoAt, Layer};
pub use policy::{Limits, Places, Policy, PolicyError, Profile, Protected, Toolchains};
pub use probe::{HttpAnswer, HttpProbe};
pub use report::{Ending, Walls};

pub(crate) use gateway::receive;
pub(crate) use http::{HttpBody, HttpRequest};
pub(crate) use lock::Held;
pub(crate) use report::{Event, Order};
pub(crate) use session::{Errand, Session, SessionStep};
