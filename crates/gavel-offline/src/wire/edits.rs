//! What a person changes in a spec by words: what goes (`remove the field tags`, `without a search`), and another
//! name (`rename title to name`). Whatever else is said is no edit.

use crate::design::{Command, Design, DesignParts, Entity, Kind};
use crate::understand::{plural, singular};

/// How a paragraph begins that says what to change in a spec.
pub(super) const CHANGE: &str = "Change: ";
const REMOVING: [&str; 8] = [
    "remove ",
    "drop ",
    "take away ",
    "take out ",
    "leave out ",
    "leave away ",
    "without ",
    "no ",
];
const RENAMING: [&str; 2] = ["rename ", "call "];
/// Words around a name that say nothing about which it is.
const AROUND: [&str; 14] = [
    "the", "a", "an", "any", "its", "field", "fields", "command", "commands", "thing", "things",
    "please", "function", "all",
];
/// What every program of the rules can do.
const ALWAYS: [&str; 3] = ["add", "list", "show"];

/// One change of a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpecEdit {
    /// These go.
    Remove(Vec<String>),
    /// One is called otherwise.
    Rename {
        /// Its name until now.
        from: String,
        /// Its name from then on.
        to: String,
    },
}

impl SpecEdit {
    /// Reads a wish; none where it is no edit.
    pub(super) fn read(wish: &str) -> Option<Self> {
        let lower = wish.trim().trim_end_matches(['.', '!']).to_lowercase();
        let lower = lower.strip_prefix("please ").unwrap_or(&lower);
        if let Some(rest) = RENAMING.iter().find_map(|verb| lower.strip_prefix(verb)) {
            let (from, to) = rest
                .split_once(" to ")
                .or_else(|| rest.split_once(" as "))?;
            let (from, to) = (name(from)?, name(to)?);
            return Some(Self::Rename { from, to });
        }
        let rest = REMOVING.iter().find_map(|verb| lower.strip_prefix(verb))?;
        let parts = rest.replace(" and ", ",").replace(" or ", ",");
        let names: Option<Vec<String>> = parts
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(name)
            .collect();
        names.filter(|names| !names.is_empty()).map(Self::Remove)
    }

    /// The design with the change made, or why it cannot be made.
    pub(super) fn apply(&self, design: Design) -> Result<Design, String> {
        let mut parts = DesignParts::from(design);
        match self {
            Self::Remove(names) => {
                for name in names {
                    remove(&mut parts, name)?;
                }
            }
            Self::Rename { from, to } => rename(&mut parts, from, to)?,
        }
        Design::new(parts).map_err(|problem| problem.to_string())
    }
}

/// An idea without its edits, and the edits in their order.
pub(super) fn apart(idea: &str) -> (String, Vec<SpecEdit>) {
    let mut edits = Vec::new();
    let mut kept = Vec::new();
    for paragraph in idea.split("\n\n") {
        let wish = paragraph.trim().strip_prefix(CHANGE);
        match wish.and_then(SpecEdit::read) {
            Some(edit) => edits.push(edit),
            None => kept.push(paragraph),
        }
    }
    (kept.join("\n\n"), edits)
}

/// A name as designs have it: one or two words, with a dash between them.
fn name(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', '\'', '“', '”']))
        .filter(|word| !word.is_empty() && !AROUND.contains(word))
        .collect();
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_name = (1..=2).contains(&words.len()) && words.iter().all(plain);
    is_name.then(|| words.join("-"))
}

fn is_called(name: &str, word: &str) -> bool {
    name == word || singular(name) == singular(word)
}

