//! The interview of the discovery: ten questions, what an answer may say, which of them are worth
//! a person's time, and whose recommendation counts.

mod depth;
mod questions;
mod skip;
mod skip_table;
mod table;
mod tally;
mod values;

pub use depth::{Depth, Specificity, depth_of, specificity};
pub use questions::{InterviewQuestion, Need, QUESTIONS, RecommendedBy, is_required, question};
pub use skip::{CardPlan, Settled, SkipCase, plan_cards};
pub use tally::{Tally, Vote, council_fits, recommender_guard, tally};
pub use values::{Normal, ValueProblem, allowed_values, check_answer_value};
