//! What a record says about itself, line by line.

use gavel_domain::{
    CouncilOutcome, DebateStop, OpenDecision, OutputKind, ResearchOutcome, SynthesisOutcome, Voices,
};
use gavel_rules::council::{sources, tags};

use super::ask::AnswerLine;
use super::intent::Intent;
use super::{CouncilRecord, Told, TurnTold};
use crate::readable::{carried, excerpt, vote_words};

const MOST_SAID: usize = 400;
const MOST_WHY: usize = 300;

/// The answers that a record can give.
pub(super) struct Answers<'a> {
    pub(super) record: &'a CouncilRecord,
}

impl<'a> Answers<'a> {
    pub(super) fn to(&self, intent: Intent) -> Vec<AnswerLine> {
        match intent {
            Intent::Dissent => self.dissent(),
            Intent::Votes => self.votes(),
            Intent::Rounds => self.rounds(),
            Intent::Sure => self.sure(),
            Intent::Evidence => self.evidence(),
            Intent::Cost => self.cost(),
            Intent::Seats => self.seats(),
            Intent::Decided => self.decided(),
            Intent::Risks => self.risks(),
            Intent::Open => self.open(),
        }
    }

    /// What these stances said: their last turn, and the opening where it was another one.
    pub(super) fn said_by(&self, stances: &[&str]) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        for stance in stances {
            let turns = self.record.archive.iter();
            let turns: Vec<&TurnTold> = turns.filter(|turn| turn.stance == *stance).collect();
            let Some(last) = turns.last() else {
                lines.extend(self.silence_of(stance));
                continue;
            };
            lines.push(said(stance, "in the end", last));
            if let Some(first) = turns.first()
                && first.key != last.key
            {
                lines.push(said(stance, "at first", first));
            }
        }
        lines
    }

    fn silence_of(&self, stance: &str) -> Vec<AnswerLine> {
        let mut seats = self.record.participants.iter();
        let Some(seat) = seats.find(|seat| seat.stance == stance) else {
            return Vec::new();
        };
        let failed = self
            .record
            .silent
            .iter()
            .filter(|one| one.seat == seat.seat);
        failed
            .map(|one| {
                let why = one.why.as_ref().map_or("", |why| told(why));
                let why = excerpt(why, MOST_WHY);
                let text = if one.left {
                    format!("{stance} left the debate after round {}.", one.round)
                } else {
                    format!("{stance} said nothing usable in round {}: {why}", one.round)
                };
                line(text, &one.key)
            })
            .collect()
    }

    fn dissent(&self) -> Vec<AnswerLine> {
        let Some((key, outcome)) = self.outcome() else {
            return self.dissent_in_decisions();
        };
        let lines = outcome.dissent.iter().map(|one| {
            let question = outcome
                .decisions
                .iter()
                .find(|vote| vote.id == one.decision);
            let about =
                question.map_or_else(String::new, |vote| format!(" on “{}”", vote.question));
            let stands = if one.turn.is_empty() { key } else { &one.turn };
            line(format!("{}{about}: {}", one.who, one.why), stands)
        });
        let lines: Vec<AnswerLine> = lines.collect();
        if lines.is_empty() {
            return vec![line(
                "Nobody: no stance still disagreed in the end.".to_owned(),
                key,
            )];
        }
        lines
    }

    /// Where there is no synthesis, decisions tell; where there are none yet, the last turns do.
    fn dissent_in_decisions(&self) -> Vec<AnswerLine> {
        let against = self.record.decisions.iter().filter_map(|one| {
            let decision = one.decision.kept()?;
            let said = decision.dissent.trim();
            (!said.is_empty()).then(|| line(format!("{}: {said}", decision.title), &one.key))
        });
        let against: Vec<AnswerLine> = against.collect();
        if against.is_empty() && self.record.decisions.is_empty() {
            return self.standing();
        }
        against
    }

    fn votes(&self) -> Vec<AnswerLine> {
        let Some((key, outcome)) = self.outcome() else {
            return self.standing();
        };
        let votes = outcome.decisions.iter().map(|vote| {
            let choice = carried(vote).unwrap_or("open");
            let camps = vote.options.iter().zip(&vote.voters);
            let camps = camps.filter(|(_, voters)| !voters.is_empty());
            let camps = camps.map(|(option, voters)| format!("{option}: {}", voters.join(", ")));
            let camps: Vec<String> = camps.collect();
            line(
                format!("{} {choice}. {}", vote.question, camps.join("; ")),
                key,
            )
        });
        votes.collect()
    }

    /// What every seat chose when it last spoke, while nothing was drawn together.
    fn standing(&self) -> Vec<AnswerLine> {
        let plan = self.record.plan.as_ref().and_then(|told| told.plan.kept());
        let open = |id: &str| plan.and_then(|plan| plan.decisions.iter().find(|one| one.id == id));
        let mut lines = Vec::new();
        for position in &self.record.final_positions {
            for choice in &position.choices {
                let words = open(&choice.decision).and_then(|open| open.words_of(choice.option));
                let letter = OpenDecision::letter(choice.option).to_string();
                let words = words.unwrap_or(&letter);
                let (stance, decision) = (&position.stance, &choice.decision);
                let text = format!("{stance} chose {words} on {decision}.");
                lines.push(line(text, &position.turn));
            }
        }
        lines
    }

    fn rounds(&self) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        if let Some(stop) = &self.record.stop {
            let rounds = counted(stop.rounds, "round", "rounds");
            let why = stop_words(stop.reason);
            lines.push(line(
                format!("{rounds} held. It ended because {why}."),
                &stop.key,
            ));
        } else if let Some(last) = self.record.archive.last() {
            let round = last.round;
            let text = format!("It is not over: the last turn on record is of round {round}.");
            lines.push(line(text, &last.key));
        }
        if let Some(gate) = &self.record.gate {
            let (same, all) = (gate.value.same, gate.value.decisions);
            let text = format!("Two drafts chose the same in {same} of {all} decisions.");
            lines.push(line(text, &gate.key));
        }
        for one in &self.record.evaluations {
            let figures = &one.figures;
            let text = format!(
                "After round {}: {} agreed, {} in dispute, {} unresolved.",
                figures.round, figures.agreed, figures.disputed, figures.unresolved
            );
            lines.push(line(text, &one.key));
        }
        lines
    }

    fn sure(&self) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        if let Some(confidence) = &self.record.confidence {
            let badge = confidence.badge.map_or("none", gavel_domain::Badge::word);
            let density = confidence.density.map_or_else(
                || "nobody tagged a claim".to_owned(),
                |density| format!("{density} % of the tagged claims were checked"),
            );
            let voices = match confidence.voices {
                Voices::Several => "",
                Voices::OneModel => " One model spoke in every seat.",
                Voices::Rules => " Rules, not a debate.",
            };
            lines.push(line(
                format!("Badge: {badge}; {density}.{voices}"),
                &confidence.key,
            ));
        }
        if let Some(verdict) = &self.record.verdict {
            let said = verdict.confidence.map_or_else(
                || "Nobody judged the synthesis".to_owned(),
                |confidence| format!("The judge is {confidence} of 100 sure of the synthesis"),
            );
            let person = if verdict.needs_person {
                ". NEEDS HUMAN REVIEW"
            } else {
                ""
            };
            let reason = excerpt(told(&verdict.reason), MOST_WHY);
            lines.push(line(format!("{said}{person}: {reason}"), &verdict.key));
        }
        lines
    }

    fn evidence(&self) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        for turn in &self.record.archive {
            let mut cites: Vec<String> = turn.cites.clone();
            let tagged = tags(&turn.said);
            cites.extend(tagged.iter().flat_map(sources).map(str::to_owned));
            cites.sort();
            cites.dedup();
            if !cites.is_empty() {
                let broken = turn.tags.map_or(0, |tags| tags.broken);
                let broken = if broken == 0 {
                    String::new()
                } else {
                    format!(" ({broken} more did not hold)")
                };
                let text = format!("{} cites {}{broken}.", turn.stance, cites.join(", "));
                lines.push(line(text, &turn.key));
            }
        }
        for one in &self.record.research {
            let what = research_words(one.outcome);
            let results = counted(one.results, "result of a tool", "results of tools");
            let text = format!("Looked up: {what}; {results}, {} citations hold.", one.held);
            lines.push(line(text, &one.key));
        }
        if lines.is_empty()
            && let Some(last) = self.record.archive.last()
        {
            lines.push(line(
                "Nobody cited a source that held.".to_owned(),
                &last.key,
            ));
        }
        lines
    }

    fn cost(&self) -> Vec<AnswerLine> {
        let stats = &self.record.stats;
        let (Some(first), Some(last)) = (stats.phases.first(), stats.phases.last()) else {
            return Vec::new();
        };
        let unpriced = if stats.unpriced == 0 {
            String::new()
        } else {
            format!(" ({} without a known price)", stats.unpriced)
        };
        let calls = counted(stats.calls, "call", "calls");
        let seconds = stats.duration_ms / 1_000;
        let lost = stats.lost_text();
        let cost = stats.known_cost();
        let cost = cost.map_or_else(|| "cost unknown".to_owned(), |cost| cost.to_string());
        let asked = match stats.source_calls {
            0 => String::new(),
            some => format!(
                " and {} to sources, which nobody counts",
                counted(some, "call", "calls")
            ),
        };
        let text = format!("{calls}, {cost}{lost}{unpriced}{asked}, {seconds} s.");
        let mut lines = vec![line(text, &first.key)];
        if last.outcome.is_none() {
            lines.push(line("Its last phase did not end.".to_owned(), &last.key));
        }
        lines
    }

    fn seats(&self) -> Vec<AnswerLine> {
        let Some(leader) = &self.record.leader else {
            return Vec::new();
        };
        let from = leader.promoted_from.as_ref();
        let from = from.map_or_else(String::new, |from| format!(" (in the place of {from})"));
        let mut lines = vec![line(format!("{} leads{from}.", leader.model), &leader.key)];
        lines.extend(self.record.participants.iter().map(|seat| {
            let text = format!("Seat {}: {}, {}.", seat.seat, seat.stance, seat.model);
            line(text, &leader.key)
        }));
        lines
    }

    fn decided(&self) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        for one in &self.record.decisions {
            let text = match &one.decision {
                Told::Kept(decision) => {
                    let why = excerpt(&decision.why, MOST_WHY);
                    format!("{} {}. {why}", decision.title, decision.choice)
                }
                Told::Odd(_) => format!("Decision {} cannot be read.", one.number),
                Told::Dropped => format!("The text of decision {} was dropped.", one.number),
            };
            lines.push(line(text, &one.key));
        }
        if let Some(synthesis) = &self.record.synthesis
            && synthesis.how == SynthesisOutcome::Failed
        {
            let text = format!("There is no synthesis: {}", told(&synthesis.text));
            lines.push(line(text, &synthesis.key));
        }
        if let Some((key, outcome)) = self.outcome() {
            lines.extend(
                outcome_lines(outcome)
                    .into_iter()
                    .map(|text| line(text, key)),
            );
        }
        lines
    }

    /// What is paid for what, what sections on risks say, and what is taken for granted.
    fn risks(&self) -> Vec<AnswerLine> {
        let Some((key, outcome)) = self.outcome() else {
            return Vec::new();
        };
        let mut lines: Vec<AnswerLine> = Vec::new();
        for (name, value) in &outcome.sections {
            let named = ["risk", "danger", "downside", "drawback"];
            if named.iter().any(|word| name.to_lowercase().contains(word)) {
                let entries = value
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| vec![value.clone()]);
                let texts = entries.iter().map(|entry| match entry.as_str() {
                    Some(text) => text.to_owned(),
                    None => entry.to_string(),
                });
                lines.extend(texts.map(|text| line(format!("Risk: {text}"), key)));
            }
        }
        let paid = outcome.tradeoffs.iter();
        lines.extend(paid.map(|text| line(format!("Trade-off: {text}"), key)));
        let assumed = self.record.assumptions.iter();
        lines.extend(assumed.map(|one| {
            let text = format!("Taken for granted: {} ({})", one.claim, one.raised_by);
            line(text, key)
        }));
        lines
    }

    /// What no option carries, and what the leader saw unresolved last.
    fn open(&self) -> Vec<AnswerLine> {
        let mut lines = Vec::new();
        if let Some((key, outcome)) = self.outcome() {
            let open = outcome.decisions.iter();
            let open = open.filter(|vote| vote.option.is_none());
            lines.extend(open.map(|vote| {
                line(
                    format!("Open: {} ({})", vote.question, vote_words(vote)),
                    key,
                )
            }));
        }
        if let Some(last) = self.record.evaluations.last() {
            let said = last.said.as_ref().and_then(Told::kept);
            let points = said.and_then(|said| said.get("unresolved")?.as_array());
            let points = points.into_iter().flatten().filter_map(|one| one.as_str());
            lines.extend(points.map(|one| line(format!("Unresolved: {one}"), &last.key)));
        }
        if let (true, Some((key, _))) = (lines.is_empty(), self.outcome()) {
            lines.push(line(
                "Nothing: every decision has a choice.".to_owned(),
                key,
            ));
        }
        lines
    }

    fn outcome(&self) -> Option<(&'a str, &'a CouncilOutcome)> {
        let synthesis = self.record.synthesis.as_ref()?;
        let outcome = synthesis.outcome.as_ref()?.kept()?;
        Some((&synthesis.key, outcome))
    }
}

