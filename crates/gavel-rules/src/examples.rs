//! Examples of criteria: what was seen of one against what it expects, and variations of one that a
//! program cannot have learned by heart.

mod folders;
mod judge;
mod literals;
mod meaning;
mod numbers;
mod order;
mod random;
mod replace;
mod vary;
mod words;

pub use folders::{ExampleFolders, Person};
pub use judge::{FileSeen, Said, StepEnd, StepSeen, judge_example};
pub use order::{OrderedStep, StepOrder, order_steps};
pub use vary::{DerivedNumbers, Varied, derive_numbers, takes_values, vary};
