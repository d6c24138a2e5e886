//! A seal as a document: the thread from the person's words to what shows them, what was left out, and
//! everything else that was signed.

use gavel_build::{SealCheck, SealCriterion, SealPredicate, SealStatement};
use gavel_domain::{ConditionState, GateCondition};
use gavel_rules::conditions_text;

use super::run::thread_table;
use crate::document::{Block, Document, Line, Span, Tone};
use gavel_view::source_line;

/// Lays out what was signed, below the answer whether it holds.
pub fn seal_document(check: &SealCheck, statement: &SealStatement, answer: &str) -> Document {
    let predicate = &statement.predicate;
    let (word, tone) = match predicate.verdict {
        gavel_rules::SealVerdict::Certified => (predicate.verdict.word(), Tone::Good),
        gavel_rules::SealVerdict::Conditional => (predicate.verdict.word(), Tone::Warn),
        gavel_rules::SealVerdict::Flagged => (predicate.verdict.word(), Tone::Bad),
    };
    let answer_tone = if check.is_valid() {
        Tone::Strong
    } else {
        Tone::Bad
    };
    let mut lead = vec![Line::of(answer, answer_tone)];
    lead.extend(
        check
            .problems
            .iter()
            .map(|problem| Line::of(problem.to_string(), Tone::Bad)),
    );
    lead.push(Line::plain(format!(
        "{word}, {} of 1000; {}",
        predicate.score,
        approved(predicate)
    )));
    if let Some(end) = predicate.idea_in_the_end() {
        lead.push(Line::plain(end.text()));
    }
    let mut blocks = Vec::new();
    asked(predicate, &mut blocks);
    list("Not covered, left out", &predicate.left_out, &mut blocks);
    let unchecked = predicate.not_checked();
    list(
        "What its format does not allow to be checked",
        &unchecked,
        &mut blocks,
    );
    criteria(predicate, &mut blocks);
    conditions(predicate, &mut blocks);
    seals(check, predicate, &mut blocks);
    rest(statement, &mut blocks);
    let title = if predicate.idea.is_empty() {
        format!("The seal of {}", predicate.branch)
    } else {
        format!("The seal of \"{}\"", predicate.idea)
    };
    Document {
        title,
        badge: Span::new(word, tone),
        lead,
        blocks,
    }
}

fn heading(text: &str, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(2, Line::plain(text)));
}

fn list(title: &str, lines: &[String], blocks: &mut Vec<Block>) {
    if lines.is_empty() {
        return;
    }
    heading(title, blocks);
    let lines = lines.iter().map(|line| Line::plain(line.as_str()));
    blocks.push(Block::List(lines.collect()));
}

/// Who agreed to ship it, in a few words.
fn approved(predicate: &SealPredicate) -> String {
    let Some(approval) = &predicate.approval else {
        return "this seal does not say who approved".to_owned();
    };
    match approval.rule {
        Some(rule) => format!("approved by the rule {rule}; nobody looked"),
        None => match approval.by {
            gavel_domain::Approver::Person => "a person looked and approved".to_owned(),
            by @ (gavel_domain::Approver::YesFlag
            | gavel_domain::Approver::Clock
            | gavel_domain::Approver::Policy) => format!("shipped by {by}; nobody looked"),
        },
    }
}

/// The thread: words, criteria, evidence.
fn asked(predicate: &SealPredicate, blocks: &mut Vec<Block>) {
    if predicate.asks.is_empty() {
        return;
    }
    heading("What was asked for", blocks);
    let thread = predicate.thread();
    if let Some(origin) = thread.origin_line() {
        blocks.push(Block::Paragraph(Line::of(origin, Tone::Warn)));
    }
    blocks.push(thread_table(&thread));
    if let Some(own) = thread.own_line() {
        blocks.push(Block::Paragraph(Line::of(own, Tone::Faint)));
    }
}

fn evidence(one: &SealCriterion) -> String {
    match (one.holds, one.rank) {
        (true, Some(rank)) => format!("{} ({})", one.evidence, rank.label()),
        (true, None) => one.evidence.clone(),
        (false, _) => format!("not shown: {}", one.evidence),
    }
}

fn criteria(predicate: &SealPredicate, blocks: &mut Vec<Block>) {
    heading("Criteria", blocks);
    let rows = predicate.criteria.iter().map(|one| {
        let (mark, tone) = if one.holds {
            ("met", Tone::Good)
        } else {
            ("not met", Tone::Bad)
        };
        vec![
            Line::of(mark, tone),
            Line::of(one.id.as_str(), Tone::Strong),
            Line::plain(one.statement.as_str()),
            Line::plain(evidence(one)),
            Line::of(one.caught.as_str(), Tone::Code),
        ]
    });
    blocks.push(Block::Table {
        titles: vec![
            "",
            "criterion",
            "it demands",
            "shown by",
            "a fault that its test caught",
        ],
        rows: rows.collect(),
    });
}

