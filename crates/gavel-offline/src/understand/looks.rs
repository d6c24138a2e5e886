//! What wishes make of entities: an order, commands that list some of them, and the fields that these read.

use super::dictionary;
use super::wishes::{Asked, Ordering, Wish};
use super::words::{Words, singular};
use crate::design::{Bounds, Command, Entity, Field, Kind, Order, View};

/// Days that come again each year.
const YEARLY: [&str; 3] = ["birthday", "anniversary", "born"];
/// Hours of a day, and its minutes.
const OF_A_DAY: [(&str, i64); 2] = [("hours", 24), ("minutes", 1_440)];

/// Builds what is asked for; none if nothing that is kept can show it.
pub(super) fn grant(entities: &mut [Entity], asked: &Asked) -> Option<()> {
    let about = &asked.about;
    match &asked.wish {
        Wish::Order(order) => set_order(entities, *order, about),
        Wish::Overdue => {
            let at = with_day(entities, about, "due-date")?;
            let entity = entities.get_mut(at)?;
            let (day, unless) = (day_of(entity, about)?, settled(entity));
            add_view(entity, "overdue", View::Overdue { day, unless })
        }
        Wish::Upcoming { within } => {
            let at = with_day(entities, about, "due-date")?;
            let entity = entities.get_mut(at)?;
            let day = day_of(entity, about)?;
            let yearly = day.split('-').any(|part| YEARLY.contains(&part));
            let (within, unless) = (*within, settled(entity).filter(|_| !yearly));
            let view = View::Upcoming {
                day,
                within,
                yearly,
                unless,
            };
            add_view(entity, "upcoming", view)
        }
        Wish::Low => watch_low(entities, about),
        Wish::Streaks => count_streaks(entities, about),
        Wish::Unmarked { word, flag } => {
            let has = |one: &Entity| {
                one.field(flag)
                    .is_some_and(|field| field.kind == Kind::Flag)
            };
            let at = entities
                .iter()
                .position(|one| has(one) && is_about(one, about))?;
            let flag = flag.clone();
            add_view(entities.get_mut(at)?, word, View::Unmarked { flag })
        }
    }
}

/// Lists what is below its minimum; what has none gets one.
fn watch_low(entities: &mut [Entity], about: &[String]) -> Option<()> {
    let is_stock = |word: &String| Words("stocks").contains(word);
    let about: Vec<String> = about
        .iter()
        .filter(|word| !is_stock(word))
        .cloned()
        .collect();
    let counted = |one: &Entity| stock(one).is_some() || least_of(one).is_some();
    let at = entities
        .iter()
        .position(|one| is_about(one, &about) && counted(one));
    let entity = entities.get_mut(at?)?;
    if stock(entity).is_none() {
        let at = entity
            .fields
            .iter()
            .position(|field| least_of(entity) == Some(field))?;
        entity.fields.insert(at, dictionary::field("count"));
    }
    let number = stock(entity)?.clone();
    if least_of(entity).is_none() {
        let at = entity
            .fields
            .iter()
            .position(|field| field.name == number.name)?;
        let least = Field {
            name: "minimum".to_owned(),
            required: false,
            ..number
        };
        entity.fields.insert(at + 1, least);
    }
    if entity.can("low") {
        Some(())
    } else {
        watch_stock(entity)
    }
}

/// Counts the days of what happens on a day, for each thing that it belongs to.
fn count_streaks(entities: &mut [Entity], about: &[String]) -> Option<()> {
    let is_dated = |one: &Entity| one.fields.iter().any(|field| field.kind == Kind::Date);
    let named = |one: &Entity| {
        let parents = one.fields.iter().filter_map(Field::target);
        is_about(one, about)
            || parents
                .into_iter()
                .any(|parent| about.iter().all(|word| word == parent))
    };
    let at = entities
        .iter()
        .position(|one| is_dated(one) && named(one))?;
    let entity = entities.get_mut(at)?;
    let day = day_of(entity, &[])?;
    let by = entity.fields.iter().find(|field| field.target().is_some());
    let by = by.map(|field| field.name.clone());
    entity.commands.push(Command::Streaks { day, by });
    Some(())
}

/// What goes without saying: a day has so many hours, and what has a least is watched.
pub(super) fn make_sensible(entity: &mut Entity) {
    if entity.fields.iter().any(|field| field.kind == Kind::Date) {
        for field in entity.fields.iter_mut().filter(|field| field.is_number()) {
            let last = field.name.rsplit('-').next().unwrap_or_default();
            let whole = OF_A_DAY.iter().find(|(unit, _)| *unit == last);
            if let Some((_, most)) = whole.filter(|_| field.bounds.most.is_none()) {
                field.bounds.most = Some(*most);
            }
        }
    }
    if least_of(entity).is_some() && !entity.can("low") {
        watch_stock(entity);
    }
}

fn add_view(entity: &mut Entity, word: &str, view: View) -> Option<()> {
    if entity.can(word) {
        return None;
    }
    let word = word.to_owned();
    entity.commands.push(Command::View { word, view });
    Some(())
}

