//! What was assumed: open entries first.

use gavel_domain::AssumptionStatus;

use super::{codes, gone, heading, inside};
use crate::document::{Block, Line, Tone};
use gavel_view::Text;
use gavel_view::{AssumptionTold, Report};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    if report.assumptions.is_empty() {
        return;
    }
    heading("What was assumed", blocks);
    blocks.push(Block::Paragraph(counts(report)));
    let rows = report.ledger().into_iter().map(|told| {
        let (word, tone) = codes::status(told.status);
        let mut standing = Line::of(word, tone);
        if let Some(by) = &told.settled_by {
            standing = standing.and(format!(" {}", codes::settled_by(by)), Tone::Faint);
        }
        vec![
            standing,
            claim(told),
            Line::plain(told.raised_by.as_str()).and(
                format!("; {}", codes::confidence(told.confidence)),
                Tone::Faint,
            ),
            shown(told),
            Line::of(told.id.as_str(), Tone::Code),
        ]
    });
    blocks.push(Block::Table {
        titles: vec![
            "",
            "assumption",
            "raised by",
            "how to find out, and what showed it",
            "id",
        ],
        rows: rows.collect(),
    });
}

/// How many of each standing there are.
pub(super) fn counts(report: &Report) -> Line {
    let all = report.assumptions.len();
    let of = |status| {
        let same = |told: &&AssumptionTold| told.status == status;
        report.assumptions.iter().filter(same).count()
    };
    let critical = report.assumptions.iter().filter(|told| told.is_critical());
    let critical = critical.count();
    let mut line = Line::plain(if all == 1 {
        "1 assumption".to_owned()
    } else {
        format!("{all} assumptions")
    });
    let mut part = |number: usize, text: String, tone| {
        if number > 0 {
            let before = std::mem::take(&mut line);
            line = before.and(", ", Tone::Plain).and(text, tone);
        }
    };
    let open = of(AssumptionStatus::Unverified);
    part(open, format!("{open} open"), Tone::Warn);
    part(
        critical,
        format!("{critical} of them the plan rests on"),
        Tone::Bad,
    );
    let fell = of(AssumptionStatus::Refuted);
    part(fell, format!("{fell} fell"), Tone::Bad);
    let put_off = of(AssumptionStatus::Deferred);
    part(put_off, format!("{put_off} put off"), Tone::Warn);
    let hold = of(AssumptionStatus::Validated);
    part(hold, format!("{hold} shown to hold"), Tone::Good);
    line.and(".", Tone::Plain)
}

fn claim(told: &AssumptionTold) -> Line {
    match &told.claim {
        Text::Kept(text) | Text::Odd(text) => Line::prose(text),
        Text::Gone => gone(),
    }
}

fn shown(told: &AssumptionTold) -> Line {
    match &told.evidence {
        Some(evidence) => inside(evidence, 300),
        None => inside(&told.how_to_validate, 300),
    }
}