fn conditions(predicate: &SealPredicate, blocks: &mut Vec<Block>) {
    heading("The done gate", blocks);
    let counted = conditions_text(&predicate.conditions);
    blocks.push(Block::Paragraph(Line::plain(counted)));
    let rows = predicate.conditions.iter().map(|one| {
        let (word, tone) = standing(one);
        let held = format!("{} of {}", one.held, one.looked_at);
        vec![
            Line::plain(one.id.as_str()),
            Line::of(word, tone),
            Line::plain(held),
            Line::plain(one.reason.as_str()),
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["condition", "", "held", "reason"],
        rows: rows.collect(),
    });
}

fn standing(condition: &GateCondition) -> (&'static str, Tone) {
    match condition.state() {
        ConditionState::Holds => ("holds", Tone::Good),
        ConditionState::Waived => ("nobody looked", Tone::Warn),
        ConditionState::NotApplicable => ("does not apply", Tone::Faint),
        ConditionState::NotReached => ("not looked at", Tone::Warn),
        ConditionState::Fails => ("does not hold", Tone::Bad),
    }
}

/// The seals of the branch, the newest first.
fn seals(check: &SealCheck, predicate: &SealPredicate, blocks: &mut Vec<Block>) {
    if check.earlier.is_empty() {
        return;
    }
    heading("Seals over this result", blocks);
    let own = Line::plain(format!("{}: {}", predicate.verdict, approved(predicate)));
    let earlier = check.earlier.iter().map(|seal| {
        let by = seal
            .approval
            .as_ref()
            .map_or("nobody named", |one| one.by.label());
        Line::plain(format!(
            "before: {}, shipped by {by}, in the commit ",
            seal.verdict
        ))
        .and(seal.commit.as_str(), Tone::Code)
    });
    blocks.push(Block::List([own].into_iter().chain(earlier).collect()));
}

/// Who worked, what it cost, what else was signed.
fn rest(statement: &SealStatement, blocks: &mut Vec<Block>) {
    let predicate = &statement.predicate;
    heading("What else was signed", blocks);
    let spend = &predicate.spend;
    let usd = spend
        .usd
        .map_or_else(|| "unknown".to_owned(), |usd| usd.to_string());
    let replies: Vec<String> = predicate
        .replies
        .iter()
        .map(|one| format!("{} as {} {}", one.model, one.role, one.replies))
        .collect();
    let sources: Vec<String> = spend.sources.iter().map(source_line).collect();
    let contracts: Vec<&str> = predicate
        .contracts
        .values()
        .map(|one| one.file.as_str())
        .collect();
    let commands = predicate.commands.iter().map(|one| {
        let exit = one
            .exit
            .map_or_else(|| "no exit".to_owned(), |exit| format!("exit {exit}"));
        format!("{} ({exit})", one.argv.join(" "))
    });
    let rows = [
        ("run", predicate.run.to_string()),
        ("sealed at", predicate.sealed_at.to_string()),
        ("tree", statement.tree().unwrap_or_default().to_owned()),
        ("judged commit", predicate.judged_commit.clone()),
        ("began with", predicate.base_commit.clone()),
        ("ran", commands.collect::<Vec<_>>().join("; ")),
        (
            "spend",
            format!(
                "{usd}, {} calls, {} of them without a known price, {} counted by nobody",
                spend.calls, spend.unpriced_calls, spend.unmetered_calls
            ),
        ),
        ("sources", sources.join("; ")),
        ("replies", replies.join("; ")),
        ("contracts", contracts.join(", ")),
        (
            "journal",
            format!(
                "record {}, {}",
                predicate.journal.seq, predicate.journal.head
            ),
        ),
        ("key", predicate.signer.public_key.to_string()),
        ("by gavel", predicate.gavel.clone()),
    ];
    let said = |(name, value): &(&str, String)| *name != "sources" || !value.is_empty();
    let rows = rows
        .into_iter()
        .filter(said)
        .map(|(name, value)| vec![Line::of(name, Tone::Strong), Line::plain(value)]);
    blocks.push(Block::Table {
        titles: Vec::new(),
        rows: rows.collect(),
    });
    let reasons = &predicate.reasons;
    list("Why the verdict is no better", reasons, blocks);
}
