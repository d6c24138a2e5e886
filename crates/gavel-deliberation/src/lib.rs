//! The council: blind drafts, one round of replies, a synthesis; or, without models, a review by
//! rules.
//!
//! Evidence is checked against what exists, never by its look. A debate that cannot be held says so;
//! it is not replaced by something that looks like one.

mod assumed;
mod bench;
mod card;
mod council;
mod debate;
mod matter;
mod record;
mod seat;
mod shapes;
mod task;
mod topic;
mod verdict;

mod review;
mod spec_review;
mod words;

pub use assumed::Assumed;
pub use bench::{Bench, Debated};
pub use council::{Convened, Council, Held};
pub use debate::debate;
pub use matter::Matter;
pub use review::{ReviewItem, ReviewKind, ReviewStance, review, review_topic};
pub use spec_review::review_spec;
pub use topic::Topic;
pub use verdict::Verdict;
