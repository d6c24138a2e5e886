//! Values that a field may have, as people say them: `priority (high, medium, low)`, `mood from 1 to 5`.

use crate::design::{Bounds, Kind};
use crate::understand::words::{Words, singular};

/// A field, and what it may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::understand) struct Values {
    pub(in crate::understand) field: String,
    pub(in crate::understand) kind: Kind,
    pub(in crate::understand) bounds: Bounds,
    pub(in crate::understand) said: String,
}

/// The idea without what it says about values, and these.
pub(in crate::understand) fn values_of(idea: &str) -> (String, Vec<Values>) {
    let mut found = Vec::new();
    let mut text = idea.to_owned();
    while let Some((rest, values)) = in_brackets(&text).or_else(|| in_a_row(&text)) {
        text = rest;
        found.push(values);
    }
    (text, found)
}

/// `status (open, done)`, `rating (1-5)`.
fn in_brackets(text: &str) -> Option<(String, Values)> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('(')?;
        let close = open + text.get(open..)?.find(')')?;
        let (before, after) = (text.get(..open)?, text.get(close + 1..)?);
        let said = text.get(open + 1..close)?.trim();
        let field = last_word(before);
        let values = range(&said.split_whitespace().collect::<Vec<_>>())
            .map(|(bounds, _)| (Kind::Integer, bounds))
            .or_else(|| choice(&field, said));
        if let Some((kind, bounds)) = values.filter(|_| !field.is_empty()) {
            let said = said.to_owned();
            let rest = format!("{}{after}", before.trim_end());
            return Some((
                rest,
                Values {
                    field,
                    kind,
                    bounds,
                    said,
                },
            ));
        }
        from = close + 1;
    }
}

/// `mood from 1 to 5`, `rating 1-5`, `priority high/medium/low`.
fn in_a_row(text: &str) -> Option<(String, Values)> {
    let words: Vec<&str> = text.split(' ').collect();
    for at in 1..words.len() {
        let field = last_word(words.get(..at)?.last()?);
        let rest = words.get(at..)?;
        let said = rest.first()?.trim_end_matches(['.', ',', ';', ')']);
        let slashed = said.contains('/').then(|| choice(&field, said)).flatten();
        let read = match slashed {
            Some((kind, bounds)) => Some((kind, bounds, 1)),
            None => range(rest).map(|(bounds, count)| (Kind::Integer, bounds, count)),
        };
        let Some((kind, bounds, count)) = read.filter(|_| !field.is_empty()) else {
            continue;
        };
        let last = rest.get(count - 1)?;
        let sign = last.trim_start_matches(|c: char| c.is_alphanumeric() || "-–/".contains(c));
        let said = rest.get(..count)?.join(" ");
        let (before, after) = (words.get(..at)?.join(" "), rest.get(count..)?.join(" "));
        let gap = if after.is_empty() { "" } else { " " };
        return Some((
            format!("{before}{sign}{gap}{after}"),
            Values {
                field,
                kind,
                bounds,
                said: said.trim_end_matches(['.', ',', ';']).to_owned(),
            },
        ));
    }
    None
}

/// The least and the most, and how many words say so: `from 1 to 5`, `1-5`, `out of 10`.
fn range(words: &[&str]) -> Option<(Bounds, usize)> {
    let number =
        |word: &str| -> Option<i64> { word.trim_end_matches(['.', ',', ';', ')']).parse().ok() };
    let of = |least: i64, most: i64, count: usize| {
        let (least, most) = (Some(least), Some(most));
        (least < most).then_some((Bounds { least, most }, count))
    };
    match words {
        ["from" | "between", least, "to" | "and", most, ..] => of(number(least)?, number(most)?, 4),
        [least, "to", most, ..] => of(number(least)?, number(most)?, 3),
        ["out", "of", most, ..] => of(1, number(most)?, 3),
        [both, ..] => {
            let (least, most) = both.split_once(['-', '–'])?;
            of(number(least)?, number(most)?, 1)
        }
        [] => None,
    }
}

/// One of a few words, where the field is known to be of that sort.
fn choice(field: &str, said: &str) -> Option<(Kind, Bounds)> {
    const FEWEST: usize = 2;
    const MOST: usize = 12;
    let said = said
        .to_lowercase()
        .replace(" or ", ",")
        .replace(" and ", ",");
    let of: Vec<String> = said
        .split([',', '/', '|'])
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " -".contains(c);
    let fits = |word: &String| word.split(' ').count() <= 2 && word.chars().all(plain);
    let chosen = Words("choosing").contains(field);
    (chosen && (FEWEST..=MOST).contains(&of.len()) && of.iter().all(fits))
        .then_some((Kind::Choice { of }, Bounds::default()))
}

/// The field that the last word before names.
fn last_word(before: &str) -> String {
    let word = before.split_whitespace().last().unwrap_or_default();
    let word = word.to_lowercase();
    let is_word = word.chars().all(|c| c.is_ascii_lowercase());
    if is_word {
        singular(&word)
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_field_and_taken_out() {
        let choice = |words: &str| Kind::Choice {
            of: words.split(' ').map(str::to_owned).collect(),
        };
        let between = |least, most| Bounds {
            least: Some(least),
            most: Some(most),
        };
        for (idea, rest, field, kind, bounds) in [
            (
                "tasks with priority (high, medium or low) and tags",
                "tasks with priority and tags",
                "priority",
                choice("high medium low"),
                Bounds::default(),
            ),
            (
                "chores with status (open, done)",
                "chores with status",
                "status",
                choice("open done"),
                Bounds::default(),
            ),
            (
                "notes with priority high/low, and tags",
                "notes with priority, and tags",
                "priority",
                choice("high low"),
                Bounds::default(),
            ),
            (
                "a journal with a mood from 1 to 5",
                "a journal with a mood",
                "mood",
                Kind::Integer,
                between(1, 5),
            ),
            (
                "films with rating 1-10, and year",
                "films with rating, and year",
                "rating",
                Kind::Integer,
                between(1, 10),
            ),
            (
                "films with a rating (1 to 5)",
                "films with a rating",
                "rating",
                Kind::Integer,
                between(1, 5),
            ),
            (
                "a rating out of 10",
                "a rating",
                "rating",
                Kind::Integer,
                between(1, 10),
            ),
        ] {
            let (text, found) = values_of(idea);
            assert_eq!(text, rest, "{idea}");
            let found = found.first().unwrap();
            assert_eq!(
                (found.field.as_str(), &found.kind, found.bounds),
                (field, &kind, bounds),
                "{idea}"
            );
        }
        for idea in [
            "members (name, email, joined)",
            "a sleep log (hours)",
            "notes from 5 to 1",
            "books",
        ] {
            assert_eq!(values_of(idea), (idea.to_owned(), Vec::new()), "{idea}");
        }
    }
}
