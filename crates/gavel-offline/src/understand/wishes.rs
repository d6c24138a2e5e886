//! Clauses that ask for a way to look at what is kept: an order, what is overdue or comes soon, what
//! is running low, streaks, values that a field may have. Each is taken out of the idea before the
//! grammar reads it, and is built, or is not understood.

mod values;

use super::pieces::{Piece, pieces, removable, rest, span};
use super::words::{Words, plain_words, singular};
pub(super) use values::{Values, values_of};

/// What a clause asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// "sorted by rating", "newest first".
    Order(Ordering),
    /// "show what is overdue".
    Overdue,
    /// "birthdays in the next 30 days".
    Upcoming {
        /// How many days ahead.
        within: u32,
    },
    /// "warn me when stock is low".
    Low,
    /// "with streaks".
    Streaks,
    /// "show unpaid invoices": the word, and the flag that is not set.
    Unmarked {
        /// What was said.
        word: String,
        /// What is not so.
        flag: String,
    },
}

/// What an order goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ordering {
    /// The field that the other words name.
    Field,
    /// The same, the highest first.
    FieldDown,
    /// The day, the last one first.
    Newest,
    /// The day, the first one first.
    Oldest,
}

/// A wish, the words that name what it is about, and the clause as it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) wish: Wish,
    pub(super) about: Vec<String>,
    pub(super) said: String,
}

/// An idea without the clauses that ask for such a thing.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) rest: String,
    pub(super) asked: Vec<Asked>,
    pub(super) values: Vec<Values>,
}

/// Days ahead where nobody says how many.
const SOON: u32 = 30;
const YEAR: u32 = 365;

/// Takes wishes out of an idea, the longest clauses first. The beginning, which says what the idea is
/// about, stays.
pub(super) fn taken(idea: &str) -> Taken {
    let (idea, values) = values_of(idea);
    let pieces = pieces(&idea);
    let mut ranges = removable(&pieces);
    // The shortest clause that says it: what stands beside it may say something of its own.
    ranges.sort_by_key(std::ops::Range::len);
    let mut kept = vec![true; pieces.len()];
    let mut asked: Vec<Asked> = Vec::new();
    for range in ranges {
        let is_there = kept
            .get(range.clone())
            .is_some_and(|part| !part.contains(&false));
        let said = span(pieces.get(range.clone()).unwrap_or_default());
        let Some(found) = wish(&said).filter(|_| is_there) else {
            continue;
        };
        let start = begin(&pieces, range.start, &found);
        let part: &[Piece<'_>] = pieces.get(start..range.end).unwrap_or_default();
        let said = span(part);
        let Some((wish, about)) = wish(&said) else {
            continue;
        };
        for place in kept.get_mut(start..range.end).into_iter().flatten() {
            *place = false;
        }
        asked.push(Asked { wish, about, said });
    }
    let rest = if asked.is_empty() {
        idea
    } else {
        rest(&pieces, |place| kept.get(place) == Some(&true))
    };
    Taken {
        rest,
        asked,
        values,
    }
}

/// Where a wish begins: "warn me" and "show invoices" before it belong to it.
fn begin(pieces: &[Piece<'_>], start: usize, found: &(Wish, Vec<String>)) -> usize {
    let Some(before) = start.checked_sub(1).filter(|before| *before > 0) else {
        return start;
    };
    let belongs = |piece: &Piece<'_>| piece.only_asks() || piece.begins_with_asking();
    let same = pieces.get(before..=start).is_some_and(|part| {
        let whole = wish(&span(part));
        whole.is_some_and(|(wish, _)| wish == found.0)
    });
    let joins = pieces.get(before).is_some_and(belongs) && same;
    if joins { before } else { start }
}

/// What a whole clause asks for, and what it is about.
fn wish(said: &str) -> Option<(Wish, Vec<String>)> {
    let words = plain_words(said);
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !Words("asking").contains(word) && !Words("fillers").contains(word))
        .collect();
    let has = |word: &str| words.contains(&word);
    let about = |list: &'static str| -> Vec<String> {
        let idle = |word: &&&str| !Words(list).contains(word) && word.parse::<u32>().is_err();
        words
            .iter()
            .filter(idle)
            .map(|word| singular(word))
            .collect()
    };
    if let Some(order) = order(&words) {
        return Some((Wish::Order(order), about("ordering")));
    }
    if has("streak") || has("streaks") {
        return Some((Wish::Streaks, about("counting")));
    }
    if words.iter().any(|word| Words("passed").contains(word)) {
        return Some((Wish::Overdue, about("lateness")));
    }
    if let Some(within) = days_ahead(&words) {
        return Some((Wish::Upcoming { within }, about("nearness")));
    }
    let below = has("minimum") && words.iter().any(|word| ["below", "under"].contains(word));
    if has("low") || below || has("restock") {
        return Some((Wish::Low, about("lowness")));
    }
    let negated = words.iter().enumerate().find_map(|(place, word)| {
        let flag = word.strip_prefix("un").map(str::to_owned);
        let flag = flag.or_else(|| {
            let after = words.get(place + 1).filter(|_| *word == "not")?;
            Some((*after).to_owned())
        });
        flag.filter(|flag| Words("flags").contains(flag) || flag == "returned")
    });
    let flag = negated?;
    let about: Vec<String> = words
        .iter()
        .filter(|word| **word != "not" && !word.ends_with(flag.as_str()))
        .map(|word| singular(word))
        .collect();
    let word = match words.iter().find(|word| word.starts_with("un")) {
        Some(word) => (*word).to_owned(),
        None => format!("not-{flag}"),
    };
    Some((Wish::Unmarked { word, flag }, about))
}

