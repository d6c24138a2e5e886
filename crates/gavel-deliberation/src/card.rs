//! The summary card of a debate: what was decided, who dissented, what is assumed.

use gavel_domain::{Assumption, Confidence, Decision};

/// Everything that the card tells.
pub(crate) struct Card<'a> {
    /// The leader's words.
    pub(crate) summary: &'a str,
    pub(crate) decisions: &'a [Decision],
    pub(crate) assumptions: &'a [Assumption],
    /// Points that a seat disputed.
    pub(crate) disputed: u32,
    /// Ids of warnings that no seat took up.
    pub(crate) unanswered: &'a [&'a str],
    /// Names of stances that said nothing usable.
    pub(crate) silent: &'a [String],
}

impl Card<'_> {
    /// The text that people read instead of the transcript.
    pub(crate) fn text(&self) -> String {
        let mut parts = vec![self.summary.trim().to_owned()];
        let decided = self
            .decisions
            .iter()
            .map(|one| format!("{}: {}", one.title, one.choice));
        parts.extend(section("Decided", decided));
        let dissent = self.decisions.iter().filter(|one| !one.dissent.is_empty());
        let dissent = dissent.map(|one| format!("{}: {}", one.title, one.dissent));
        parts.extend(section("Dissent", dissent));
        if self.disputed > 0 && self.decisions.iter().all(|one| one.dissent.is_empty()) {
            parts.push(format!(
                "Points that a seat disputed: {}. No decision names a dissent.",
                self.disputed
            ));
        }
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
        parts.join("\n\n")
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
