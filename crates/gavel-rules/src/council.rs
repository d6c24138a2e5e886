//! What a council decides without a model: tags and citations, convergence, rounds, votes, seats,
//! plans, options held against evidence.

mod action_plan;
mod carried;
mod cites;
mod clauses;
mod density;
mod lock;
mod lock_phrases;
mod lookalikes;
mod memory_looked;
mod next;
mod notes;
mod option_names;
mod options;
mod panel;
mod plan;
mod quotes;
mod repeated;
mod ring;
mod rounds;
mod score;
mod short_forms;
mod sources;
mod stances;
mod tag_words;
mod tags;
mod tally;
pub(crate) mod telling;
mod votes;

pub use action_plan::lift_plan;
pub use cites::{Behind, Cite, read_behind, read_cite};
pub use density::{badge, density, final_density, shown_badge, shown_density};
pub use lock::{converged, is_locked};
pub use memory_looked::MemoryLooked;
pub use next::{AfterDebate, NextAction, recommend_next};
pub use notes::{best_of_each, memory_for, names_id, warnings};
pub use options::{
    Bearing, Cited, OptionSource, OptionStanding, OptionsReview, Proposal, SourceKind,
    TopicOptions, read_options, review_options, thing_of,
};
pub use panel::{
    CouncilTask, LeaderPick, ModelCard, ModelTier, model_for, most_independent, pick_leader,
    pick_seats, voices,
};
pub use plan::{check_plan, fallback_plan};
pub use repeated::repeats;
pub use ring::{Standing, opponents, ring};
pub use rounds::{
    AfterRound, MOST_PLANNED_ROUNDS, ROUND_CEILING, RoundSeen, after_round, first_rounds,
    most_rounds, round_cap,
};
pub use score::{CouncilScore, DebateSeen, DecisionEnd, DecisionSeen, score};
pub use short_forms::short_forms;
pub use sources::{cited, sources};
pub use stances::{Experience, add_experience_auditor, add_product_owner, set_product_stances};
pub use tags::{Checked, Tag, TagWord, apply_checks, tags, untagged};
pub use tally::{Tally, Worth, touches};
pub use votes::{
    DraftsSame, Position, compare_drafts, compare_shown, dissenters, goes_along, shown_weight,
    vote, weight,
};
