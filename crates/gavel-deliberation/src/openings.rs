//! Blind openings: two drafts first, to see whether a debate is worth it, then everybody else.

use gavel_domain::{DebatePart, DebatePlan, DraftsCompared, PhaseOutcome};
use gavel_rules::council::{DraftsSame, compare_drafts, compare_shown, goes_along, memory_for};
use gavel_run::RunError;

use crate::Edition;
use crate::chamber::{Chamber, SPEECH, Spoken, TurnAsk, Voice};
use crate::floor::Floor;
use crate::phase::Phase;
use crate::seat::Seat;
use crate::speech::Opening;

/// The most memory items that a seat is given.
const MEMORY: usize = 8;
const WORDS: &str = "Open the debate from your seat.";
const GATE: Phase<'_> = Phase {
    name: "gate",
    part: DebatePart::Gate,
    round: 0,
};
const OPENINGS: Phase<'_> = Phase {
    name: "openings",
    part: DebatePart::Openings,
    round: 0,
};

impl Chamber<'_> {
    /// Lets two seats draft by themselves and compares what they chose. True when that settles it.
    ///
    /// The drafts are the openings of these seats: whoever goes on does not pay for them twice.
    pub(crate) async fn gate(
        &mut self,
        (seats, auditor): (&[Seat<'_>], Option<Seat<'_>>),
        plan: &DebatePlan,
        floor: &mut Floor,
    ) -> Result<bool, RunError> {
        let (run, scope) = (self.run, self.scope);
        GATE.begin(run, scope, names(seats)).await?;
        self.listen("gate").await?;
        self.open_all(seats, plan, floor).await?;
        let [one, other] = floor.turns.as_slice() else {
            let why = (PhaseOutcome::Failed, "there are no two drafts to compare");
            GATE.end(run, scope, why).await?;
            return Ok(false);
        };
        let (one, other) = (one.clone(), other.clone());
        let same = self.compared(plan, floor, (&one, &other));
        let mut skip = same.skip;
        let mut compared_with = vec![one.seat, other.seat];
        if let Some(auditor) = auditor.filter(|_| skip) {
            // What went wrong before is heard before a debate is spared.
            self.open_all(&[auditor], plan, floor).await?;
            let heard = floor.last(auditor.number);
            let along = heard.is_some_and(|heard| {
                goes_along(&plan.decisions, &one.said.choices, &heard.said.choices)
            });
            skip = along;
            compared_with.extend(heard.map(|heard| heard.seat));
        }
        let compared = DraftsCompared {
            seats: compared_with,
            same: same.same,
            decisions: same.decisions,
            evidence_holds: same.evidence_holds,
            skip,
        };
        let compared = run.decide(scope.key("gate/compared")?, compared).await?;
        GATE.done(run, scope).await?;
        Ok(compared.value.skip)
    }

    fn compared(
        &self,
        plan: &DebatePlan,
        floor: &Floor,
        (one, other): (&Spoken, &Spoken),
    ) -> DraftsSame {
        let (left, right) = (&one.said.choices, &other.said.choices);
        match self.council.edition {
            Edition::First => compare_drafts(&plan.decisions, left, right),
            Edition::Second => {
                let tally = |draft: &Spoken| floor.tally(draft.seat, |_| true);
                let (a, b) = (tally(one), tally(other));
                compare_shown(&plan.decisions, (left, right), [&a, &b])
            }
        }
    }

    /// Lets seats open at once, none seeing another.
    pub(crate) async fn openings(
        &mut self,
        seats: &[Seat<'_>],
        plan: &DebatePlan,
        floor: &mut Floor,
    ) -> Result<(), RunError> {
        let (run, scope) = (self.run, self.scope);
        OPENINGS.begin(run, scope, names(seats)).await?;
        self.listen("openings").await?;
        self.open_all(seats, plan, floor).await?;
        let outcome = if floor.turns.is_empty() {
            PhaseOutcome::Failed
        } else {
            PhaseOutcome::Done
        };
        OPENINGS.end(run, scope, (outcome, "")).await
    }

    async fn open_all(
        &self,
        seats: &[Seat<'_>],
        plan: &DebatePlan,
        floor: &mut Floor,
    ) -> Result<(), RunError> {
        floor.asked.extend(seats.iter().map(|seat| seat.number));
        let mut parts = Vec::with_capacity(seats.len());
        for seat in seats {
            let scope = self.scope.scope("opening", seat.number)?;
            parts.push((scope.key("spoke")?, self.opening(scope, *seat, plan)));
        }
        // There are at most five seats, so the order of keys is the order of seats.
        let opened = self.run.all(parts).await?;
        for (seat, (_, voice)) in seats.iter().zip(opened) {
            match voice {
                Ok(spoken) => floor.take(spoken),
                Err(problem) => {
                    let told = format!("{} said nothing usable: {problem}", seat.model.id);
                    floor.silent.push(told);
                }
            }
        }
        Ok(())
    }

    async fn opening(
        &self,
        scope: gavel_domain::Scope,
        seat: Seat<'_>,
        plan: &DebatePlan,
    ) -> Result<Voice, RunError> {
        let mut task = self.task(WORDS, seat.model, SPEECH);
        task.data("your_seat", &seat.lens(), 4);
        let topic = (self.matter.topic, &self.best);
        let memory = memory_for(seat.stance, topic, &self.memory, MEMORY);
        self.add_matter(&mut task, memory, (24, 16, 20));
        self.add_decisions(&mut task, plan);
        self.add_findings(&mut task);
        self.add_heard(&mut task);
        let ask = TurnAsk {
            seat,
            plan,
            round: 0,
            answers: None,
            heard: &[],
            prompt: include_str!("../prompts/opening.md"),
            task: &task.into_text(),
        };
        self.speak::<Opening>(&scope, ask).await
    }
}

pub(crate) fn names(seats: &[Seat<'_>]) -> Vec<String> {
    seats.iter().map(|seat| seat.model.id.to_string()).collect()
}
