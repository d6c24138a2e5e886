//! What the evidence comes to, and what is missing.

use std::collections::BTreeSet;

use super::super::MemoryLooked;
use super::{Cited, OptionStanding};

/// The option that the evidence speaks for, with the reason; or why there is none.
///
/// One is recommended only where the evidence is one-sided: nothing speaks against it, something
/// speaks for it or against every other one, no other one has only friends, and it stands strictly
/// best. How many sources repeat the same praise decides nothing between two that are praised.
pub(super) fn recommend(options: &[OptionStanding]) -> (Option<u32>, String) {
    if options.len() < 2 {
        let open = "Open: the question names no options to choose between.";
        return (None, open.to_owned());
    }
    let found = options.iter().enumerate().find(|(place, option)| {
        let others = || {
            let all = options.iter().enumerate();
            all.filter(|(other, _)| other != place)
                .map(|(_, other)| other)
        };
        let best = others().all(|other| option.net() > other.net());
        let rival = others().any(|other| other.pro() > 0 && other.against() == 0);
        let all_others_fall = others().all(|other| other.against() > 0);
        best && !rival && option.against() == 0 && (option.pro() > 0 || all_others_fall)
    });
    match found {
        Some((place, option)) => (u32::try_from(place).ok(), carried(option, options)),
        None => (None, open(options)),
    }
}

/// The answer to a yes or no about one thing: the first one where something speaks for it and
/// nothing against it, the second one where it is the other way round.
pub(super) fn recommend_one(thing: &OptionStanding, answers: &[String]) -> (Option<u32>, String) {
    let name = &thing.name;
    let answer = |place: usize| answers.get(place).map_or("", String::as_str);
    let (pro, against) = (listed(&thing.speaks_for), listed(&thing.speaks_against));
    match (thing.pro(), thing.against()) {
        (0, 0) => (None, format!("Open: nothing speaks for or against {name}.")),
        (count, 0) => {
            let speak = speak(count);
            let why = format!(
                "{pro} {speak} for {name} and nothing speaks against it: {}.",
                answer(0)
            );
            (Some(0), why)
        }
        (0, count) => {
            let speak = speak(count);
            let why = format!(
                "{against} {speak} against {name} and nothing speaks for it: {}.",
                answer(1)
            );
            (Some(1), why)
        }
        _ => {
            let why = format!(
                "Open: the sources disagree about {name}: {pro} for it, {against} against it."
            );
            (None, why)
        }
    }
}

const fn speak(count: usize) -> &'static str {
    if count == 1 { "speaks" } else { "speak" }
}

impl OptionStanding {
    /// How many distinct sources speak for it.
    fn pro(&self) -> usize {
        distinct(&self.speaks_for)
    }

    fn against(&self) -> usize {
        distinct(&self.speaks_against)
    }

    /// For minus against.
    fn net(&self) -> i64 {
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        count(self.pro()) - count(self.against())
    }
}

fn distinct(cited: &[Cited]) -> usize {
    cites(cited).len()
}

fn cites(cited: &[Cited]) -> BTreeSet<&str> {
    cited.iter().map(|one| one.cite.as_str()).collect()
}

fn listed(cited: &[Cited]) -> String {
    cites(cited).into_iter().collect::<Vec<_>>().join(", ")
}

/// Why it is this one, and what is known of every other one.
fn carried(option: &OptionStanding, options: &[OptionStanding]) -> String {
    let name = &option.name;
    let own = if option.pro() > 0 {
        let pro = listed(&option.speaks_for);
        let speak = speak(option.pro());
        format!("{pro} {speak} for {name} and nothing speaks against it.")
    } else {
        format!("Nothing speaks against {name}, and something speaks against every other option.")
    };
    let others = || options.iter().filter(|other| other.name != *name);
    let fallen = others().filter(|other| other.against() > 0).map(|other| {
        let (against, speak) = (listed(&other.speaks_against), speak(other.against()));
        let although = match listed(&other.speaks_for).as_str() {
            "" => String::new(),
            pro => format!(", although {pro} {} for it", self::speak(other.pro())),
        };
        format!(" {against} {speak} against {}{although}.", other.name)
    });
    let mut told: Vec<String> = fallen.collect();
    told.sort();
    let silent = others().filter(|other| other.pro() == 0 && other.against() == 0);
    let silent = joined(silent.map(|other| other.name.as_str()));
    if !silent.is_empty() {
        told.push(format!(" Nothing speaks for or against {silent}."));
    }
    format!("{own}{}", told.concat())
}

/// What is missing for a recommendation.
fn open(options: &[OptionStanding]) -> String {
    let silent = options.iter().all(|o| o.pro() == 0 && o.against() == 0);
    if silent {
        return "Open: nothing speaks for or against any option.".to_owned();
    }
    let clean: Vec<&OptionStanding> = options.iter().filter(|o| o.against() == 0).collect();
    let backed: Vec<&&OptionStanding> = clean.iter().filter(|o| o.pro() > 0).collect();
    if clean.is_empty() {
        return "Open: something speaks against every option.".to_owned();
    }
    if backed.len() > 1 {
        return format!(
            "Open: something speaks for {}, and nothing against them. What would set them apart is \
             missing.",
            joined(backed.iter().map(|option| option.name.as_str()))
        );
    }
    let torn: Vec<&OptionStanding> = options
        .iter()
        .filter(|o| o.pro() > 0 && o.against() > 0)
        .collect();
    if !torn.is_empty() {
        let names = joined(torn.iter().map(|option| option.name.as_str()));
        return format!(
            "Open: the sources disagree about {names}, and too little is known of the rest."
        );
    }
    let unknown = joined(clean.iter().map(|option| option.name.as_str()));
    format!("Open: nothing speaks against {unknown}, and nothing for one of them alone.")
}

/// What is not known about the options, one sentence each.
pub(super) fn unknowns(options: &[OptionStanding], looked: MemoryLooked) -> Vec<String> {
    let (unnamed, unsaid) = (looked.nothing_does("name it"), looked.nothing_does("say"));
    let each = options.iter().map(|option| {
        let name = &option.name;
        match (option.pro(), option.against(), distinct(&option.mentions)) {
            (0, 0, 0) => format!("Whether {name} fits: {unnamed}."),
            (0, 0, named) => {
                let only = if named == 1 {
                    "only names"
                } else {
                    "only name"
                };
                let mentions = listed(&option.mentions);
                format!("Whether {name} fits: {mentions} {only} it.")
            }
            (0, ..) => format!("What speaks for {name}: {unsaid}."),
            (_, 0, _) => format!("What speaks against {name}: {unsaid}."),
            _ => {
                let (pro, against) = (listed(&option.speaks_for), listed(&option.speaks_against));
                format!("What holds of {name} now: {pro} for it, {against} against it.")
            }
        }
    });
    each.collect()
}

/// Names in alphabetic order, with commas and an `and`.
fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
