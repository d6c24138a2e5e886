//! Every pure decision of Gavel. Nothing here awaits, reads a clock, draws or touches anything:
//! data in, data out, tested as tables and properties.

mod answers;
mod chain;
mod retry;
mod spend;

pub use answers::{AnswerProblem, check_answer};
pub use chain::{Chain, ChainProblem};
pub use retry::{NextTry, RetryPolicy, next_try};
pub use spend::{PERCENTS, crossed};
