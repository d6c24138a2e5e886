//! The summary card of a debate: what was decided, who dissented, what is assumed, how sure it is.

use gavel_domain::{
    Assumption, Badge, Confidence, DebatePlan, DebateStop, Decision, DecisionVote, Voices,
};

use crate::Verdict;
use crate::readable::{titled, vote_words};

/// Everything that the card tells.
pub(crate) struct Card<'a> {
    /// The leader's words.
    pub(crate) summary: &'a str,
    /// What was decided: first what was voted on, in the order of the votes.
    pub(crate) decisions: &'a [Decision],
    pub(crate) votes: &'a [DecisionVote],
    pub(crate) assumptions: &'a [Assumption],
    /// Ids of warnings that no seat took up.
    pub(crate) unanswered: &'a [&'a str],
    /// Names of stances that never spoke.
    pub(crate) silent: &'a [String],
    /// Why the debate ended.
    pub(crate) reason: DebateStop,
    pub(crate) voices: Voices,
    pub(crate) badge: Badge,
    pub(crate) verdict: &'a Verdict,
    pub(crate) plan: &'a DebatePlan,
    /// True when there was nothing to look into.
    pub(crate) no_sources: bool,
}

impl Card<'_> {
    /// The text that people read instead of the transcript.
    pub(crate) fn text(&self) -> String {
        let mut parts = vec![self.summary.trim().to_owned()];
        let (decided, open) = self.decided();
        parts.extend(section("Decided", decided.into_iter()));
        parts.extend(section("Open", open.into_iter()));
        let dissent = self.decisions.iter().filter(|one| !one.dissent.is_empty());
        let dissent = dissent.map(|one| titled(&one.title, &one.dissent));
        parts.extend(section("Dissent", dissent));
        parts.extend(section("Assumed", self.assumptions.iter().map(assumed)));
        if !self.unanswered.is_empty() {
            parts.push(format!("No seat answered: {}.", self.unanswered.join(", ")));
        }
        if !self.silent.is_empty() {
            parts.push(format!(
                "Nothing usable came from: {}.",
                self.silent.join(", ")
            ));
        }
        parts.push(self.held().join(" "));
        if self.verdict.needs_person {
            parts.push(format!("NEEDS HUMAN REVIEW: {}", self.verdict.reason));
        }
        parts.join("\n\n")
    }

    /// What was decided and what is open, each with its vote.
    fn decided(&self) -> (Vec<String>, Vec<String>) {
        let (mut decided, mut open) = (Vec::new(), Vec::new());
        for (place, one) in self.decisions.iter().enumerate() {
            match self.votes.get(place) {
                Some(vote) if vote.option.is_none() => {
                    open.push(titled(&one.title, &vote_words(vote)));
                }
                Some(vote) => {
                    let told = titled(&one.title, &one.choice);
                    decided.push(format!("{told} ({})", vote_words(vote)));
                }
                None => decided.push(titled(&one.title, &one.choice)),
            }
        }
        (decided, open)
    }

    /// How the debate was held, and how far it can be relied on.
    fn held(&self) -> Vec<String> {
        let mut told = vec![ended(self.reason).to_owned()];
        match self.voices {
            Voices::Several => {}
            Voices::OneModel => told.push("All seats are one model.".to_owned()),
            Voices::Rules => told.push("Rules, not a debate.".to_owned()),
        }
        if self.plan.fallback {
            told.push("The leader gave no usable plan; a generic one stood in.".to_owned());
        }
        if self.no_sources {
            told.push("There were no sources to look into.".to_owned());
        }
        told.push(format!("Evidence: {}.", self.badge.word()));
        told
    }
}

/// Why a debate ended, in a sentence.
const fn ended(reason: DebateStop) -> &'static str {
    match reason {
        DebateStop::Rounds => "All planned rounds were held.",
        DebateStop::Leader => "The leader saw nothing left to argue about.",
        DebateStop::Converged => "The seats agreed.",
        DebateStop::FailedPairs => "Too many turns failed, so the debate was cut short.",
        DebateStop::Budget => "The debate was cut short to stay within the budget.",
        DebateStop::DraftsAgree => {
            "Two independent drafts chose the same with evidence that holds, so there was no debate."
        }
        DebateStop::OneOpening => "Only one seat opened, so there was no debate.",
        DebateStop::NoOpenings => "No seat opened.",
        DebateStop::SeatsLeft => "Too few seats were left to go on.",
    }
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("{title}:\n{}", lines.join("\n")))
}

fn assumed(assumption: &Assumption) -> String {
    let weight = match assumption.confidence {
        Confidence::High => "the plan rests on it",
        Confidence::Medium => "a part rests on it",
        Confidence::Low => "a guess",
    };
    format!("{} ({}; {weight})", assumption.claim, assumption.raised_by)
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
