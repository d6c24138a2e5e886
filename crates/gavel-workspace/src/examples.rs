//! Examples of criteria, executed against the built product: how it is started, and what is seen.

mod cargo;
mod execute;
mod node;
mod program;
mod python;

pub use execute::{ExampleError, ExampleExecution, ExamplePlan, ExampleSeen, execute_example};
pub use program::{Program, ProgramError, ProgramFound, build_program};
