//! Where a debate stands: who said what last, who failed, what is settled.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Badge, Choice, DebatePlan, DecisionVote, OpenDecision};
use gavel_rules::council::{
    Position, Tally, Worth, badge, density, final_density, shown_badge, shown_density,
    shown_weight, vote, weight,
};

use crate::Edition;
use crate::chamber::Spoken;
use crate::seat::Seat;
use crate::synthesis::FinalPosition;

/// How often a seat may fail before it leaves.
const FAILURES: u32 = 2;

/// Where a debate stands. It is made anew from the record on every drive.
#[derive(Debug, Default)]
pub(crate) struct Floor {
    /// True when existence is half of a proof.
    shown: bool,
    /// What is to be chosen.
    decisions: Vec<OpenDecision>,
    /// True when everybody chose the same in every decision when it was counted last.
    pub(crate) agreed_before: bool,
    /// The seats that were asked to open.
    pub(crate) asked: BTreeSet<u32>,
    /// Everything that was said, in order.
    pub(crate) turns: Vec<Spoken>,
    /// The place in `turns` of what each seat said last.
    last: BTreeMap<u32, usize>,
    failures: BTreeMap<u32, u32>,
    left: BTreeSet<u32>,
    /// Why seats did not open, one sentence each.
    pub(crate) silent: Vec<String>,
    /// The minutes so far; empty before the first round ended.
    pub(crate) summary: String,
    /// What the next round should be about; may be empty.
    pub(crate) focus: String,
    /// The criteria that were met, by their place.
    pub(crate) met: BTreeSet<u32>,
    pub(crate) half_failed_before: bool,
    /// True when a lookup found nothing to look into.
    pub(crate) no_sources: bool,
    /// How many lookups were made or skipped.
    pub(crate) lookups: u32,
}

/// Where a seat stands, and where it stood when it opened.
struct Stand<'a> {
    stance: &'a str,
    weight: u32,
    now: Vec<Choice>,
    opened: Vec<Choice>,
}

impl Stand<'_> {
    fn position<'p>(&'p self, choices: &'p [Choice]) -> Position<'p> {
        Position {
            stance: self.stance,
            weight: self.weight,
            choices,
        }
    }
}

impl Floor {
    pub(crate) fn new(edition: Edition, plan: &DebatePlan) -> Self {
        Self {
            shown: edition > Edition::First,
            decisions: plan.decisions.clone(),
            ..Self::default()
        }
    }

    /// What a seat's word weighs, in thousandths.
    pub(crate) fn weight_of(&self, seat: u32) -> u32 {
        let tally = self.tally(seat, |_| true);
        match self.shown {
            true => shown_weight(tally.citations_worth()),
            false => weight(tally.citations()),
        }
    }

    /// True when there is something to choose and everybody chose the same in all of it.
    pub(crate) fn is_agreed(&self, plan: &DebatePlan) -> bool {
        let votes = self.votes(plan);
        !votes.is_empty() && votes.iter().all(|vote| vote.agreed)
    }

    /// True when everybody chose the same, and stands on words that are quoted and claims that are whole.
    pub(crate) fn is_agreed_and_shown(&self, plan: &DebatePlan) -> bool {
        let shown = |seat: &u32| {
            let choices = self.choices(*seat, false);
            let tally = self.tally(*seat, |_| true);
            tally.is_whole()
                && choices.len() == plan.decisions.len()
                && choices.iter().all(|choice| tally.shows_choice(choice))
        };
        self.is_agreed(plan) && self.last.keys().all(shown)
    }

    /// Takes in what a seat said.
    pub(crate) fn take(&mut self, spoken: Spoken) {
        self.last.insert(spoken.seat, self.turns.len());
        self.turns.push(spoken);
    }

    /// The number and the room of the next lookup.
    pub(crate) fn next_lookup(&mut self) -> (u32, String) {
        self.lookups += 1;
        (self.lookups, format!("research-{}", self.lookups))
    }

    /// A seat failed; how often, when it has to leave now.
    pub(crate) fn fail(&mut self, seat: u32) -> Option<u32> {
        let failures = self.failures.entry(seat).or_default();
        *failures += 1;
        let leaves = *failures >= FAILURES && self.left.insert(seat);
        leaves.then_some(*failures)
    }

    /// What a seat said last.
    pub(crate) fn last(&self, seat: u32) -> Option<&Spoken> {
        self.last
            .get(&seat)
            .and_then(|place| self.turns.get(*place))
    }

