//! A report as a document: what comes first, what comes after, and how it is said.

mod asks;
mod beginning;
mod build;
mod codes;
mod council;
mod debate;
mod end;
mod ledger;
mod money;
mod people;
mod plan;
mod proof;
mod proven;
mod short;
mod trouble;

use gavel_domain::RunState;

pub(super) use asks::thread_table;

use crate::document::{Block, Document, Line, Span, Tone, WayRow};
use gavel_view::Report;
use gavel_view::span_words;
use gavel_view::{Text, first_line};

/// A run as a document.
pub fn run_document(report: &Report) -> Document {
    let mut blocks = Vec::new();
    stopped(report, &mut blocks);
    people::open_questions(report, &mut blocks);
    asks::section(report, &mut blocks);
    short::section(report, &mut blocks);
    beginning::section(report, &mut blocks);
    way(report, &mut blocks);
    plan::discovery(report, &mut blocks);
    debate::section(report, &mut blocks);
    ledger::section(report, &mut blocks);
    plan::spec(report, &mut blocks);
    build::section(report, &mut blocks);
    trouble::section(report, &mut blocks);
    proof::section(report, &mut blocks);
    end::seal(report, &mut blocks);
    people::section(report, &mut blocks);
    money::section(report, &mut blocks);
    end::lessons(report, &mut blocks);
    plan::contracts(report, &mut blocks);
    end::journal(report, &mut blocks);
    Document {
        title: report.title(),
        badge: badge(report),
        lead: lead(report),
        blocks,
    }
}

/// The essentials of a run, for one screen.
pub fn run_summary(report: &Report) -> Document {
    short::document(report)
}

/// How the run stands, in a word or two.
fn badge(report: &Report) -> Span {
    let state = report.state.word();
    let (text, tone) = match (report.state, &report.seal) {
        (RunState::Sealed, Some(seal)) => (
            format!("sealed · {}", seal.verdict),
            match seal.verdict.as_str() {
                "certified" => Tone::Good,
                "flagged" => Tone::Bad,
                _ => Tone::Warn,
            },
        ),
        (RunState::Sealed, None) | (RunState::Running | RunState::Closed, _) => {
            (state.to_owned(), Tone::Good)
        }
        (RunState::Waiting | RunState::Paused | RunState::Halted, _) => {
            (state.to_owned(), Tone::Warn)
        }
        (RunState::Faulted | RunState::Aborted, _) => (state.to_owned(), Tone::Bad),
    };
    Span::new(text, tone)
}

fn lead(report: &Report) -> Vec<Line> {
    let mut lines = Vec::new();
    let spec = report.spec.as_ref().and_then(Text::kept);
    if let Some(spec) = spec.filter(|spec| !spec.purpose.trim().is_empty()) {
        lines.push(Line::prose(&spec.purpose));
    }
    let started = report.started_at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let cost = report.spend.total.cost_text();
    let mut line = Line::of("run ", Tone::Faint)
        .and(report.run.short(), Tone::Code)
        .and(format!(" · {started} · worked "), Tone::Faint)
        .and(report.way.worked_words(), Tone::Plain)
        .and(" · spent ", Tone::Faint)
        .and(cost, Tone::Plain);
    if let Some(branch) = &report.branch {
        line = line
            .and(" · branch ", Tone::Faint)
            .and(branch.as_str(), Tone::Code)
            .and(" · pushed: ", Tone::Faint)
            .and(report.push.word(), Tone::Plain);
    }
    lines.push(line);
    lines
}

fn stopped(report: &Report, blocks: &mut Vec<Block>) {
    let Some(ended) = &report.ended else {
        return;
    };
    let what = match ended.state {
        RunState::Faulted => "A bug of Gavel stopped the run",
        RunState::Aborted => "The run was given up",
        RunState::Halted
        | RunState::Running
        | RunState::Waiting
        | RunState::Paused
        | RunState::Sealed
        | RunState::Closed => "The run stopped",
    };
    let mut line = Line::of(what, Tone::Strong);
    if let Some(reason) = &ended.reason {
        line = line
            .and(": ", Tone::Plain)
            .and(reason.replace('_', " "), Tone::Warn);
    }
    if let Some(by) = ended.by {
        let who = gavel_view::speaker_words(by);
        line = line.and(format!(" by {who}"), Tone::Plain);
    }
    blocks.push(Block::Paragraph(line));
    if let Some(detail) = &ended.detail {
        quote(detail, blocks);
    }
}

