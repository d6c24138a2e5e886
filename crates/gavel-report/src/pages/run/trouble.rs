//! What got in the way: breakers with their numbers and what was chosen, drives that died, steps that
//! failed for good.

use super::{codes, heading, inside, quote};
use crate::document::{Block, Line, Tone};
use gavel_view::{BreakerTold, Report};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    let unclean = report.resumes.iter().filter(|told| told.unclean);
    let died: Vec<Vec<Line>> = unclean
        .map(|told| {
            let stage = told
                .stage
                .map_or("the beginning", gavel_domain::Stage::word);
            vec![
                Line::plain(told.at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()),
                Line::of("unclean", Tone::Warn),
                Line::plain(format!("in {stage}")),
            ]
        })
        .collect();
    if report.breakers.is_empty() && report.troubles.is_empty() && died.is_empty() {
        return;
    }
    heading("What got in the way", blocks);
    breakers(report, blocks);
    if !died.is_empty() {
        let text = "Drives that ended without saying so, and where the run was taken up again. \
                    What was on record then was kept, what was not was done again:";
        blocks.push(Block::Paragraph(Line::plain(text)));
        let titles = vec!["taken up again", "stop before", ""];
        blocks.push(Block::Table { titles, rows: died });
    }
    for trouble in &report.troubles {
        let line = Line::of("Gave up: ", Tone::Bad)
            .and(trouble.key.as_str(), Tone::Code)
            .and(format!(" after {} attempts", trouble.attempts), Tone::Plain);
        blocks.push(Block::Paragraph(line));
        if let Some(detail) = &trouble.detail {
            quote(detail, blocks);
        }
    }
}

fn breakers(report: &Report, blocks: &mut Vec<Block>) {
    let rows = report.breakers.iter().map(|told| {
        let place = match (told.sprint, told.stage) {
            (Some(sprint), _) => format!("sprint {sprint}"),
            (None, Some(stage)) => stage.word().to_owned(),
            (None, None) => String::new(),
        };
        vec![
            Line::plain(place),
            Line::of(codes::breaker(&told.breaker), Tone::Warn)
                .and(
                    format!(" ({}: ", told.breaker.replace("cb_", "breaker ")),
                    Tone::Faint,
                )
                .and(codes::words(&told.reason), Tone::Faint)
                .and(")", Tone::Faint),
            codes::numbers(&told.numbers),
            chosen(report, told),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        blocks.push(Block::Table {
            titles: vec![
                "where",
                "what stopped the run",
                "what it saw",
                "what was chosen",
            ],
            rows,
        });
    }
}

/// What was done about it.
pub(super) fn chosen(report: &Report, told: &BreakerTold) -> Line {
    if told.degraded {
        return Line::of("the run went on with less", Tone::Warn);
    }
    match report.chosen(told) {
        Some(answer) => inside(&answer.text, 120).and(format!(" ({})", answer.who()), Tone::Faint),
        None => Line::of("nothing yet", Tone::Warn),
    }
}
