//! A council from its plan to its outcome.

use std::collections::BTreeSet;

use gavel_domain::{
    Assumption, DebateClosed, DebateStop, DebateStopped, Decision, DecisionVote, MemoryNote, Scope,
    StanceOrigin, SynthesisOutcome,
};
use gavel_rules::council::{Experience, first_rounds};
use gavel_run::{Pure, Run, RunError};

use crate::assumed::once;
use crate::card::Card;
use crate::chamber::{Chamber, Spoken, count};
use crate::evaluating::criteria_of;
use crate::experience::{names, record_cited, remembered};
use crate::floor::Floor;
use crate::history::row;
use crate::record::{Planned, json_text, record_decision};
use crate::rounds::Agenda;
use crate::seat::{Seat, seated, told, voices_of};
use crate::synthesis::{Debate, Drawn, FinalPosition, empty_sections, synthesise};
use crate::verdict::judge;
use crate::{Convened, Council, Edition, Held, Matter};

/// The model that is made of rules.
const OFFLINE: &str = "offline";

/// Convenes a council: plan, seats, research, openings, rounds, synthesis, judgement.
///
/// The facts stand in the scope. A seat whose model fails or gives nothing usable is silent and
/// leaves after the second time; without any opening nothing is drawn together.
pub async fn convene(
    run: &Run,
    scope: &Scope,
    council: &Council,
    matter: &Matter<'_>,
) -> Result<Convened, RunError> {
    if council.seats.is_empty() {
        let problem = "a council needs at least one model for its seats".to_owned();
        return Ok(Convened::Stuck { problem });
    }
    let memory = remembered(run, scope, council, matter).await?;
    let matter = &Matter {
        memory: &memory,
        ..*matter
    };
    let mut chamber = Chamber::open(run, scope, council, matter);
    let (plan, planned) = chamber.plan().await?;
    chamber.recall_options(&plan).await?;
    let seats = seated(council, &plan);
    run.decide(scope.key("seated")?, told(council, &seats))
        .await?;
    let voices = voices_of(&seats);
    let agenda = Agenda {
        seats: &seats,
        plan: &plan,
        rounds: first_rounds(plan.output_shape.kind, planned, voices),
        voices,
    };
    let mut floor = Floor::new(council.edition, &plan);
    chamber.look_up_first(&mut floor).await?;
    let (reason, rounds) = chamber.debate(agenda, &mut floor).await?;
    let stopped = DebateStopped { reason, rounds };
    run.decide(scope.key("stopped")?, stopped).await?;
    if floor.turns.is_empty() {
        let problem = floor.silent.join("; ");
        return Ok(Convened::Stuck { problem });
    }
    record_cited(run, scope, &chamber.memory, &floor).await?;
    let held = chamber.close(agenda, &floor, (reason, rounds)).await?;
    Ok(Convened::Held(Box::new(held)))
}