fn outcome_lines(outcome: &CouncilOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    if !outcome.recommendation.is_empty() {
        lines.push(format!("Recommended: {}", outcome.recommendation));
    }
    if outcome.kind == OutputKind::ResolveQuestion
        && let Some(resolved) = &outcome.resolved_question
    {
        lines.push(format!("Answer: {}", resolved.answer));
    }
    let votes = outcome
        .decisions
        .iter()
        .filter(|vote| vote.option.is_none());
    lines.extend(votes.map(|vote| format!("Open: {} ({})", vote.question, vote_words(vote))));
    if lines.is_empty() {
        lines.push(outcome.summary.clone());
    }
    let steps = outcome.plan.iter().flat_map(|plan| &plan.steps);
    lines.extend(
        (1..)
            .zip(steps)
            .map(|(n, step)| format!("Step {n}: {}", step.description)),
    );
    lines
}

fn said(stance: &str, when: &str, turn: &TurnTold) -> AnswerLine {
    let words = match &turn.excerpt {
        Told::Kept(_) => excerpt(&turn.said, MOST_SAID),
        Told::Odd(_) => "what it said cannot be read".to_owned(),
        Told::Dropped => "the text was dropped".to_owned(),
    };
    line(format!("{stance}, {when}: {words}"), &turn.key)
}

