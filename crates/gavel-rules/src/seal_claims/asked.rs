//! Whether the asks of a seal are what the idea asks for.

use std::collections::BTreeSet;

use gavel_domain::AskAccount;

use crate::asks::{
    apart_from_left_out, cut_asks, is_ask_line, is_between, is_carrier, plain, unserved_line,
};

/// What the program puts before a paragraph of the idea that came as an answer.
const LABELS: [&str; 2] = ["stack", "change"];
/// So many words of the idea are named.
const NAMED: usize = 8;

/// What is wrong with the asks, beside what became of them, a sentence each.
///
/// Where the idea was cut is not known: a person's first words, what they added, and what they said in
/// the place of either are cut apart. So each ask has to be one span by itself, and the words of the idea
/// have to be those of asks that follow each other.
pub(super) fn asked_problems(idea: &str, asks: &[AskAccount]) -> Vec<String> {
    let mut found = Vec::new();
    for (place, account) in asks.iter().enumerate() {
        let (id, text) = (&account.ask.id, &account.ask.text);
        if *id != format!("a{}", place + 1) {
            found.push(format!(
                "the ask {id} stands at the place of a{}",
                place + 1
            ));
        }
        if cut_asks(text).len() != 1 {
            found.push(format!("\"{text}\" is more than one ask, or none"));
        }
    }
    found.extend(unheard_problem(idea, asks));
    found
}

/// What an idea says and no ask does.
fn unheard_problem(idea: &str, asks: &[AskAccount]) -> Option<String> {
    let words = unheard_words(idea, asks)?;
    Some(format!("the idea says \"{words}\", and no ask does"))
}

/// What the idea in the end says and no ask does.
pub(super) fn became_problem(became: &str, asks: &[AskAccount]) -> Option<String> {
    let words = unheard_in_became(became, asks)?;
    Some(format!(
        "the idea in the end says \"{words}\", and no ask does"
    ))
}

/// The lines about what was asked for are those that the asks give, each of them.
pub(super) fn line_problems(left_out: &[String], asks: &[AskAccount]) -> Vec<String> {
    let wanted: Vec<String> = asks.iter().filter_map(unserved_line).collect();
    let missing = wanted.iter().filter(|line| !left_out.contains(line));
    let missing = missing.map(|line| format!("it does not name what was left out: {line}"));
    let own = left_out.iter().filter(|line| is_ask_line(line));
    let other = own.filter(|line| !wanted.contains(line));
    let other = other.map(|line| format!("it says \"{line}\", and its asks do not"));
    missing.chain(other).collect()
}

/// A word of the idea.
struct Word<'a> {
    shown: &'a str,
    plain: String,
    /// True for what the program wrote before an answer.
    is_label: bool,
}

/// The first words of what an idea became that no ask holds. What it is to be built without stands in it
/// already, and is said once more behind it.
pub fn unheard_in_became(became: &str, asks: &[AskAccount]) -> Option<String> {
    let (idea, left_out) = apart_from_left_out(became);
    let heard: Vec<String> = asks
        .iter()
        .flat_map(|account| words_of(&account.ask.text))
        .map(|word| word.plain)
        .collect();
    let is_unheard = |span: &&String| {
        let span: Vec<String> = words_of(span).into_iter().map(|word| word.plain).collect();
        let mut places = heard.windows(span.len().max(1));
        span.is_empty() || !places.any(|there| there == span)
    };
    let unheard = left_out.iter().find(is_unheard).cloned();
    unheard_words(&idea, asks).or(unheard)
}

/// The first words of an idea that no ask holds.
fn unheard_words(idea: &str, asks: &[AskAccount]) -> Option<String> {
    let words = words_of(idea);
    let mut reached = after_carriers(&words, [0]);
    for account in asks {
        let text = words_of(&account.ask.text);
        if text.is_empty() {
            continue;
        }
        let ends: Vec<usize> = reached
            .iter()
            .filter_map(|start| end_after(&words, *start, &text))
            .collect();
        reached.extend(after_carriers(&words, ends));
    }
    let mut furthest = reached.last().copied().unwrap_or_default();
    if furthest < words.len() {
        let carriers = words.iter().take(furthest).rev();
        furthest -= carriers.take_while(|word| is_carrier(&word.plain)).count();
    }
    let rest = words.get(furthest..).unwrap_or_default();
    let shown: Vec<&str> = rest.iter().take(NAMED).map(|word| word.shown).collect();
    (!shown.is_empty()).then(|| shown.join(" "))
}

/// These places, and those that words lead to which ask for nothing by themselves: a span that was cut
/// out may leave such words beside it, in no ask.
fn after_carriers(words: &[Word<'_>], places: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let after = places.into_iter().flat_map(|place| {
        let carriers = words.iter().skip(place);
        let carriers = carriers.take_while(|word| is_carrier(&word.plain)).count();
        place..=place + carriers
    });
    after.collect()
}

/// Where the idea goes on after these words, if they stand there.
fn end_after(idea: &[Word<'_>], start: usize, words: &[Word<'_>]) -> Option<usize> {
    let stands_at = |start: usize| {
        let there = idea.get(start..start + words.len())?;
        let same = there
            .iter()
            .zip(words)
            .all(|(left, right)| left.plain == right.plain);
        same.then_some(start + words.len())
    };
    let after_label = idea.get(start).is_some_and(|word| word.is_label);
    let further = || after_label.then(|| stands_at(start + 1)).flatten();
    stands_at(start).or_else(further)
}

