//! Whether commands that list some entries, and fields of few values, make sense.

use std::collections::BTreeSet;

use super::{Bounds, DesignProblem, Entity, Field, Kind, NAME_LIMIT, View, needed, or_else};

const MOST_CHOICES: usize = 12;

pub(super) fn check_view(entity: &Entity, view: &View) -> Result<(), DesignProblem> {
    let need = |there: bool, name: &str, role| needed(there, (entity, name), role);
    let is = |name: &str, kind: &Kind| entity.field(name).is_some_and(|one| one.kind == *kind);
    match view {
        View::Overdue { day, unless } | View::Upcoming { day, unless, .. } => {
            need(is(day, &Kind::Date), day, "a day")?;
            let flag = unless.as_ref().filter(|flag| !is(flag, &Kind::Flag));
            flag.map_or(Ok(()), |flag| need(false, flag, "a flag"))
        }
        View::Unmarked { flag } => need(is(flag, &Kind::Flag), flag, "a flag"),
        View::Below { number, least } => {
            let field = entity.field(number).filter(|field| field.is_number());
            need(field.is_some(), number, "a number")?;
            let same = field.is_some_and(|field| is(least, &field.kind)) && number != least;
            need(same, least, "a number of the same kind")
        }
    }
}

/// What a field may hold can be typed, and is something.
pub(super) fn check_values(field: &Field) -> Result<(), DesignProblem> {
    let Bounds { least, most } = field.bounds;
    let mut fits = least.zip(most).is_none_or(|(least, most)| least < most);
    fits &= field.is_number() || field.bounds == Bounds::default();
    if let Kind::Choice { of } = &field.kind {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " -".contains(c);
        let is_word = |word: &String| {
            let trimmed = word.trim() == word && !word.starts_with('-');
            trimmed && (1..=NAME_LIMIT).contains(&word.len()) && word.chars().all(plain)
        };
        let different: BTreeSet<&String> = of.iter().collect();
        fits &= (2..=MOST_CHOICES).contains(&of.len()) && different.len() == of.len();
        fits &= of.iter().all(is_word);
    }
    or_else(fits, || DesignProblem::NoValues(field.name.clone()))
}
