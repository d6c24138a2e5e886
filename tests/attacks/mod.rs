//! Attacks on the real binary: hostile repositories, scripted models, lying providers, abused servers.
//!
//! Each attack has a twin that behaves, so that no wall passes by stopping everything. The modules are
//! part of the test binary of `gavel-cli` and share its fixtures. An attack that takes long asks
//! `gavel_testkit::asked_for("attacks")` first: `cargo xtask test --with attacks` runs it.

mod corpus;
mod credentials;
pub(crate) mod damage;
mod disk;
mod install;
mod limits;
mod links;
mod long_text;
mod managers;
mod mcp;
mod permissions;
mod privacy;
mod push;
mod runner;
mod secrets;
mod stopping;
mod usage;
