//! The contract `phases`: read into phases, or told what is wrong with its form.

use std::collections::BTreeSet;

use gavel_domain::{ContractKind, Criterion, Phase};

use crate::finding::{Finding, Findings, quote};
use crate::markdown::{Bullet, Document, Line, Section, bullets, named, words};

const SEPARATORS: [char; 4] = [':', '-', '–', '—'];
/// A phase that covers nothing says so.
const NOTHING: &str = "none";

/// What a heading of the second level is to the contract `phases`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseHeading<'a> {
    /// The heading of a phase.
    Phase { number: u32, name: &'a str },
    /// It begins like one.
    Malformed,
    /// Something else.
    Other,
}

impl<'a> PhaseHeading<'a> {
    /// Reads `Phase 3: name`; the colon may be a hyphen or a dash.
    pub(crate) fn read(title: &'a str) -> Self {
        let word = title.split(char::is_whitespace).next().unwrap_or_default();
        if !word.eq_ignore_ascii_case("phase") {
            return Self::Other;
        }
        let rest = title.get(word.len()..).unwrap_or_default().trim_start();
        numbered_name(rest).map_or(Self::Malformed, |(number, name)| Self::Phase {
            number,
            name,
        })
    }
}

/// Reads `3: name`.
fn numbered_name(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(..text.len() - rest.len())?;
    let name = rest.trim_start().strip_prefix(SEPARATORS)?.trim();
    (digits.len() <= 6 && !name.is_empty()).then_some((digits.parse().ok()?, name))
}

/// A phase with the line of its heading, for checks that name places.
#[derive(Debug)]
pub(crate) struct PlacedPhase {
    pub(crate) line: u32,
    pub(crate) phase: Phase,
    /// The lines of its criteria, in order.
    pub(crate) criteria: Vec<u32>,
}

/// Reads the phases of a contract, or says everything that is wrong with their form.
pub fn parse_phases(text: &str) -> Result<Vec<Phase>, Vec<Finding>> {
    let placed = place_phases(&Document::parse(text))?;
    Ok(placed.into_iter().map(|placed| placed.phase).collect())
}

pub(crate) fn place_phases(document: &Document<'_>) -> Result<Vec<PlacedPhase>, Vec<Finding>> {
    let mut findings = Findings::about(ContractKind::Phases);
    if let Some(line) = document.open_fence {
        findings.add(
            ("fence_open", Some(line)),
            "a fence is opened and never closed",
            "close it with a line of the same marks",
        );
        return Err(findings.into_list());
    }
    let mut phases = Vec::new();
    for section in document.seconds() {
        match PhaseHeading::read(section.title) {
            PhaseHeading::Phase { number, name } => {
                let expected = u32::try_from(phases.len()).unwrap_or(u32::MAX);
                if number != expected {
                    findings.add(
                        ("phase_order", section.line()),
                        format!("phase {number} stands where phase {expected} belongs"),
                        "count phases from 0, in order, without a gap",
                    );
                }
                phases.push(read_phase(section, (number, name), &mut findings));
            }
            PhaseHeading::Malformed => findings.add(
                ("phase_heading", section.line()),
                format!("{} is no heading of a phase", quote(section.title)),
                "write `## Phase 0: Name`",
            ),
            PhaseHeading::Other => {}
        }
    }
    if phases.is_empty() && findings.is_empty() {
        findings.add(
            ("phase_none", None),
            "there is no phase",
            "begin each phase with a heading such as `## Phase 0: Name`",
        );
    }
    check_ids(&phases, &mut findings);
    findings.or(phases)
}

fn check_ids(phases: &[PlacedPhase], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for placed in phases {
        for (criterion, line) in placed.phase.criteria.iter().zip(&placed.criteria) {
            if !seen.insert(&criterion.id) {
                findings.add(
                    ("criterion_twice", Some(*line)),
                    format!("the criterion {} stands twice", quote(&criterion.id)),
                    "let each criterion end exactly one phase",
                );
            }
        }
    }
}

/// A bold label and what stands below it.
struct Field<'a> {
    label: &'a str,
    line: u32,
    inline: &'a str,
    body: Vec<Line<'a>>,
}

impl Field<'_> {
    /// All that is not a list, as one line.
    fn sentence(&self) -> String {
        let rest = self.body.iter().filter(|line| !line.fenced);
        words(std::iter::once(self.inline).chain(rest.map(Line::text)))
    }
}

fn fields<'a>(section: &Section<'a>) -> Vec<Field<'a>> {
    let mut fields: Vec<Field<'a>> = Vec::new();
    for line in &section.body {
        match label(line) {
            Some((label, inline)) => fields.push(Field {
                label,
                line: line.number,
                inline,
                body: Vec::new(),
            }),
            None => {
                if let Some(field) = fields.last_mut() {
                    field.body.push(*line);
                }
            }
        }
    }
    fields
}

/// Reads `**Label:** rest`, with the colon inside or outside.
fn label<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    if line.fenced {
        return None;
    }
    let (label, rest) = line.text().strip_prefix("**")?.split_once("**")?;
    let label = label.trim();
    let (label, rest) = match label.strip_suffix(':') {
        Some(label) => (label, rest),
        None => (label, rest.trim_start().strip_prefix(':')?),
    };
    Some((label.trim_end(), rest.trim()))
}

