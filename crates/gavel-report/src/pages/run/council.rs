//! A debate of the council, as people read it.

use gavel_domain::{Badge, DebateStop, OpenDecision, ResearchOutcome, Voices};
use serde_json::Value;

use super::{counted, gone, inside, smaller};
use crate::document::{Block, Line, Tone};
use gavel_view::{CouncilTold, CouncilVerdict};
use gavel_view::{Report, StanceTold};
use gavel_view::{Text, first_line};

/// The most of a reason that a list tells.
const MOST_WHY: usize = 300;

/// What is told of each debate before its decisions.
pub(super) fn told(report: &Report, council: &CouncilTold, blocks: &mut Vec<Block>) {
    if report.debate.councils.len() > 1 {
        smaller(format!("Debate {}", council.number), blocks);
    }
    if !council.seats.is_empty() {
        blocks.push(seats(report, council));
    }
    blocks.push(Block::Paragraph(how(council)));
    if let Some(verdict) = &council.verdict {
        blocks.push(Block::Paragraph(judged(verdict)));
    }
    match &council.outcome {
        Some(Text::Kept(outcome)) => blocks.push(Block::Quote(outcome.summary.clone())),
        Some(Text::Odd(why)) => {
            let line = Line::of("It could not be drawn together: ", Tone::Bad);
            let why = Line::prose(&first_line(why, MOST_WHY));
            blocks.push(Block::Paragraph(line.then(why)));
        }
        Some(Text::Gone) => blocks.push(Block::Paragraph(gone())),
        None => {}
    }
}

/// Who disagreed in the end, with what, and why.
pub(super) fn dissent(council: &CouncilTold, blocks: &mut Vec<Block>) {
    if council.dissent().is_empty() {
        return;
    }
    let title = Line::of("Who disagreed at the end", Tone::Warn);
    blocks.push(Block::Paragraph(title));
    let lines = council.dissent().iter().map(|one| {
        let mut line = Line::of(one.who.as_str(), Tone::Strong);
        if !one.decision.is_empty() {
            let on = council.question(&one.decision).trim_end_matches('?');
            line = line.and(format!(" on “{on}”"), Tone::Plain);
        }
        line.and(": ", Tone::Plain)
            .then(Line::prose(&first_line(&one.why, MOST_WHY)))
    });
    blocks.push(Block::List(lines.collect()));
}

/// The debate in one line.
pub(super) fn in_short(council: &CouncilTold) -> Line {
    let seats = u32::try_from(council.seats.len()).unwrap_or(u32::MAX);
    let mut line = Line::plain(counted(seats, "seat"));
    if council.rounds > 0 {
        line = line.and(
            format!(", {}", counted(council.rounds, "round")),
            Tone::Plain,
        );
    }
    if let Some(stop) = council.stop {
        line = line.and(format!(": {}", stopped(stop)), Tone::Plain);
    }
    line = line.and("; evidence: ", Tone::Plain).then(badge(council));
    for mark in marks(council) {
        line = line.and("; ", Tone::Plain).and(mark, Tone::Warn);
    }
    match &council.verdict {
        Some(verdict) if verdict.needs_person => line
            .and("; ", Tone::Plain)
            .and("NEEDS HUMAN REVIEW", Tone::Bad)
            .and(": ", Tone::Plain)
            .then(inside(&verdict.reason, 140)),
        Some(_) | None => line,
    }
}

/// A turn, folded away.
pub(super) fn turn(report: &Report, told: &StanceTold, blocks: &mut Vec<Block>) {
    let councils = &report.debate.councils;
    let council = councils
        .iter()
        .find(|council| council.number == told.council);
    let mut title = format!("{}, ", told.stance);
    match (told.round, told.answers) {
        (0, _) => title.push_str("opening"),
        (round, None) => title.push_str(&format!("round {round}")),
        (round, Some(other)) => {
            let seats = council.map_or(&[][..], |council| &council.seats);
            let other = seats.iter().find(|seat| seat.seat == other);
            let other = other.map_or("another seat", |seat| &seat.stance);
            title.push_str(&format!("round {round}, to {other}"));
        }
    }
    let title = Line::plain(format!("{title} ")).and(told.model.as_str(), Tone::Code);
    let text = match &told.said {
        Text::Kept(said) => words(council, said),
        Text::Odd(raw) => raw.clone(),
        Text::Gone => {
            let line = title.and(": ", Tone::Plain).and(gone().text(), Tone::Faint);
            blocks.push(Block::Paragraph(line));
            return;
        }
    };
    blocks.push(Block::Folded {
        title,
        text,
        language: "text",
    });
}

/// Each seat with what it chose in the end and how its evidence held.
fn seats(report: &Report, council: &CouncilTold) -> Block {
    let debate = &report.debate;
    let rows = council.seats.iter().map(|seat| {
        let chose = council.chose(debate, seat).into_iter();
        let chose = chose.map(|(question, words)| {
            let line = Line::prose(question).and(" → ", Tone::Faint);
            line.and(words, Tone::Strong)
        });
        let chose: Vec<Line> = chose.collect();
        let spoke = debate.stances.iter();
        let mut spoke = spoke.filter(|told| told.council == council.number);
        let spoke = spoke.any(|told| told.seat == seat.seat);
        let chose = match (chose.is_empty(), spoke, council.silent.contains(&seat.seat)) {
            (false, ..) => Line::joined(chose, "; "),
            (true, true, _) => Line::of("nothing to choose", Tone::Faint),
            (true, false, true) => Line::of("gave nothing usable", Tone::Warn),
            (true, false, false) => Line::of("was not asked", Tone::Faint),
        };
        vec![
            Line::of(seat.stance.as_str(), Tone::Strong),
            Line::of(seat.model.as_str(), Tone::Code),
            chose,
            evidence(council.evidence(debate, seat.seat)),
        ]
    });
    Block::Table {
        titles: vec!["stance", "model", "chose", "evidence"],
        rows: rows.collect(),
    }
}

