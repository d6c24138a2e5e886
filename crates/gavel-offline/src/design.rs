//! What a program is: things with fields, how they refer to each other, and what one can do with
//! them. Plain data; whoever holds a [`Design`] holds one that was checked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The longest name of a program, an entity or a field: longer ones are sentences.
pub const NAME_LIMIT: usize = 24;

const MOST_ENTITIES: usize = 8;
const MOST_FIELDS: usize = 16;
const RESERVED_WORDS: [&str; 8] = [
    "add", "list", "show", "edit", "delete", "search", "total", "help",
];
/// What every entity can do.
pub(crate) const BASE_COMMANDS: [Command; 6] = [
    Command::Add,
    Command::List,
    Command::Show,
    Command::Edit,
    Command::Delete,
    Command::Search,
];

/// A checked design: every name can be typed, every reference leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "DesignParts", into = "DesignParts")]
pub struct Design(DesignParts);

/// The parts of a design, unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignParts {
    /// What the program is called when it is started.
    pub program: String,
    /// What it is for, in the words of the idea; one line.
    pub purpose: String,
    /// The things it keeps; parents of references may stand anywhere.
    pub entities: Vec<Entity>,
}

/// A thing that the program keeps many of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// One of them: `bookmark`.
    pub name: String,
    /// Many of them: `bookmarks`.
    pub plural: String,
    /// What is known about each, in the order in which it is shown.
    pub fields: Vec<Field>,
    /// What one can do with them.
    pub commands: Vec<Command>,
}

/// One thing that is known about an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The name, as it is typed after `--`.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: Kind,
    /// True if no entry may be without it.
    #[serde(default)]
    pub required: bool,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// Free text.
    Text,
    /// A whole number.
    Integer,
    /// A number with two decimals, kept exactly.
    Amount,
    /// A day.
    Date,
    /// Any number of short words.
    Tags,
    /// Yes or no; no unless said.
    Flag,
    /// The id of an entry of another entity.
    Reference {
        /// That entity's name.
        entity: String,
    },
}

/// What one can do with an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Stores a new one.
    Add,
    /// Lists all, or those with a given value.
    List,
    /// Shows one with all its fields, and what refers to it.
    Show,
    /// Changes fields of one.
    Edit,
    /// Removes one.
    Delete,
    /// Finds by words in any text.
    Search,
    /// Sets a flag; the command is called like the flag.
    Mark {
        /// The flag.
        flag: String,
    },
    /// Adds up a number, by group and within a period.
    Total {
        /// The field that is added up.
        of: String,
        /// The field that decides the period, if there are periods.
        day: Option<String>,
        /// What can be grouped by; the first one unless said.
        by: Vec<Group>,
    },
}

/// What a total is grouped by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Each day.
    Day,
    /// Each month.
    Month,
    /// Each year.
    Year,
    /// Each value of a field.
    Field(String),
}

/// Why parts do not make a design.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesignProblem {
    /// A name cannot be typed or is too long.
    #[error(
        "`{0}` is no name: small letters, digits, single dashes, a letter first, at most {NAME_LIMIT}"
    )]
    BadName(String),
    /// Two things have one name, or a name has another meaning already.
    #[error("the name `{0}` is taken: rename one of the two")]
    Taken(String),
    /// Nothing to keep, or too much: whose parts, how many, how many fit.
    #[error("`{0}` has {1} parts: between 1 and {2} can be built")]
    Count(String, usize, usize),
    /// An entity names something that is not there or does not fit: entity, name, what it would be.
    #[error("{0}: nothing called `{1}` serves as {2}")]
    Missing(String, String, &'static str),
    /// An entry of this entity could only be added after itself.
    #[error("references run in a circle through `{0}`: drop one of them")]
    Circle(String),
    /// Entries of this entity could not be told apart.
    #[error("no required field of `{0}` tells its entries apart: require a text, number or day")]
    NothingTelling(String),
}

