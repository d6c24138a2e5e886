//! How commands are called and what they do, for people.

use crate::design::{Bounds, Command, Design, Entity, Field, Group, Kind, View};
use crate::english::{listed, spoken};

/// How a command is called.
pub(super) fn call(entity: &Entity, command: &Command) -> String {
    let (name, word) = (&entity.name, command.word());
    let options = |always: bool| {
        let option = |field: &Field| {
            let option = format!("--{} {}", field.name, placeholder(field));
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
        Command::List => format!("{} [--sort FIELD] [--limit NUMBER]", options(false)),
        Command::Edit => format!("ID {}", options(false)),
        Command::Search => "TEXT".to_owned(),
        Command::Total { day, .. } => {
            let groups = command.groups();
            let groups: Vec<&str> = groups.iter().map(Group::word).collect();
            let period = if day.is_some() { "[PERIOD] " } else { "" };
            format!("{period}[--by {}]", groups.join("|"))
        }
        Command::Show | Command::Delete | Command::Mark { .. } => "ID".to_owned(),
        Command::View { view, .. } => match view {
            View::Upcoming { .. } => "[DAYS]".to_owned(),
            View::Overdue { .. } | View::Below { .. } | View::Unmarked { .. } => String::new(),
        },
        Command::Streaks { .. } => String::new(),
    };
    format!("{name} {word} {rest}").trim_end().to_owned()
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
        Command::List => {
            let order = entity.order.as_ref().map_or_else(
                || "by id".to_owned(),
                |order| {
                    let down = if order.down {
                        ", the highest or last first"
                    } else {
                        ""
                    };
                    format!("by {}{down}", spoken(&order.field))
                },
            );
            format!(
                "Lists all {many}, or those with the given values, {order} unless --sort says otherwise."
            )
        }
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
        Command::View { view, .. } => view_purpose(&many, view),
        Command::Streaks { day, by } => {
            let each = by
                .as_ref()
                .map_or(String::new(), |by| format!("for each {}, ", spoken(by)));
            format!(
                "Counts {each}the days of {}, how many of them stand in a row up to today or yesterday, and the \
                 longest such streak.",
                spoken(day)
            )
        }
    }
}

/// What a command lists that has entries of one sort alone.
pub(super) fn view_purpose(many: &str, view: &View) -> String {
    let open = |unless: &Option<String>| {
        unless.as_ref().map_or_else(String::new, |flag| {
            format!(" and that are not {}", spoken(flag))
        })
    };
    match view {
        View::Overdue { day, unless } => {
            format!(
                "Lists the overdue {many}, those whose {} has passed{}.",
                spoken(day),
                open(unless)
            )
        }
        View::Upcoming {
            day,
            within,
            yearly,
            unless,
        } => {
            let again = if *yearly { " comes again" } else { " comes" };
            format!(
                "Lists the upcoming {many}, those whose {}{again} in the next DAYS days{}, the next first; \
                 DAYS is {within} unless said.",
                spoken(day),
                open(unless)
            )
        }
        View::Below { number, least } => {
            format!(
                "Lists the {many} whose {} is below its {}.",
                spoken(number),
                spoken(least)
            )
        }
        View::Unmarked { flag } => format!("Lists the {many} that are not {}.", spoken(flag)),
    }
}

fn placeholder(field: &Field) -> String {
    let word = match &field.kind {
        Kind::Choice { of } => return of.join("|").replace(' ', "-"),
        Kind::Text => "TEXT",
        Kind::Integer => "NUMBER",
        Kind::Amount => "AMOUNT",
        Kind::Date => "DATE",
        Kind::Tags => "WORDS",
        Kind::Flag => "yes|no",
        Kind::Reference { entity } => return entity.to_uppercase(),
    };
    word.to_owned()
}

/// What a field holds.
pub(super) fn meaning(field: &Field) -> String {
    let Bounds { least, most } = field.bounds;
    let range = match (least, most) {
        (Some(least), Some(most)) => format!(", from {least} to {most}"),
        (Some(least), None) => format!(", {least} or more"),
        (None, Some(most)) => format!(", {most} or less"),
        (None, None) => String::new(),
    };
    let words = match &field.kind {
        Kind::Text => "a text",
        Kind::Integer => "a whole number",
        Kind::Amount => "an amount such as 12.50, kept exactly",
        Kind::Date => "a day as YYYY-MM-DD, or today, tomorrow, +3d, -2w",
        Kind::Tags => "words with commas between them",
        Kind::Flag => "yes or no; no unless said",
        Kind::Choice { of } => return format!("one of {}", of.join(", ")),
        Kind::Reference { entity } => {
            return format!("its {}, by id or by what it is called", spoken(entity));
        }
    };
    format!("{words}{range}")
}

/// The fields of an entry to start with, as options.
pub(super) fn example(entity: &Entity) -> String {
    let value = |field: &Field| match field.kind {
        Kind::Date => "today".to_owned(),
        Kind::Tags => "home,later".to_owned(),
        Kind::Flag => "yes".to_owned(),
        Kind::Reference { .. } => "1".to_owned(),
        Kind::Text | Kind::Choice { .. } | Kind::Integer | Kind::Amount => {
            gavel_domain::quoted_word(&crate::criteria::value(entity, field, 1))
        }
    };
    let named = entity
        .fields
        .iter()
        .filter(|field| field.required || field.kind == Kind::Tags);
    named
        .map(|field| format!(" --{} {}", field.name, value(field)))
        .collect()
}
