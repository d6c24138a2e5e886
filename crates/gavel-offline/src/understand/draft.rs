//! What the clauses of an idea say, gathered one after another, and then made into a design.

use std::ops::Range;

use super::dictionary;
use super::words::{Words, plural, singular};
use crate::design::{
    Command, Design, DesignParts, DesignProblem, Entity, Field, Group, Kind, NAME_LIMIT,
};

/// Named fields from which on the usual optional ones are left out: whoever lists, lists all.
const A_LIST: usize = 2;
/// Named fields from which on even a usual name is left out, if they stand after a colon.
const A_FULL_LIST: usize = 3;

/// What one can do with everything.
const BASE_COMMANDS: [Command; 6] = [
    Command::Add,
    Command::List,
    Command::Show,
    Command::Edit,
    Command::Delete,
    Command::Search,
];

#[derive(Debug, Default)]
pub(super) struct Draft {
    /// What the idea calls the whole: `reading list`.
    pub(super) title: Option<String>,
    pub(super) things: Vec<Thing>,
    /// Which of them is spoken of; the first unless something else is said.
    pub(super) subject: Range<usize>,
    /// True for "a sleep log", "log my sleep": what happens, happens on a day.
    pub(super) logs: bool,
    /// True if the fields stand after a colon: then nothing is added to an unknown noun.
    pub(super) complete: bool,
    pub(super) total: Option<TotalDraft>,
    /// True if a word said that things are kept.
    pub(super) kept: bool,
}

/// An entity to be.
#[derive(Debug)]
pub(super) struct Thing {
    pub(super) name: String,
    /// What such things usually have.
    pub(super) usual: Vec<Field>,
    /// What the idea says they have.
    pub(super) named: Vec<Field>,
    /// The entity that each of them belongs to, as the idea says.
    pub(super) part_of: Option<String>,
}

/// A total to be: what is added up, and by what.
#[derive(Debug, Default)]
pub(super) struct TotalDraft {
    pub(super) of: Option<String>,
    pub(super) by: Vec<Group>,
}

impl Draft {
    /// Adds an entity unless it is there; true if it is new.
    pub(super) fn add_thing(&mut self, name: &str, usual: Vec<Field>) -> bool {
        if self.things.iter().any(|thing| thing.name == name) {
            return false;
        }
        self.things.push(Thing {
            name: name.to_owned(),
            usual,
            named: Vec::new(),
            part_of: None,
        });
        true
    }

    /// Adds a field to what is spoken of.
    pub(super) fn add_field(&mut self, field: &Field) {
        let subject = self.subject.start..self.subject.end.max(1);
        for thing in self.things.get_mut(subject).into_iter().flatten() {
            if !thing.named.iter().any(|named| named.name == field.name) {
                thing.named.push(field.clone());
            }
        }
    }

    /// From now on, the last entity is spoken of, and those before it that it has nothing to do with.
    pub(super) fn speak_of_last(&mut self) {
        let Some((last, before)) = self.things.split_last() else {
            return;
        };
        let related = |other: &Thing| {
            last.part_of.as_ref() == Some(&other.name)
                || dictionary::belongs(&last.name, &other.name).is_some()
                || dictionary::belongs(&other.name, &last.name).is_some()
        };
        let start = if before
            .iter()
            .any(|other| related(other) || !other.named.is_empty())
        {
            before.len()
        } else {
            0
        };
        self.subject = start..self.things.len();
    }

    /// The same, and nothing before it.
    pub(super) fn speak_of_last_alone(&mut self) {
        self.subject = self.things.len().saturating_sub(1)..self.things.len();
    }

    /// The one thing of which nothing is known but its name, if nothing says that it is to be kept.
    pub(super) fn only_a_name(&self) -> Option<String> {
        let [only] = self.things.as_slice() else {
            return None;
        };
        let bare = only.is_unknown() && only.named.is_empty() && self.total.is_none();
        (bare && !self.kept).then(|| only.name.clone())
    }

    /// The name of what is spoken of.
    pub(super) fn subject_name(&self) -> String {
        let subject = self.things.get(self.subject.start);
        subject.map(|thing| thing.name.clone()).unwrap_or_default()
    }

    /// True if there is something to add up, or a total is asked for.
    pub(super) fn has_number(&self) -> bool {
        let fields = self
            .things
            .iter()
            .flat_map(|thing| thing.usual.iter().chain(&thing.named));
        self.total.is_some() || fields.into_iter().any(is_number)
    }

