//! What a council decides without a model: tags and citations, convergence, rounds, votes, seats,
//! plans, options held against evidence.

mod action_plan;
mod cites;
mod lock;
mod next;
mod options;
mod panel;
mod plan;
mod ring;
mod rounds;
mod score;
mod tags;
mod votes;

pub use plan::Experience;
