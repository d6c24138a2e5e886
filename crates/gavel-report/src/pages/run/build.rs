//! The sprints: what was planned, tested, found, repaired and committed.

use gavel_domain::{AuditVerdict, VerifyVerdict};

use super::{codes, counted, heading, inside, quote, short_commit, smaller};
use crate::document::{Bar, Block, Line, Tone, share_words};
use gavel_view::Text;
use gavel_view::span_words;
use gavel_view::{AuditTold, Report, SprintTold, Verification};

/// More files than a table is for.
const MANY_FILES: usize = 8;

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    if report.sprints.is_empty() {
        return;
    }
    heading("The build", blocks);
    scores(report, blocks);
    for told in &report.sprints {
        sprint(report, told, blocks);
    }
    errors(report, blocks);
}

/// How far each sprint came.
fn scores(report: &Report, blocks: &mut Vec<Block>) {
    let bars = report.sprints.iter().filter_map(|told| {
        let judged = told.judged.as_ref()?;
        Some(Bar {
            label: format!("sprint {}", told.number),
            amount: u64::from(judged.score),
            shown: format!(
                "{}, {} of {} met",
                share_words(u64::from(judged.score)),
                judged.met,
                judged.all()
            ),
        })
    });
    let bars: Vec<Bar> = bars.collect();
    if !bars.is_empty() {
        let enough = u64::from(report.limits.done_threshold);
        let text = "How much of its phase each sprint had shown at its end, by weight:";
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
        blocks.push(Block::Scores { bars, enough });
    }
}

/// What failed before, and what the sprint was told because of it.
fn told_before(report: &Report, told: &SprintTold, blocks: &mut Vec<Block>) {
    for feedback in report
        .feedback
        .iter()
        .filter(|one| one.sprint == told.number)
    {
        let line = Line::of("Because ", Tone::Plain)
            .and(codes::words(&feedback.condition), Tone::Warn)
            .and(" failed, ", Tone::Plain)
            .and(codes::words(&feedback.to), Tone::Strong)
            .and(" was told:", Tone::Plain);
        blocks.push(Block::Paragraph(line));
        // What the sprint was told holds it, as a rule.
        let whole = told.focus.as_ref().and_then(Text::kept);
        let part = feedback.focus.kept();
        if !whole
            .zip(part)
            .is_some_and(|(whole, part)| whole.contains(part.trim()))
        {
            quote(&feedback.focus, blocks);
        }
    }
    if let Some(focus) = &told.focus {
        if report.feedback.iter().all(|one| one.sprint != told.number) {
            blocks.push(Block::Paragraph(Line::of("What it was told", Tone::Strong)));
        }
        quote(focus, blocks);
    }
}

/// How the criteria stood at its end.
fn judged(report: &Report, told: &SprintTold, rows: &mut Vec<Vec<Line>>) {
    let Some(judged) = &told.judged else {
        return;
    };
    let enough = judged.score >= report.limits.done_threshold;
    let tone = if enough { Tone::Good } else { Tone::Warn };
    let mut line = Line::of(share_words(u64::from(judged.score)), tone).and(
        format!(
            ": {} met, {} in part, {} not",
            judged.met, judged.partial, judged.unmet
        ),
        Tone::Plain,
    );
    let open = judged.judged.kept().into_iter().flatten();
    let open = open.filter(|criterion| !criterion.holds);
    let open: Vec<Line> = open
        .take(6)
        .map(|criterion| Line::of(criterion.id.as_str(), Tone::Code))
        .collect();
    if !open.is_empty() {
        line = line
            .and("; open: ", Tone::Faint)
            .then(Line::joined(open, ", "));
    }
    rows.push(vec![Line::plain("score"), line]);
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
    let mut text = took;
    if told.files > 0 {
        text = format!("{} planned, {text}", counted(told.files, "file"));
    }
    if told.fixes > 0 {
        text.push_str(&format!(", {} of repairs", counted(told.fixes, "round")));
    }
    blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    told_before(report, told, blocks);
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
    judged(report, told, &mut rows);
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
    for errors in told.verifications.iter().map(|told| &told.errors) {
        if !errors.is_empty() {
            let text = "Nothing could be run. The first errors:";
            blocks.push(Block::Paragraph(Line::plain(text)));
            blocks.push(Block::Quote(errors.join("\n")));
        }
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
    let Some(plan) = told.plan.as_ref().and_then(Text::kept) else {
        return;
    };
    if plan.0.len() > MANY_FILES {
        let lines = plan.0.iter().map(|file| {
            let line = format!("{} {}: {}", file.action, file.path, file.purpose);
            line.trim_end_matches([':', ' ']).to_owned() + "\n"
        });
        blocks.push(Block::Folded {
            title: Line::plain(format!("The {} planned files", plan.0.len())),
            text: lines.collect(),
            language: "text",
        });
        return;
    }
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
        text.push_str(&format!(" ({})", codes::words(&told.reason)));
    }
    if !told.failures.is_empty() {
        let named: Vec<&str> = told.failures.iter().take(5).map(String::as_str).collect();
        text.push_str(&format!("; failed: {}", named.join(", ")));
    }
    let mut line = Line::of(word, tone)
        .and(text, Tone::Plain)
        .and(format!("  {}", told.recipe), Tone::Faint);
    // Without dependencies they are the whole story.
    if told.reason == "install_failed" && !told.findings.is_empty() {
        line = line.and(format!("; {}", told.findings.join("; ")), Tone::Warn);
    }
    line
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