impl Design {
    /// Checks the parts. The first problem is returned.
    pub fn new(parts: DesignParts) -> Result<Self, DesignProblem> {
        check_name(&parts.program)?;
        check_count(&parts.program, parts.entities.len(), MOST_ENTITIES)?;
        let mut taken = BTreeSet::from(RESERVED_WORDS);
        for entity in &parts.entities {
            let same = entity.name == entity.plural;
            for name in [&entity.name, &entity.plural]
                .into_iter()
                .skip(usize::from(same))
            {
                check_name(name)?;
                if !taken.insert(name) {
                    return Err(taken_name(name));
                }
            }
        }
        for entity in &parts.entities {
            check_entity(entity, &parts.entities)?;
        }
        let design = Self(parts);
        design.check_circles()?;
        Ok(design)
    }

    /// What the program is called.
    pub fn program(&self) -> &str {
        &self.0.program
    }

    /// What it is for.
    pub fn purpose(&self) -> &str {
        &self.0.purpose
    }

    /// The things it keeps.
    pub fn entities(&self) -> &[Entity] {
        &self.0.entities
    }

    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities().iter().find(|entity| entity.name == name)
    }

    /// The fields of other entities that refer to the entity of that name.
    pub fn referring(&self, name: &str) -> impl Iterator<Item = (&Entity, &Field)> {
        let fields = self
            .entities()
            .iter()
            .flat_map(|entity| entity.fields.iter().map(move |field| (entity, field)));
        fields.filter(move |(_, field)| field.target() == Some(name))
    }

    /// Every walk along references has an end.
    fn check_circles(&self) -> Result<(), DesignProblem> {
        let mut settled: BTreeSet<&str> = BTreeSet::new();
        loop {
            let next = self.entities().iter().find(|entity| {
                let mut targets = entity.fields.iter().filter_map(Field::target);
                !settled.contains(entity.name.as_str()) && targets.all(|to| settled.contains(to))
            });
            let Some(next) = next else { break };
            settled.insert(&next.name);
        }
        let stuck = self
            .entities()
            .iter()
            .find(|e| !settled.contains(e.name.as_str()));
        stuck.map_or(Ok(()), |entity| {
            Err(DesignProblem::Circle(entity.name.clone()))
        })
    }
}

impl TryFrom<DesignParts> for Design {
    type Error = DesignProblem;

    fn try_from(parts: DesignParts) -> Result<Self, DesignProblem> {
        Self::new(parts)
    }
}

impl From<Design> for DesignParts {
    fn from(design: Design) -> Self {
        design.0
    }
}

impl Entity {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The first free text, which an entry is known by.
    pub fn main_text(&self) -> Option<&Field> {
        let mut texts = self.fields.iter().filter(|field| field.kind == Kind::Text);
        texts
            .clone()
            .find(|field| field.required)
            .or_else(|| texts.next())
    }
}

impl Field {
    /// The entity that it refers to, if it refers.
    pub fn target(&self) -> Option<&str> {
        match &self.kind {
            Kind::Reference { entity } => Some(entity),
            Kind::Text | Kind::Integer | Kind::Amount | Kind::Date | Kind::Tags | Kind::Flag => {
                None
            }
        }
    }
}

impl Command {
    /// The word that calls it.
    pub fn word(&self) -> &str {
        match self {
            Self::Add => "add",
            Self::List => "list",
            Self::Show => "show",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::Search => "search",
            Self::Mark { flag } => flag,
            Self::Total { .. } => "total",
        }
    }
}

impl Command {
    /// What a total can be grouped by: what the design says, and every period if there is a day.
    pub fn groups(&self) -> Vec<Group> {
        let Self::Total { day, by, .. } = self else {
            return Vec::new();
        };
        let periods = [Group::Day, Group::Month, Group::Year].into_iter();
        let more = periods.filter(|period| day.is_some() && !by.contains(period));
        by.iter().cloned().chain(more).collect()
    }
}