fn evidence(count: gavel_view::EvidenceCount) -> Line {
    let mut line = match (count.held, count.broken) {
        (0, 0) => return Line::of("none cited", Tone::Faint),
        (held, _) => Line::plain(format!("{held} held")),
    };
    if count.broken > 0 {
        let broken = format!("{} not found", count.broken);
        line = line.and(", ", Tone::Plain).and(broken, Tone::Warn);
    }
    line
}

/// How it was held, and how far it can be relied on.
fn how(council: &CouncilTold) -> Line {
    let mut line = Line::default();
    if !council.leader.is_empty() {
        line = Line::plain("Led by ").and(council.leader.as_str(), Tone::Code);
        if let Some(from) = &council.promoted_from {
            line = line
                .and(", which took the place of ", Tone::Plain)
                .and(from.as_str(), Tone::Code);
        }
        line = line.and(". ", Tone::Plain);
    }
    if let Some(stop) = council.stop {
        let rounds = match council.rounds {
            0 => "No round was held".to_owned(),
            rounds => counted(rounds, "round"),
        };
        line = line.and(format!("{rounds}: {}. ", stopped(stop)), Tone::Plain);
    }
    line = line.and("Evidence: ", Tone::Plain).then(badge(council));
    if let Some(density) = council.density {
        let words = format!(" ({density} % of the tagged claims were checked)");
        line = line.and(words, Tone::Faint);
    }
    line = line.and(".", Tone::Plain);
    for mark in marks(council) {
        line = line.and(" ", Tone::Plain).and(capital(mark), Tone::Warn);
        line = line.and(".", Tone::Plain);
    }
    line
}

fn badge(council: &CouncilTold) -> Line {
    let Some(badge) = council.badge else {
        return Line::of("not measured yet", Tone::Faint);
    };
    let tone = match badge {
        Badge::High => Tone::Good,
        Badge::Medium => Tone::Plain,
        Badge::Low | Badge::NotMeasured => Tone::Warn,
    };
    Line::of(badge.word(), tone)
}

/// What makes it worth less than it looks.
fn marks(council: &CouncilTold) -> Vec<&'static str> {
    let mut marks = Vec::new();
    match council.voices {
        Voices::Several => {}
        Voices::OneModel => marks.push("all seats are one model"),
        Voices::Rules => marks.push("rules, not a debate"),
    }
    if council.fallback {
        marks.push("the leader gave no usable plan, so a generic one stood in");
    }
    if council.research.contains(&ResearchOutcome::NoSources) {
        marks.push("there were no sources to look into");
    }
    if council.research.contains(&ResearchOutcome::Rejected) {
        marks.push("what was looked up cited nothing that exists and was thrown away");
    }
    marks
}

fn judged(verdict: &CouncilVerdict) -> Line {
    let line = match (verdict.needs_person, verdict.confidence) {
        (true, _) => Line::of("NEEDS HUMAN REVIEW", Tone::Bad),
        (false, Some(sure)) => Line::of(format!("Judged complete, {sure} % sure"), Tone::Good),
        (false, None) => Line::of("Nobody judged it", Tone::Warn),
    };
    line.and(": ", Tone::Plain)
        .then(inside(&verdict.reason, MOST_WHY))
}

/// Why a debate ended, inside a sentence.
const fn stopped(reason: DebateStop) -> &'static str {
    match reason {
        DebateStop::Rounds => "all planned rounds were held",
        DebateStop::Leader => "the leader saw nothing left to argue about",
        DebateStop::Converged => "the seats agreed",
        DebateStop::FailedPairs => "too many turns failed",
        DebateStop::Budget => "cut short to stay within the budget",
        DebateStop::DraftsAgree => "two independent drafts agreed, with evidence that holds",
        DebateStop::OneOpening => "only one seat opened",
        DebateStop::NoOpenings => "no seat opened",
        DebateStop::SeatsLeft => "too few seats were left",
    }
}

/// What a seat said, as lines.
fn words(council: Option<&CouncilTold>, said: &Value) -> String {
    let text = |value: &Value, name: &str| {
        let found = value.get(name).and_then(Value::as_str);
        found.unwrap_or_default().trim().to_owned()
    };
    let list = |value: &Value, name: &str| {
        let found = value.get(name).and_then(Value::as_array);
        found.cloned().unwrap_or_default()
    };
    let mut out = text(said, "text");
    for choice in list(said, "choices") {
        let id = text(&choice, "decision");
        let question = council.map_or(id.as_str(), |council| council.question(&id));
        let option = choice.get("option").and_then(Value::as_u64).unwrap_or(99);
        let letter = OpenDecision::letter(u32::try_from(option).unwrap_or(99));
        out.push_str(&format!("\n- {question} {letter}"));
        for (name, mark) in [("cites", "stands on"), ("broken", "not found")] {
            let named = list(&choice, name);
            let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
            if !named.is_empty() {
                out.push_str(&format!("; {mark}: {}", named.join(", ")));
            }
        }
    }
    for assumed in list(said, "assumptions") {
        out.push_str(&format!(
            "\n- takes for granted: {}",
            text(&assumed, "claim")
        ));
    }
    if out.is_empty() {
        out = serde_json::to_string_pretty(said).unwrap_or_else(|_| said.to_string());
    }
    out
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
