//! A renovation plan as a document.

use gavel_scout::{
    Grade, Latest, Pattern, PatternKind, RenovationPlan, Task, VersionLine, VersionStatus,
};

use super::{heading, place, severity, table};
use crate::document::{Block, Document, Line, Span, Tone};

/// A plan, first things first.
pub fn scout_plan_document(plan: &RenovationPlan, name: &str) -> Document {
    let brief = &plan.brief;
    let tone = match brief.grade {
        Grade::A | Grade::B => Tone::Good,
        Grade::C | Grade::D => Tone::Warn,
        Grade::F => Tone::Bad,
    };
    let mut lead = vec![Line::plain(brief.headline.as_str())];
    if !brief.top_priorities.is_empty() {
        lead.push(Line::plain(format!(
            "first: {}",
            brief.top_priorities.join("; ")
        )));
    }
    lead.push(Line::plain(format!("{}; {}", brief.risk, brief.automation)));
    lead.push(Line::plain(brief.versions.as_str()));
    let mut blocks = Vec::new();
    tasks(&plan.tasks, &mut blocks);
    patterns(&plan.patterns, &mut blocks);
    versions(&plan.versions, &mut blocks);
    Document {
        title: format!("Renovation plan of {name}"),
        badge: Span::new(format!("grade {}", brief.grade.letter()), tone),
        lead,
        blocks,
    }
}

fn tasks(tasks: &[Task], blocks: &mut Vec<Block>) {
    heading("Tasks", blocks);
    if tasks.is_empty() {
        blocks.push(Block::Paragraph(Line::plain(
            "Nothing to do follows from what was found.",
        )));
    }
    for (number, task) in tasks.iter().enumerate() {
        let title = format!("{}. {}", number + 1, task.to);
        blocks.push(Block::Heading(3, Line::plain(title)));
        blocks.push(Block::Paragraph(Line::plain(format!(
            "Now: {}. Priority {}, effort {}, risk {}{}.",
            task.from,
            task.priority.word(),
            task.effort.word(),
            task.risk.word(),
            if task.automatable {
                ", needs no decision"
            } else {
                ""
            },
        ))));
        blocks.push(Block::List(
            task.steps
                .iter()
                .map(|step| Line::plain(step.as_str()))
                .collect(),
        ));
    }
}

fn kind(kind: PatternKind) -> &'static str {
    match kind {
        PatternKind::Check(check) => check.code(),
        PatternKind::SeveralVersions => "versions",
        PatternKind::PlainScript => "types",
        PatternKind::NoLinter => "linter",
        PatternKind::NoContainer => "container",
    }
}

fn patterns(patterns: &[Pattern], blocks: &mut Vec<Block>) {
    if patterns.is_empty() {
        return;
    }
    heading("Patterns", blocks);
    let row = |pattern: &Pattern| {
        let first = pattern
            .evidence
            .first()
            .map_or_else(|| Line::plain("–"), place);
        vec![
            severity(pattern.severity),
            Line::plain(kind(pattern.kind)),
            Line::plain(pattern.detail.as_str()),
            first,
        ]
    };
    table(
        &["", "pattern", "what", "first seen in"],
        patterns.iter().map(row).collect(),
        blocks,
    );
}

fn versions(versions: &[VersionLine], blocks: &mut Vec<Block>) {
    if versions.is_empty() {
        return;
    }
    heading("Versions", blocks);
    let row = |line: &VersionLine| {
        let current = line
            .current
            .as_ref()
            .map_or("not stated", |stated| stated.text.as_str());
        let latest = match &line.latest {
            Latest::Unknown => Line::of("unknown", Tone::Faint),
            Latest::Repository { version, evidence } => {
                Line::plain(format!("{version} in ")).then(place(evidence))
            }
        };
        let status = match line.status {
            VersionStatus::Outdated => Line::of("outdated", Tone::Warn),
            VersionStatus::Unknown => Line::of("unknown", Tone::Faint),
        };
        vec![
            Line::plain(line.package.as_str()),
            Line::plain(current),
            latest,
            status,
            place(&line.declared),
        ]
    };
    let titles = [
        "package",
        "in use",
        "latest known",
        "status",
        "asked for in",
    ];
    table(&titles, versions.iter().map(row).collect(), blocks);
}
