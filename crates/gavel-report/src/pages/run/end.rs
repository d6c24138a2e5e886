//! Seal, lessons, and the journal itself.

use gavel_domain::PushState;

use super::{heading, inside, listed};
use crate::document::{Block, Line, Tone};
use gavel_view::Text;
use gavel_view::{CommandTold, Pushed, Report};

pub(super) fn seal(report: &Report, blocks: &mut Vec<Block>) {
    let Some(seal) = &report.seal else {
        return;
    };
    heading("The seal", blocks);
    let tone = match seal.verdict.as_str() {
        "certified" => Tone::Good,
        "flagged" => Tone::Bad,
        _ => Tone::Warn,
    };
    let mut rows = vec![vec![
        Line::plain("verdict"),
        Line::of(seal.verdict.as_str(), tone),
    ]];
    let mut row = |name: &str, value: &Option<String>| {
        if let Some(value) = value {
            rows.push(vec![
                Line::plain(name),
                Line::of(value.as_str(), Tone::Code),
            ]);
        }
    };
    row("branch", &seal.branch);
    row("commit", &seal.commit);
    row("key", &seal.key);
    if let Some(last) = &report.pushed {
        rows.push(vec![Line::plain("pushed"), pushed(report.push, last)]);
    }
    let titles = Vec::new();
    blocks.push(Block::Table { titles, rows });
    if let Some(says) = seal.says.as_ref().and_then(Text::kept) {
        listed("Because", &says.reasons, blocks);
        if says.reasons.is_empty() {
            listed("Left out", &says.left_out, blocks);
        }
        commands(&says.commands, blocks);
    }
    if seal.commit.is_none() {
        let text = "It is signed, and waits for its commit.";
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    if let (Some(branch), Some(_)) = (&seal.branch, &seal.commit) {
        let line = Line::of("Check it: ", Tone::Strong)
            .and(format!("gavel seal verify {branch}"), Tone::Code)
            .and(
                " in any clone that has the branch. It needs no network and no account: it compares \
                 the sealed tree, the contracts and the signature with what is there.",
                Tone::Plain,
            );
        blocks.push(Block::Paragraph(line));
    }
}

/// Whether the branch is at a remote, and why not.
fn pushed(state: PushState, last: &Pushed) -> Line {
    let tone = match state {
        PushState::Pushed => Tone::Good,
        PushState::None | PushState::NotAgreed => Tone::Plain,
        PushState::Failed => Tone::Warn,
    };
    let mut line = Line::of(state.word(), tone);
    if let Some(why) = &last.failed {
        line = line.and(": ", tone);
        line.0.extend(inside(why, 240).0);
    }
    line
}

/// Commands with how they ended.
pub(super) fn commands(ran: &[CommandTold], blocks: &mut Vec<Block>) {
    let rows = ran.iter().map(|ran| {
        let exit = match ran.exit {
            None => Line::of("did not end", Tone::Bad),
            Some(0) => Line::of("exit 0", Tone::Good),
            Some(exit) => Line::of(format!("exit {exit}"), Tone::Bad),
        };
        vec![Line::of(ran.argv.join(" "), Tone::Code), exit]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        let titles = vec!["command", ""];
        blocks.push(Block::Table { titles, rows });
    }
}

pub(super) fn lessons(report: &Report, blocks: &mut Vec<Block>) {
    if report.lessons.is_empty() {
        return;
    }
    heading("What may be remembered", blocks);
    let lines = report.lessons.iter().map(|lesson| {
        let mut line = Line::of(format!("{} ", lesson.kind), Tone::Strong);
        line.0.extend(inside(&lesson.text, 400).0);
        if let Some(stage) = lesson.stage {
            line = line.and(format!(" (it showed in {stage})"), Tone::Faint);
        }
        line
    });
    blocks.push(Block::List(lines.collect()));
}

pub(super) fn journal(report: &Report, blocks: &mut Vec<Block>) {
    heading("The journal", blocks);
    let mut line = Line::of(
        format!("{} facts, chain verified up to ", report.records),
        Tone::Plain,
    )
    .and(report.chain.short(), Tone::Code)
    .and(format!("; run {}", report.run), Tone::Faint);
    if !report.gavel.is_empty() {
        line = line.and(format!("; Gavel {}", report.gavel), Tone::Faint);
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
    if !report.texts_gone.is_empty() {
        let text = format!(
            "{} texts are no longer kept: facts stay, texts of finished runs are dropped after a while.",
            report.texts_gone.len()
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
}