    /// The words that name what is kept, and its fields.
    pub(super) fn kept_words(&self) -> Vec<String> {
        let fields = self
            .things
            .iter()
            .flat_map(|thing| thing.usual.iter().chain(&thing.named));
        let words = fields.flat_map(|field| field.name.split('-')).map(singular);
        words.chain(self.thing_words()).collect()
    }

    /// The words that name what is kept.
    pub(super) fn thing_words(&self) -> Vec<String> {
        let names = self.things.iter().flat_map(|thing| thing.name.split('-'));
        let title = self.title.as_deref().unwrap_or_default();
        names.chain(title.split(' ')).map(singular).collect()
    }

    /// Makes the design.
    pub(super) fn finish(mut self, idea: &str) -> Result<Design, DesignProblem> {
        self.add_companions();
        let names: Vec<String> = self.things.iter().map(|thing| thing.name.clone()).collect();
        for thing in &mut self.things {
            thing.drop_doubled_names(self.complete, &names);
        }
        if let Some(first) = self.things.first_mut()
            && first.is_unknown()
        {
            let dated = first.become_dated(self.logs);
            if dated || (self.total.is_some() && names.len() == 1) {
                first.usual.retain(|field| field.name != "name");
            }
        }
        let total = self.total.take();
        let mut entities: Vec<Entity> = self
            .things
            .iter()
            .map(|thing| entity(thing, &names))
            .collect();
        let counted = |entity: &Entity| entity.fields.iter().any(is_number);
        let spoken_of = entities.get(self.subject.start).is_some_and(counted);
        let at = match entities.iter().position(counted) {
            Some(_) if spoken_of => self.subject.start,
            first => first.unwrap_or_default(),
        };
        if let (Some(total), Some(entity)) = (total, entities.get_mut(at)) {
            add_total(entity, total, &names);
        }
        for entity in &mut entities {
            let known_by =
                |field: &Field| field.required && !matches!(field.kind, Kind::Reference { .. });
            if !entity.fields.iter().any(known_by)
                && let Some(first) = entity.fields.first_mut()
            {
                first.required = true;
            }
            let marks: Vec<Command> = marks(entity).collect();
            entity.commands.extend(marks);
        }
        let title = self
            .title
            .or_else(|| Some(entities.first()?.plural.clone()));
        let purpose = idea.split_whitespace().collect::<Vec<_>>().join(" ");
        Design::new(DesignParts {
            program: program_name(&title.unwrap_or_default()),
            purpose,
            entities,
        })
    }

    fn add_companions(&mut self) {
        let [only] = self.things.as_slice() else {
            return;
        };
        if let Some(other) = dictionary::companion(&only.name) {
            self.add_thing(other.entity, other.fields);
        }
    }
}

impl Thing {
    /// "tasks with a name": then the usual title is one name too many.
    fn drop_doubled_names(&mut self, complete: bool, all: &[String]) {
        let always = |other: &String| dictionary::belongs(&self.name, other) == Some(true);
        let belongs = self.part_of.is_some() || all.iter().any(always);
        let unknown = dictionary::known(&self.name).is_none();
        let is_name = |field: &Field| Words("names").contains(&field.name);
        let own = |field: &Field| is_name(field) || field.name == self.name;
        for field in self
            .named
            .iter_mut()
            .filter(|field| !unknown && field.name == self.name)
        {
            field.required = true;
        }
        // "pets and visits with date and reason": what happens to something is known by its day.
        let happens = belongs && self.named.iter().any(|field| field.kind == Kind::Date);
        let most = if unknown { A_LIST } else { A_FULL_LIST };
        let listed = (complete || unknown && happens) && self.named.len() >= most;
        if self.named.iter().any(own) || listed {
            self.usual.retain(|field| !is_name(field));
        }
        // "events with date": the usual day under another name.
        if let Some(date) = self
            .named
            .iter_mut()
            .find(|field| field.kind == Kind::Date && field.name != "day")
            && let Some(day) = self.usual.iter().position(|field| field.name == "day")
        {
            date.required = self.usual.remove(day).required;
        }
    }

    /// True for a noun that nothing but a name and a note is usual for.
    fn is_unknown(&self) -> bool {
        dictionary::known(&self.name).is_none()
            && self.usual.iter().any(|field| field.name == "name")
    }

    /// What happens on a day has one; true if the idea says so, and the day says what it is.
    fn become_dated(&mut self, logs: bool) -> bool {
        let date = self.named.iter_mut().find(|field| field.kind == Kind::Date);
        let said = date.is_some() && logs;
        if let Some(date) = date {
            date.required |= logs;
        } else if logs {
            let day = Field {
                required: true,
                ..dictionary::field("day")
            };
            self.usual.insert(1, day);
        }
        said
    }
}

