//! The contract `schema`: read into entities, or told what is wrong with its form.

use std::collections::BTreeSet;

use gavel_domain::ContractKind;
use serde::Serialize;

use crate::finding::{Finding, Findings, quote, quote_all};
use crate::markdown::{Document, Line, Section};

const COLUMNS: [&str; 4] = ["field", "type", "required", "notes"];
const REFERENCE: &str = "reference to ";
const MAX_NAME: usize = 60;

/// An entity of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaEntity {
    /// One of them: `bookmark`.
    pub name: String,
    /// Many of them: `bookmarks`.
    pub plural: String,
    /// Its fields, in order.
    pub fields: Vec<SchemaField>,
}

/// A field of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaField {
    /// Its name.
    pub name: String,
    /// What it holds, in free words, or `reference to X`.
    pub kind: String,
    /// True when no entry may be without it.
    pub required: bool,
    /// What else is to be said.
    pub notes: String,
}

impl SchemaField {
    /// The entity that it refers to.
    pub fn target(&self) -> Option<&str> {
        let head = self.kind.get(..REFERENCE.len())?;
        let target = self.kind.get(REFERENCE.len()..)?;
        head.eq_ignore_ascii_case(REFERENCE)
            .then(|| target.trim().trim_matches('`'))
    }
}

/// Reads the entities of a contract, or says everything that is wrong with their form.
pub fn parse_schema(text: &str) -> Result<Vec<SchemaEntity>, Vec<Finding>> {
    read_schema(&Document::parse(text))
}

pub(crate) fn read_schema(document: &Document<'_>) -> Result<Vec<SchemaEntity>, Vec<Finding>> {
    let mut reader = Reader {
        findings: Findings::about(ContractKind::Schema),
        references: Vec::new(),
    };
    if let Some(line) = document.open_fence {
        reader.findings.add(
            ("fence_open", Some(line)),
            "a fence is opened and never closed",
            "close it with a line of the same marks",
        );
        return Err(reader.findings.into_list());
    }
    let mut entities: Vec<SchemaEntity> = Vec::new();
    let mut taken = BTreeSet::new();
    for section in document.seconds().filter(|section| is_entity(section)) {
        let Some((name, plural)) = names(section.title) else {
            reader.findings.add(
                ("entity_heading", section.line()),
                format!("{} is no heading of an entity", quote(section.title)),
                "write `## Entity: name (plural)`, both in lower case and one word each",
            );
            continue;
        };
        let both = BTreeSet::from([name, plural]);
        if let Some(twice) = both.iter().find(|name| taken.contains(**name)) {
            reader.findings.add(
                ("entity_twice", section.line()),
                format!("the name {} is taken", quote(twice)),
                "give every entity names of its own",
            );
        }
        taken.extend(both);
        let fields = reader.fields(section, name);
        entities.push(SchemaEntity {
            name: name.to_owned(),
            plural: plural.to_owned(),
            fields,
        });
    }
    if entities.is_empty() && reader.findings.is_empty() {
        reader.findings.add(
            ("entity_none", None),
            "there is no entity",
            "begin each entity with a heading `## Entity: name (plural)`",
        );
    }
    reader.check_references(&entities);
    reader.findings.or(entities)
}

fn is_entity(section: &Section<'_>) -> bool {
    let word = section.title.split([':', ' ', '\t']).next();
    word.is_some_and(|word| word.eq_ignore_ascii_case("entity"))
}

/// Reads `Entity: name (plural)`.
fn names(title: &str) -> Option<(&str, &str)> {
    let (_, rest) = title.split_once(':')?;
    let (name, rest) = rest.split_once('(')?;
    let plural = rest.strip_suffix(')')?.trim();
    let name = name.trim();
    (is_name(name) && is_name(plural)).then_some((name, plural))
}

fn is_name(text: &str) -> bool {
    is_word(text) && !text.chars().any(char::is_uppercase)
}

fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.len() <= MAX_NAME && text.starts_with(char::is_alphabetic) && text.chars().all(plain)
}

struct Reader {
    findings: Findings,
    /// Which line refers to which entity.
    references: Vec<(u32, String)>,
}

impl Reader {
    fn fields(&mut self, section: &Section<'_>, entity: &str) -> Vec<SchemaField> {
        let is_row = |line: &&Line<'_>| !line.fenced && line.text().trim_start().starts_with('|');
        let rows: Vec<_> = section.body.iter().filter(is_row).collect();
        let (Some(head), Some(rule)) = (rows.first(), rows.get(1)) else {
            self.no_table(entity, section.line());
            return Vec::new();
        };
        let together = rows
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.number + 1 == b.number));
        let columns = cells(head.text())
            .into_iter()
            .map(|cell| cell.to_lowercase());
        let is_ruled = cells(rule.text())
            .iter()
            .all(|cell| cell.contains('-') && cell.trim_matches([':', '-']).is_empty());
        if !together || !is_ruled || !columns.eq(COLUMNS) {
            self.no_table(entity, Some(head.number));
            return Vec::new();
        }
        let mut seen = BTreeSet::new();
        let mut fields = Vec::new();
        for row in rows.iter().skip(2) {
            let Some(field) = self.field(row) else {
                continue;
            };
            if !seen.insert(field.name.clone()) {
                self.findings.add(
                    ("field_twice", Some(row.number)),
                    format!("{entity} has the field {} twice", quote(&field.name)),
                    "rename or remove one",
                );
            }
            fields.push(field);
        }
        if rows.len() == 2 {
            self.findings.add(
                ("field_none", Some(head.number)),
                format!("the entity {entity} has no fields"),
                "add a row for each field",
            );
        }
        fields
    }

    fn no_table(&mut self, entity: &str, line: Option<u32>) {
        self.findings.add(
            ("entity_table", line),
            format!("the entity {entity} needs one table of its fields"),
            "give it one table with the columns field, type, required, notes",
        );
    }

    fn field(&mut self, row: &Line<'_>) -> Option<SchemaField> {
        let cells = cells(row.text());
        let [name, kind, required, notes] = cells.as_slice() else {
            let found = cells.len();
            self.findings.add(
                ("field_form", Some(row.number)),
                format!("this row has {found} cells instead of 4"),
                "write | name | type | yes or no | notes |, and \\| for a bar inside a cell",
            );
            return None;
        };
        let name = name.trim_matches('`');
        if !is_word(name) || kind.is_empty() {
            self.findings.add(
                ("field_form", Some(row.number)),
                format!("{} of type {} is no field", quote(name), quote(kind)),
                "name a field with one word and say what it holds",
            );
            return None;
        }
        let required = match required.to_lowercase().as_str() {
            "yes" => true,
            "no" => false,
            _ => {
                self.findings.add(
                    ("field_required", Some(row.number)),
                    format!(
                        "{} does not say whether a field is required",
                        quote(required)
                    ),
                    "write yes or no",
                );
                return None;
            }
        };
        let field = SchemaField {
            name: name.to_owned(),
            kind: kind.clone(),
            required,
            notes: notes.clone(),
        };
        if let Some(target) = field.target() {
            self.references.push((row.number, target.to_owned()));
        }
        Some(field)
    }

    fn check_references(&mut self, entities: &[SchemaEntity]) {
        let names = || entities.iter().map(|entity| entity.name.as_str());
        for (line, target) in &self.references {
            if !names().any(|name| name == target) {
                self.findings.add(
                    ("reference_unknown", Some(*line)),
                    format!("there is no entity {}", quote(target)),
                    format!("refer to one of {}", quote_all(names())),
                );
            }
        }
    }
}

/// The cells of a row; `\|` is a bar inside a cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut letters = row.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'|') => cell.extend(letters.next()),
            '|' => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
