//! What was proven: the gate's conditions, each criterion with its evidence, what owner and customer
//! said, and who agreed.

use gavel_domain::{ConditionState, CriterionStanding, EvidenceRef, GateCondition};

use gavel_rules::{AuditedBy, Independence};

use super::build::tests;
use super::end::commands;
use super::{codes, heading, inside, instead, proven, short_commit, smaller, yes};
use crate::document::{Block, Line, Tone, share_words};
use gavel_view::Text;
use gavel_view::{CriterionTold, Gate, OwnerTold, Report, TurnTold, Verification};
use gavel_view::{evidence_words, file_link, one_test, short_id};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
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
            format!(
                " with a score of {} (done at {}), for commit ",
                share_words(u64::from(gate.score)),
                share_words(u64::from(report.limits.done_threshold))
            ),
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
    conditions(report, gate, blocks);
    if let Some(verification) = &gate.verification {
        verified(verification, blocks);
    }
    proven::section(&gate.proof, blocks);
    criteria(report, gate, blocks);
    if let Some(owner) = &gate.owner {
        reviewed(owner, blocks);
    }
    approved(report, blocks);
    earlier(report, blocks);
}

/// Why a condition that holds is no second look at the work; none where it is one.
fn own_work(report: &Report, gate: &Gate, condition: &GateCondition) -> Option<&'static str> {
    if condition.state() != ConditionState::Holds {
        return None;
    }
    match condition.id.as_str() {
        "audited" => report.audited_by.and_then(AuditedBy::doubt),
        "owner_customer" => {
            let owner = gate.owner.as_ref()?;
            (owner.mode == Independence::SelfReview.word()).then_some("one model spoke for both")
        }
        _ => None,
    }
}

