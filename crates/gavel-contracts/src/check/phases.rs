//! The phases: form, and agreement with the schema and the spec.

use std::collections::BTreeSet;

use gavel_domain::{ContractKind, Criterion, CriterionExample, Spec};

use super::{Agreement, cannot_compare};
use crate::finding::{Finding, Findings, quote, quote_all};
use crate::markdown::{Document, words};
use crate::phases::{PlacedPhase, place_phases};
use crate::schema::{SchemaEntity, parse_schema};

/// How much of an example a finding tells.
const MOST_COPIED: usize = 2000;

pub(super) fn check(document: &Document<'_>, agreement: &Agreement<'_>, findings: &mut Findings) {
    let phases = match place_phases(document) {
        Ok(phases) => phases,
        Err(found) => return findings.extend(found),
    };
    check_examples(&phases, findings);
    if let Some(schema) = agreement.shelf.get(ContractKind::Schema) {
        match parse_schema(&schema.text) {
            Ok(entities) => check_coverage(&phases, &entities, findings),
            Err(_) => cannot_compare(ContractKind::Schema, findings),
        }
    }
    if let Some(spec) = agreement.spec {
        check_criteria(&phases, spec, findings);
    }
}

/// What begins like an example must be one; what has none is told by [`missing_examples`].
fn check_examples(phases: &[PlacedPhase], findings: &mut Findings) {
    for (criterion, line) in criteria(phases) {
        if let CriterionExample::Broken(problem) = CriterionExample::of(&criterion.example) {
            findings.add(
                ("criterion_example", Some(line)),
                format!("the example of {}: {problem}", quote(&criterion.id)),
                "write it so that it can be executed, or `none: reason`",
            );
        }
    }
}

/// Criteria that Gavel cannot execute itself although nobody said why not. They do not keep a contract
/// from being used: what is shown only by other means counts less.
pub(crate) fn missing_examples(phases: &[PlacedPhase]) -> Vec<Finding> {
    const HELP: &str = "give an example that can be executed, or `none: reason`";
    let mut findings = Findings::about(ContractKind::Phases);
    for (criterion, line) in criteria(phases) {
        let name = quote(&criterion.id);
        let message = match CriterionExample::of(&criterion.example) {
            CriterionExample::Missing => format!("the criterion {name} has no example"),
            CriterionExample::Prose => format!("the example of {name} is a text for people"),
            CriterionExample::Given(example) if !example.expects_something() => {
                format!("the example of {name} holds for a program that does nothing")
            }
            CriterionExample::Given(_)
            | CriterionExample::None { .. }
            | CriterionExample::Broken(_) => continue,
        };
        findings.add(("criterion_example_missing", Some(line)), message, HELP);
    }
    findings.into_list()
}

fn criteria(phases: &[PlacedPhase]) -> impl Iterator<Item = (&Criterion, u32)> {
    let of = |placed| {
        let PlacedPhase {
            phase, criteria, ..
        }: &PlacedPhase = placed;
        phase.criteria.iter().zip(criteria.iter().copied())
    };
    phases.iter().flat_map(of)
}

fn check_coverage(phases: &[PlacedPhase], entities: &[SchemaEntity], findings: &mut Findings) {
    let names = || entities.iter().map(|entity| entity.name.as_str());
    let mut covered = BTreeSet::new();
    for placed in phases {
        for name in &placed.phase.schema_coverage {
            if names().any(|known| known == name) {
                covered.insert(name.as_str());
            } else {
                findings.add(
                    ("coverage_unknown", Some(placed.line)),
                    format!(
                        "phase {} covers {}, which is no entity of the schema",
                        placed.phase.number,
                        quote(name)
                    ),
                    format!("name entities as the schema does: {}", quote_all(names())),
                );
            }
        }
    }
    for name in names().filter(|name| !covered.contains(name)) {
        findings.add(
            ("entity_uncovered", None),
            format!("no phase covers the entity {}", quote(name)),
            "add it to the schema coverage of the phase that builds it",
        );
    }
}

fn check_criteria(phases: &[PlacedPhase], spec: &Spec, findings: &mut Findings) {
    for wanted in &spec.criteria {
        let found = phases.iter().find_map(|placed| {
            let criteria = placed.phase.criteria.iter().zip(&placed.criteria);
            criteria
                .into_iter()
                .find(|(criterion, _)| criterion.id == wanted.id)
        });
        match found {
            None => findings.add(
                ("criterion_missing", None),
                format!(
                    "no phase ends with the spec's criterion {}",
                    quote(&wanted.id)
                ),
                "add it, with the spec's statement, to the phase after which it holds",
            ),
            Some((criterion, line)) => {
                let statement = words([wanted.statement.as_str()]);
                if criterion.statement != statement {
                    findings.add(
                        ("criterion_changed", Some(*line)),
                        format!(
                            "the criterion {} says something else than the spec",
                            quote(&wanted.id)
                        ),
                        format!("its statement is: {}", quote_whole(&statement)),
                    );
                }
                check_same_example(wanted, criterion, *line, findings);
            }
        }
    }
}

/// What Gavel executes is one example: where the spec has one, the contract has the same.
fn check_same_example(
    wanted: &Criterion,
    criterion: &Criterion,
    line: u32,
    findings: &mut Findings,
) {
    let CriterionExample::Given(example) = CriterionExample::of(&wanted.example) else {
        return;
    };
    if CriterionExample::of(&criterion.example) == CriterionExample::Given(example) {
        return;
    }
    findings.add(
        ("criterion_example_changed", Some(line)),
        format!(
            "the example of {} is not the one of the spec, which is executed",
            quote(&wanted.id)
        ),
        format!("copy it as it stands there:\n{}", copied(&wanted.example)),
    );
}

/// An example that is to be copied; of a very long one, its beginning tells which it is.
fn copied(example: &str) -> String {
    example.trim().chars().take(MOST_COPIED).collect()
}

/// A statement that is to be copied must be told as a whole.
fn quote_whole(statement: &str) -> String {
    statement.chars().take(600).collect()
}
