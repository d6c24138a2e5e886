//! The one way to run a command: argv in, outcome out, always through the sandbox's supervisor.
//!
//! There is no shell. A program that is itself a shell may run, since the walls hold it like any
//! other; that is why nothing here tries to recognise dangerous arguments.

mod argv;
mod detect;
mod output;
mod run;
mod told;

pub use argv::{Argv, ArgvError, ShellWord};
pub(crate) use output::Collector;
pub use output::Output;
pub use run::{
    CommandError, CommandOutcome, CommandSpec, Commands, Exit, SandboxDoor, WithoutSandbox,
};
