//! Proof, seal, spend, lessons, and the journal itself.

use super::super::document::{Bar, Block, Line, Tone};
use super::super::text::Text;
use super::super::{Report, SpendLine};
use super::build::tests;
use super::{heading, inside, instead, listed, quote, short_commit, yes};

pub(super) fn proof(report: &Report, blocks: &mut Vec<Block>) {
    let Some(gate) = report.gate() else {
        return;
    };
    heading("The proof", blocks);
    let (word, tone) = if gate.passed {
        ("The done gate passed", Tone::Good)
    } else {
        ("The done gate did not pass", Tone::Bad)
    };
    let mut line = Line::of(word, tone)
        .and(
            format!(" with {} of 1000, for commit ", gate.score),
            Tone::Plain,
        )
        .and(short_commit(&gate.commit), Tone::Code);
    if report.gates.len() > 1 {
        line = line.and(
            format!(" (judgement {} of this run)", report.gates.len()),
            Tone::Faint,
        );
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
    if let Some(verification) = &gate.verification {
        let mut line = Line::of("Fresh checkout: ", Tone::Strong);
        line.0.extend(tests(verification).0);
        blocks.push(Block::Paragraph(line));
    }
    let rows = gate.conditions.iter().map(|condition| {
        vec![
            yes(condition.holds),
            Line::plain(condition.id.replace('_', " ")),
            Line::plain(format!("{} of {}", condition.held, condition.looked_at)),
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["", "condition", "held"],
        rows: rows.collect(),
    });
    let Some(criteria) = gate.evidence.kept() else {
        instead(&gate.evidence, blocks);
        return;
    };
    let spec = report.spec.as_ref().and_then(Text::kept);
    let rows = criteria.iter().map(|shown| {
        let stated = spec.and_then(|spec| {
            let same = spec.criteria.iter().find(|one| one.id == shown.id)?;
            Some(same.statement.clone())
        });
        let tone = if shown.holds { Tone::Code } else { Tone::Bad };
        vec![
            yes(shown.holds),
            Line::prose(&stated.unwrap_or_else(|| shown.id.clone())),
            Line::of(shown.evidence.as_str(), tone),
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["", "criterion", "shown by"],
        rows: rows.collect(),
    });
}

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
    if let Some(pushed) = &report.pushed {
        let line = match &pushed.failed {
            None => Line::of("yes", Tone::Good),
            Some(why) => {
                let mut line = Line::of("no: ", Tone::Warn);
                line.0.extend(inside(why, 120).0);
                line
            }
        };
        rows.push(vec![Line::plain("pushed"), line]);
    }
    let titles = Vec::new();
    blocks.push(Block::Table { titles, rows });
    if let Some(says) = seal.says.as_ref().and_then(Text::kept) {
        listed("Because", &says.reasons, blocks);
        if says.reasons.is_empty() {
            listed("Left out", &says.left_out, blocks);
        }
        let ran = says.commands.iter().map(|ran| {
            let exit = ran.exit.map_or_else(
                || Line::of("did not end", Tone::Bad),
                |exit| {
                    Line::of(
                        format!("exit {exit}"),
                        if exit == 0 { Tone::Good } else { Tone::Bad },
                    )
                },
            );
            vec![Line::of(ran.argv.join(" "), Tone::Code), exit]
        });
        let rows: Vec<_> = ran.collect();
        if !rows.is_empty() {
            let titles = vec!["command", ""];
            blocks.push(Block::Table { titles, rows });
        }
    }
    if seal.commit.is_none() {
        let text = "It is signed, and waits for its commit.";
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
}

pub(super) fn spend(report: &Report, blocks: &mut Vec<Block>) {
    let spend = &report.spend;
    let total = &spend.total;
    if total.calls + total.interrupted == 0 {
        return;
    }
    heading("What it cost", blocks);
    let mut line = Line::of(total.cost.to_string(), Tone::Strong).and(
        format!(
            " for {}, {} tokens in, {} out",
            replies(total.calls),
            total.input_tokens,
            total.output_tokens
        ),
        Tone::Plain,
    );
    if let Some(cap) = spend.cap {
        line = line.and(format!("; the cap is {cap}"), Tone::Faint);
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
    if total.interrupted > 0 {
        let text = format!(
            "At most {} more for {} calls without a reply, booked in full.",
            total.interrupted_ceiling, total.interrupted
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    if total.unpriced > 0 {
        let text = format!("{} replies have no known price.", total.unpriced);
        blocks.push(Block::Paragraph(Line::of(text, Tone::Warn)));
    }
    for (name, lines) in [
        ("By stage", &spend.by_stage),
        ("By role", &spend.by_role),
        ("By model", &spend.by_model),
    ] {
        if !lines.is_empty() {
            blocks.push(Block::Paragraph(Line::of(name, Tone::Strong)));
            blocks.push(Block::Bars(bars(lines)));
        }
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
        shown: format!("{} · {} tokens", line.cost, line.tokens()),
    };
    lines.iter().map(bar).collect()
}

pub(super) fn lessons(report: &Report, blocks: &mut Vec<Block>) {
    if report.lessons.is_empty() {
        return;
    }
    heading("What may be remembered", blocks);
    let lines = report.lessons.iter().map(|lesson| {
        let mut line = Line::of(format!("{} ", lesson.kind), Tone::Strong);
        line.0.extend(inside(&lesson.text, 400).0);
        line
    });
    blocks.push(Block::List(lines.collect()));
}

pub(super) fn journal(report: &Report, blocks: &mut Vec<Block>) {
    for trouble in &report.troubles {
        let line = Line::of("Gave up: ", Tone::Bad)
            .and(trouble.key.as_str(), Tone::Code)
            .and(format!(" after {} attempts", trouble.attempts), Tone::Plain);
        blocks.push(Block::Paragraph(line));
        if let Some(detail) = &trouble.detail {
            quote(detail, blocks);
        }
    }
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