fn order(words: &[&str]) -> Option<Ordering> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let first = words.last() == Some(&"first");
    let by = has(&["by"]);
    let sorts = by && has(&["sort", "sorts", "sorted", "order", "ordered", "sorting"]);
    let down = has(&["descending", "highest", "biggest", "best", "longest"]);
    if first && has(&["newest", "latest"]) {
        Some(Ordering::Newest)
    } else if first && has(&["oldest", "earliest"]) {
        Some(Ordering::Oldest)
    } else if sorts && down || first && down && words.len() > 2 {
        Some(Ordering::FieldDown)
    } else if sorts {
        Some(Ordering::Field)
    } else {
        None
    }
}

/// How far "in the next 30 days" or "soon" looks ahead.
fn days_ahead(words: &[&str]) -> Option<u32> {
    let next = words
        .iter()
        .position(|word| *word == "next" || *word == "within");
    if let Some(after) = next.and_then(|next| words.get(next + 1..)) {
        let number = after.first().and_then(|word| word.parse::<u32>().ok());
        let unit = after.iter().find_map(|word| match *word {
            "day" | "days" => Some(1),
            "week" | "weeks" => Some(7),
            "month" | "months" => Some(SOON),
            _ => None,
        });
        return match (number, unit) {
            (Some(number), Some(unit)) => number.checked_mul(unit).filter(|days| *days <= 3_660),
            (None, Some(unit)) => Some(unit),
            // "whose is next"
            (None, None) if after.is_empty() => Some(YEAR),
            (Some(_) | None, None) => None,
        };
    }
    let soon = ["soon", "upcoming"].iter().any(|soon| words.contains(soon));
    let coming = words.windows(2).any(|pair| pair == ["coming", "up"]);
    (soon || coming).then_some(SOON)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_ask_for_a_look_are_read_as_such() {
        for (said, wanted, about) in [
            ("sorted by rating", Wish::Order(Ordering::Field), "rating"),
            ("sort by due date", Wish::Order(Ordering::Field), "due date"),
            ("newest first", Wish::Order(Ordering::Newest), ""),
            (
                "highest rating first",
                Wish::Order(Ordering::FieldDown),
                "rating",
            ),
            ("show what is overdue", Wish::Overdue, ""),
            ("show me who has overdue books", Wish::Overdue, "book"),
            (
                "show birthdays in the next 2 weeks",
                Wish::Upcoming { within: 14 },
                "birthday",
            ),
            (
                "that tells me whose is next",
                Wish::Upcoming { within: 365 },
                "",
            ),
            ("show what is coming up", Wish::Upcoming { within: 30 }, ""),
            ("warn me when stock is low", Wish::Low, "stock"),
            ("with low stock warnings", Wish::Low, "stock"),
            ("with streaks", Wish::Streaks, ""),
        ] {
            let about: Vec<String> = about.split_whitespace().map(str::to_owned).collect();
            assert_eq!(wish(said), Some((wanted, about)), "{said}");
        }
        let unpaid = |word: &str| Wish::Unmarked {
            word: word.to_owned(),
            flag: "paid".to_owned(),
        };
        let invoice = vec!["invoice".to_owned()];
        assert_eq!(
            wish("show unpaid invoices"),
            Some((unpaid("unpaid"), invoice.clone()))
        );
        assert_eq!(
            wish("list invoices that are not paid"),
            Some((unpaid("not-paid"), invoice))
        );
        for said in [
            "with tags",
            "first name",
            "with a low price tag and a colour",
            "by author",
            "with units",
        ] {
            let read = wish(said);
            let strange = read.as_ref().is_none_or(|(_, about)| about.len() > 1);
            assert!(strange, "{said}: {read:?}");
        }
    }

    #[test]
    fn what_is_taken_out_leaves_an_idea_that_can_be_read() {
        for (idea, rest, count) in [
            (
                "a movie list with ratings, sort by rating",
                "a movie list with ratings",
                1,
            ),
            ("inventory, warn me when stock is low", "inventory", 1),
            (
                "habit tracker with streaks and tags",
                "habit tracker with tags",
                1,
            ),
            ("overdue books", "overdue books", 0),
        ] {
            let taken = taken(idea);
            assert_eq!(
                (taken.rest.as_str(), taken.asked.len()),
                (rest, count),
                "{idea}"
            );
        }
    }
}