impl Group {
    /// The word after `--by`.
    pub fn word(&self) -> &str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
            Self::Field(name) => name,
        }
    }
}

fn check_entity(entity: &Entity, all: &[Entity]) -> Result<(), DesignProblem> {
    check_count(&entity.name, entity.fields.len(), MOST_FIELDS)?;
    let mut taken = BTreeSet::from(["id", "help"]);
    for field in &entity.fields {
        check_name(&field.name)?;
        if !taken.insert(&field.name) {
            return Err(taken_name(&field.name));
        }
        if let Some(target) = field.target()
            && !all.iter().any(|other| other.name == target)
        {
            return Err(missing(entity, target, "an entity to refer to"));
        }
    }
    let tells = |field: &Field| {
        field.required
            && field.kind != Kind::Flag
            && field.kind != Kind::Tags
            && field.target().is_none()
    };
    if !entity.fields.iter().any(tells) {
        return Err(DesignProblem::NothingTelling(entity.name.clone()));
    }
    if let Some(gone) = BASE_COMMANDS
        .iter()
        .find(|base| !entity.commands.contains(base))
    {
        return Err(missing(
            entity,
            gone.word(),
            "a command that every entity has",
        ));
    }
    let mut words = BTreeSet::new();
    for command in &entity.commands {
        check_command(entity, command)?;
        if !words.insert(command.word()) {
            return Err(taken_name(command.word()));
        }
    }
    Ok(())
}

fn check_command(entity: &Entity, command: &Command) -> Result<(), DesignProblem> {
    let is =
        |name: &str, kinds: &[Kind]| entity.field(name).is_some_and(|f| kinds.contains(&f.kind));
    match command {
        Command::Mark { flag } if RESERVED_WORDS.contains(&flag.as_str()) => Err(taken_name(flag)),
        Command::Mark { flag } if !is(flag, &[Kind::Flag]) => Err(missing(entity, flag, "a flag")),
        Command::Total { of, day, by } => {
            if !is(of, &[Kind::Amount, Kind::Integer]) {
                return Err(missing(entity, of, "a number to add up"));
            }
            if let Some(day) = day
                && !is(day, &[Kind::Date])
            {
                return Err(missing(entity, day, "a day"));
            }
            check_count("total", by.len(), MOST_FIELDS)?;
            by.iter()
                .try_for_each(|group| check_group(entity, group, day.is_some()))
        }
        Command::Mark { .. }
        | Command::Add
        | Command::List
        | Command::Show
        | Command::Edit
        | Command::Delete
        | Command::Search => Ok(()),
    }
}

fn check_group(entity: &Entity, group: &Group, dated: bool) -> Result<(), DesignProblem> {
    match group {
        Group::Day | Group::Month | Group::Year if !dated => {
            Err(missing(entity, group.word(), "a period without a day"))
        }
        Group::Field(name) if entity.field(name).is_none() => {
            Err(missing(entity, name, "a field to group by"))
        }
        Group::Field(name) if ["day", "month", "year"].contains(&name.as_str()) && dated => {
            Err(taken_name(name))
        }
        Group::Day | Group::Month | Group::Year | Group::Field(_) => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), DesignProblem> {
    let words = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    let fits = name.len() <= NAME_LIMIT
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(words);
    fits.then_some(())
        .ok_or_else(|| DesignProblem::BadName(name.to_owned()))
}

fn check_count(of: &str, count: usize, limit: usize) -> Result<(), DesignProblem> {
    let fits = (1..=limit).contains(&count);
    fits.then_some(())
        .ok_or_else(|| DesignProblem::Count(of.to_owned(), count, limit))
}

fn taken_name(name: &str) -> DesignProblem {
    DesignProblem::Taken(name.to_owned())
}

fn missing(entity: &Entity, name: &str, role: &'static str) -> DesignProblem {
    DesignProblem::Missing(entity.name.clone(), name.to_owned(), role)
}
