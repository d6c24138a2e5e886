//! Questions, answers, and what people said in between.

use super::{gone, heading, inside};
use crate::document::{Block, Line, Tone};
use gavel_view::Text;
use gavel_view::speaker_words;
use gavel_view::{QuestionTold, Report};

/// What somebody must answer before the run goes on.
pub(super) fn open_questions(report: &Report, blocks: &mut Vec<Block>) {
    // Nobody can answer a run that is over.
    if report.state.is_final() {
        return;
    }
    let open = report.questions.iter().filter(|told| told.answer.is_none());
    for told in open {
        let mut line = Line::of("Open question: ", Tone::Warn);
        line.0.extend(asked(told).0);
        blocks.push(Block::Paragraph(line));
        let Some(card) = told.card.kept() else {
            continue;
        };
        if let Some(why) = &card.why {
            blocks.push(Block::Quote(why.clone()));
        }
        let options = card.options.iter().map(|option| {
            let line = Line::plain(option.label.as_str());
            if told.recommended.as_ref() == Some(&option.id) {
                line.and("  (recommended)", Tone::Good)
            } else {
                line
            }
        });
        let options: Vec<_> = options.collect();
        let by_number = !options.is_empty();
        if by_number {
            blocks.push(Block::List(options));
        }
        let run = report.run.short();
        let how = if by_number {
            "--option N"
        } else {
            "\"your own words\""
        };
        let line = Line::of("Answer it: ", Tone::Faint).and(
            format!("gavel answer {run} {} --resume {how}", told.id),
            Tone::Code,
        );
        blocks.push(Block::Paragraph(line));
    }
}

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    let answered = report
        .questions
        .iter()
        .filter_map(|told| Some((told, told.answer.as_ref()?)));
    let rows: Vec<Vec<Line>> = answered
        .map(|(told, answer)| {
            vec![
                asked(told),
                inside(&answer.text, 200),
                Line::of(answer.who(), Tone::Faint),
            ]
        })
        .collect();
    let approved = report.seal.as_ref().and_then(|seal| seal.approved_later);
    let approved = approved.map(|at| {
        vec![
            Line::plain("Is the sealed result what was asked for?"),
            Line::of(format!("approved after it was sealed, {at}"), Tone::Good),
            Line::of("a person", Tone::Faint),
        ]
    });
    let rows: Vec<Vec<Line>> = rows.into_iter().chain(approved).collect();
    if rows.is_empty() && report.interjections.is_empty() {
        return;
    }
    heading("People", blocks);
    if !rows.is_empty() {
        blocks.push(Block::Table {
            titles: vec!["question", "answer", "by"],
            rows,
        });
    }
    let said: Vec<Line> = report
        .interjections
        .iter()
        .map(|said| {
            let mut line = Line::of(format!("{} said: ", speaker_words(said.by)), Tone::Faint);
            line.0.extend(inside(&said.text, 300).0);
            let heard = match &said.heard {
                None => Line::of(" — not heard yet", Tone::Warn),
                Some(heard) => {
                    let stage = heard.stage.map_or("the run", gavel_domain::Stage::word);
                    let sprint = heard.sprint.map(|number| format!(", sprint {number}"));
                    let place = format!(" — heard in {stage}{}", sprint.unwrap_or_default());
                    Line::of(place, Tone::Good)
                }
            };
            line.0.extend(heard.0);
            line
        })
        .collect();
    if !said.is_empty() {
        blocks.push(Block::List(said));
    }
}

fn asked(told: &QuestionTold) -> Line {
    match &told.card {
        Text::Kept(card) => Line::plain(card.text.as_str()),
        Text::Odd(raw) => Line::plain(raw.as_str()),
        Text::Gone => gone(),
    }
}