impl Chamber<'_> {
    /// Openings and rounds; why it ended, and after how many rounds.
    async fn debate(
        &mut self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
    ) -> Result<(DebateStop, u32), RunError> {
        let drafting = self.drafting(agenda);
        let rest: Vec<Seat<'_>> = agenda
            .seats
            .iter()
            .filter(|seat| drafting.iter().all(|other| other.number != seat.number))
            .copied()
            .collect();
        let auditor = self.auditor(&rest);
        if !drafting.is_empty() && self.gate((&drafting, auditor), agenda.plan, floor).await? {
            return Ok((DebateStop::DraftsAgree, 0));
        }
        // Whoever was heard before the debate was spared does not open twice.
        let rest: Vec<Seat<'_>> = rest
            .into_iter()
            .filter(|seat| !floor.asked.contains(&seat.number))
            .collect();
        if !rest.is_empty() {
            self.openings(&rest, agenda.plan, floor).await?;
        }
        match floor.sitting().len() {
            0 => Ok((DebateStop::NoOpenings, 0)),
            1 => Ok((DebateStop::OneOpening, 0)),
            _ => self.rounds(agenda, floor).await,
        }
    }

    /// The two seats that draft first, of different models where there are two, and only where there is
    /// something to choose.
    fn drafting<'s>(&self, agenda: Agenda<'s>) -> Vec<Seat<'s>> {
        let none = Vec::new;
        let unwanted = !self.council.gate || self.is_enforced(agenda);
        if unwanted || agenda.plan.decisions.is_empty() {
            return none();
        }
        let audits = |seat: &Seat<'_>| seat.stance.origin == StanceOrigin::ExperienceAuditor;
        let drafts_too = self.council.edition == Edition::First;
        // Rules are no second mind.
        let voices = agenda.seats.iter();
        let voices: Vec<&Seat<'_>> = voices
            .filter(|seat| seat.model.id.as_str() != OFFLINE)
            .filter(|seat| drafts_too || !audits(seat))
            .collect();
        let Some(first) = voices.first() else {
            return none();
        };
        let mut others = voices.iter();
        let other = others.find(|seat| seat.model.id != first.model.id);
        if let Some(other) = other {
            return vec![**first, **other];
        }
        // Samples of one model are compared, too: where they agree nobody need pay for more of them.
        match (self.council.edition, voices.get(1)) {
            (Edition::First, _) | (_, None) => none(),
            (Edition::Second, Some(second)) => vec![**first, **second],
        }
    }

    /// True when whoever speaks for what went wrong must be heard in a whole debate.
    pub(crate) fn is_enforced(&self, agenda: Agenda<'_>) -> bool {
        let seated = |seat: &Seat<'_>| seat.stance.origin == StanceOrigin::ExperienceAuditor;
        self.council.edition > Edition::First
            && self.council.experience == Experience::Enforcing
            && agenda.seats.iter().any(seated)
    }

    /// Whoever speaks for what went wrong, who is heard before a debate is spared.
    fn auditor<'s>(&self, rest: &[Seat<'s>]) -> Option<Seat<'s>> {
        if self.council.edition == Edition::First {
            return None;
        }
        let audits = |seat: &&Seat<'_>| seat.stance.origin == StanceOrigin::ExperienceAuditor;
        rest.iter().find(audits).copied()
    }

    /// Draws the debate together and records what it came to.
    async fn close(
        &mut self,
        agenda: Agenda<'_>,
        floor: &Floor,
        (reason, rounds): (DebateStop, u32),
    ) -> Result<Held, RunError> {
        let positions = floor.positions(agenda.seats);
        let votes = floor.votes(agenda.plan);
        self.listen("synthesis").await?;
        let unanswered = self.unanswered(floor);
        let said = self.said();
        let met: Vec<u32> = floor.met.iter().copied().collect();
        let debate = Debate {
            matter: self.matter,
            plan: agenda.plan,
            positions: &positions,
            votes: &votes,
            summary: &floor.summary,
            findings: &self.findings,
            unanswered: &unanswered,
            said: &said,
            met: &met,
            evidence: (self.council.edition > Edition::First).then_some(&self.evidence),
        };
        let drawn = synthesise(self.run, self.scope, self.council, &debate).await?;
        let verdict = judge(self.run, self.scope, self.council, (&debate, &drawn)).await?;
        let decisions = self.decide(&votes, &drawn, &positions).await?;
        let assumptions = once(assumptions(&drawn, &floor.turns));
        let (density, badge) = floor.reliance(drawn.how != SynthesisOutcome::Failed);
        let criteria = count(criteria_of(self, agenda).iter());
        let unanswered: Vec<&str> = unanswered.iter().map(|note| note.id.as_str()).collect();
        let silent: Vec<String> = agenda
            .seats
            .iter()
            .filter(|seat| floor.last(seat.number).is_none())
            // Whoever was not asked, since two drafts settled it, is not silent.
            .filter(|_| reason != DebateStop::DraftsAgree)
            .map(|seat| seat.stance.name.clone())
            .collect();
        let card = Card {
            summary: &drawn.outcome.summary,
            decisions: &decisions,
            votes: &votes,
            assumptions: &assumptions,
            unanswered: &unanswered,
            silent: &silent,
            reason,
            voices: agenda.voices,
            badge,
            verdict: &verdict,
            plan: agenda.plan,
            no_sources: floor.no_sources,
        };
        let held = Held {
            summary: card.text(),
            readable: drawn.readable.clone(),
            decisions,
            assumptions,
            plan: agenda.plan.clone(),
            voices: agenda.voices,
            density,
            badge,
            synthesis: drawn.how,
            verdict,
            rounds,
            spoke: agenda
                .seats
                .iter()
                .filter(|seat| floor.last(seat.number).is_some())
                .map(|seat| seat.model.id.clone())
                .collect(),
            // Rounds alone look at criteria: what was never looked at is not called unmet.
            criteria_unmet: rounds > 0 && met.len() < usize::try_from(criteria).unwrap_or(0),
            empty_sections: empty_sections(&agenda.plan.output_shape.sections, &drawn.outcome),
            outcome: drawn.outcome.clone(),
        };
        self.record_close(held, &positions, &drawn).await
    }

    /// Records how the debate was closed, and returns it as it is on record.
    async fn record_close(
        &self,
        held: Held,
        positions: &[FinalPosition],
        drawn: &Drawn,
    ) -> Result<Held, RunError> {
        let key = self.scope.key("closed")?;
        let came = (drawn, held.assumptions.as_slice());
        let row = row(self.matter.topic, &held.plan, positions, came);
        let row = json_text::<DebateClosed>(&key, &row)?;
        let dissent = &held.outcome.dissent;
        let dissenters: BTreeSet<&str> = dissent.iter().map(|one| one.who.as_str()).collect();
        let closed = self.run.step(key, Pure, &held.summary, |blobs| {
            let closed = DebateClosed {
                summary: blobs.keep(held.summary.as_str()),
                row: Some(blobs.keep(row.as_str())),
                kind: Some(held.outcome.kind),
                voices: held.voices,
                rounds: held.rounds,
                density: held.density,
                badge: Some(held.badge),
                dissenters: count(dissenters.iter()),
            };
            async move { Ok(closed) }
        });
        let closed = closed.await?.value;
        // As with decisions: the record says how it was closed.
        Ok(Held {
            summary: self.run.text(closed.summary).await?,
            rounds: closed.rounds,
            density: closed.density,
            badge: closed.badge.unwrap_or(held.badge),
            ..held
        })
    }

    /// What was decided: the planned decisions by their votes, then what was settled on the way.
    async fn decide(
        &self,
        votes: &[DecisionVote],
        drawn: &Drawn,
        positions: &[FinalPosition],
    ) -> Result<Vec<Decision>, RunError> {
        let mut decisions = Vec::with_capacity(votes.len() + drawn.extra.len());
        for vote in votes {
            let made = Planned {
                id: Some(vote.id.clone()),
                option: vote.option,
                changed: vote.changed,
            };
            decisions.push((decided(vote, drawn, positions), made));
        }
        let extra = drawn.extra.iter().cloned();
        decisions.extend(extra.map(|decision| (decision, Planned::default())));
        let mut recorded = Vec::with_capacity(decisions.len());
        for (number, (decision, made)) in (1..).zip(&decisions) {
            let made = record_decision(self.run, self.scope, number, (decision, made));
            recorded.push(made.await?);
        }
        Ok(recorded)
    }

    /// The warnings of memory that nobody cited.
    fn unanswered(&self, floor: &Floor) -> Vec<&MemoryNote> {
        let named = |note: &&MemoryNote| floor.turns.iter().any(|turn| names(turn, note));
        let warnings = gavel_rules::council::warnings(self.matter.topic, &self.memory);
        warnings.into_iter().filter(|note| !named(note)).collect()
    }
}

