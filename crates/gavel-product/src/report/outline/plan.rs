//! The idea, the answers, the spec and the contracts.

use gavel_domain::ContractKind;

use super::super::document::{Block, Line, Tone};
use super::super::text::Text;
use super::super::{ContractTold, Report};
use super::{counted, gone, heading, instead, listed, named, quote};

pub(super) fn idea(report: &Report, blocks: &mut Vec<Block>) {
    if let Some(idea) = &report.idea {
        heading("The idea", blocks);
        quote(idea, blocks);
    }
    if let Some(route) = &report.route {
        let mut line = Line::of("Route: ", Tone::Strong)
            .and(route.route.as_str(), Tone::Code)
            .and(
                format!(", complexity {}, size {}", route.complexity, route.size),
                Tone::Plain,
            );
        if !route.missing.is_empty() {
            line = line.and(
                format!("; not said: {}", route.missing.join(", ")),
                Tone::Faint,
            );
        }
        blocks.push(Block::Paragraph(line));
    }
    if let Some(models) = &report.models {
        let mut line = Line::of("Models: ", Tone::Strong);
        let slots = [
            ("leads", &models.leader),
            ("codes", &models.coder),
            ("audits", &models.auditor),
        ];
        for (place, (does, model)) in slots.into_iter().enumerate() {
            let before = if place == 0 { "" } else { ", " };
            line = line
                .and(before, Tone::Plain)
                .and(model.as_str(), Tone::Code)
                .and(format!(" {does}"), Tone::Plain);
        }
        let council = if models.stances.is_empty() {
            "; rules review the plan".to_owned()
        } else {
            format!("; in the council: {}", models.stances.join(", "))
        };
        blocks.push(Block::Paragraph(line.and(council, Tone::Plain)));
    }
    let recalled: usize = report.memory.iter().map(|told| told.items.len()).sum();
    if recalled > 0 {
        let recalled = u32::try_from(recalled).unwrap_or(u32::MAX);
        let text = format!(
            "Project memory was asked and gave {}.",
            counted(recalled, "item")
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    }
}

pub(super) fn discovery(report: &Report, blocks: &mut Vec<Block>) {
    let Some(discovery) = &report.discovery else {
        return;
    };
    heading("What was asked before", blocks);
    let Some(answers) = discovery.answers.kept() else {
        instead(&discovery.answers, blocks);
        return;
    };
    let rows = answers.iter().map(|answer| {
        let who = if answer.by_person {
            Line::of("a person", Tone::Strong)
        } else {
            Line::of("recommended", Tone::Faint)
        };
        vec![
            Line::plain(answer.question.replace('-', " ")),
            Line::prose(&answer.answer),
            who,
        ]
    });
    blocks.push(Block::Table {
        titles: vec!["question", "answer", "by"],
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
    listed("Taken for granted", &spec.assumptions, blocks);
    if !spec.criteria.is_empty() {
        blocks.push(Block::Paragraph(Line::of("Done when", Tone::Strong)));
        let rows = spec.criteria.iter().map(|criterion| {
            vec![
                Line::of(criterion.id.as_str(), Tone::Code),
                Line::prose(&criterion.statement),
            ]
        });
        blocks.push(Block::Table {
            titles: vec!["criterion", "statement"],
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
