//! What it cost: the sums of the ledger, what was expected, and who changed a cap.

use gavel_domain::{Cap, CapScope, MicroUsd, Stage};
use serde_json::Value;

use super::heading;
use crate::document::{Bar, Block, Line, Tone};
use gavel_view::{PreviewTold, Report, SpendLine, source_line, speaker_words};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    let spend = &report.spend;
    let total = &spend.total;
    if total.calls + total.interrupted == 0 && spend.preview.is_none() && spend.sources.is_empty() {
        return;
    }
    heading("What it cost", blocks);
    let mut line = Line::of(total.cost_text(), Tone::Strong)
        .and(format!(" for {}", total.replies_text()), Tone::Plain);
    if let Some(cap) = spend.cap {
        line = line.and(format!("; the cap is {cap}"), Tone::Faint);
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
    if let Some(line) = expected(report) {
        blocks.push(Block::Paragraph(
            Line::of("Expected: ", Tone::Strong).then(line),
        ));
    }
    unsure(total, blocks);
    for told in &spend.sources {
        let text = format!("The source {}.", source_line(told));
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    for told in &spend.shares {
        let text = format!(
            "{} had spent {} when its soft share was {}; nothing was stopped.",
            told.stage, told.spent, told.share
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    for told in &spend.caps {
        let text = format!("{} was set by {}.", cap(&told.cap), speaker_words(told.by));
        blocks.push(Block::Paragraph(Line::of(text, Tone::Plain)));
    }
    let mut by_stage = spend.by_stage.clone();
    by_stage.sort_by_key(|line| Stage::from_word(&line.name));
    for (name, lines) in [
        ("By stage", &by_stage),
        ("By role", &spend.by_role),
        ("By model", &spend.by_model),
    ] {
        if !lines.is_empty() {
            blocks.push(Block::Paragraph(Line::of(name, Tone::Strong)));
            blocks.push(Block::Bars {
                title: "Where the money went",
                bars: bars(lines),
            });
        }
    }
    if let Some(preview) = spend
        .preview
        .as_ref()
        .filter(|told| told.high != Some(MicroUsd::ZERO))
    {
        compared(report, preview, blocks);
    }
}

/// What was expected, and how the spend compares; none when nobody said.
pub(super) fn expected(report: &Report) -> Option<Line> {
    let preview = report.spend.preview.as_ref()?;
    let spent = report.spend.total.cost;
    let line = match (preview.low, preview.high) {
        (Some(_), Some(MicroUsd::ZERO)) => Line::plain("nothing, the models are free"),
        (Some(low), Some(high)) => {
            let line = Line::plain(format!("{low} to {high}"));
            if spent > high {
                line.and(", it became more", Tone::Warn)
            } else if spent < low {
                line.and(", it became less", Tone::Good)
            } else {
                line
            }
        }
        (None, _) | (_, None) => {
            let unpriced = preview.unpriced.join(", ");
            Line::of(
                format!("nobody could say, no price is known for {unpriced}"),
                Tone::Warn,
            )
        }
    };
    Some(line)
}

/// What is not sure about the sum.
fn unsure(total: &SpendLine, blocks: &mut Vec<Block>) {
    if total.interrupted > 0 {
        let text = format!(
            "At most {} more for {} calls without a reply, booked in full.",
            total.lost_text(),
            total.interrupted
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    if total.unpriced > 0 {
        let text = format!("{} replies have no known price.", total.unpriced);
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    if total.unmetered > 0 {
        let text = format!("{} replies are counted by nobody.", total.unmetered);
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    if total.above_ceiling > 0 {
        let text = format!(
            "For {} a provider counted more than was possible, {} by its figures; booked was what \
             had been reserved.",
            replies(total.above_ceiling),
            total.claimed
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
}

/// Expected and spent, stage by stage.
fn compared(report: &Report, preview: &PreviewTold, blocks: &mut Vec<Block>) {
    let stages = preview.stages.kept().and_then(|told| {
        let inside = told.get("stages").unwrap_or(told);
        inside.as_array()
    });
    let amount = |told: &Value, name: &str| {
        let micro = told.get(name).and_then(Value::as_u64);
        micro.map_or_else(|| "unknown".to_owned(), |micro| MicroUsd(micro).to_string())
    };
    let rows = stages.into_iter().flatten().filter_map(|told| {
        let stage = told.get("stage")?.as_str()?;
        let spent = report.spend.by_stage.iter().find(|line| line.name == stage);
        let spent = spent.map_or_else(|| MicroUsd::ZERO.to_string(), SpendLine::cost_text);
        Some(vec![
            Line::plain(stage),
            Line::plain(format!(
                "{} to {}",
                amount(told, "low"),
                amount(told, "high")
            )),
            Line::plain(spent),
        ])
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        blocks.push(Block::Paragraph(Line::of(
            "Expected and spent",
            Tone::Strong,
        )));
        let titles = vec!["stage", "expected", "spent"];
        blocks.push(Block::Table { titles, rows });
    }
}

fn cap(cap: &Cap) -> String {
    match cap.scope {
        CapScope::RunUsd => format!("The run's cap of {}", MicroUsd(cap.limit)),
        CapScope::MonthUsd => format!("The month's cap of {}", MicroUsd(cap.limit)),
        CapScope::RunTokens => format!("The run's cap of {} tokens", cap.limit),
    }
}

fn replies(calls: u64) -> String {
    if calls == 1 {
        "one reply".to_owned()
    } else {
        format!("{calls} replies")
    }
}

/// Bars by money; by tokens when nothing of it cost money.
fn bars(lines: &[SpendLine]) -> Vec<Bar> {
    let costs = lines.iter().any(|line| line.cost.0 > 0);
    let bar = |line: &SpendLine| Bar {
        label: line.name.clone(),
        amount: if costs { line.cost.0 } else { line.tokens() },
        shown: match (line.known, line.tokens()) {
            (cost, 0) => cost.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string()),
            (Some(cost), tokens) => format!("{cost} · {tokens} tokens"),
            (None, tokens) => format!("unknown · {tokens} tokens"),
        },
    };
    lines.iter().map(bar).collect()
}
