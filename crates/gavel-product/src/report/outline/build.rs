//! The sprints: what was planned, tested, found, repaired and committed.

use gavel_domain::{AuditVerdict, VerifyVerdict};

use super::super::document::{Block, Line, Tone};
use super::super::way::span_words;
use super::super::{AuditTold, Report, SprintTold, Verification};
use super::{counted, heading, inside, short_commit, smaller};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    if report.sprints.is_empty() {
        return;
    }
    heading("The build", blocks);
    for told in &report.sprints {
        sprint(report, told, blocks);
    }
    errors(report, blocks);
}

fn sprint(report: &Report, told: &SprintTold, blocks: &mut Vec<Block>) {
    let phase = told.phase.map(|phase| match report.phase_name(phase) {
        Some(name) => format!("phase {phase}, {name}"),
        None => format!("phase {phase}"),
    });
    let title = match phase {
        Some(phase) => format!("Sprint {}: {phase}", told.number),
        None => format!("Sprint {}", told.number),
    };
    smaller(title, blocks);
    let took = told.until.duration_since(told.began_at).as_millis();
    let took = span_words(u64::try_from(took).unwrap_or_default());
    let mut text = format!("{} planned, {took}", counted(told.files, "file"));
    if told.fixes > 0 {
        text.push_str(&format!(", {} of repairs", counted(told.fixes, "round")));
    }
    blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    let mut rows: Vec<Vec<Line>> = Vec::new();
    for (round, verification) in told.verifications.iter().enumerate() {
        rows.push(vec![
            Line::plain(round_words("tests", round)),
            tests(verification),
        ]);
    }
    for (round, told) in told.audits.iter().enumerate() {
        rows.push(vec![Line::plain(round_words("audit", round)), audit(told)]);
    }
    for commit in &told.commits {
        rows.push(vec![
            Line::plain("commit"),
            Line::of(short_commit(commit), Tone::Code),
        ]);
    }
    if !rows.is_empty() {
        let titles = Vec::new();
        blocks.push(Block::Table { titles, rows });
    }
    files(told, blocks);
    findings(told, blocks);
}

fn round_words(what: &str, round: usize) -> String {
    if round == 0 {
        what.to_owned()
    } else {
        format!("{what}, after repair {round}")
    }
}

fn files(told: &SprintTold, blocks: &mut Vec<Block>) {
    let Some(plan) = told.plan.as_ref().and_then(super::Text::kept) else {
        return;
    };
    let rows = plan.0.iter().map(|file| {
        vec![
            Line::plain(file.action.as_str()),
            Line::of(file.path.as_str(), Tone::Code),
            Line::of(file.purpose.as_str(), Tone::Faint),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        let titles = Vec::new();
        blocks.push(Block::Table { titles, rows });
    }
}

fn findings(told: &SprintTold, blocks: &mut Vec<Block>) {
    let audits = told.audits.iter();
    let findings = audits.filter_map(|audit| audit.findings.kept());
    let lines = findings.flat_map(|findings| &findings.0).map(|finding| {
        let tone = if finding.severity == "error" {
            Tone::Bad
        } else {
            Tone::Warn
        };
        let place = match (finding.file.as_str(), finding.line) {
            ("", _) => String::new(),
            (file, 0) => format!(" {file}"),
            (file, line) => format!(" {file}:{line}"),
        };
        let line = Line::of(finding.severity.as_str(), tone)
            .and(place, Tone::Plain)
            .and(": ", Tone::Plain)
            .then(Line::prose(&finding.message));
        if finding.evidence.is_empty() {
            line
        } else {
            line.and(format!(" ({})", finding.evidence), Tone::Faint)
        }
    });
    let lines: Vec<_> = lines.collect();
    if !lines.is_empty() {
        blocks.push(Block::List(lines));
    }
}

/// How a verification went.
pub(super) fn tests(told: &Verification) -> Line {
    let (word, tone) = match told.verdict {
        VerifyVerdict::Passed => ("passed", Tone::Good),
        VerifyVerdict::Failed => ("failed", Tone::Bad),
        VerifyVerdict::Unclear => ("unclear", Tone::Warn),
    };
    let mut text = format!(
        ": {} of {} passed",
        told.passed,
        counted(told.executed, "test")
    );
    if told.skipped > 0 {
        text.push_str(&format!(", {} skipped", told.skipped));
    }
    if told.verdict != VerifyVerdict::Passed {
        text.push_str(&format!(" ({})", told.reason.replace('_', " ")));
    }
    Line::of(word, tone)
        .and(text, Tone::Plain)
        .and(format!("  {}", told.recipe), Tone::Faint)
}

fn audit(told: &AuditTold) -> Line {
    let (word, tone) = match told.verdict {
        AuditVerdict::Pass => ("passed", Tone::Good),
        AuditVerdict::Fail => ("failed", Tone::Bad),
        AuditVerdict::Unclear => ("unclear", Tone::Warn),
    };
    let text = format!(
        ": {}, {}",
        counted(told.errors, "error"),
        counted(told.warnings, "warning")
    );
    Line::of(word, tone).and(text, Tone::Plain)
}

fn errors(report: &Report, blocks: &mut Vec<Block>) {
    if report.errors.is_empty() {
        return;
    }
    smaller("Errors on the way", blocks);
    let rows = report.errors.iter().map(|error| {
        let gone = match error.resolved_in {
            Some(sprint) => Line::of(format!("resolved in sprint {sprint}"), Tone::Good),
            None => Line::of("open", Tone::Bad),
        };
        vec![
            Line::plain(format!("sprint {}", error.sprint)),
            Line::plain(error.source.as_str()),
            inside(&error.text, 160),
            gone,
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["found in", "by", "error", ""],
        rows: rows.collect(),
    });
}
