//! The thread: your words, the criteria that serve them, and what shows these.

use gavel_rules::{AskThread, ThreadTone};

use super::{heading, instead};
use crate::document::{Block, Line, Tone};
use gavel_view::Report;

/// The most asks of the short document.
const MOST: usize = 8;

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    let Some(asks) = &report.asks else {
        return;
    };
    heading("What was asked for", blocks);
    let Some(thread) = &report.thread else {
        return instead(asks, blocks);
    };
    counted(thread, blocks);
    blocks.push(thread_table(thread));
    let own: Vec<String> = thread.unasked.iter().map(|one| one.id.clone()).collect();
    super::listed(
        "Criteria of Gavel's own, which nobody asked for",
        &own,
        blocks,
    );
}

/// A row for each criterion of each ask, with what shows it.
pub(crate) fn thread_table(thread: &AskThread) -> Block {
    let rows = thread.rows().into_iter().map(|row| {
        let evidence = Line::of(row.evidence, tone(row.tone));
        let criterion = match row.tone {
            ThreadTone::Warn => Tone::Warn,
            ThreadTone::Plain | ThreadTone::Good | ThreadTone::Bad => Tone::Plain,
        };
        vec![
            Line::plain(row.words),
            Line::of(row.criterion, criterion),
            evidence,
        ]
    });
    Block::Table {
        titles: vec![thread.words_title(), "criterion", "evidence"],
        rows: rows.collect(),
    }
}

/// An ask a line, those first that nothing answers for.
pub(super) fn short(report: &Report, blocks: &mut Vec<Block>) {
    let Some(thread) = &report.thread else {
        return;
    };
    heading("What was asked for", blocks);
    counted(thread, blocks);
    let mut asks: Vec<_> = thread.asks.iter().collect();
    asks.sort_by_key(|ask| ask.tone() != ThreadTone::Warn);
    let more = asks.len().saturating_sub(MOST);
    let rows = asks.into_iter().take(MOST).map(|ask| {
        let words = Line::plain(format!("\"{}\"", ask.account.ask.text));
        vec![words, Line::of(ask.outcome(), tone(ask.tone()))]
    });
    blocks.push(Block::Table {
        titles: vec![thread.words_title(), "what became of them"],
        rows: rows.collect(),
    });
    if more > 0 {
        let text = format!("and {more} more");
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    }
}

fn counted(thread: &AskThread, blocks: &mut Vec<Block>) {
    let uncovered = thread.uncovered().next().is_some();
    let tone = if uncovered { Tone::Warn } else { Tone::Plain };
    blocks.push(Block::Paragraph(Line::of(
        format!("{}.", thread.counted()),
        tone,
    )));
}

const fn tone(tone: ThreadTone) -> Tone {
    match tone {
        ThreadTone::Plain => Tone::Plain,
        ThreadTone::Good => Tone::Good,
        ThreadTone::Warn => Tone::Warn,
        ThreadTone::Bad => Tone::Bad,
    }
}
