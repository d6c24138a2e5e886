//! Votes over decisions, and whether a debate is needed at all.

use gavel_domain::{Choice, DecisionVote, OpenDecision, TagCount};

use super::tally::{Tally, Worth};

/// What somebody weighs who tagged nothing.
const UNTAGGED: u32 = 500;

/// Where a seat stands.
#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    /// The name of its stance.
    pub stance: &'a str,
    /// What its word weighs, in thousandths.
    pub weight: u32,
    /// What it chose.
    pub choices: &'a [Choice],
}

/// What a comparison of two drafts came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftsSame {
    /// In how many decisions both chose the same.
    pub same: u32,
    /// How many decisions there are.
    pub decisions: u32,
    /// True when both cite something for every decision and everything they cite holds.
    pub evidence_holds: bool,
    /// True when no debate is needed.
    pub skip: bool,
}

/// What a speaker's word weighs: the share of their tags that held, in thousandths.
///
/// Who tags nothing weighs half. Who says of claims that they did not look, and cites nothing that
/// breaks, weighs no less than that: otherwise silence would pay better than honesty.
pub fn weight(tags: TagCount) -> u32 {
    let held = u64::from(tags.confirmed) + u64::from(tags.refuted);
    let all = held + u64::from(tags.unverified) + u64::from(tags.broken);
    let share = (held * 1_000).checked_div(all);
    let share = share.and_then(|share| u32::try_from(share).ok());
    match share {
        None => UNTAGGED,
        Some(share) if tags.broken == 0 => share.max(UNTAGGED),
        Some(share) => share,
    }
}

/// What a speaker's word weighs where existence is half of a proof, in thousandths.
///
/// As with [`weight`], who tags nothing weighs half, and so does at least whoever broke nothing.
pub fn shown_weight(worth: Worth) -> u32 {
    match worth.share() {
        None => UNTAGGED,
        Some(share) if worth.broken == 0 => share.max(UNTAGGED),
        Some(share) => share,
    }
}

