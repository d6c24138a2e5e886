//! What of an idea may be left out so that the rest is within reach, and what it says it does not want.

use gavel_rules::apart_from_left_out;

use super::pieces::{Piece, count_words, exclusions, find, pieces, removable, rest, span};
use super::{Reading, Understood};

/// An idea with more to leave out is another idea.
const MOST_SPANS: usize = 6;
/// A longer text is read, and nothing is offered for it.
const MOST_PIECES: usize = 60;

/// An idea without what it says it does not want and these rules never build.
pub(super) fn without_exclusions(idea: &str) -> String {
    let pieces = pieces(idea);
    let out = exclusions(&pieces);
    if out.contains(&true) {
        rest(&pieces, |place| out.get(place) != Some(&true))
    } else {
        idea.to_owned()
    }
}

/// True for words that only say what is not wanted and what these rules never build.
pub(crate) fn is_exclusion(text: &str) -> bool {
    let out = exclusions(&pieces(text));
    !out.is_empty() && !out.contains(&false)
}

/// True for words that say what the program does, and that is not keeping: "that syncs", "warn me".
pub(crate) fn says_what_is_done(text: &str) -> bool {
    pieces(text).last().is_some_and(Piece::is_about_doing)
}

/// An idea without the spans that are left out of it.
pub(crate) fn without(idea: &str) -> String {
    let (idea, spans) = apart_from_left_out(idea);
    let pieces = pieces(&idea);
    let mut kept = vec![true; pieces.len()];
    for wanted in &spans {
        let range = find(&pieces, wanted).unwrap_or_default();
        for place in kept.get_mut(range).into_iter().flatten() {
            *place = false;
        }
    }
    if kept.contains(&false) {
        rest(&pieces, |place| kept.get(place) == Some(&true))
    } else {
        idea
    }
}

/// The fewest spans of an idea without which it is within reach, as they were said; none where its
/// beginning, which says what it is about, would have to go.
pub(crate) fn offer(idea: &str, reads: impl Fn(&str) -> Understood) -> Vec<String> {
    let pieces = pieces(idea);
    if pieces.len() > MOST_PIECES {
        return Vec::new();
    }
    let ranges = removable(&pieces);
    let mut kept = vec![true; pieces.len()];
    let text = |kept: &[bool]| rest(&pieces, |place| kept.get(place) == Some(&true));
    let stands_in_the_way = |kept: &[bool]| match reads(&text(kept)) {
        Understood::InReach(_) => 0,
        Understood::Vague { .. } => usize::MAX,
        Understood::BeyondReach { .. } => Reading::of(&text(kept)).trouble().max(1),
    };
    let mut trouble = stands_in_the_way(&kept);
    while trouble > 0 {
        let tried = ranges.iter().filter_map(|range| {
            let part = kept.get(range.clone())?;
            // What is gone already cannot go again.
            if !part.iter().all(|kept| *kept) {
                return None;
            }
            let less = set(&kept, range, false);
            let words = count_words(pieces.get(range.clone())?);
            Some((stands_in_the_way(&less), words, less))
        });
        let best = tried.min_by_key(|(left, words, _)| (*left, *words));
        match best {
            Some((left, _, less)) if left < trouble => (trouble, kept) = (left, less),
            _ => return Vec::new(),
        }
    }
    // What need not have gone is put back.
    for range in &ranges {
        let gone = kept.get(range.clone());
        if gone.is_some_and(|part| !part.contains(&true)) {
            let more = set(&kept, range, true);
            if more.contains(&false) && stands_in_the_way(&more) == 0 {
                kept = more;
            }
        }
    }
    let spans = gone(&pieces, &kept);
    if spans.len() > MOST_SPANS {
        return Vec::new();
    }
    spans
}

fn set(kept: &[bool], range: &std::ops::Range<usize>, to: bool) -> Vec<bool> {
    let places = kept.iter().enumerate();
    let one = |(place, kept): (usize, &bool)| if range.contains(&place) { to } else { *kept };
    places.map(one).collect()
}

