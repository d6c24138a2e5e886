//! A debate of the council: who sat in it, how it went, what it came to.

use gavel_domain::{
    Badge, CouncilOutcome, DebatePlan, DebateStop, Dissent, DraftsCompared, ResearchOutcome,
    SeatTaken, SynthesisOutcome, Voices,
};
use serde::Serialize;

use crate::{Debate, EvidenceCount, StanceTold, Text};

/// A debate of the council.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CouncilTold {
    /// Counted from one in its run.
    pub number: u32,
    /// Who led it.
    pub leader: String,
    /// The model that was configured to lead, when a better one of its provider took its place.
    pub promoted_from: Option<String>,
    /// Who sat, in the order of the seats.
    pub seats: Vec<SeatTaken>,
    /// How it was planned.
    pub plan: Option<Text<DebatePlan>>,
    /// True when the leader gave no usable plan and the generic one stood in.
    pub fallback: bool,
    /// What looking things up came to, each time.
    pub research: Vec<ResearchOutcome>,
    /// What independent drafts came to.
    pub drafts: Option<DraftsCompared>,
    /// Seats that were to speak and did not, once for each time.
    pub silent: Vec<u32>,
    /// How many rounds were held.
    pub rounds: u32,
    /// Why it ended.
    pub stop: Option<DebateStop>,
    /// How it was drawn together.
    pub synthesis: Option<SynthesisOutcome>,
    /// What it came to; why nothing, where it could not be drawn together.
    pub outcome: Option<Text<CouncilOutcome>>,
    /// What the judge said.
    pub verdict: Option<CouncilVerdict>,
    /// Whose voices stand behind it.
    pub voices: Voices,
    /// Checked of all tagged claims, in hundredths; nothing when nobody tagged.
    pub density: Option<u32>,
    /// How much it can be relied on.
    pub badge: Option<Badge>,
}

/// What a judge said of a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CouncilVerdict {
    /// How sure it is that the outcome is complete, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// True when a person should look.
    pub needs_person: bool,
    /// Why.
    pub reason: Text,
}

impl CouncilTold {
    /// Who still disagrees, and why.
    pub fn dissent(&self) -> &[Dissent] {
        let outcome = self.outcome.as_ref().and_then(Text::kept);
        outcome.map_or(&[], |outcome| &outcome.dissent)
    }

    /// What is asked in a decision; its id where the plan is not kept.
    pub fn question<'a>(&'a self, id: &'a str) -> &'a str {
        let plan = self.plan.as_ref().and_then(Text::kept);
        let mut open = plan.into_iter().flat_map(|plan| &plan.decisions);
        open.find(|open| open.id == id)
            .map_or(id, |open| &open.question)
    }

    /// Where a seat stood in the end: what was asked, and the option it chose.
    pub fn chose<'a>(&'a self, debate: &'a Debate, seat: &SeatTaken) -> Vec<(&'a str, String)> {
        let outcome = self.outcome.as_ref().and_then(Text::kept);
        if let Some(outcome) = outcome {
            let votes = outcome.decisions.iter();
            let chosen = votes.filter_map(|vote| {
                let mut camps = vote.options.iter().zip(&vote.voters);
                let (option, _) = camps.find(|(_, voters)| voters.contains(&seat.stance))?;
                Some((vote.question.as_str(), option.clone()))
            });
            return chosen.collect();
        }
        let last = self.turns(debate, seat.seat).last();
        let choices = last.into_iter().flat_map(|told| &told.choices);
        let plan = self.plan.as_ref().and_then(Text::kept);
        let words = |id: &str, option: u32| {
            let mut open = plan.into_iter().flat_map(|plan| &plan.decisions);
            let open = open.find(|open| open.id == id)?;
            open.words_of(option).map(str::to_owned)
        };
        choices
            .map(|one| {
                let words = words(&one.decision, one.option);
                let letter = gavel_domain::OpenDecision::letter(one.option);
                let words = words.unwrap_or_else(|| format!("option {letter}"));
                (self.question(&one.decision), words)
            })
            .collect()
    }

    /// What became of a seat's evidence: the tags of all its turns, and what its last choices name.
    pub fn evidence(&self, debate: &Debate, seat: u32) -> EvidenceCount {
        let tags = self.turns(debate, seat).map(|told| told.evidence);
        let last = self.turns(debate, seat).last();
        let choices = last.into_iter().flat_map(|told| &told.choices);
        let choices = choices.map(|one| EvidenceCount {
            held: one.held,
            broken: one.broken,
        });
        tags.chain(choices)
            .fold(EvidenceCount::default(), |sum, one| EvidenceCount {
                held: sum.held + one.held,
                broken: sum.broken + one.broken,
            })
    }

    fn turns<'a>(&self, debate: &'a Debate, seat: u32) -> impl Iterator<Item = &'a StanceTold> {
        let number = self.number;
        let turns = debate.stances.iter();
        turns.filter(move |told| told.council == number && told.seat == seat)
    }
}