fn remove(parts: &mut DesignParts, word: &str) -> Result<(), String> {
    // "search" and "searching" are one command, and so are "total" and "totals".
    let verb = match word {
        "searching" | "finding" | "find" => "search",
        "editing" => "edit",
        "deleting" => "delete",
        "totals" | "sum" | "sums" => "total",
        other => other,
    };
    if ALWAYS.contains(&verb) {
        return Err(format!("every program of the rules can {verb}"));
    }
    let mut found = false;
    for entity in &mut parts.entities {
        let before = entity.commands.len();
        entity.commands.retain(|command| command.word() != verb);
        found |= entity.commands.len() < before;
        found |= remove_field(entity, word);
    }
    let things = parts.entities.len();
    let gone: Vec<String> = parts
        .entities
        .iter()
        .filter(|entity| entity.name == word || is_called(&entity.plural, word))
        .map(|entity| entity.name.clone())
        .collect();
    parts.entities.retain(|entity| !gone.contains(&entity.name));
    if parts.entities.len() < things {
        let refers =
            |kind: &Kind| matches!(kind, Kind::Reference { entity } if gone.contains(entity));
        for entity in &mut parts.entities {
            entity.fields.retain(|field| !refers(&field.kind));
        }
        found = true;
    }
    if found {
        Ok(())
    } else {
        Err(missing(parts, word))
    }
}

/// Takes a field away, and the commands that rest on it.
fn remove_field(entity: &mut Entity, word: &str) -> bool {
    let gone: Vec<String> = entity
        .fields
        .iter()
        .filter(|field| is_called(&field.name, word))
        .map(|field| field.name.clone())
        .collect();
    entity.fields.retain(|field| !gone.contains(&field.name));
    entity.commands.retain(|command| match command {
        Command::Mark { flag } => !gone.contains(flag),
        Command::Total { of, day, .. } => {
            !gone.contains(of) && day.as_ref().is_none_or(|day| !gone.contains(day))
        }
        Command::Add
        | Command::List
        | Command::Show
        | Command::Edit
        | Command::Delete
        | Command::Search => true,
    });
    for command in &mut entity.commands {
        if let Command::Total { by, .. } = command {
            by.retain(
                |group| !matches!(group, crate::design::Group::Field(name) if gone.contains(name)),
            );
        }
    }
    !gone.is_empty()
}

fn rename(parts: &mut DesignParts, from: &str, to: &str) -> Result<(), String> {
    let mut found = false;
    for entity in &mut parts.entities {
        let old = entity
            .fields
            .iter()
            .find(|field| is_called(&field.name, from));
        let Some(old) = old.map(|field| field.name.clone()) else {
            continue;
        };
        found = true;
        for field in entity.fields.iter_mut().filter(|field| field.name == old) {
            to.clone_into(&mut field.name);
        }
        for command in &mut entity.commands {
            match command {
                Command::Mark { flag } if *flag == old => to.clone_into(flag),
                Command::Total { of, day, by } => {
                    let groups = by.iter_mut().filter_map(|group| match group {
                        crate::design::Group::Field(name) => Some(name),
                        crate::design::Group::Day
                        | crate::design::Group::Month
                        | crate::design::Group::Year => None,
                    });
                    let names = [Some(of), day.as_mut()].into_iter().flatten().chain(groups);
                    for name in names.filter(|name| **name == old) {
                        to.clone_into(name);
                    }
                }
                Command::Mark { .. }
                | Command::Add
                | Command::List
                | Command::Show
                | Command::Edit
                | Command::Delete
                | Command::Search => {}
            }
        }
    }
    let mut things = parts
        .entities
        .iter()
        .filter(|entity| entity.name == from || is_called(&entity.plural, from));
    if let Some(old) = things.next().map(|entity| entity.name.clone()) {
        found = true;
        let new = singular(to);
        for entity in &mut parts.entities {
            if entity.name == old {
                entity.plural = plural(&new);
                entity.name.clone_from(&new);
            }
            for field in &mut entity.fields {
                if let Kind::Reference { entity } = &mut field.kind
                    && *entity == old
                {
                    entity.clone_from(&new);
                }
            }
        }
    }
    if found {
        Ok(())
    } else {
        Err(missing(parts, from))
    }
}

fn missing(parts: &DesignParts, word: &str) -> String {
    let all = parts.entities.iter().map(|entity| {
        let fields: Vec<&str> = entity
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        format!("{} ({})", entity.name, fields.join(", "))
    });
    let all: Vec<String> = all.collect();
    format!(
        "nothing in it is called `{word}`: it has {}",
        all.join(", ")
    )
}

#[cfg(test)]
#[path = "edits_tests.rs"]
mod tests;
