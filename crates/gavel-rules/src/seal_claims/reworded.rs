//! What an idea became while its run went on, in the words that the person said.

use std::collections::BTreeSet;

use gavel_domain::AskAccount;

use crate::without_open;

/// How a sealed idea came out of the one that a run began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdeaBecame {
    /// It is the same.
    Unchanged,
    /// The person added to it.
    Extended,
    /// The person said it in other words.
    Reworded,
}

/// The words of a person, as a journal holds them.
#[derive(Debug, Clone, Copy)]
pub struct WordsOnRecord<'a> {
    /// What the run began with.
    pub began: &'a str,
    /// What they answered in their own words.
    pub answers: &'a [String],
    /// What the program itself added for them, for example `Stack: rust`.
    pub added: &'a [String],
    /// What became of their asks, each time that a spec accounted for them.
    pub accounted: &'a [Vec<AskAccount>],
}

/// How the sealed idea came out of these words; none when it did not.
pub fn idea_became(sealed: &str, words: WordsOnRecord<'_>) -> Option<IdeaBecame> {
    let WordsOnRecord {
        began,
        answers,
        added,
        accounted,
    } = words;
    if sealed == began {
        return Some(IdeaBecame::Unchanged);
    }
    let pieces: Vec<&str> = answers.iter().chain(added).map(String::as_str).collect();
    if goes_on(sealed, began, &pieces) {
        return Some(IdeaBecame::Extended);
    }
    // What was left open is taken out before other words stand in its place.
    let shortened = accounted.iter().map(|asks| without_open(began, asks));
    let mut begins = answers.iter().cloned().chain(shortened);
    begins
        .any(|begin| goes_on(sealed, &begin, &pieces))
        .then_some(IdeaBecame::Reworded)
}

/// True when a text is this beginning and then some of the pieces, a paragraph each.
fn goes_on(text: &str, begin: &str, pieces: &[&str]) -> bool {
    let Some(rest) = text.strip_prefix(begin) else {
        return false;
    };
    let mut open = vec![rest];
    let mut seen = BTreeSet::new();
    while let Some(rest) = open.pop() {
        if rest.is_empty() {
            return true;
        }
        if !seen.insert(rest.len()) {
            continue;
        }
        let Some(rest) = rest.strip_prefix("\n\n") else {
            continue;
        };
        open.extend(pieces.iter().filter_map(|piece| rest.strip_prefix(piece)));
    }
    false
}

#[cfg(test)]
mod tests {
    use gavel_domain::{AskSource, AskStanding};

    use super::*;
    use crate::number_asks;

    #[test]
    fn an_idea_is_followed_through_what_was_said() {
        let began = "books, in blue, with tags";
        let asks = number_asks([(AskSource::Idea, began.to_owned())]).into_iter();
        let accounts = asks.map(|ask| AskAccount {
            standing: if ask.text == "in blue" {
                AskStanding::Open
            } else {
                AskStanding::Covered {
                    criteria: vec!["all".to_owned()],
                }
            },
            ask,
        });
        let accounted = [accounts.collect::<Vec<_>>()];
        let answers = ["films".to_owned(), "in green".to_owned()];
        let added = ["Stack: rust".to_owned()];
        let words = WordsOnRecord {
            began,
            answers: &answers,
            added: &added,
            accounted: &accounted,
        };
        use IdeaBecame::{Extended, Reworded, Unchanged};
        for (sealed, became) in [
            (began, Some(Unchanged)),
            ("books, in blue, with tags\n\nStack: rust", Some(Extended)),
            (
                "books, in blue, with tags\n\nStack: rust\n\nfilms",
                Some(Extended),
            ),
            ("films", Some(Reworded)),
            ("films\n\nin green", Some(Reworded)),
            ("books, , with tags\n\nin green", Some(Reworded)),
            ("books", None),
            ("films\n\nStack: go", None),
            ("films and more", None),
            ("", None),
        ] {
            assert_eq!(idea_became(sealed, words), became, "{sealed:?}");
        }
    }
}
