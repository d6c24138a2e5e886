//! What is chosen between, by name.

use std::collections::BTreeSet;

use gavel_domain::{Choice, OpenDecision};

use super::clauses::NamesKnown;
use super::options::thing_of;
use super::telling::{telling, words};

/// The names in the options of decisions; plain words are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OptionNames {
    decisions: Vec<Named>,
    /// Every name of every option.
    all: Vec<String>,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    id: String,
    /// The names of each option that no other option has.
    options: Vec<BTreeSet<String>>,
}

impl OptionNames {
    pub(super) fn of(decisions: &[OpenDecision]) -> Self {
        let named = |open: &OpenDecision| {
            let options = open.options.iter().map(|option| names_in(option));
            let options: Vec<BTreeSet<String>> = options.collect();
            let alone = |own: &BTreeSet<String>| {
                let shared =
                    |name: &&String| options.iter().filter(|o| o.contains(*name)).count() > 1;
                own.iter().filter(|name| !shared(name)).cloned().collect()
            };
            Named {
                id: open.id.clone(),
                options: options.iter().map(alone).collect(),
            }
        };
        let options = decisions.iter().flat_map(|open| &open.options);
        Self {
            all: options.flat_map(|option| names_in(option)).collect(),
            decisions: decisions.iter().map(named).collect(),
        }
    }

    /// The names of all options.
    pub(super) fn all(&self) -> &[String] {
        &self.all
    }

    /// True for words that name an option which was not chosen.
    pub(super) fn names_rival(&self, choice: &Choice, quote: &str) -> bool {
        let there = words(quote);
        let mut of_it = self
            .decisions
            .iter()
            .filter(|named| named.id == choice.decision);
        of_it.any(|named| {
            let rivals = (0..)
                .zip(&named.options)
                .filter(|(at, _)| *at != choice.option);
            let names: Vec<String> = rivals.flat_map(|(_, names)| names.clone()).collect();
            let known = NamesKnown::of(&[], &names);
            there.iter().any(|word| known.has(word))
        })
    }
}

/// The names in an option, without what is done with it: words with a capital.
fn names_in(option: &str) -> BTreeSet<String> {
    let thing = thing_of(option);
    let capital = |word: &&str| word.chars().any(char::is_uppercase);
    let written = thing.split_whitespace().filter(capital);
    let known = NamesKnown::of(&[&thing], &[]);
    let named = written.flat_map(telling).map(|word| word.to_lowercase());
    named.filter(|word| known.has(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rival_is_named_by_what_no_other_option_has() {
        let open = OpenDecision {
            id: "store".to_owned(),
            question: "Which?".to_owned(),
            options: [
                "SQLite with WAL",
                "Stay on SQLite",
                "migrate to PostgreSQL",
                "none",
            ]
            .map(str::to_owned)
            .to_vec(),
        };
        let names = OptionNames::of(&[open]);
        let choice = |option| Choice {
            decision: "store".to_owned(),
            option,
            confidence: 80,
            cites: Vec::new(),
            broken: Vec::new(),
        };
        for (option, quote, rival) in [
            (2, "SQLite took one", false),
            (2, "with WAL it took two", true),
            (0, "postgres took four", true),
            (2, "postgres took four", false),
            (3, "none of it", false),
        ] {
            assert_eq!(
                names.names_rival(&choice(option), quote),
                rival,
                "{option} {quote}"
            );
        }
    }
}
