//! The council: different models debate a matter with evidence that is looked up; or, without
//! models, a review by rules.
//!
//! `convene` reads from top to bottom: plan, seats, research, blind openings, rounds, synthesis,
//! judgement. Evidence is checked against what exists, never by its look. A debate that cannot be
//! held says so; it is not replaced by something that looks like one.

mod clarify;
mod convene;
mod council;
mod matter;

pub mod loops;
pub mod memory_tools;

mod chamber;
mod evaluating;
mod experience;
mod floor;
mod looking_up;
mod openings;
mod phase;
mod planning;
mod rounds;
mod seat;
mod seat_lookup;
mod speech;

mod ask_source;
mod evidence;
mod replies;
mod research;
mod tools;

mod card;
mod history;
mod readable;
mod synthesis;
mod verdict;

mod review;
mod spec_review;
mod topic;

mod assumed;
mod record;
mod task;
mod warm;
mod words;

pub use assumed::Assumed;
pub use clarify::{Clarified, ClarifyAsk, clarify};
pub use convene::convene;
pub use council::{Convened, Council, Edition, Held};
pub use history::{
    ActionPlanTold, AnswerLine, ConfidenceTold, CouncilRecord, CouncilRow, DOUBTED, DecisionTold,
    EvaluationTold, Keyed, LeaderTold, PLAN_AGREED, PLAN_MADE, PhaseTold, PlanTold, PositionTold,
    RecordAnswer, RecordError, ResearchTold, RowStance, SilenceTold, Stats, StopTold,
    SynthesisTold, Told, TurnTold, VerdictTold,
};
pub use matter::Matter;
pub use replies::Replies;
pub use review::{ReviewItem, ReviewKind, ReviewStance, review, review_topic};
pub use spec_review::review_spec;
pub use topic::Topic;
pub use verdict::Verdict;
