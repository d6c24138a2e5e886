//! What is to be built, from contract texts alone.

use std::collections::BTreeMap;

use gavel_domain::{ContractKind, Criterion};
use serde::Deserialize;

use super::{ContractProblem, criteria, phases::phase_of};
use crate::design::{
    Bounds, Command, Design, DesignParts, Entity, Field, Group, Kind, Order, View,
};

/// Words for what a field holds; the first of each line is ours.
const KINDS: [(&str, Kind); 6] = [
    ("text string", Kind::Text),
    ("integer number int", Kind::Integer),
    ("amount decimal money", Kind::Amount),
    ("date day", Kind::Date),
    ("tags labels", Kind::Tags),
    ("flag boolean bool", Kind::Flag),
];

/// Days ahead where a contract does not say how many.
const SOON: u32 = 30;

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
    sort: Option<String>,
    shows: Option<Shows>,
    unless: Option<String>,
    within: Option<u32>,
    #[serde(default)]
    yearly: bool,
    number: Option<String>,
    least: Option<String>,
    flag: Option<String>,
}

/// Which entries a command of its own lists.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Shows {
    Overdue,
    Upcoming,
    Below,
    Unmarked,
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
        if let Some(sort) = interface.sort.as_ref().filter(|_| command == Command::List) {
            let field = sort.strip_prefix('-').unwrap_or(sort);
            entity.order = Some(Order {
                field: field.to_owned(),
                down: sort.starts_with('-'),
            });
        }
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
            let order = [
                "add", "list", "show", "edit", "delete", "search", "total", "streaks",
            ];
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
        order: None,
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
    let (kind, bounds) = kind_and_bounds(kind).ok_or_else(|| {
        problem(
            "the rules know text, integer and amount (`from 0`, `to 24`), date, tags, flag, `choice of A, B` and \
             `reference to X`: use one of them",
        )
    })?;
    Ok(Some(Field {
        name: name.clone(),
        kind,
        required,
        bounds,
    }))
}

/// `integer from 1 to 5`, `choice of high, low`, `reference to habit`.
fn kind_and_bounds(text: &str) -> Option<(Kind, Bounds)> {
    if let Some(target) = text.strip_prefix("reference to ") {
        let entity = target.trim().to_owned();
        return Some((Kind::Reference { entity }, Bounds::default()));
    }
    if let Some(words) = text.strip_prefix("choice of ") {
        let of = words.split(',').map(|word| word.trim().to_owned());
        return Some((Kind::Choice { of: of.collect() }, Bounds::default()));
    }
    let mut words = text.split_whitespace();
    let word = words.next()?;
    let (_, kind) = KINDS
        .iter()
        .find(|(words, _)| words.split(' ').any(|own| own == word))?;
    let mut bounds = Bounds::default();
    while let Some(side) = words.next() {
        let number = Some(words.next()?.parse().ok()?);
        match side {
            "from" => bounds.least = number,
            "to" => bounds.most = number,
            _ => return None,
        }
    }
    Some((kind.clone(), bounds))
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
    let needed = |name: &str, said: Option<&String>| {
        said.cloned()
            .ok_or_else(|| problem(&format!("say which field it reads: `{name}: FIELD`")))
    };
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
        "streaks" => Command::Streaks {
            day: needed("day", said.day.as_ref())?,
            by: said.by.first().cloned(),
        },
        word => match said.shows {
            Some(shows) => Command::View {
                word: word.to_owned(),
                view: view(shows, said, &needed)?,
            },
            None => Command::Mark {
                flag: word.to_owned(),
            },
        },
    };
    Ok(((*name).to_owned(), command))
}

fn view(
    shows: Shows,
    said: &Interface,
    needed: &impl Fn(&str, Option<&String>) -> Result<String, ContractProblem>,
) -> Result<View, ContractProblem> {
    Ok(match shows {
        Shows::Overdue => View::Overdue {
            day: needed("day", said.day.as_ref())?,
            unless: said.unless.clone(),
        },
        Shows::Upcoming => View::Upcoming {
            day: needed("day", said.day.as_ref())?,
            within: said.within.unwrap_or(SOON),
            yearly: said.yearly,
            unless: said.unless.clone(),
        },
        Shows::Below => View::Below {
            number: needed("number", said.number.as_ref())?,
            least: needed("least", said.least.as_ref())?,
        },
        Shows::Unmarked => View::Unmarked {
            flag: needed("flag", said.flag.as_ref())?,
        },
    })
}
