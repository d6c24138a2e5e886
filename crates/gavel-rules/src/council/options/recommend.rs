//! What the evidence comes to, and what is missing.

use std::collections::BTreeSet;

use super::{Cited, OptionStanding};

/// The option that the evidence speaks for, with the reason; or why there is none.
///
/// One is recommended only where nothing speaks against it, it stands strictly best, and something
/// speaks for it or against every other one.
pub(super) fn recommend(options: &[OptionStanding]) -> (Option<u32>, String) {
    if options.len() < 2 {
        return (None, "Open: there is nothing to choose between.".to_owned());
    }
    let found = options.iter().enumerate().find(|(place, option)| {
        let others = || {
            options
                .iter()
                .enumerate()
                .filter(|(other, _)| other != place)
        };
        let best = others().all(|(_, other)| option.net() > other.net());
        let all_others_fall = others().all(|(_, other)| other.against() > 0);
        best && option.against() == 0 && (option.pro() > 0 || all_others_fall)
    });
    match found {
        Some((place, option)) => (u32::try_from(place).ok(), carried(option, options)),
        None => (None, open(options)),
    }
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

fn carried(option: &OptionStanding, options: &[OptionStanding]) -> String {
    let name = &option.name;
    let own = if option.pro() > 0 {
        let speak = if option.pro() == 1 { "speaks" } else { "speak" };
        let pro = listed(&option.speaks_for);
        format!("{pro} {speak} for {name} and nothing speaks against it.")
    } else {
        format!("Nothing speaks against {name}, and something speaks against every other option.")
    };
    let fallen = options.iter().filter(|other| other.against() > 0);
    let fallen = fallen.map(|other| {
        let speak = if other.against() == 1 {
            "speaks"
        } else {
            "speak"
        };
        format!(
            " {} {speak} against {}.",
            listed(&other.speaks_against),
            other.name
        )
    });
    let mut told: Vec<String> = fallen.collect();
    told.sort();
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
pub(super) fn unknowns(options: &[OptionStanding]) -> Vec<String> {
    let each = options.iter().map(|option| {
        let name = &option.name;
        match (option.pro(), option.against(), distinct(&option.mentions)) {
            (0, 0, 0) => format!("Whether {name} fits: no source names it."),
            (0, 0, named) => {
                let only = if named == 1 {
                    "only names"
                } else {
                    "only name"
                };
                let mentions = listed(&option.mentions);
                format!("Whether {name} fits: {mentions} {only} it.")
            }
            (0, ..) => format!("What speaks for {name}: no source says."),
            (_, 0, _) => format!("What speaks against {name}: no source says."),
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