fn conditions(report: &Report, gate: &Gate, blocks: &mut Vec<Block>) {
    let rows = (1..).zip(&gate.conditions).map(|(number, condition)| {
        let (mut mark, mut held) = standing(condition);
        if let Some(doubt) = own_work(report, gate, condition) {
            mark = Line::of("–", Tone::Warn);
            held = held.and(format!(", {doubt}"), Tone::Warn);
        }
        vec![
            mark,
            Line::of(format!("{number}. "), Tone::Faint)
                .and(codes::condition(&condition.id), Tone::Plain),
            held,
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        blocks.push(Block::Table {
            titles: vec!["", "condition, in this order", "held"],
            rows,
        });
    }
}

fn standing(condition: &GateCondition) -> (Line, Line) {
    let reason = condition.reason.as_str();
    let not_looked_at = match condition.state() {
        ConditionState::NotApplicable => {
            Some(("does not apply to this run".to_owned(), Tone::Faint))
        }
        ConditionState::NotReached => Some((
            "not looked at, since another did not hold".to_owned(),
            Tone::Faint,
        )),
        ConditionState::Waived if condition.looked_at == 0 => Some((
            format!("nobody looked: {}", codes::words(reason)),
            Tone::Warn,
        )),
        ConditionState::Holds | ConditionState::Waived | ConditionState::Fails => None,
    };
    if let Some((text, tone)) = not_looked_at {
        return (Line::of("–", tone), Line::of(text, tone));
    }
    let mut line = Line::plain(format!("{} of {}", condition.held, condition.looked_at));
    if !reason.is_empty() {
        let tone = if condition.holds {
            Tone::Faint
        } else {
            Tone::Bad
        };
        line = line.and(format!(": {}", codes::words(reason)), tone);
    }
    (yes(condition.holds), line)
}

fn verified(told: &Verification, blocks: &mut Vec<Block>) {
    let mut line = Line::of("Fresh checkout: ", Tone::Strong).then(tests(told));
    line = match told.coverage {
        Some(share) => {
            let tone = if share == 0 { Tone::Bad } else { Tone::Plain };
            line.and(
                format!("; coverage {}", share_words(u64::from(share))),
                tone,
            )
        }
        None => line.and("; coverage was not measured", Tone::Faint),
    };
    line = match told.smoke {
        Some(true) => line.and("; the smoke run came to what its recipe says", Tone::Good),
        Some(false) => line.and(
            "; the smoke run did not come to what its recipe says",
            Tone::Bad,
        ),
        None => line,
    };
    if let Some(hosts) = &told.fetched {
        line = line.and(format!("; dependencies from {hosts}"), Tone::Faint);
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
    for runner in &told.runner {
        let line = Line::of("What runs the tests: ", Tone::Strong).then(Line::prose(runner));
        blocks.push(Block::Paragraph(line));
    }
    if !told.findings.is_empty() {
        let lines = told
            .findings
            .iter()
            .map(|finding| Line::of(finding.as_str(), Tone::Warn));
        blocks.push(Block::List(lines.collect()));
    }
    commands(&told.commands, blocks);
}

fn criteria(report: &Report, gate: &Gate, blocks: &mut Vec<Block>) {
    let Some(criteria) = gate.shown().kept() else {
        instead(gate.shown(), blocks);
        return;
    };
    smaller("What shows each criterion", blocks);
    let line = Line::plain("Everything below was looked up. Check out ")
        .and(short_commit(&gate.commit), Tone::Code)
        .and(
            " in any clone to follow it: files are named from the root, tests with the command \
             that runs just that one.",
            Tone::Plain,
        );
    blocks.push(Block::Paragraph(line));
    let recipe = gate.verification.as_ref().map(|told| told.recipe.as_str());
    let spec = report.spec.as_ref().and_then(Text::kept);
    let rows = criteria.iter().map(|shown| {
        let stated = spec.and_then(|spec| {
            let same = spec.criteria.iter().find(|one| one.id == shown.id)?;
            Some(same.statement.clone())
        });
        let name = Line::prose(&stated.unwrap_or_else(|| shown.id.clone()));
        let heavier = (shown.weight > 1).then(|| format!(" (weight {})", shown.weight));
        vec![
            mark(shown.standing),
            name.and(heavier.unwrap_or_default(), Tone::Faint),
            evidence(shown),
            run_it(recipe.unwrap_or_default(), shown),
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["", "criterion", "shown by", "try it"],
        rows: rows.collect(),
    });
}

fn mark(standing: CriterionStanding) -> Line {
    match standing {
        CriterionStanding::Met => yes(true),
        CriterionStanding::Partial => Line::of("in part", Tone::Warn),
        CriterionStanding::Unmet => yes(false),
    }
}

/// What shows a criterion, each where it can be found.
fn evidence(shown: &CriterionTold) -> Line {
    let found = shown.links.iter().map(|found| match found {
        EvidenceRef::Test { name } => Line::of(name.as_str(), Tone::Code),
        EvidenceRef::File { path, line } => Line::of(file_link(path, *line), Tone::File),
        EvidenceRef::Commit { id } => Line::plain("commit ").and(short_id(id), Tone::Code),
        EvidenceRef::Command { command, exit } => {
            let tone = if *exit == 0 { Tone::Good } else { Tone::Bad };
            Line::of(command.as_str(), Tone::Code).and(format!(" exit {exit}"), tone)
        }
        EvidenceRef::Smoke { request } => {
            Line::plain("smoke run ").and(request.as_str(), Tone::Code)
        }
        EvidenceRef::Example { .. } => Line::plain(evidence_words(found)),
    });
    let mut line = Line::joined(found, "; ");
    if let Some(rank) = shown.rank.filter(|_| !line.0.is_empty()) {
        let tone = if rank.certifies() {
            Tone::Good
        } else {
            Tone::Warn
        };
        line = Line::of(rank.label(), tone)
            .and(": ", Tone::Plain)
            .then(line);
    }
    if !shown.caught.is_empty() {
        line = line.and(format!("; it caught {}", shown.caught), Tone::Faint);
    }
    match (shown.note.trim(), line.0.is_empty()) {
        ("", true) => Line::of("nothing", Tone::Bad),
        ("", false) => line,
        (note, true) => Line::of(note, Tone::Bad),
        (note, false) => line.and(". ", Tone::Plain).and(note, Tone::Faint),
    }
}

/// The commands that show it once more.
fn run_it(recipe: &str, shown: &CriterionTold) -> Line {
    let commands = shown.links.iter().filter_map(|found| match found {
        EvidenceRef::Test { name } => one_test(recipe, name),
        EvidenceRef::File { .. }
        | EvidenceRef::Commit { .. }
        | EvidenceRef::Command { .. }
        | EvidenceRef::Smoke { .. }
        | EvidenceRef::Example { .. } => None,
    });
    Line::joined(commands.map(|command| Line::of(command, Tone::Code)), "; ")
}

fn reviewed(told: &OwnerTold, blocks: &mut Vec<Block>) {
    smaller("What owner and customer said", blocks);
    let (word, tone) = if told.ship {
        ("They would ship it", Tone::Good)
    } else {
        ("They would not ship it", Tone::Bad)
    };
    let mut line = Line::of(word, tone).and(
        format!(" after {}: ", super::counted(told.rounds, "round")),
        Tone::Plain,
    );
    line = line
        .and(codes::independence(&told.mode), Tone::Plain)
        .and(" (", Tone::Plain)
        .and(told.owner.as_str(), Tone::Code)
        .and(", ", Tone::Plain)
        .and(told.customer.as_str(), Tone::Code)
        .and(").", Tone::Plain);
    if told.dissent {
        line = line.and(" Something was said against it.", Tone::Warn);
    }
    blocks.push(Block::Paragraph(line));
    match &told.said {
        Text::Kept(turns) => {
            let lines: Vec<Line> = turns.iter().map(turn).collect();
            if !lines.is_empty() {
                blocks.push(Block::List(lines));
            }
        }
        Text::Odd(_) | Text::Gone => instead(&told.said, blocks),
    }
}

/// What one of them said: the word first, then why, then what stands against it.
fn turn(told: &TurnTold) -> Line {
    let (word, tone) = if told.ship {
        ("would ship it", Tone::Good)
    } else {
        ("would not ship it", Tone::Bad)
    };
    let mut line = Line::of(codes::words(&told.who), Tone::Strong);
    if told.round > 0 {
        line = line.and(format!(", round {}", told.round), Tone::Faint);
    }
    line = line.and(": ", Tone::Plain).and(word, tone);
    for (name, said) in [
        ("", &told.reasons),
        ("Against it: ", &told.objections),
        ("Answer: ", &told.answers),
    ] {
        let said: Vec<&str> = said.iter().map(|text| text.trim()).collect();
        let said = said.join(" ");
        if !said.is_empty() {
            line = line
                .and(". ", Tone::Plain)
                .and(name, Tone::Warn)
                .then(Line::prose(said.trim_end_matches('.')));
        }
    }
    line.and(".", Tone::Plain)
}

fn approved(report: &Report, blocks: &mut Vec<Block>) {
    let seal = report.seal.as_ref();
    if let Some(rule) = seal.and_then(|seal| seal.by_rule) {
        let line = Line::of("Approval: ", Tone::Strong)
            .and("by the rule ", Tone::Plain)
            .and(rule.word(), Tone::Code)
            .and(
                " of the person's settings; no person looked at the result.",
                Tone::Warn,
            );
        blocks.push(Block::Paragraph(line));
    } else {
        answered(report, blocks);
    }
    if let Some(at) = seal.and_then(|seal| seal.approved_later) {
        let line = Line::of("Later: ", Tone::Strong).and(
            format!("a person looked and approved it after it was sealed, {at}."),
            Tone::Good,
        );
        blocks.push(Block::Paragraph(line));
    }
}

/// What was answered at the gate.
fn answered(report: &Report, blocks: &mut Vec<Block>) {
    let Some(asked) = report.approval() else {
        return;
    };
    let mut line = Line::of("Approval: ", Tone::Strong);
    line = match &asked.answer {
        None => line.and("nobody has answered yet", Tone::Warn),
        Some(answer) => {
            let tone = if answer.assumed || answer.timed_out {
                Tone::Warn
            } else {
                Tone::Strong
            };
            let line = match report.is_approved() {
                Some(false) => line.and("refused; ", Tone::Bad),
                Some(true) | None => line,
            };
            line.and(answer.who(), tone)
                .and(" answered “", Tone::Plain)
                .then(inside(&answer.text, 200))
                .and("”", Tone::Plain)
        }
    };
    if asked.answer.as_ref().is_some_and(|answer| answer.assumed) {
        line = line.and("; no person looked at the result", Tone::Warn);
    }
    blocks.push(Block::Paragraph(line.and(".", Tone::Plain)));
}

/// The judgements that did not hold before.
fn earlier(report: &Report, blocks: &mut Vec<Block>) {
    let before = report.gates.len().saturating_sub(1);
    let rows = (1..)
        .zip(report.gates.iter().take(before))
        .map(|(number, gate)| {
            let failed = gate.conditions.iter().find(|condition| !condition.holds);
            let failed = failed.map_or_else(Line::default, |condition| {
                let reason = codes::words(&condition.reason);
                let line = Line::plain(codes::words(&condition.id));
                if reason.is_empty() {
                    line
                } else {
                    line.and(format!(": {reason}"), Tone::Bad)
                }
            });
            vec![
                Line::plain(format!("{number}")),
                yes(gate.passed),
                Line::of(short_commit(&gate.commit), Tone::Code),
                Line::plain(share_words(u64::from(gate.score))),
                failed,
            ]
        });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        smaller("Earlier judgements", blocks);
        blocks.push(Block::Table {
            titles: vec!["", "", "commit", "score", "what failed first"],
            rows,
        });
    }
}