fn way(report: &Report, blocks: &mut Vec<Block>) {
    let rows = way_rows(report);
    if rows.is_empty() {
        return;
    }
    heading("The way", blocks);
    blocks.push(Block::Way(rows));
    let resumed = report.resumed;
    if resumed.times > 0 {
        let rested: u64 = report.way.visits.iter().map(|visit| visit.rested_ms).sum();
        let mut text = format!("Taken up again {}", times(resumed.times));
        if resumed.unclean > 0 {
            text.push_str(&format!(
                ", {} after the drive before had died",
                times(resumed.unclean)
            ));
        }
        text.push_str(&format!("; nobody drove for {}.", span_words(rested)));
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    }
}

/// The visits below each other on the time that somebody drove.
fn way_rows(report: &Report) -> Vec<WayRow> {
    let mut from_ms = 0;
    let rows = report.way.visits.iter().map(|visit| {
        // An answer that was taken at once was not waited for.
        let waited_ms = if visit.waited_ms < 100 {
            0
        } else {
            visit.waited_ms
        };
        let row = WayRow {
            stage: visit.stage.word().to_owned(),
            from_ms,
            worked_ms: visit.worked_ms,
            waited_ms,
            rested_ms: visit.rested_ms,
        };
        from_ms += visit.worked_ms + waited_ms;
        row
    });
    rows.collect()
}

fn heading(text: &str, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(2, Line::plain(text)));
}

fn smaller(line: impl Into<Line>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(3, line.into()));
}

/// A paragraph under a bold word.
fn named(name: &str, text: &str, blocks: &mut Vec<Block>) {
    if !text.trim().is_empty() {
        let line = Line::of(format!("{name}: "), Tone::Strong).then(Line::prose(text));
        blocks.push(Block::Paragraph(line));
    }
}

/// A list under a bold word.
fn listed(name: &str, items: &[String], blocks: &mut Vec<Block>) {
    if items.is_empty() {
        return;
    }
    blocks.push(Block::Paragraph(Line::of(name, Tone::Strong)));
    let items = items.iter().map(|item| Line::prose(item));
    blocks.push(Block::List(items.collect()));
}

fn quote(text: &Text, blocks: &mut Vec<Block>) {
    match text {
        Text::Kept(text) | Text::Odd(text) if text.trim().is_empty() => {}
        Text::Kept(text) | Text::Odd(text) => blocks.push(Block::Quote(text.clone())),
        Text::Gone => blocks.push(Block::Paragraph(gone())),
    }
}

/// What stands where a text was.
fn gone() -> Line {
    Line::of("(this text is no longer kept)", Tone::Faint)
}

/// A text that ought to have had a form and does not, or is not kept.
fn instead<T>(text: &Text<T>, blocks: &mut Vec<Block>) {
    match text {
        Text::Kept(_) => {}
        Text::Odd(raw) => blocks.push(Block::Quote(raw.clone())),
        Text::Gone => blocks.push(Block::Paragraph(gone())),
    }
}

/// A text inside a line or a cell.
fn inside(text: &Text, limit: usize) -> Line {
    match text {
        Text::Kept(text) | Text::Odd(text) => Line::prose(&first_line(text, limit)),
        Text::Gone => gone(),
    }
}

fn yes(holds: bool) -> Line {
    if holds {
        Line::of("✓", Tone::Good)
    } else {
        Line::of("✗", Tone::Bad)
    }
}

fn times(number: u32) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{number} times"),
    }
}

/// `1 file`, `2 files`.
pub(super) fn counted(number: u32, what: &str) -> String {
    if number == 1 {
        format!("{number} {what}")
    } else {
        format!("{number} {what}s")
    }
}

/// The beginning of a commit's name.
fn short_commit(commit: &str) -> String {
    commit.chars().take(12).collect()
}
