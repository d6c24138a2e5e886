//! The repeated-call guard: a model that gets the same answer to the same call again and again is
//! told so, and stopped when it does not listen.

use std::fmt;

use gavel_domain::Digest;

/// How many of the last calls count.
pub const GUARD_WINDOW: usize = 20;

const NUDGE_AT: usize = 3;
const STOP_AT: usize = 5;
/// Rounds of two calls in turn, the newest call included.
const NUDGE_ROUNDS: usize = 2;
const STOP_ROUNDS: usize = 4;

/// One call and what came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeenCall {
    /// Digest of tool and arguments.
    pub call: Digest,
    /// Digest of the result.
    pub result: Digest,
}

/// What the guard says after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Fine,
    /// Tell the model, once.
    Nudge {
        /// What it repeats.
        pattern: Repetition,
    },
    /// Stop the work.
    Stop {
        /// What it repeated.
        reason: Repetition,
    },
}

/// A pattern that leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// One call with one result.
    SameCall {
        /// How often among the last [`GUARD_WINDOW`].
        times: usize,
    },
    /// Two calls in turn, each with its one result.
    PingPong {
        /// How many rounds without a break.
        rounds: usize,
    },
}

impl fmt::Display for Repetition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameCall { times } => write!(
                f,
                "the same tool call gave the same result {times} times in the last {GUARD_WINDOW} calls"
            ),
            Self::PingPong { rounds } => write!(
                f,
                "the same two tool calls took turns {rounds} times with the same results"
            ),
        }
    }
}

/// Judges the newest call by those before it, oldest first.
///
/// Three equal ones nudge, five of the last twenty stop; two calls in turn nudge after two rounds
/// and stop after four. A nudge comes when a mark is reached, not again while it stays there.
pub fn judge_calls(history: &[SeenCall]) -> Verdict {
    let window = history
        .get(history.len().saturating_sub(GUARD_WINDOW)..)
        .unwrap_or(history);
    let Some(newest) = window.last() else {
        return Verdict::Fine;
    };
    let times = window.iter().filter(|seen| *seen == newest).count();
    let turns = alternating(window);
    let same = Repetition::SameCall { times };
    let ping_pong = Repetition::PingPong { rounds: turns / 2 };
    if times >= STOP_AT {
        Verdict::Stop { reason: same }
    } else if turns >= 2 * STOP_ROUNDS {
        Verdict::Stop { reason: ping_pong }
    } else if turns > 2 * NUDGE_ROUNDS {
        // The nudge came when the second round was full.
        Verdict::Fine
    } else if turns == 2 * NUDGE_ROUNDS {
        Verdict::Nudge { pattern: ping_pong }
    } else if times == NUDGE_AT {
        Verdict::Nudge { pattern: same }
    } else {
        Verdict::Fine
    }
}

/// How many of the newest calls are two different ones in turn.
fn alternating(window: &[SeenCall]) -> usize {
    let mut newest_first = window.iter().rev();
    let (Some(last), Some(other)) = (newest_first.next(), newest_first.next()) else {
        return 0;
    };
    if last == other {
        return 0;
    }
    let pattern = [last, other];
    window
        .iter()
        .rev()
        .zip(pattern.iter().cycle())
        .take_while(|(seen, expected)| seen == *expected)
        .count()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