fn entity(thing: &Thing, names: &[String]) -> Entity {
    let mut fields: Vec<Field> = Vec::new();
    for other in names.iter().filter(|other| **other != thing.name) {
        let said = thing.part_of.as_ref() == Some(other);
        if let Some(always) = dictionary::belongs(&thing.name, other).or(said.then_some(true)) {
            fields.push(reference(other, always || said));
        }
    }
    let lists = thing.named.len() >= A_LIST;
    let usual = thing.usual.iter().filter(|field| field.required || !lists);
    let flags = |field: &&Field| field.kind == Kind::Flag && lists;
    let usual_flags = thing.usual.iter().filter(flags);
    // References stand last, so that an entry starts with what it is known by.
    let references = std::mem::take(&mut fields);
    for field in usual.chain(&thing.named).chain(usual_flags) {
        let is_reference = references
            .iter()
            .any(|reference| reference.name == field.name);
        let is_there = fields.iter().any(|other| other.name == field.name);
        if !is_reference && !is_there {
            fields.push(field.clone());
        }
    }
    fields.extend(references);
    Entity {
        name: thing.name.clone(),
        plural: plural(&thing.name),
        fields,
        commands: BASE_COMMANDS.to_vec(),
    }
}

/// A total needs a number, a day if it is per period, and its groups; what is missing is added.
fn add_total(entity: &mut Entity, mut total: TotalDraft, names: &[String]) {
    let of = total.of.take().unwrap_or_else(|| {
        let mut numbers = entity.fields.iter().filter(|field| is_number(field));
        let money = |field: &&Field| Words("money").contains(&field.name);
        let number = numbers
            .clone()
            .find(|field| field.required)
            .or_else(|| numbers.clone().find(money))
            .or_else(|| numbers.next());
        number.map_or_else(|| "amount".to_owned(), |field| field.name.clone())
    });
    require(entity, &of, Kind::Amount);
    let is_date = |field: &&Field| field.kind == Kind::Date;
    let is_period = |group: &Group| !matches!(group, Group::Field(_));
    let mut day = entity
        .fields
        .iter()
        .find(is_date)
        .map(|field| field.name.clone());
    if total.by.iter().any(is_period) {
        let name = day.unwrap_or_else(|| "day".to_owned());
        require(entity, &name, Kind::Date);
        day = Some(name);
    }
    if total.by.is_empty() && day.is_some() {
        total.by.push(Group::Month);
    }
    for group in &total.by {
        if let Group::Field(name) = group {
            let kind = if names.contains(name) && *name != entity.name {
                Kind::Reference {
                    entity: name.clone(),
                }
            } else {
                Kind::Text
            };
            require(entity, name, kind);
        }
    }
    let by = total.by;
    entity.commands.push(Command::Total { of, day, by });
}

fn is_number(field: &Field) -> bool {
    matches!(field.kind, Kind::Amount | Kind::Integer)
}

/// Makes sure that the field is there and filled in.
fn require(entity: &mut Entity, name: &str, kind: Kind) {
    match entity.fields.iter_mut().find(|field| field.name == name) {
        Some(field) => field.required = true,
        None => entity.fields.push(Field {
            name: name.to_owned(),
            kind,
            required: true,
        }),
    }
}

fn marks(entity: &Entity) -> impl Iterator<Item = Command> {
    let flags = entity
        .fields
        .iter()
        .filter(|field| field.kind == Kind::Flag);
    flags.map(|field| Command::Mark {
        flag: field.name.clone(),
    })
}

fn reference(to: &str, required: bool) -> Field {
    Field {
        name: to.to_owned(),
        kind: Kind::Reference {
            entity: to.to_owned(),
        },
        required,
    }
}

/// A name for the program that cargo takes, too.
fn program_name(title: &str) -> String {
    const TAKEN: [&str; 8] = [
        "test",
        "build",
        "deps",
        "examples",
        "core",
        "std",
        "alloc",
        "incremental",
    ];
    let mut name = String::new();
    for word in title.split([' ', '-']).filter(|word| !word.is_empty()) {
        let joined = if name.is_empty() {
            word.to_owned()
        } else {
            format!("{name}-{word}")
        };
        if joined.len() > NAME_LIMIT {
            break;
        }
        name = joined;
    }
    if TAKEN.contains(&name.as_str()) {
        format!("{name}-book")
    } else {
        name
    }
}