/// Pieces that are gone, those of one clause together.
fn gone(pieces: &[Piece<'_>], kept: &[bool]) -> Vec<String> {
    let mut spans = Vec::new();
    let mut from = 0;
    while from < pieces.len() {
        if kept.get(from) != Some(&false) {
            from += 1;
            continue;
        }
        let ranges = removable(pieces).into_iter();
        let clauses = ranges.filter(|range| {
            let part = kept.get(range.clone()).unwrap_or_default();
            range.start == from && !part.contains(&true)
        });
        // One clause, up to where another one begins.
        let whole = |end: &usize| {
            let goes_on = pieces.get(*end).is_some_and(|next| next.cut_off);
            !goes_on || kept.get(*end) != Some(&false)
        };
        let ends = clauses.map(|range| range.end);
        let shortest = ends.filter(whole).min().unwrap_or(from + 1);
        spans.push(span(pieces.get(from..shortest).unwrap_or_default()));
        from = shortest;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::understand;
    use super::*;

    fn offered(idea: &str) -> Vec<String> {
        let spans = offer(idea, understand);
        if !spans.is_empty() {
            // What is offered is what is built.
            let left = gavel_rules::leave_out(idea, &spans);
            let read = understand(&without(&left));
            assert!(
                matches!(read, Understood::InReach(_)),
                "{idea}: {spans:?}: {read:?}"
            );
        }
        spans
    }

    #[test]
    fn what_stands_in_the_way_is_offered_to_be_left_out() {
        for (idea, spans) in [
            ("notes with dates, newest first", vec!["newest first"]),
            (
                "invoice tracker with clients, show unpaid",
                vec!["show unpaid"],
            ),
            (
                "a journal with one entry per day",
                vec!["with one entry per day"],
            ),
            (
                "budget tracker with monthly limit",
                vec!["with monthly limit"],
            ),
            ("a CLI todo list with colors", vec!["with colors"]),
            (
                "a list of my books for printing on paper",
                vec!["for printing on paper"],
            ),
            (
                "inventory: add stock, remove stock",
                vec!["add stock", "remove stock"],
            ),
            ("contacts with unique email", vec!["with unique email"]),
            (
                "books with author and year, no duplicates",
                vec!["no duplicates"],
            ),
            ("inventory with low stock", vec!["with low stock"]),
            ("todo list for my team", vec!["for my team"]),
            (
                "habit tracker with streaks and reminders",
                vec!["with streaks", "reminders"],
            ),
            (
                "tasks with priority (high, medium, low)",
                vec!["high, medium, low"],
            ),
            (
                "a beautiful todo list with a GUI and tags",
                vec!["beautiful", "with a GUI"],
            ),
            (
                "a todo list. It should be beautiful.",
                vec!["It should be beautiful"],
            ),
            (
                "a list of books ordered by author",
                vec!["ordered by author"],
            ),
            ("a todo list, quick to use", vec!["quick to use"]),
            ("Fast, secure todo list", vec!["Fast", "secure"]),
            ("a private diary", vec!["private"]),
            ("a todo list that is fast", vec!["that is fast"]),
            (
                "a list of items that syncs with my phone and tablets",
                vec!["that syncs with my phone and tablets"],
            ),
            ("products with prices in euros and dollars", vec!["dollars"]),
            (
                "medicine list, tell me when to reorder",
                vec!["tell me when to reorder"],
            ),
            (
                "time tracker: start and stop work",
                vec!["start and stop work"],
            ),
            ("books, film and music", vec!["music"]),
            ("rust cli that counts words in a file", vec![]),
            ("a tool that renames photos by their date", vec![]),
            ("a web shop with payments", vec![]),
            ("a game engine", vec![]),
            ("liste de courses", vec![]),
            ("help me organise my wedding", vec![]),
            ("a todo list", vec![]),
        ] {
            assert_eq!(offered(idea), spans, "{idea}");
        }
    }
}
