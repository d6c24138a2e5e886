//! Numbers that come of those that go in: whether they change with them.
//!
//! A sum cannot be foretold here, so that no other value can be expected in its place. But it has to be
//! another one when other numbers go in; a program that knows the written sum alone keeps it.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Example, JsonAt};
use serde_json::Value;

use super::super::literals::{Part, Walk};
use super::super::numbers::{draw_numbers, may_vary};
use super::super::random::Sequence;
use super::super::replace::Replacement;
use super::super::words::{Kind, pieces};
use super::{ATTEMPTS, PATIENCE, Reading, declared};

/// An example with other numbers going in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedNumbers {
    /// Whatever number comes of them: who builds honestly keeps this.
    pub open: Example,
    /// With the numbers that came of the written ones: who computes them does not keep this.
    pub written: Example,
    /// What was written, and what goes in in its place.
    pub changed: Vec<(String, String)>,
}

/// The example with other numbers going in, where numbers come out that are neither among those that
/// went in nor small enough to be counts or ids, nor said to be fixed; `None` for others, and where no
/// number that goes in could be another one.
pub fn derive_numbers(
    example: &Example,
    known_words: &[String],
    seed: u64,
) -> Option<DerivedNumbers> {
    let known = declared(known_words);
    let reading = Reading::of(example, &known);
    let computed = reading.computed();
    let mut free = reading.free_numbers();
    if computed.is_empty() || free.is_empty() {
        return None;
    }
    let mut unfit: BTreeMap<String, u32> = BTreeMap::new();
    for attempt in 0..ATTEMPTS {
        let mut random = Sequence::of(seed, attempt);
        let replacement = reading.other_numbers(&free, &mut random);
        let conflicts = reading.conflicts(&replacement);
        if replacement != Replacement::default() && conflicts.is_empty() {
            let with = |derived| with_numbers(example, &known, &replacement, derived);
            return Some(DerivedNumbers {
                open: with(Derived::Open(&computed)),
                written: with(Derived::Written),
                changed: reading.changed(&replacement),
            });
        }
        for value in conflicts {
            let times = unfit.entry(value.clone()).or_default();
            *times += 1;
            if *times >= PATIENCE {
                free.remove(&value);
            }
        }
    }
    None
}

/// True when something goes in that is no word of the interface, nor said to be fixed.
pub fn takes_values(example: &Example, known_words: &[String]) -> bool {
    let reading = Reading::of(example, &declared(known_words));
    reading
        .given
        .iter()
        .any(|value| !reading.reserved.contains(value))
}

/// What becomes of numbers that were computed.
#[derive(Clone, Copy)]
enum Derived<'a> {
    /// They are left out of what is expected.
    Open(&'a BTreeSet<String>),
    /// They stay.
    Written,
}

impl Derived<'_> {
    /// The longest part of a text that holds none of them.
    fn text(self, text: String) -> String {
        match self {
            Self::Written => text,
            Self::Open(computed) => longest_without(&text, computed),
        }
    }

    /// True for a value that can be compared only as a whole, and holds one of them.
    fn leaves_out(self, at: &JsonAt) -> bool {
        match self {
            Self::Written => false,
            Self::Open(computed) => holds(&at.value, computed),
        }
    }
}

fn with_numbers(
    example: &Example,
    known: &[String],
    replacement: &Replacement,
    derived: Derived<'_>,
) -> Example {
    let mut example = example.clone();
    for step in &mut example.steps {
        step.json.retain(|at| !derived.leaves_out(at));
    }
    let mut walk = Walk {
        known,
        change: |part, text: &str| match part {
            Part::Interface => text.to_owned(),
            Part::Expected => replacement.apply(&derived.text(text.to_owned())),
            Part::Input | Part::FileText | Part::Also | Part::PathBefore | Part::PathAfter => {
                replacement.apply(text)
            }
        },
    };
    walk.example(&example)
}

fn longest_without(text: &str, computed: &BTreeSet<String>) -> String {
    let mut parts = vec![String::new()];
    for piece in pieces(text) {
        match parts.last_mut() {
            Some(last) if !computed.contains(piece.text) => last.push_str(piece.text),
            Some(_) | None => parts.push(String::new()),
        }
    }
    let longest = parts.into_iter().max_by_key(|part| part.trim().len());
    longest.unwrap_or_default()
}

fn holds(value: &Value, computed: &BTreeSet<String>) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => computed.contains(&number.to_string()),
        Value::String(text) => pieces(text)
            .iter()
            .any(|piece| computed.contains(piece.text)),
        Value::Array(all) => all.iter().any(|one| holds(one, computed)),
        Value::Object(all) => all.values().any(|one| holds(one, computed)),
    }
}

