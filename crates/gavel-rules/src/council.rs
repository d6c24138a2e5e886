//! What a council decides without a model: tags and citations, convergence, rounds, votes, seats,
//! plans, options held against evidence.

mod action_plan;
mod cites;
mod density;
mod lock;
mod lock_phrases;
mod lookalikes;
mod next;
mod notes;
mod options;
mod panel;
mod plan;
mod quotes;
mod ring;
mod rounds;
mod score;
mod sources;
mod stances;
mod tag_words;
mod tags;
mod tally;
mod telling;
mod votes;

pub use action_plan::lift_plan;
pub use cites::{Behind, Cite, read_behind, read_cite};
pub use density::{badge, density, final_density};
pub use lock::{converged, is_locked};
pub use next::{AfterDebate, NextAction, recommend_next};
pub use notes::{memory_for, names_id, warnings};
pub use options::{
    Cited, OptionSource, OptionStanding, OptionsReview, SourceKind, TopicOptions, read_options,
    review_options,
};
pub use panel::{
    CouncilTask, LeaderPick, ModelCard, ModelTier, model_for, pick_leader, pick_seats, voices,
};
pub use plan::{check_plan, fallback_plan};
pub use ring::ring;
pub use rounds::{AfterRound, ROUND_CEILING, RoundSeen, after_round, first_rounds, round_cap};
pub use score::{CouncilScore, DebateSeen, DecisionEnd, DecisionSeen, score};
pub use sources::{cited, sources};
pub use stances::{Experience, add_experience_auditor, add_product_owner};
pub use tags::{Checked, Tag, TagWord, apply_checks, tags, untagged};
pub use tally::Tally;
pub use votes::{DraftsSame, Position, compare_drafts, dissenters, vote, weight};
