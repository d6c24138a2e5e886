//! What a program is: things with fields, how they refer to each other, and what one can do with
//! them. Plain data; whoever holds a [`Design`] holds one that was checked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The longest name of a program, an entity or a field: longer ones are sentences.
pub const NAME_LIMIT: usize = 24;

const MOST_ENTITIES: usize = 5;
const MOST_FIELDS: usize = 16;
const RESERVED_WORDS: [&str; 8] = [
    "add", "list", "show", "edit", "delete", "search", "total", "help",
];
/// What every entity can do.
const ALWAYS: [&str; 3] = ["add", "list", "show"];

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
            let many = Some(&entity.plural).filter(|plural| **plural != entity.name);
            for name in [&entity.name].into_iter().chain(many) {
                check_name(name)?;
                take(&mut taken, name)?;
            }
        }
        for entity in &parts.entities {
            check_entity(entity, &parts.entities)?;
        }
        check_circles(&parts.entities)?;
        Ok(Self(parts))
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

    /// The fields of entities that refer to the entity of that name.
    pub fn referring(&self, name: &str) -> impl Iterator<Item = (&Entity, &Field)> {
        let with = |entity| move |field| (entity, field);
        let fields = self
            .entities()
            .iter()
            .flat_map(move |entity| entity.fields.iter().map(with(entity)));
        fields.filter(move |(_, field)| field.target() == Some(name))
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

    /// The first free text, which an entry is known by; one that is required, if there is one.
    pub fn main_text(&self) -> Option<&Field> {
        let mut texts = self.fields.iter().filter(|field| field.kind == Kind::Text);
        texts
            .clone()
            .find(|field| field.required)
            .or_else(|| texts.next())
    }

    /// True if the word calls one of its commands.
    pub fn can(&self, word: &str) -> bool {
        self.commands.iter().any(|command| command.word() == word)
    }

    /// The flags that a command sets.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        let marks = |command: &&Command| matches!(command, Command::Mark { .. });
        self.commands.iter().filter(marks).map(Command::word)
    }
}

impl Field {
    /// The entity that it refers to, if it refers.
    pub fn target(&self) -> Option<&str> {
        if let Kind::Reference { entity } = &self.kind {
            Some(entity)
        } else {
            None
        }
    }

    /// True if every entry has a value that can be its own.
    pub(crate) fn tells(&self) -> bool {
        let own = matches!(
            self.kind,
            Kind::Text | Kind::Integer | Kind::Amount | Kind::Date
        );
        self.required && own
    }
}

impl Kind {
    /// What it is called: `text`, `reference to book`.
    pub fn words(&self) -> String {
        let word = match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Amount => "amount",
            Self::Date => "date",
            Self::Tags => "tags",
            Self::Flag => "flag",
            Self::Reference { entity } => return format!("reference to {entity}"),
        };
        word.to_owned()
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

    /// The period of that name, else the field.
    pub fn of_word(word: &str) -> Self {
        match word {
            "day" => Self::Day,
            "month" => Self::Month,
            "year" => Self::Year,
            field => Self::Field(field.to_owned()),
        }
    }
}

fn check_entity(entity: &Entity, all: &[Entity]) -> Result<(), DesignProblem> {
    let need = |there: bool, name: &str, role| needed(there, (entity, name), role);
    check_count(&entity.name, entity.fields.len(), MOST_FIELDS)?;
    let mut taken = BTreeSet::from(["id", "help"]);
    for field in &entity.fields {
        check_name(&field.name)?;
        take(&mut taken, &field.name)?;
        let target = field.target().unwrap_or(&entity.name);
        let found = all.iter().any(|other| other.name == target);
        need(found, target, "an entity to refer to")?;
    }
    if !entity.fields.iter().any(Field::tells) {
        return Err(DesignProblem::NothingTelling(entity.name.clone()));
    }
    for word in ALWAYS {
        need(entity.can(word), word, "a command that every entity has")?;
    }
    let mut words = BTreeSet::new();
    for command in &entity.commands {
        check_command(entity, command)?;
        take(&mut words, command.word())?;
    }
    Ok(())
}

fn check_command(entity: &Entity, command: &Command) -> Result<(), DesignProblem> {
    let need = |there: bool, name: &str, role| needed(there, (entity, name), role);
    let kind = |name: &str| entity.field(name).map(|field| &field.kind);
    if let Command::Mark { flag } = command {
        take(&mut BTreeSet::from(RESERVED_WORDS), flag)?;
        need(kind(flag) == Some(&Kind::Flag), flag, "a flag")?;
    }
    let Command::Total { of, day, by } = command else {
        return Ok(());
    };
    let number = matches!(kind(of), Some(Kind::Amount | Kind::Integer));
    need(number, of, "a number to add up")?;
    if let Some(day) = day {
        need(kind(day) == Some(&Kind::Date), day, "a day")?;
    }
    check_count("total", by.len(), MOST_FIELDS)?;
    for group in by {
        if let Group::Field(name) = group {
            need(kind(name).is_some(), name, "a field to group by")?;
            if day.is_some() && Group::of_word(name) != *group {
                return Err(DesignProblem::Taken(name.clone()));
            }
        } else {
            need(day.is_some(), group.word(), "a period without a day")?;
        }
    }
    Ok(())
}

/// Every walk along references has an end.
fn check_circles(entities: &[Entity]) -> Result<(), DesignProblem> {
    let mut settled: BTreeSet<&str> = BTreeSet::new();
    let mut left: Vec<&Entity> = entities.iter().collect();
    while let Some(first) = left.first() {
        let free = |entity: &&Entity| {
            let mut targets = entity.fields.iter().filter_map(Field::target);
            targets.all(|to| settled.contains(to))
        };
        let Some(next) = left.iter().position(free) else {
            return Err(DesignProblem::Circle(first.name.clone()));
        };
        settled.insert(&left.remove(next).name);
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), DesignProblem> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_word = |word: &str| !word.is_empty() && word.chars().all(plain);
    let letter = name.starts_with(|c: char| c.is_ascii_lowercase());
    let fits = letter && name.len() <= NAME_LIMIT && name.split('-').all(is_word);
    or_else(fits, || DesignProblem::BadName(name.to_owned()))
}

fn check_count(of: &str, count: usize, limit: usize) -> Result<(), DesignProblem> {
    let fits = (1..=limit).contains(&count);
    or_else(fits, || DesignProblem::Count(of.to_owned(), count, limit))
}

fn take<'a>(taken: &mut BTreeSet<&'a str>, name: &'a str) -> Result<(), DesignProblem> {
    or_else(taken.insert(name), || DesignProblem::Taken(name.to_owned()))
}

fn needed(
    there: bool,
    (entity, name): (&Entity, &str),
    role: &'static str,
) -> Result<(), DesignProblem> {
    or_else(there, || {
        DesignProblem::Missing(entity.name.clone(), name.to_owned(), role)
    })
}

fn or_else(fits: bool, problem: impl FnOnce() -> DesignProblem) -> Result<(), DesignProblem> {
    if fits { Ok(()) } else { Err(problem()) }
}
