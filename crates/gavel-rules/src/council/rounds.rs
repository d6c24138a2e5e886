//! How many rounds, and when to stop.

use gavel_domain::{DebateStop, OutputKind, Voices};

/// No debate has more rounds than this, whatever anybody wants.
pub const ROUND_CEILING: u32 = 8;

/// By how many rounds a debate may pass what its kind allows.
const EXTENSION_MOST: u32 = 2;

/// The most rounds that a leader may plan.
pub const MOST_PLANNED_ROUNDS: u32 = 5;

/// The share of turns that must say everything is settled, in hundredths.
const CONVERGED: u32 = 80;

/// What is known after a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSeen {
    /// Which round, counted from one.
    pub round: u32,
    /// How many are allowed so far.
    pub allowed: u32,
    /// What kind of answer the debate is to give.
    pub kind: OutputKind,
    /// Whose voices take part.
    pub voices: Voices,
    /// The share of turns that say everything is settled, in hundredths.
    pub converged: u32,
    /// True when the votes say whether everybody agrees, and words are no more than a hint.
    pub by_votes: bool,
    /// True when everybody chose the same in every decision now and in the count before; nothing to
    /// choose is nothing agreed.
    pub agreed_twice: bool,
    /// How many points the leader sees unresolved; nothing when there is no evaluation.
    pub unresolved: Option<u32>,
    /// Whether the leader wants to go on; nothing when there is no evaluation.
    pub leader_goes_on: Option<bool>,
    /// How many rounds more the leader wants.
    pub wants_more: u32,
    /// True when a criterion is met that was not met before this round, or the other way round.
    pub criterion_moved: bool,
    /// True when half of the pairs or more failed.
    pub half_failed: bool,
    /// The same, of the round before.
    pub half_failed_before: bool,
    /// How many seats can still speak.
    pub seats_left: u32,
    /// True when another round and the synthesis can be paid.
    pub affordable: bool,
}

/// What follows a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRound {
    /// Another round.
    Go {
        /// By how many rounds the debate was extended; zero within what was allowed.
        extended: u32,
    },
    /// The end of the debate.
    Stop(DebateStop),
}

/// The most rounds that are held without an extension.
pub const fn round_cap(kind: OutputKind) -> u32 {
    match kind {
        OutputKind::Decision
        | OutputKind::Evaluation
        | OutputKind::Investigation
        | OutputKind::ImplementationPlan => 3,
        OutputKind::ResolveQuestion | OutputKind::ActionItems => 5,
    }
}

/// The most rounds of any debate, extensions included.
pub fn most_rounds() -> u32 {
    let longest = round_cap(OutputKind::ActionItems) + EXTENSION_MOST;
    longest.min(ROUND_CEILING)
}

/// How many rounds are allowed at first: what was planned, read as 1 to 5, within the cap.
///
/// Samples of one model examine each other once; more gains nothing. Rules hold no rounds.
pub fn first_rounds(kind: OutputKind, planned: u32, voices: Voices) -> u32 {
    match voices {
        Voices::Several => planned.clamp(1, MOST_PLANNED_ROUNDS).min(round_cap(kind)),
        Voices::OneModel => 1,
        Voices::Rules => 0,
    }
}

/// Whether another round follows.
pub fn after_round(seen: &RoundSeen) -> AfterRound {
    early_stop(seen).map_or_else(|| next_round(seen), AfterRound::Stop)
}

/// What ends a debate before its last round, the gravest first.
fn early_stop(seen: &RoundSeen) -> Option<DebateStop> {
    if seen.seats_left < 2 {
        return Some(DebateStop::SeatsLeft);
    }
    if seen.half_failed && seen.half_failed_before {
        return Some(DebateStop::FailedPairs);
    }
    if !seen.affordable {
        return Some(DebateStop::Budget);
    }
    if seen.leader_goes_on == Some(false) {
        return Some(DebateStop::Leader);
    }
    if seen.by_votes {
        return seen.agreed_twice.then_some(DebateStop::Converged);
    }
    // Who agrees at once may not have looked: the leader must see nothing open either.
    let looked = seen.round > 1 || seen.unresolved == Some(0);
    (looked && seen.converged >= CONVERGED).then_some(DebateStop::Converged)
}

fn next_round(seen: &RoundSeen) -> AfterRound {
    let limit = round_cap(seen.kind)
        .saturating_add(EXTENSION_MOST)
        .min(ROUND_CEILING);
    let allowed = seen.allowed.min(limit);
    if seen.round < allowed {
        return AfterRound::Go { extended: 0 };
    }
    let room = limit.saturating_sub(allowed.max(seen.round));
    let extended = match seen.voices {
        Voices::Several if seen.criterion_moved => seen.wants_more.min(EXTENSION_MOST).min(room),
        Voices::Several | Voices::OneModel | Voices::Rules => 0,
    };
    if extended > 0 {
        AfterRound::Go { extended }
    } else {
        AfterRound::Stop(DebateStop::Rounds)
    }
}

#[cfg(test)]
#[path = "rounds_tests.rs"]
mod tests;
