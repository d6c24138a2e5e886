//! How commands are called and what they do, for people.

use crate::design::{Command, Design, Entity, Field, Group, Kind};
use crate::english::{listed, spoken};

/// How a command is called.
pub(super) fn call(entity: &Entity, command: &Command) -> String {
    let (name, word) = (&entity.name, command.word());
    let options = |always: bool| {
        let option = |field: &Field| {
            let option = format!("--{} {}", field.name, placeholder(&field.kind));
            if field.required && always {
                option
            } else {
                format!("[{option}]")
            }
        };
        entity
            .fields
            .iter()
            .map(option)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rest = match command {
        Command::Add => options(true),
        Command::List => options(false),
        Command::Edit => format!("ID {}", options(false)),
        Command::Search => "TEXT".to_owned(),
        Command::Total { day, .. } => {
            let groups = command.groups();
            let groups: Vec<&str> = groups.iter().map(Group::word).collect();
            let period = if day.is_some() { "[PERIOD] " } else { "" };
            format!("{period}[--by {}]", groups.join("|"))
        }
        Command::Show | Command::Delete | Command::Mark { .. } => "ID".to_owned(),
    };
    format!("{name} {word} {rest}")
}

/// What a command does.
pub(super) fn purpose(design: &Design, entity: &Entity, command: &Command) -> String {
    let (one, many) = (spoken(&entity.name), spoken(&entity.plural));
    match command {
        Command::Add => {
            let main = |main: &Field| format!(" A text without an option is its {}.", main.name);
            let main = entity.main_text().map(main).unwrap_or_default();
            format!("Stores a new {one} and prints its id.{main}")
        }
        Command::List => format!("Lists all {many}, or those with the given values."),
        Command::Show => {
            let users = design
                .referring(&entity.name)
                .map(|(other, _)| spoken(&other.plural));
            let users: Vec<String> = users.collect();
            let more = if users.is_empty() { "" } else { ", and its " };
            format!(
                "Shows one {one} with all its fields{more}{}.",
                listed(&users)
            )
        }
        Command::Edit => {
            "Changes the given fields. An empty value (\"\") forgets an optional one.".to_owned()
        }
        Command::Delete => format!("Removes one {one}. Its id is not given again."),
        Command::Search => {
            format!("Lists the {many} that mention the text anywhere, in small or capital letters.")
        }
        Command::Mark { flag } => {
            let back = format!("; `edit ID --{flag} no` takes it back");
            let back = if entity.can("edit") { &back } else { "" };
            format!("Marks one {one} as {flag}{back}.")
        }
        Command::Total { of, day, by } => {
            let first = by.first().map_or("group", Group::word);
            let period = " PERIOD is YYYY, YYYY-MM or YYYY-MM-DD.";
            let period = if day.is_some() { period } else { "" };
            format!(
                "Adds up {of}, for each {first} unless --by says otherwise, and in all.{period}"
            )
        }
    }
}

fn placeholder(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "TEXT",
        Kind::Integer => "NUMBER",
        Kind::Amount => "AMOUNT",
        Kind::Date => "DATE",
        Kind::Tags => "WORDS",
        Kind::Flag => "yes|no",
        Kind::Reference { .. } => "ID",
    }
}

/// What a field holds.
pub(super) fn meaning(kind: &Kind) -> String {
    let words = match kind {
        Kind::Text => "a text",
        Kind::Integer => "a whole number",
        Kind::Amount => "an amount such as 12.50, kept exactly",
        Kind::Date => "a day as YYYY-MM-DD",
        Kind::Tags => "words with commas between them",
        Kind::Flag => "yes or no; no unless said",
        Kind::Reference { entity } => return format!("the id of its {}", spoken(entity)),
    };
    words.to_owned()
}

/// The fields of an entry to start with, as options.
pub(super) fn example(entity: &Entity) -> String {
    let value = |field: &Field| match field.kind {
        Kind::Text if field.name.contains("url") => "https://example.org".to_owned(),
        Kind::Text => format!("\"some {}\"", spoken(&field.name)),
        Kind::Integer => "3".to_owned(),
        Kind::Amount => "12.50".to_owned(),
        Kind::Date => "2026-03-05".to_owned(),
        Kind::Tags => "home,later".to_owned(),
        Kind::Flag => "yes".to_owned(),
        Kind::Reference { .. } => "1".to_owned(),
    };
    let named = entity
        .fields
        .iter()
        .filter(|field| field.required || field.kind == Kind::Tags);
    named
        .map(|field| format!(" --{} {}", field.name, value(field)))
        .collect()
}
