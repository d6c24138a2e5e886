//! The review by rules, or the council with its decisions and dissent.

use gavel_deliberation::{ReviewItem, ReviewStance};
use serde_json::Value;

use super::{council, gone, heading, instead, named, quote, smaller};
use crate::document::{Block, Line, Tone};
use gavel_view::Text;
use gavel_view::{DecisionTold, Report, ReviewTold, StanceTold};

/// More decisions than headings are for.
const MANY_DECISIONS: usize = 4;

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    let debate = &report.debate;
    if debate.is_empty() {
        return;
    }
    if debate.seats.is_empty() && debate.stances.is_empty() {
        heading("The review", blocks);
        let text = "Rules reviewed the plan; no models debated it.";
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    } else if debate.councils.is_empty() {
        heading("The council", blocks);
        let evidence = debate.evidence();
        let mut text = format!("Seats: {}.", debate.seats.join(", "));
        for round in &debate.rounds {
            text.push_str(&format!(
                " Round {}: {} points agreed, {} in dispute.",
                round.round, round.agreed, round.disputed
            ));
        }
        let mut line = Line::of(text, Tone::Plain)
            .and(format!(" Evidence: {} held", evidence.held), Tone::Plain);
        if evidence.broken > 0 {
            let broken = format!("{} named nothing that exists", evidence.broken);
            line = line.and(", ", Tone::Plain).and(broken, Tone::Warn);
        }
        blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
        if let Some(summary) = &debate.summary {
            quote(summary, blocks);
        }
    } else {
        heading("The council", blocks);
        let each = debate.councils.iter();
        each.for_each(|one| council::told(report, one, blocks));
    }
    reviews(&debate.reviews, blocks);
    if debate.decisions.len() > MANY_DECISIONS {
        blocks.push(decisions(&debate.decisions));
    } else {
        let each = debate.decisions.iter();
        // Those who disagree have names and a list of their own where a council met.
        let says_dissent = debate.councils.is_empty();
        each.for_each(|told| decision(told, says_dissent, blocks));
    }
    disputes(report, blocks);
    let councils = debate.councils.iter();
    councils.for_each(|one| council::dissent(one, blocks));
    // Seats that spoke at once stand in the journal as they happened to finish.
    for told in &debate.stances {
        if told.council == 0 {
            stance(told, blocks);
        } else {
            council::turn(report, told, blocks);
        }
    }
}

fn reviews(all: &[ReviewTold], blocks: &mut Vec<Block>) {
    if all.is_empty() {
        return;
    }
    let speaks_for: u32 = all.iter().map(|told| told.speaks_for).sum();
    let against: u32 = all.iter().map(|told| told.speaks_against).sum();
    let line = if speaks_for + against == 0 {
        Line::plain("The rules found nothing that speaks for the plan or against it.")
    } else {
        let tone = if against > 0 { Tone::Warn } else { Tone::Plain };
        Line::of(format!("{speaks_for} for"), Tone::Good)
            .and(" the plan, ", Tone::Plain)
            .and(format!("{against} against"), tone)
            .and(".", Tone::Plain)
    };
    blocks.push(Block::Paragraph(line));
    for told in all {
        match &told.items {
            Text::Kept(items) if items.is_empty() => {}
            Text::Kept(items) => blocks.push(Block::List(items.iter().map(item).collect())),
            Text::Odd(_) | Text::Gone => instead(&told.items, blocks),
        }
    }
}

/// An item of the checklist: which way it speaks, what it says, where it comes from.
fn item(item: &ReviewItem) -> Line {
    let mark = match item.stance {
        ReviewStance::For => Line::of("for ", Tone::Good),
        ReviewStance::Against => Line::of("against ", Tone::Warn),
        ReviewStance::Note => Line::of("note ", Tone::Faint),
    };
    mark.then(Line::prose(&item.text))
        .and(format!(" ({})", item.source), Tone::Faint)
}