/// The words that cutting keeps: all but marks, and those that only join two spans.
fn words_of(text: &str) -> Vec<Word<'_>> {
    let paragraphs = text.split("\n\n");
    let words = paragraphs.flat_map(|paragraph| {
        let words = paragraph.split_whitespace().enumerate();
        words.map(|(place, shown)| {
            let plain = plain(shown);
            let is_label = place == 0 && shown.ends_with(':') && LABELS.contains(&plain.as_str());
            Word {
                shown,
                plain,
                is_label,
            }
        })
    });
    words
        .filter(|word| !word.plain.is_empty() && !is_between(&word.plain))
        .collect()
}

#[cfg(test)]
mod tests {
    use gavel_domain::{AskSource, AskStanding};

    use super::*;
    use crate::asks::{cut_at, leave_out, number_asks};

    fn answer(text: &str) -> (AskSource, String) {
        let question = "clarification".to_owned();
        (AskSource::Answer { question }, text.to_owned())
    }

    fn said(said: Vec<(AskSource, String)>) -> Vec<AskAccount> {
        let asks = number_asks(said).into_iter();
        asks.map(|ask| AskAccount {
            ask,
            standing: AskStanding::Open,
        })
        .collect()
    }

    fn of_idea(idea: &str) -> Vec<AskAccount> {
        said(vec![(AskSource::Idea, idea.to_owned())])
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn what_cutting_gives_is_whole_however_the_idea_is_written() {
        for idea in [
            "a bookmark manager with tags",
            "rust cli that counts words in a file",
            "inventory for my small shop. products with price and quantity, warn me when stock is low",
            "# Notes\n- keep notes\n- find them by\n  a word\n\nexport",
            "a todo list, please.",
            "Track plants, beds — and planting dates; with a note: but no photos (please) 🎉 !",
            "(a) list * b, - c\n\n- d",
            "a list and and plus, and",
            "đổi tên ảnh theo ngày",
            "Change: the colour",
            "",
        ] {
            assert_eq!(asked_problems(idea, &of_idea(idea)), NONE, "{idea}");
        }
    }

    #[test]
    fn what_was_added_and_what_was_reworded_is_whole_too() {
        let idea = |text: &str| (AskSource::Idea, text.to_owned());
        let added = said(vec![
            idea("a todo list"),
            answer("rust"),
            answer("for tasks"),
            answer("ship it in blue"),
        ]);
        let whole = "a todo list\n\nStack: rust\n\nfor tasks";
        assert_eq!(asked_problems(whole, &added), NONE);
        // Other words begin like the first ones, which stay on record.
        let reworded = said(vec![idea("add"), answer("add tags to notes, with colours")]);
        let other = "add tags to notes, with colours";
        assert_eq!(asked_problems(other, &reworded), NONE);
        assert_eq!(asked_problems("add", &reworded), NONE);
    }

    #[test]
    fn what_is_left_out_by_name_is_an_ask_of_its_own_and_not_said_twice() {
        for (idea, span) in [
            ("notes with dates, newest first", "newest first"),
            ("a beautiful todo list", "beautiful"),
            ("keep track of books I lent to friends", "I lent to friends"),
        ] {
            let spans = [span.to_owned()];
            let texts = cut_asks(idea).into_iter();
            let texts = texts.flat_map(|text| cut_at(&text, &spans));
            let asks = texts.map(|text| (AskSource::Idea, text)).collect();
            let became = leave_out(idea, &spans);
            assert_eq!(unheard_in_became(&became, &said(asks)), None, "{idea}");
            let more = leave_out(&became, &["a password".to_owned()]);
            let asks = of_idea(idea);
            let unheard = unheard_in_became(&more, &asks);
            assert_eq!(unheard.as_deref(), Some("a password"), "{idea}");
            // What a person typed is all theirs, however a paragraph of it begins.
            assert!(unheard_words(&more, &asks).is_some(), "{idea}");
        }
    }

    #[test]
    fn what_is_missing_merged_or_altered_is_named() {
        let idea = "a bookmark manager with tags, with notes";
        let all = of_idea(idea);
        let without = |place: usize| {
            let mut some = all.clone();
            drop(some.remove(place));
            some
        };
        let with = |text: &str| {
            let mut other = all.clone();
            other[1].ask.text = text.to_owned();
            other
        };
        for (asks, told) in [
            (
                Vec::new(),
                "the idea says \"a bookmark manager with tags, with notes\"",
            ),
            (without(2), "the idea says \"with notes\", and no ask does"),
            (without(1), "the ask a3 stands at the place of a2"),
            (without(0), "the idea says \"a bookmark"),
            (with("with"), "the idea says \"with tags, with notes\""),
            (
                with("with flags"),
                "the idea says \"with tags, with notes\"",
            ),
            (with("with tags with notes"), "is more than one ask"),
            (with("?"), "is more than one ask, or none"),
        ] {
            let found = asked_problems(idea, &asks);
            assert!(
                found.iter().any(|one| one.contains(told)),
                "{told}: {found:?}"
            );
        }
    }
}
