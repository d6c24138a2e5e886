//! The answers, the spec and the contracts.

use gavel_domain::ContractKind;

use super::{codes, counted, gone, heading, instead, listed, named};
use crate::document::{Block, Line, Tone};
use gavel_view::Text;
use gavel_view::{ContractTold, Report};

pub(super) fn discovery(report: &Report, blocks: &mut Vec<Block>) {
    let Some(discovery) = &report.discovery else {
        return;
    };
    heading("What was asked before", blocks);
    if let Some(told) = report.recommenders.last() {
        let mut line = Line::of("Recommended by: ", Tone::Strong);
        line = match told.seats.as_slice() {
            [] => line.and("the leader", Tone::Plain),
            seats => line.and(format!("three seats ({})", seats.join(", ")), Tone::Plain),
        };
        if !told.reason.is_empty() {
            line = line.and(format!(", {}", codes::words(&told.reason)), Tone::Faint);
        }
        blocks.push(Block::Paragraph(line));
    }
    let Some(answers) = discovery.answers.kept() else {
        instead(&discovery.answers, blocks);
        return;
    };
    let rows = answers.iter().map(|answer| {
        let (who, tone) = codes::source(answer.source, answer.by_person);
        let said = if answer.answer.trim().is_empty() {
            Line::of("–", Tone::Faint)
        } else {
            Line::prose(&answer.answer)
        };
        vec![
            Line::plain(codes::words(&answer.question)),
            said,
            Line::of(who, tone),
            Line::prose(&answer.why),
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["question", "answer", "from", "why"],
        rows: rows.collect(),
    });
}

pub(super) fn spec(report: &Report, blocks: &mut Vec<Block>) {
    let Some(spec) = &report.spec else {
        return;
    };
    heading("The spec", blocks);
    let Some(spec) = spec.kept() else {
        instead(spec, blocks);
        return;
    };
    named("Purpose", &spec.purpose, blocks);
    named("For", &spec.users.join("; "), blocks);
    listed("It does", &spec.in_scope, blocks);
    listed("It does not", &spec.out_of_scope, blocks);
    listed("May come later", &spec.later, blocks);
    listed("Taken for granted", &spec.assumptions, blocks);
    named("Inside", &spec.architecture, blocks);
    named("In and out", &spec.interface, blocks);
    named("Built with", &spec.stack, blocks);
    listed("Folders", &spec.folders, blocks);
    if spec.sprint_estimate > 0 {
        named("Estimate", &counted(spec.sprint_estimate, "sprint"), blocks);
    }
    if !spec.criteria.is_empty() {
        blocks.push(Block::Paragraph(Line::of("Done when", Tone::Strong)));
        let rows = spec.criteria.iter().map(|criterion| {
            vec![
                Line::of(criterion.id.as_str(), Tone::Code),
                Line::prose(&criterion.statement),
                Line::plain(spec.weight(&criterion.id).to_string()),
            ]
        });
        blocks.push(Block::Table {
            titles: vec!["criterion", "statement", "weight"],
            rows: rows.collect(),
        });
    }
}

pub(super) fn contracts(report: &Report, blocks: &mut Vec<Block>) {
    if report.contracts.is_empty() {
        return;
    }
    heading("The contracts", blocks);
    let rows = report.contracts.iter().map(|contract| {
        vec![
            Line::of(contract.kind.word(), Tone::Code),
            Line::plain(contract.version.to_string()),
            Line::plain(contract.bytes.to_string()),
            Line::of(contract.digest.short(), Tone::Faint),
            if contract.pinned {
                Line::of("pinned", Tone::Good)
            } else {
                Line::of("not pinned", Tone::Warn)
            },
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["contract", "version", "bytes", "digest", ""],
        rows: rows.collect(),
    });
    report.contracts.iter().for_each(|contract| {
        blocks.push(folded(contract));
    });
}

fn folded(contract: &ContractTold) -> Block {
    let title = Line::of(contract.kind.file_name(), Tone::Code);
    match &contract.text {
        Text::Kept(text) | Text::Odd(text) => Block::Folded {
            title,
            text: text.clone(),
            language: match contract.kind {
                ContractKind::Physics => "yaml",
                ContractKind::Boundaries => "json",
                ContractKind::Manifesto
                | ContractKind::Blueprint
                | ContractKind::Stack
                | ContractKind::Schema
                | ContractKind::Ui
                | ContractKind::Phases
                | ContractKind::BuilderDirective => "markdown",
            },
        },
        Text::Gone => {
            let mut line = title.and(" ", Tone::Plain);
            line.0.extend(gone().0);
            Block::Paragraph(line)
        }
    }
}
