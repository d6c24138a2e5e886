//! Attacks on the real binary: hostile repositories, scripted models, lying providers, abused servers.
//!
//! Each attack has a twin that behaves, so that no wall passes by stopping everything. The modules are
//! part of the test binary of `gavel-cli` and share its fixtures. An attack that takes long asks
//! `gavel_testkit::asked_for("attacks")` first: `cargo xtask test --with attacks` runs it.

mod clock;
mod copied_project;
mod corpus;
mod credentials;
pub(crate) mod damage;
mod disk;
mod git_dir;
pub(crate) mod install;
mod limits;
mod links;
mod long_text;
mod managers;
mod mcp;
mod odd_files;
mod open_network;
pub(crate) mod permissions;
mod privacy;
pub(crate) mod push;
pub(crate) mod runner;
mod secrets;
mod shims;
mod stopping;
mod usage;