fn line(text: String, key: &str) -> AnswerLine {
    AnswerLine {
        text,
        key: key.to_owned(),
    }
}

fn told(text: &Told) -> &str {
    match text {
        Told::Kept(text) | Told::Odd(text) => text,
        Told::Dropped => "the text was dropped",
    }
}

fn counted(number: u32, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}

const fn stop_words(reason: DebateStop) -> &'static str {
    match reason {
        DebateStop::Rounds => "every round that was planned was held",
        DebateStop::Leader => "the leader saw nothing left to argue about",
        DebateStop::Converged => "the seats said that they agree",
        DebateStop::FailedPairs => "half of the pairs or more failed in two rounds running",
        DebateStop::Budget => "what is left of the cap is needed for the synthesis",
        DebateStop::DraftsAgree => "independent drafts chose the same, with evidence that holds",
        DebateStop::OneOpening => "only one seat opened",
        DebateStop::NoOpenings => "no seat opened",
        DebateStop::SeatsLeft => "fewer than two seats were left",
    }
}

const fn research_words(outcome: ResearchOutcome) -> &'static str {
    match outcome {
        ResearchOutcome::Found => "something was found",
        ResearchOutcome::NothingNew => "nothing that was not known before",
        ResearchOutcome::NoSources => "there is nothing to look into",
        ResearchOutcome::Rejected => "rejected, since it cites no result of a tool of this run",
        ResearchOutcome::Failed => "the model gave nothing usable",
    }
}
