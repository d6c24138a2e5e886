//! The builder's directive: form, and agreement with the phases.

use std::collections::BTreeMap;

use gavel_domain::{ContractKind, Phase};

use super::sections::{one_section, with_bullets};
use super::{Agreement, cannot_compare};
use crate::finding::{Findings, quote};
use crate::markdown::{Document, Section, bullets, is_numbered};
use crate::parse_phases;
use crate::phases::PhaseHeading;

pub(super) fn check(document: &Document<'_>, agreement: &Agreement<'_>, findings: &mut Findings) {
    if let Some(section) = one_section(document, "Instructions", findings)
        && !section.body.iter().any(is_numbered)
    {
        findings.add(
            ("instructions_numbered", section.line()),
            "the instructions are no numbered list",
            "write `1. …`, `2. …`",
        );
    }
    with_bullets(document, &["Done"], findings);
    let Some(section) = one_section(document, "Phases", findings) else {
        return;
    };
    let listed = listed_phases(section, findings);
    let Some(contract) = agreement.shelf.get(ContractKind::Phases) else {
        return;
    };
    match parse_phases(&contract.text) {
        Ok(phases) => compare(&listed, &phases, (section.line(), findings)),
        Err(_) => cannot_compare(ContractKind::Phases, findings),
    }
}

/// The phases that are listed, with their lines.
type Listed = BTreeMap<u32, (u32, String)>;

fn listed_phases(section: &Section<'_>, findings: &mut Findings) -> Listed {
    let mut listed = Listed::new();
    let all = bullets(&section.body);
    for bullet in &all {
        let words = bullet.words();
        let PhaseHeading::Phase { number, name } = PhaseHeading::read(&words) else {
            findings.add(
                ("listed_phase_form", Some(bullet.line)),
                format!("{} names no phase", quote(bullet.text)),
                "write - Phase 0: Name",
            );
            continue;
        };
        let before = listed.insert(number, (bullet.line, name.to_owned()));
        if before.is_some() {
            findings.add(
                ("listed_phase_twice", Some(bullet.line)),
                format!("phase {number} is listed twice"),
                "list every phase once",
            );
        }
    }
    if all.is_empty() {
        findings.add(
            ("section_empty", section.line()),
            "the section `Phases` has no bullet",
            "list every phase of phases.md as - Phase 0: Name",
        );
    }
    listed
}

fn compare(listed: &Listed, phases: &[Phase], (line, findings): (Option<u32>, &mut Findings)) {
    if listed.is_empty() {
        return;
    }
    for phase in phases {
        let (number, name) = (phase.number, quote(&phase.name));
        match listed.get(&number) {
            None => findings.add(
                ("phase_unlisted", line),
                format!("phase {number} of phases.md is not listed"),
                format!("add - Phase {number}: {}", phase.name),
            ),
            Some((line, listed)) if *listed != phase.name => findings.add(
                ("phase_renamed", Some(*line)),
                format!("phase {number} is called {name} in phases.md"),
                "use the same name",
            ),
            Some(_) => {}
        }
    }
    for (number, (line, _)) in listed {
        if !phases.iter().any(|phase| phase.number == *number) {
            findings.add(
                ("listed_phase_unknown", Some(*line)),
                format!("phases.md has no phase {number}"),
                "list the phases of phases.md and no others",
            );
        }
    }
}