impl Reading {
    /// Numbers that come out and did not go in.
    fn computed(&self) -> BTreeSet<String> {
        let went_in = |value: &str| {
            self.stands_in(Part::Input, value) || self.stands_in(Part::FileText, value)
        };
        let is_computed = |(kind, value, _): &&(Kind, String, String)| {
            *kind == Kind::Number
                && self.expected.contains(value)
                && !went_in(value)
                && !self.reserved.contains(value)
                && (may_vary(value) || value.contains('.'))
        };
        let computed = self.values.iter().filter(is_computed);
        computed.map(|(_, value, _)| value.clone()).collect()
    }

    /// Numbers that go in and could be others.
    fn free_numbers(&self) -> BTreeSet<String> {
        let is_free = |(kind, value, _): &&(Kind, String, String)| {
            *kind == Kind::Number
                && self.given.contains(value)
                && !self.reserved.contains(value)
                && may_vary(value)
        };
        let free = self.values.iter().filter(is_free);
        free.map(|(_, value, _)| value.clone()).collect()
    }

    fn other_numbers(&self, free: &BTreeSet<String>, random: &mut Sequence) -> Replacement {
        let numbers = self
            .values
            .iter()
            .filter(|(kind, value, _)| *kind == Kind::Number && self.given.contains(value));
        let numbers: Vec<&str> = numbers.map(|(_, value, _)| value.as_str()).collect();
        Replacement {
            words: BTreeMap::new(),
            numbers: draw_numbers(&numbers, |text| free.contains(text), random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(text: &str) -> Option<DerivedNumbers> {
        let known = ["add", "total", "list"].map(str::to_owned);
        derive_numbers(&text.parse().unwrap(), &known, 7)
    }

    #[test]
    fn a_sum_is_left_open_or_as_it_was_while_other_numbers_go_in() {
        let text = "$ add 12\n$ add 30\n$ total\nhas \"12 and 30 make 42 in all\"";
        let DerivedNumbers {
            open,
            written,
            changed,
        } = derived(text).unwrap();
        let now = |was: &str| {
            let found = changed.iter().find(|(written, _)| written == was);
            found.map(|(_, now)| now.clone()).unwrap()
        };
        let (first, second) = (now("12"), now("30"));
        assert!(first != "12" && second != "30", "{changed:?}");
        let ran = format!("$ add {first}\n$ add {second}\n$ total\n");
        let wanted = format!("{ran}has \"{first} and {second} make \"");
        assert_eq!(open, wanted.parse().unwrap());
        let wanted = format!("{ran}has \"{first} and {second} make 42 in all\"");
        assert_eq!(written, wanted.parse().unwrap());
    }

    #[test]
    fn a_value_of_a_document_that_is_computed_is_not_compared() {
        let text =
            "POST /items {\"price\": 1200}\nstatus 201\nGET /total\njson /sum 4200\njson /of 1200";
        let seen = derived(text).unwrap();
        let compared = |example: &Example| {
            let all = example.steps.iter().flat_map(|step| &step.json);
            all.map(|at| at.pointer.clone()).collect::<Vec<_>>()
        };
        assert_eq!(compared(&seen.open), ["/of"]);
        assert_eq!(compared(&seen.written), ["/sum", "/of"]);
    }

    #[test]
    fn where_nothing_was_computed_or_nothing_can_change_nothing_is_asked() {
        for text in [
            "$ add 12\n$ list\nhas 12",
            "$ add Amber\n$ list\nhas Amber",
            // Too small for anything but a count, or an id.
            "$ add 12\n$ add 30\n$ list\nhas \"2 entries\"",
            "$ add 2\n$ add 3\n$ total\nhas 50",
            "$ list\nhas 42",
            "fixed 8080: the port that it always has\n$ add 12\n$ list\nhas 12 8080",
        ] {
            assert_eq!(derived(text), None, "{text}");
        }
    }

    #[test]
    fn words_of_the_interface_are_no_values() {
        let known = ["add", "list", "bookmark"].map(str::to_owned);
        for (text, takes) in [
            ("$ list\nhas bookmark", false),
            ("$ --help\nhas add", false),
            ("$ frobnicate\nexit 2\nerror frobnicate", true),
            ("$ add Amber\nexit 2", true),
            ("file notes.txt \"Amber\"\n$ list\nexit 1", true),
        ] {
            assert_eq!(
                takes_values(&text.parse().unwrap(), &known),
                takes,
                "{text}"
            );
        }
    }
}