/// Reads the fields of one phase.
struct PhaseReader<'a, 'f> {
    fields: Vec<Field<'a>>,
    heading: u32,
    number: u32,
    findings: &'f mut Findings,
}

impl<'a> PhaseReader<'a, '_> {
    fn field(&mut self, label: &str) -> Option<Field<'a>> {
        let is_it = |field: &Field<'a>| field.label.eq_ignore_ascii_case(label);
        let Some(place) = self.fields.iter().position(is_it) else {
            let number = self.number;
            self.findings.add(
                ("phase_field", Some(self.heading)),
                format!("phase {number} has no field `{label}`"),
                format!("add a line that begins with `**{label}:**`"),
            );
            return None;
        };
        let field = self.fields.remove(place);
        if let Some(again) = self.fields.iter().find(|field| is_it(field)) {
            self.findings.add(
                ("phase_field_twice", Some(again.line)),
                format!("phase {} has the field `{label}` twice", self.number),
                "make one of both",
            );
        }
        Some(field)
    }

    fn empty(&mut self, field: &Field<'_>, help: &str) {
        self.findings.add(
            ("phase_field_empty", Some(field.line)),
            format!(
                "the field `{}` of phase {} is empty",
                field.label, self.number
            ),
            help,
        );
    }

    fn objective(&mut self) -> String {
        let Some(field) = self.field("Objective") else {
            return String::new();
        };
        let sentence = field.sentence();
        if sentence.is_empty() {
            self.empty(&field, "say in a sentence what the phase is for");
        }
        sentence
    }

    fn deliverables(&mut self) -> Vec<String> {
        let Some(field) = self.field("Deliverables") else {
            return Vec::new();
        };
        let deliverables: Vec<_> = bullets(&field.body).iter().map(Bullet::words).collect();
        if deliverables.is_empty() {
            self.empty(&field, "list with bullets what the phase leaves behind");
        }
        deliverables
    }

    fn coverage(&mut self) -> Vec<String> {
        let Some(field) = self.field("Schema coverage") else {
            return Vec::new();
        };
        let listed: Vec<_> = bullets(&field.body).iter().map(Bullet::words).collect();
        let all = if listed.is_empty() {
            field.sentence()
        } else {
            format!("{},{}", field.inline, listed.join(","))
        };
        if all.trim_matches([',', ' ']).is_empty() {
            self.empty(
                &field,
                "name the entities that the phase covers, with commas between them, or `none`",
            );
        }
        let plain = |name: &str| {
            name.trim()
                .trim_matches('`')
                .trim_end_matches('.')
                .to_owned()
        };
        all.split(',')
            .map(plain)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(NOTHING))
            .collect()
    }

    fn criteria(&mut self) -> Vec<(u32, Criterion)> {
        let Some(field) = self.field("Exit criteria") else {
            return Vec::new();
        };
        let listed = bullets(&field.body);
        if listed.is_empty() {
            self.empty(&field, "list the criteria, each as - `id`: statement");
        }
        listed
            .iter()
            .filter_map(|bullet| Some((bullet.line, self.criterion(bullet)?)))
            .collect()
    }

    fn criterion(&mut self, bullet: &Bullet<'_>) -> Option<Criterion> {
        let sentence = bullet.words();
        let Some((id, statement)) = named(&sentence) else {
            self.findings.add(
                ("criterion_form", Some(bullet.line)),
                format!("{} is no criterion", quote(bullet.text)),
                "write - `id`: statement",
            );
            return None;
        };
        if !Criterion::is_id(id) {
            self.findings.add(
                ("criterion_id", Some(bullet.line)),
                format!("{} cannot be the name of a test", quote(id)),
                "use lower-case letters, digits and underscores, a letter first, 80 at most",
            );
            return None;
        }
        let mut examples = bullet.examples();
        if examples.len() > 1 {
            self.findings.add(
                ("criterion_examples", Some(bullet.line)),
                format!("the criterion {} has more than one example", quote(id)),
                "put all steps into one fence, or make two criteria",
            );
        }
        Some(Criterion {
            id: id.to_owned(),
            statement: statement.to_owned(),
            example: examples.pop().unwrap_or_default(),
        })
    }
}

fn read_phase(
    section: &Section<'_>,
    (number, name): (u32, &str),
    findings: &mut Findings,
) -> PlacedPhase {
    let mut reader = PhaseReader {
        fields: fields(section),
        heading: section.heading.number,
        number,
        findings,
    };
    let objective = reader.objective();
    let deliverables = reader.deliverables();
    let schema_coverage = reader.coverage();
    let (lines, criteria) = reader.criteria().into_iter().unzip();
    PlacedPhase {
        line: section.heading.number,
        phase: Phase {
            number,
            name: name.to_owned(),
            objective,
            deliverables,
            schema_coverage,
            criteria,
        },
        criteria: lines,
    }
}

#[cfg(test)]
#[path = "phases_tests.rs"]
mod tests;
