//! What a council decides without a model: tags and citations, convergence, rounds, votes, seats,
//! plans, options held against evidence.

mod action_plan;
mod cites;
mod lock;
mod lock_phrases;
mod next;
mod options;
mod panel;
mod plan;
mod quotes;
mod ring;
mod rounds;
mod score;
mod tags;
mod votes;

pub use cites::{Cite, quoted_words, read_cite};
pub use lock::{converged, is_locked};
pub use plan::Experience;
pub use ring::ring;
pub use rounds::{AfterRound, ROUND_CEILING, RoundSeen, after_round, first_rounds, round_cap};
pub use tags::{Checked, Tag, TagWord, apply_checks, badge, density, final_density, sources, tags};
pub use votes::{DraftsSame, Position, compare_drafts, dissenters, vote, weight};