/// True if every word names the entity or one of its fields.
fn is_about(entity: &Entity, about: &[String]) -> bool {
    let parts = |name: &str| -> Vec<String> { name.split('-').map(singular).collect() };
    let fields = entity.fields.iter().flat_map(|field| parts(&field.name));
    let names: Vec<String> = fields.chain(parts(&entity.name)).collect();
    let is_one = |word: &String| ["one", "item", "thing", "entry"].contains(&word.as_str());
    about
        .iter()
        .all(|word| names.contains(word) || is_one(word))
}

fn set_order(entities: &mut [Entity], order: Ordering, about: &[String]) -> Option<()> {
    let name = about.join("-");
    let field_of = |entity: &Entity| -> Option<Field> {
        let day = || entity.fields.iter().find(|field| field.kind == Kind::Date);
        let by_name = || {
            let same =
                |field: &&Field| field.name == name || field.name.ends_with(&format!("-{name}"));
            let named = entity.fields.iter().find(same);
            named.or_else(|| day().filter(|_| name == "date" || name == "day"))
        };
        let field = match order {
            Ordering::Field | Ordering::FieldDown => by_name()?,
            Ordering::Newest | Ordering::Oldest => day().filter(|_| is_about(entity, about))?,
        };
        Some(field.clone())
    };
    let at = entities.iter().position(|one| field_of(one).is_some());
    let entity = match at {
        Some(at) => entities.get_mut(at)?,
        // "sort by rating" where no rating is named: then each has one.
        None => {
            let entity = entities.first_mut()?;
            let known = dictionary::field(&name);
            let plain = matches!(order, Ordering::Field | Ordering::FieldDown);
            if !plain || dictionary::is_guess(&known) || name.is_empty() {
                return None;
            }
            entity.fields.push(known);
            entity
        }
    };
    let field = field_of(entity)?;
    let down = match order {
        Ordering::Field => matches!(field.kind, Kind::Integer | Kind::Amount),
        Ordering::FieldDown | Ordering::Newest => true,
        Ordering::Oldest => false,
    };
    let field = field.name;
    entity.order = Some(Order { field, down });
    Some(())
}

/// The entity whose day is meant; one that can be settled gets the day if none has it.
fn with_day(entities: &mut [Entity], about: &[String], name: &str) -> Option<usize> {
    let is_due = |field: &Field| {
        let parts = field.name.split('-');
        field.kind == Kind::Date && parts.into_iter().any(|part| Words("coming").contains(part))
    };
    let has = |one: &Entity, due: &dyn Fn(&Field) -> bool| {
        is_about(one, about) && one.fields.iter().any(due)
    };
    let is_day = |field: &Field| field.kind == Kind::Date;
    let at = entities.iter().position(|one| has(one, &is_due));
    let at = at.or_else(|| {
        entities
            .iter()
            .position(|one| has(one, &is_day) && settled(one).is_some())
    });
    let at = at.or_else(|| {
        entities
            .iter()
            .position(|one| !about.is_empty() && has(one, &is_day))
    });
    if at.is_some() {
        return at;
    }
    let at = entities
        .iter()
        .position(|one| is_about(one, about) && settled(one).is_some())?;
    let entity = entities.get_mut(at)?;
    entity.fields.push(Field {
        name: name.to_owned(),
        kind: Kind::Date,
        required: false,
        bounds: Bounds::default(),
    });
    Some(at)
}

/// The day that the words name, else one that is due, else the only sort of day there is.
fn day_of(entity: &Entity, about: &[String]) -> Option<String> {
    let days = || {
        entity
            .fields
            .iter()
            .filter(|field| field.kind == Kind::Date)
    };
    let parts = |field: &&Field, wanted: &dyn Fn(&str) -> bool| field.name.split('-').any(wanted);
    let named = days().find(|field| parts(field, &|part| about.iter().any(|word| word == part)));
    let due = || days().find(|field| parts(field, &|part| Words("coming").contains(part)));
    let day = named.or_else(due).or_else(|| days().next())?;
    Some(day.name.clone())
}

/// The flag that settles an entry: then its day has nothing more to say.
fn settled(entity: &Entity) -> Option<String> {
    let flags = entity
        .fields
        .iter()
        .filter(|field| field.kind == Kind::Flag);
    let mut names = flags.map(|field| &field.name);
    names.find(|name| Words("settling").contains(name)).cloned()
}

/// How many there are.
fn stock(entity: &Entity) -> Option<&Field> {
    let is_least = |field: &&Field| least_of(entity).is_some_and(|least| least.name == field.name);
    let is_stock = |field: &&Field| {
        let last = field.name.rsplit('-').next().unwrap_or_default();
        field.is_number() && Words("stocks").contains(&singular(last)) && !is_least(field)
    };
    entity.fields.iter().find(is_stock)
}

/// How many there should be.
fn least_of(entity: &Entity) -> Option<&Field> {
    let is_least = |field: &&Field| {
        let first = field.name.split('-').next().unwrap_or_default();
        field.is_number() && ["minimum", "min"].contains(&first)
    };
    entity.fields.iter().find(is_least)
}

fn watch_stock(entity: &mut Entity) -> Option<()> {
    let number = stock(entity)?.clone();
    let place = entity
        .fields
        .iter()
        .position(|field| least_of(entity) == Some(field))?;
    let least = entity.fields.get_mut(place)?;
    (least.kind, least.bounds) = (number.kind, number.bounds);
    let (number, least) = (number.name, least.name.clone());
    add_view(entity, "low", View::Below { number, least })
}