/// Many decisions, one below the other.
fn decisions(all: &[DecisionTold]) -> Block {
    let rows = all.iter().map(|told| match &told.decision {
        Text::Kept(decision) => vec![
            Line::prose(&decision.title),
            Line::of(decision.choice.as_str(), Tone::Strong),
            Line::prose(&decision.why),
            Line::of(decision.dissent.as_str(), Tone::Warn),
        ],
        Text::Odd(raw) => vec![Line::plain(raw.as_str())],
        Text::Gone => vec![Line::plain(format!("decision {}", told.number)), gone()],
    });
    let rows = rows.map(|mut row| {
        row.resize(4, Line::default());
        row
    });
    Block::Table {
        titles: vec!["decision", "chosen", "why", "dissent"],
        rows: rows.collect(),
    }
}

fn decision(told: &DecisionTold, says_dissent: bool, blocks: &mut Vec<Block>) {
    let Some(decision) = told.decision.kept() else {
        smaller(format!("Decision {}", told.number), blocks);
        instead(&told.decision, blocks);
        return;
    };
    smaller(format!("{}. {}", told.number, decision.title), blocks);
    let choice = Line::of("→ ", Tone::Good).and(decision.choice.as_str(), Tone::Strong);
    blocks.push(Block::Paragraph(choice));
    named("Why", &decision.why, blocks);
    let dissents = told.dissent || !decision.dissent.trim().is_empty();
    if dissents && says_dissent {
        let line = Line::of("Dissent: ", Tone::Warn).then(Line::prose(&decision.dissent));
        blocks.push(Block::Paragraph(line));
    }
}

/// Who had not come round in the last round, and to what.
fn disputes(report: &Report, blocks: &mut Vec<Block>) {
    let disputes = report.debate.disputes();
    if disputes.is_empty() {
        return;
    }
    blocks.push(Block::Paragraph(Line::of(
        "Who disagreed at the end",
        Tone::Warn,
    )));
    let lines = disputes.iter().map(|dispute| {
        let line = Line::of(format!("Seat {} ", dispute.seat), Tone::Strong)
            .and(dispute.model.as_str(), Tone::Code)
            .and(" disputes “", Tone::Plain)
            .then(Line::prose(dispute.claim.trim_end_matches('.')))
            .and("”", Tone::Plain);
        if dispute.why.is_empty() {
            line
        } else {
            line.and(": ", Tone::Plain).then(Line::prose(&dispute.why))
        }
    });
    blocks.push(Block::List(lines.collect()));
}

fn stance(told: &StanceTold, blocks: &mut Vec<Block>) {
    let what = if told.round == 0 {
        "blind draft".to_owned()
    } else {
        format!("reply in round {}", told.round)
    };
    let title = Line::of(format!("Seat {}, {what} ", told.seat), Tone::Plain)
        .and(told.model.as_str(), Tone::Code);
    let text = match &told.said {
        Text::Kept(said) => words(said),
        Text::Odd(raw) => raw.clone(),
        Text::Gone => {
            blocks.push(Block::Paragraph(
                title.and(": ", Tone::Plain).and(gone().text(), Tone::Faint),
            ));
            return;
        }
    };
    blocks.push(Block::Folded {
        title,
        text,
        language: "text",
    });
}

/// What a seat said, as lines.
fn words(said: &Value) -> String {
    let mut out = String::new();
    let text = |value: &Value, name: &str| {
        let found = value.get(name).and_then(Value::as_str);
        found.unwrap_or_default().trim().to_owned()
    };
    let list = |name: &str| said.get(name).and_then(Value::as_array).cloned();
    for name in ["position", "recommendation"] {
        let words = text(said, name);
        if !words.is_empty() {
            out.push_str(&format!("{name}: {words}\n"));
        }
    }
    for name in ["claims", "risks", "agree", "dispute"] {
        let items = list(name).unwrap_or_default();
        if items.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{name}:\n"));
        for item in items {
            let plain = item.as_str().map(str::to_owned);
            let said =
                plain.unwrap_or_else(|| format!("{}{}", text(&item, "text"), text(&item, "claim")));
            out.push_str(&format!("- {said}"));
            let why = text(&item, "why");
            if !why.is_empty() {
                out.push_str(&format!(": {why}"));
            }
            let evidence = item.get("evidence").and_then(Value::as_array);
            let tags: Vec<&str> = evidence
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if !tags.is_empty() {
                out.push_str(&format!(" [{}]", tags.join(", ")));
            }
            out.push('\n');
        }
    }
    if out.is_empty() {
        out = serde_json::to_string_pretty(said).unwrap_or_else(|_| said.to_string());
    }
    out
}