/// A decision as the vote has it; the leader says why, and those who differ are quoted.
fn decided(vote: &DecisionVote, drawn: &Drawn, positions: &[FinalPosition]) -> Decision {
    let words = |option: u32| {
        let place = usize::try_from(option).unwrap_or(usize::MAX);
        vote.options.get(place).cloned().unwrap_or_default()
    };
    let choice = match vote.option {
        Some(option) => words(option),
        None => format!("open between {}", vote.options.join(" and ")),
    };
    let against = drawn.outcome.dissent.iter();
    let against = against.filter(|one| one.decision == vote.id);
    let dissent: Vec<String> = against
        .map(|one| format!("{}: {}", one.who, one.why))
        .collect();
    let why = drawn.whys.get(&vote.id).cloned().unwrap_or_default();
    Decision {
        title: vote.question.clone(),
        choice,
        why: match why.is_empty() {
            _ if nothing_held(vote) => {
                format!(
                    "{}; nothing that they cited held",
                    counted(vote, positions.len())
                )
            }
            true => counted(vote, positions.len()),
            false => why,
        },
        dissent: dissent.join("; "),
    }
}

/// True for what everybody chose and nothing that was cited shows.
fn nothing_held(vote: &DecisionVote) -> bool {
    vote.option.is_some() && vote.weights.iter().all(|weight| *weight == 0)
}

/// Why, where the leader does not say: how it was voted.
fn counted(vote: &DecisionVote, seats: usize) -> String {
    let Some(option) = vote.option else {
        return "no option has more weight than the others".to_owned();
    };
    let place = usize::try_from(option).unwrap_or(usize::MAX);
    let voters = vote.voters.get(place).map_or(0, Vec::len);
    format!("{voters} of {seats} seats chose it")
}

/// What the leader lists; what the seats named where it lists nothing, so that nothing is lost.
fn assumptions(drawn: &Drawn, turns: &[Spoken]) -> Vec<Assumption> {
    if !drawn.assumptions.is_empty() {
        return drawn.assumptions.clone();
    }
    let of_turn = |turn: &Spoken| {
        let named = turn.said.assumptions.iter();
        named
            .map(|one| one.by(&turn.said.stance))
            .collect::<Vec<_>>()
    };
    turns.iter().flat_map(of_turn).collect()
}
