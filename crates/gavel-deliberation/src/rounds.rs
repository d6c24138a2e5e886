//! Rounds: each seat answers once, the strongest that stands against it, all at once. Two seats are a
//! pair: the second sees the first's fresh words.

use gavel_domain::{
    Choice, DebatePart, DebatePlan, DebateStop, PhaseOutcome, Scope, SeatLeft, Voices,
};
use gavel_rules::council::{Standing, memory_for, opponents, ring};
use gavel_run::RunError;
use serde_json::json;

use crate::Edition;
use crate::chamber::{Chamber, SPEECH, Spoken, TurnAsk};
use crate::floor::Floor;
use crate::openings::names;
use crate::phase::Phase;
use crate::seat::Seat;
use crate::speech::Turn;

/// The most memory items that a seat is given in a round; it had more when it opened.
const MEMORY: usize = 6;
const FIRST_WORDS: &str = "Answer the opening of the other seat.";
const LATER_WORDS: &str = "Answer what the other seat said last.";

/// Who debates, about what, for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Agenda<'a> {
    pub(crate) seats: &'a [Seat<'a>],
    pub(crate) plan: &'a DebatePlan,
    /// The rounds that are planned.
    pub(crate) rounds: u32,
    pub(crate) voices: Voices,
}

/// A pair of one round.
#[derive(Debug, Clone, Copy)]
struct Pair<'a> {
    /// Counted from one.
    number: u32,
    round: u32,
    first: Seat<'a>,
    second: Seat<'a>,
}

/// What a pair came to: nothing from a seat that failed.
struct Exchanged {
    first: (u32, Option<Spoken>),
    /// Nothing where a seat answers what was said before.
    second: Option<(u32, Option<Spoken>)>,
}

impl Exchanged {
    const fn alone(first: (u32, Option<Spoken>)) -> Self {
        Self {
            first,
            second: None,
        }
    }
}

/// How a round went, in figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundWent {
    pub(crate) round: u32,
    pub(crate) pairs: u32,
    pub(crate) failed_pairs: u32,
}

impl RoundWent {
    pub(crate) const fn half_failed(self) -> bool {
        self.pairs > 0 && self.failed_pairs * 2 >= self.pairs
    }
}