/// Counts the votes of every decision, in the order of decisions.
///
/// A decision that nobody answers, that ends in a tie or that nobody with weight answers stays
/// open, unless everybody chose the same: then it is decided, and nothing cited held. A seat that chooses two options of one decision, or an option that there is not, has not
/// chosen.
pub fn vote(
    decisions: &[OpenDecision],
    finals: &[Position<'_>],
    openings: &[Position<'_>],
) -> Vec<DecisionVote> {
    decisions
        .iter()
        .map(|decision| {
            let before = Count::of(decision, openings);
            let count = Count::of(decision, finals);
            let option = count.winner().or_else(|| count.unanimous());
            let opened = before.winner().filter(|_| before.voted() >= 2);
            DecisionVote {
                id: decision.id.clone(),
                question: decision.question.clone(),
                options: decision.options.clone(),
                option,
                weights: count.shares(),
                agreed: count.agreed(),
                voters: count.voters,
                changed: option.zip(opened).map(|(now, then)| now != then),
            }
        })
        .collect()
}

/// Compares two drafts that were written without sight of each other.
///
/// A debate is spared only when there is something to decide, both chose the same everywhere, and
/// both stand on something that was found, with nothing beside it that was not.
pub fn compare_drafts(decisions: &[OpenDecision], one: &[Choice], other: &[Choice]) -> DraftsSame {
    let chose_same = |decision: &&OpenDecision| {
        let choice = chosen(decision, one);
        choice.is_some() && choice == chosen(decision, other)
    };
    let cited = |decision: &OpenDecision, choices: &[Choice]| {
        let of_it = choices
            .iter()
            .filter(|choice| choice.decision == decision.id);
        of_it.into_iter().any(|choice| !choice.cites.is_empty())
    };
    let same = decisions.iter().filter(chose_same).count();
    let all_cited = decisions
        .iter()
        .all(|decision| cited(decision, one) && cited(decision, other));
    let whole = one
        .iter()
        .chain(other)
        .all(|choice| choice.broken.is_empty());
    let evidence_holds = !decisions.is_empty() && all_cited && whole;
    DraftsSame {
        same: whole_number(same),
        decisions: whole_number(decisions.len()),
        evidence_holds,
        skip: evidence_holds && same == decisions.len(),
    }
}

/// Compares two drafts where existence is half of a proof: a debate is spared only when both chose the
/// same everywhere, stand in each decision on something that they quote, and every claim of theirs that
/// was checked is whole.
pub fn compare_shown(
    decisions: &[OpenDecision],
    (one, other): (&[Choice], &[Choice]),
    tallies: [&Tally; 2],
) -> DraftsSame {
    let same = compare_drafts(decisions, one, other);
    let quoted = |decision: &OpenDecision, choices: &[Choice], tally: &Tally| {
        let mut of_it = choices
            .iter()
            .filter(|choice| choice.decision == decision.id);
        of_it.any(|choice| tally.shows_choice(choice))
    };
    let [first, second] = tallies;
    let all_quoted = decisions
        .iter()
        .all(|decision| quoted(decision, one, first) && quoted(decision, other, second));
    let whole = tallies.iter().all(|tally| tally.is_whole());
    let evidence_holds = same.evidence_holds && all_quoted && whole;
    DraftsSame {
        evidence_holds,
        skip: evidence_holds && same.skip,
        ..same
    }
}

/// True when a third who was heard chose the same as a draft, in every decision, and broke nothing.
pub fn goes_along(decisions: &[OpenDecision], draft: &[Choice], third: &[Choice]) -> bool {
    let same = |decision: &OpenDecision| {
        let choice = chosen(decision, third);
        choice.is_some() && choice == chosen(decision, draft)
    };
    decisions.iter().all(same)
}

/// Who stands against what was decided, with the decision's id; of a decision that stayed open
/// between them, everybody who chose.
pub fn dissenters(votes: &[DecisionVote]) -> Vec<(String, String)> {
    let mut dissenters = Vec::new();
    for vote in votes.iter().filter(|vote| !vote.agreed) {
        let split = vote
            .voters
            .iter()
            .filter(|voters| !voters.is_empty())
            .count()
            > 1;
        for (option, voters) in (0_u32..).zip(&vote.voters) {
            if split && vote.option != Some(option) {
                let against = voters.iter().map(|who| (who.clone(), vote.id.clone()));
                dissenters.extend(against);
            }
        }
    }
    dissenters
}

/// The votes of one decision.
struct Count {
    weights: Vec<u64>,
    voters: Vec<Vec<String>>,
}

impl Count {
    fn of(decision: &OpenDecision, positions: &[Position<'_>]) -> Self {
        let mut count = Self {
            weights: vec![0; decision.options.len()],
            voters: vec![Vec::new(); decision.options.len()],
        };
        for position in positions {
            let place =
                chosen(decision, position.choices).and_then(|option| option.try_into().ok());
            let place: usize = place.unwrap_or(usize::MAX);
            if let (Some(weight), Some(voters)) =
                (count.weights.get_mut(place), count.voters.get_mut(place))
            {
                *weight = weight.saturating_add(u64::from(position.weight));
                voters.push(position.stance.to_owned());
            }
        }
        count
    }

    fn winner(&self) -> Option<u32> {
        let most = self
            .weights
            .iter()
            .copied()
            .max()
            .filter(|most| *most > 0)?;
        let mut first = (0_u32..)
            .zip(&self.weights)
            .filter(|(_, weight)| **weight == most);
        let (option, _) = first.next()?;
        first.next().is_none().then_some(option)
    }

    /// What everybody chose, of two or more.
    fn unanimous(&self) -> Option<u32> {
        let chosen = self.voters.iter().position(|voters| !voters.is_empty());
        chosen
            .filter(|_| self.agreed())
            .and_then(|place| u32::try_from(place).ok())
    }

    fn shares(&self) -> Vec<u32> {
        let all = self
            .weights
            .iter()
            .fold(0_u64, |all, weight| all.saturating_add(*weight));
        let share = |weight: &u64| weight.saturating_mul(1_000).checked_div(all).unwrap_or(0);
        self.weights
            .iter()
            .map(|weight| u32::try_from(share(weight)).unwrap_or(u32::MAX))
            .collect()
    }

    fn voted(&self) -> usize {
        self.voters.iter().map(Vec::len).sum()
    }

    fn agreed(&self) -> bool {
        let voted = self.voted();
        voted >= 2 && self.voters.iter().any(|voters| voters.len() == voted)
    }
}

/// The one option that a seat chose.
fn chosen(decision: &OpenDecision, choices: &[Choice]) -> Option<u32> {
    let mut options = choices
        .iter()
        .filter(|choice| choice.decision == decision.id)
        .map(|choice| choice.option);
    let option = options.next()?;
    let known = decision.words_of(option).is_some();
    (known && options.all(|other| other == option)).then_some(option)
}

fn whole_number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "votes_tests.rs"]
mod tests;