    /// The seats that opened and did not leave, in order.
    pub(crate) fn sitting(&self) -> Vec<u32> {
        let opened = self.last.keys().copied();
        opened.filter(|seat| !self.left.contains(seat)).collect()
    }

    /// Where every seat that ever spoke stands: its last choice in each decision.
    pub(crate) fn choices(&self, seat: u32, openings_only: bool) -> Vec<Choice> {
        let mut latest: BTreeMap<&str, &Choice> = BTreeMap::new();
        let turns = self.turns.iter().filter(|turn| turn.seat == seat);
        for turn in turns.filter(|turn| !openings_only || turn.round == 0) {
            for choice in &turn.said.choices {
                latest.insert(&choice.decision, choice);
            }
        }
        latest.into_values().cloned().collect()
    }

    /// The votes as they stand, weighed by the tags and sources that held.
    pub(crate) fn votes(&self, plan: &DebatePlan) -> Vec<DecisionVote> {
        let stand = |seat: &u32| {
            Some(Stand {
                stance: self.last(*seat)?.said.stance.as_str(),
                weight: self.weight_of(*seat),
                now: self.choices(*seat, false),
                opened: self.choices(*seat, true),
            })
        };
        let stands: Vec<Stand<'_>> = self.last.keys().filter_map(stand).collect();
        let now: Vec<Position<'_>> = stands.iter().map(|one| one.position(&one.now)).collect();
        let opened = stands.iter().map(|one| one.position(&one.opened));
        vote(&plan.decisions, &now, &opened.collect::<Vec<_>>())
    }

    /// Everything that a seat put forward in turns of this kind, each thing once.
    pub(crate) fn tally(&self, seat: u32, counts: impl Fn(&Spoken) -> bool) -> Tally {
        let turns = self.turns.iter().filter(|turn| turn.seat == seat);
        turns
            .filter(|turn| counts(turn))
            .fold(Tally::of(&self.decisions), |mut tally, turn| {
                tally.add_text(&turn.said.text);
                for choice in &turn.said.choices {
                    tally.add_choice(choice);
                }
                tally
            })
    }

    /// Checked of all tagged claims in turns of this kind, each claim once for its speaker.
    fn density_where(&self, counts: impl Fn(&Spoken) -> bool) -> Option<u32> {
        let speakers = self.last.keys();
        density(speakers.map(|seat| self.tally(*seat, &counts).claims()))
    }

    /// How much of the tagged claims of a round was shown.
    pub(crate) fn density_of(&self, round: u32) -> Option<u32> {
        if self.shown {
            return shown_density(self.worth_where(|turn| turn.round == round));
        }
        self.density_where(|turn| turn.round == round)
    }

    /// What claims in turns of this kind are worth, each once for its speaker.
    fn worth_where(&self, counts: impl Fn(&Spoken) -> bool) -> Worth {
        let speakers = self.last.keys();
        let worth = speakers.map(|seat| self.tally(*seat, &counts).claims_worth());
        worth.fold(Worth::default(), Worth::and)
    }

    /// How much of what was claimed was shown, and how much it can be relied on: by the positions that
    /// stand in the end.
    pub(crate) fn reliance(&self, synthesised: bool) -> (Option<u32>, Badge) {
        if !self.shown {
            let density = self.density();
            return (density, badge(density, synthesised));
        }
        let is_last = |turn: &Spoken| {
            let last = self.last(turn.seat);
            last.is_some_and(|last| last.key == turn.key)
        };
        let worth = self.worth_where(is_last);
        (shown_density(worth), shown_badge(worth, synthesised))
    }

    /// Checked of all tagged claims: of the whole debate or of its last round, whichever is more.
    fn density(&self) -> Option<u32> {
        let last = self.turns.iter().map(|turn| turn.round).max();
        let last = last.and_then(|round| self.density_of(round));
        final_density(self.density_where(|_| true), last)
    }

    /// Where every seat stands in the end, for the leader.
    pub(crate) fn positions(&self, seats: &[Seat<'_>]) -> Vec<FinalPosition> {
        let position = |seat: &Seat<'_>| {
            let last = self.last(seat.number)?;
            Some(FinalPosition {
                seat: seat.number,
                stance: seat.stance.name.clone(),
                model: seat.model.id.to_string(),
                turn: last.key.clone(),
                text: last.said.text.clone(),
                choices: self.choices(seat.number, false),
            })
        };
        seats.iter().filter_map(position).collect()
    }
}