impl Chamber<'_> {
    /// Holds rounds until there is a reason to stop; returns it with how many were held.
    pub(crate) async fn rounds(
        &mut self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
    ) -> Result<(DebateStop, u32), RunError> {
        if let Some(stop) = self.before_rounds(agenda, floor).await? {
            return Ok((stop, 0));
        }
        floor.agreed_before = floor.is_agreed(agenda.plan);
        let mut allowed = agenda.rounds;
        let mut round = 1;
        loop {
            let went = self.round(agenda, floor, round).await?;
            let after = self.evaluate(agenda, floor, (went, allowed)).await?;
            if let Some(stop) = after.stop {
                return Ok((stop, round));
            }
            allowed += after.extended;
            self.research_between(floor, &after).await?;
            self.sum_up(agenda, floor, round).await?;
            round += 1;
        }
    }

    async fn round(
        &mut self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
        round: u32,
    ) -> Result<RoundWent, RunError> {
        let scope = self.scope.scope("round", round)?;
        let name = format!("round-{round}");
        let phase = Phase {
            name: &name,
            part: DebatePart::Round,
            round,
        };
        let sitting = floor.sitting();
        let seats: Vec<Seat<'_>> = agenda
            .seats
            .iter()
            .filter(|seat| sitting.contains(&seat.number))
            .copied()
            .collect();
        phase.begin(self.run, self.scope, names(&seats)).await?;
        self.listen(&name).await?;
        let went = if self.council.edition > Edition::First && seats.len() > 2 {
            self.answers(agenda, floor, (&scope, &seats, round)).await?
        } else {
            self.pairs(agenda, floor, (&scope, &seats, round)).await?
        };
        let outcome = if went.half_failed() {
            PhaseOutcome::Failed
        } else {
            PhaseOutcome::Done
        };
        phase.end(self.run, self.scope, (outcome, "")).await?;
        Ok(went)
    }

    /// Each seat answers once: the strongest that stands against it.
    async fn answers(
        &self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
        (scope, seats, round): (&Scope, &[Seat<'_>], u32),
    ) -> Result<RoundWent, RunError> {
        let choices: Vec<(u32, Vec<Choice>)> = seats
            .iter()
            .map(|seat| (seat.number, floor.choices(seat.number, false)))
            .collect();
        let standing = choices.iter().map(|(seat, choices)| Standing {
            seat: *seat,
            weight: floor.weight_of(*seat),
            choices,
        });
        let asked = opponents(&standing.collect::<Vec<_>>());
        let seat = |number: u32| seats.iter().find(|seat| seat.number == number).copied();
        let mut parts = Vec::with_capacity(asked.len());
        for (number, other) in &asked {
            let Some(speaker) = seat(*number) else {
                continue;
            };
            let turn = scope.scope("turn", *number)?;
            let words = floor.last(*other).map(words_of).unwrap_or_default();
            let (other, floor) = (*other, &*floor);
            let part = async move {
                let ask = ((speaker, other, round), words.as_str());
                let spoken = self.turn(&turn, (agenda, floor), ask).await?;
                Ok::<_, RunError>((speaker.number, spoken))
            };
            let key = scope.key(&format!("answer-{number}"))?;
            parts.push((key, part));
        }
        let answered = self.run.all(parts).await?;
        let answered = answered.into_iter().map(|(_, one)| Exchanged::alone(one));
        let answered: Vec<Exchanged> = answered.collect();
        self.take(floor, answered, round).await
    }

    /// Neighbours answer each other, the second of a pair to what was just said.
    async fn pairs(
        &self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
        (scope, seats, round): (&Scope, &[Seat<'_>], u32),
    ) -> Result<RoundWent, RunError> {
        let sitting: Vec<u32> = seats.iter().map(|seat| seat.number).collect();
        let seat = |number: u32| seats.iter().find(|seat| seat.number == number).copied();
        let pairs = (1..).zip(ring(&sitting));
        let pairs: Vec<Pair<'_>> = pairs
            .filter_map(|(number, (first, second))| {
                Some(Pair {
                    number,
                    round,
                    first: seat(first)?,
                    second: seat(second)?,
                })
            })
            .collect();
        let mut parts = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let key = scope.key(&format!("pair-{}", pair.number))?;
            parts.push((key, self.exchange(scope, (agenda, &*floor), *pair)));
        }
        let exchanged = self.run.all(parts).await?;
        let exchanged: Vec<Exchanged> = exchanged.into_iter().map(|(_, one)| one).collect();
        self.take(floor, exchanged, round).await
    }

    /// One speaks, the other answers what was just said.
    async fn exchange(
        &self,
        scope: &Scope,
        (agenda, floor): (Agenda<'_>, &Floor),
        pair: Pair<'_>,
    ) -> Result<Exchanged, RunError> {
        let Pair {
            number,
            round,
            first,
            second,
        } = pair;
        let partner = floor.last(second.number).map(words_of).unwrap_or_default();
        let speaker = (first, second.number, round);
        let turn = scope.scope("turn", number * 2 - 1)?;
        let one = self
            .turn(&turn, (agenda, floor), (speaker, &partner))
            .await?;
        // Where the first says nothing, what it said last is answered.
        let fresh = one.as_ref().or_else(|| floor.last(first.number));
        let fresh = fresh.map(words_of).unwrap_or_default();
        let speaker = (second, first.number, round);
        let turn = scope.scope("turn", number * 2)?;
        let other = self.turn(&turn, (agenda, floor), (speaker, &fresh)).await?;
        Ok(Exchanged {
            first: (first.number, one),
            second: Some((second.number, other)),
        })
    }

    async fn turn(
        &self,
        scope: &Scope,
        (agenda, floor): (Agenda<'_>, &Floor),
        ((seat, partner, round), words): ((Seat<'_>, u32, u32), &str),
    ) -> Result<Option<Spoken>, RunError> {
        let asked = if round == 1 { FIRST_WORDS } else { LATER_WORDS };
        let mut task = self.task(asked, seat.model, SPEECH);
        task.data("your_seat", &seat.lens(), 4);
        let topic = (self.matter.topic, &self.best);
        let memory = memory_for(seat.stance, topic, &self.memory, MEMORY);
        self.add_matter(&mut task, memory, (16, 10, 14));
        self.add_decisions(&mut task, agenda.plan);
        self.add_findings(&mut task);
        if !floor.summary.is_empty() {
            task.data("minutes", &floor.summary, 10);
        }
        let own = floor.last(seat.number).map(words_of).unwrap_or_default();
        task.data("own_position", &own, 12);
        task.data("other_seat", words, 14);
        if !floor.focus.is_empty() {
            task.words("The leader asks to speak above all about what stands under `focus`.");
            task.data("focus", &floor.focus, 2);
        }
        self.add_heard(&mut task);
        let others = floor.turns.iter().filter(|turn| turn.seat != seat.number);
        let others: Vec<&str> = others.map(|turn| turn.said.text.as_str()).collect();
        let ask = TurnAsk {
            seat,
            plan: agenda.plan,
            round,
            answers: Some(partner),
            heard: &others,
            prompt: include_str!("../prompts/turn.md"),
            task: &task.into_text(),
        };
        Ok(self.speak::<Turn>(scope, ask).await?.ok())
    }

    /// Takes in what the pairs came to, in their order; a seat that failed twice leaves.
    async fn take(
        &self,
        floor: &mut Floor,
        exchanged: Vec<Exchanged>,
        round: u32,
    ) -> Result<RoundWent, RunError> {
        let mut failed_pairs = 0;
        let pairs = u32::try_from(exchanged.len()).unwrap_or(u32::MAX);
        let mut answered = Vec::new();
        let mut failed = Vec::new();
        for Exchanged { first, second } in exchanged {
            let silent = second.as_ref().is_some_and(|(_, spoken)| spoken.is_none());
            failed_pairs += u32::from(first.1.is_none() || silent);
            let both = [Some((first, false)), second.map(|second| (second, true))];
            for ((seat, spoken), later) in both.into_iter().flatten() {
                match spoken {
                    Some(spoken) if later => answered.push(spoken),
                    Some(spoken) => floor.take(spoken),
                    None => failed.push(seat),
                }
            }
        }
        // Whoever speaks in two pairs stands where it answered fresh words.
        answered.into_iter().for_each(|spoken| floor.take(spoken));
        for seat in failed {
            if let Some(failures) = floor.fail(seat) {
                let key = self.scope.key(&format!("round-{round}/left-{seat}"))?;
                let left = SeatLeft {
                    seat,
                    round,
                    failures,
                };
                self.run.decide(key, left).await?;
            }
        }
        Ok(RoundWent {
            round,
            pairs,
            failed_pairs,
        })
    }
}

/// What a seat said, as another reads it: the stance, never the model.
fn words_of(spoken: &Spoken) -> String {
    let choices = spoken.said.choices.iter().map(|choice| {
        json!({
            "decision": choice.decision,
            "option": gavel_domain::OpenDecision::letter(choice.option).to_string(),
            "confidence": choice.confidence,
            "cites": choice.cites,
            "not_found": choice.broken,
        })
    });
    let told = json!({
        "seat": spoken.seat,
        "stance": spoken.said.stance,
        "text": spoken.said.text,
        "choices": choices.collect::<Vec<_>>(),
    });
    told.to_string()
}
