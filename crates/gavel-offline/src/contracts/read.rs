//! What is to be built, from contract texts alone.

use std::collections::BTreeMap;

use gavel_domain::{ContractKind, Criterion};
use serde::Deserialize;

use super::{ContractProblem, criteria, phases::phase_of};
use crate::design::{Command, Design, DesignParts, Entity, Field, Group, Kind};

/// Words for what a field holds; the first of each line is ours.
const KINDS: [(&str, Kind); 6] = [
    ("text string", Kind::Text),
    ("integer number int", Kind::Integer),
    ("amount decimal money", Kind::Amount),
    ("date day", Kind::Date),
    ("tags labels", Kind::Tags),
    ("flag boolean bool", Kind::Flag),
];

#[derive(Deserialize)]
struct Physics {
    info: Info,
    #[serde(default)]
    commands: BTreeMap<String, Interface>,
}

#[derive(Deserialize)]
struct Info {
    title: String,
    description: String,
}

#[derive(Deserialize)]
struct Interface {
    entity: Option<String>,
    phase: Option<u32>,
    adds_up: Option<String>,
    day: Option<String>,
    #[serde(default)]
    by: Vec<String>,
}

/// What is built by the end of a phase, from contract texts alone: the design with the commands of
/// that phase and those before, and their criteria. `windows` are phase windows; a phase may be in
/// several of them. Without windows there are no criteria.
pub fn read_contracts(
    schema: &str,
    physics: &str,
    windows: &[String],
    phase: u32,
) -> Result<(Design, Vec<Criterion>), ContractProblem> {
    let mut entities = read_schema(schema)?;
    let read = serde_saphyr::from_str(physics);
    let physics: Physics = read.map_err(|error| {
        let text = error.to_string();
        wrong(
            ContractKind::Physics,
            "the text",
            text.lines().next().unwrap_or_default(),
        )
    })?;
    // Nothing can be left for later where there is no later.
    let only = criteria::is_only_phase(windows, phase)?;
    for (key, interface) in &physics.commands {
        let (name, command) = command(key, interface)?;
        let entity = entities
            .iter_mut()
            .find(|entity| entity.name == name)
            .ok_or_else(|| {
                let remedy =
                    format!("schema.md has no entity `{name}`: add it there, or rename it here");
                wrong(ContractKind::Physics, &format!("command `{key}`"), &remedy)
            })?;
        if only || interface.phase.unwrap_or(phase_of(&command)) <= phase {
            entity.commands.push(command);
        }
    }
    for entity in &mut entities {
        let place = |command: &Command| {
            let field = entity
                .fields
                .iter()
                .position(|field| field.name == command.word());
            let order = ["add", "list", "show", "edit", "delete", "search", "total"];
            (
                order
                    .iter()
                    .position(|word| *word == command.word())
                    .unwrap_or(order.len()),
                field,
            )
        };
        entity.commands.sort_by_key(place);
    }
    let design = Design::new(DesignParts {
        program: physics.info.title,
        purpose: physics.info.description,
        entities,
    })?;
    let criteria = criteria::read(windows, phase)?;
    criteria::check(&design, &criteria, phase)?;
    Ok((design, criteria))
}

pub(super) fn wrong(contract: ContractKind, place: &str, remedy: &str) -> ContractProblem {
    ContractProblem::Form {
        contract,
        place: place.to_owned(),
        remedy: remedy.to_owned(),
    }
}

fn read_schema(text: &str) -> Result<Vec<Entity>, ContractProblem> {
    let mut entities: Vec<Entity> = Vec::new();
    let mut inside = false;
    for line in super::unfenced(text) {
        if let Some(heading) = line.strip_prefix("## ") {
            let heading = heading.trim();
            inside = heading
                .get(..6)
                .is_some_and(|word| word.eq_ignore_ascii_case("entity"));
            if inside {
                entities.push(entity(heading)?);
            }
        } else if let Some(row) = line.trim().strip_prefix('|')
            && inside
            && let Some(entity) = entities.last_mut()
        {
            entity.fields.extend(field(row)?);
        }
    }
    Ok(entities)
}

fn entity(heading: &str) -> Result<Entity, ContractProblem> {
    let names = heading.split_once([':', ' ']).and_then(|(_, names)| {
        let (name, plural) = names.trim_start_matches(':').split_once('(')?;
        Some((name.trim(), plural.strip_suffix(')')?.trim()))
    });
    let (name, plural) = names.ok_or_else(|| {
        wrong(
            ContractKind::Schema,
            &format!("heading `{heading}`"),
            "write `## Entity: name (plural)`",
        )
    })?;
    Ok(Entity {
        name: name.to_owned(),
        plural: plural.to_owned(),
        fields: Vec::new(),
        commands: Vec::new(),
    })
}

/// A row of a table; none for its head.
fn field(row: &str) -> Result<Option<Field>, ContractProblem> {
    let row = row.trim().trim_end_matches('|');
    let problem = |remedy: &str| wrong(ContractKind::Schema, &format!("row `{row}`"), remedy);
    let cells: Vec<String> = row
        .splitn(4, '|')
        .map(|cell| cell.trim().replace('`', "").to_lowercase())
        .collect();
    let [name, kind, required, ..] = cells.as_slice() else {
        return Err(problem("write | name | type | yes or no | notes |"));
    };
    if name == "field" || name.trim_matches([':', '-']).is_empty() {
        return Ok(None);
    }
    let required = match required.as_str() {
        "yes" => true,
        "no" => false,
        _ => return Err(problem("say whether it is required: yes or no")),
    };
    let plain = KINDS
        .iter()
        .find(|(words, _)| words.split(' ').any(|word| word == kind));
    let kind = match (kind.strip_prefix("reference to "), plain) {
        (Some(target), _) => Kind::Reference {
            entity: target.trim().to_owned(),
        },
        (None, Some((_, kind))) => kind.clone(),
        (None, None) => {
            return Err(problem(
                "the rules know text, integer, amount, date, tags, flag and `reference to X`: use one of them",
            ));
        }
    };
    Ok(Some(Field {
        name: name.clone(),
        kind,
        required,
    }))
}

/// The entity and the command that a key of `commands` stands for.
fn command(key: &str, said: &Interface) -> Result<(String, Command), ContractProblem> {
    let problem = |remedy: &str| wrong(ContractKind::Physics, &format!("command `{key}`"), remedy);
    let words: Vec<&str> = key.split_whitespace().collect();
    let [name, word] = words.as_slice() else {
        return Err(problem(
            "call it by an entity and one word, as in `bookmark add`",
        ));
    };
    if said.entity.as_ref().is_some_and(|entity| entity != name) {
        return Err(problem(
            "its first word and its `entity` differ: make them the same",
        ));
    }
    let command = match *word {
        "add" => Command::Add,
        "list" => Command::List,
        "show" => Command::Show,
        "edit" => Command::Edit,
        "delete" => Command::Delete,
        "search" => Command::Search,
        "total" => {
            let of = said
                .adds_up
                .clone()
                .ok_or_else(|| problem("say what it adds up: `adds_up: FIELD`"))?;
            let by = said.by.iter().map(|word| Group::of_word(word)).collect();
            Command::Total {
                of,
                day: said.day.clone(),
                by,
            }
        }
        flag => Command::Mark {
            flag: flag.to_owned(),
        },
    };
    Ok(((*name).to_owned(), command))
}
