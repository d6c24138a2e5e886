//! Asks: a person's words cut into short spans, and what a spec does about each of them.

mod account;
mod heard;
mod left_out;
mod thread;

use gavel_domain::{Ask, AskAccount, AskSource, AskStanding};

pub use self::account::{AskClaim, ClaimCheck, SpecWords, account_for, serves_nothing};
pub use self::heard::{InsteadOf, Words, not_among, read_words};
pub use self::left_out::{IdeaInTheEnd, apart_from_left_out, cut_at, leave_out, left_out};
pub use self::thread::{
    AskThread, CriterionShown, ThreadAsk, ThreadCriterion, ThreadRow, ThreadTone,
};

/// Words before which a new span begins; they stay with what follows.
const BEGINS: [&str; 9] = [
    "with",
    "that",
    "which",
    "where",
    "but",
    "without",
    "when",
    "including",
    "so",
];
/// Words between two spans, which belong to neither.
const BETWEEN: [&str; 2] = ["and", "plus"];
/// Words that ask for nothing by themselves: a span of nothing else belongs to the next one.
const CARRIERS: &str = "a an the my our your me us i we want need would like please build make create \
    write to for of app application tool program utility software system cli rust command-line \
    terminal console small simple little tiny personal new it is should can also and plus with that \
    which where but so";

/// Words of replies that ask for nothing.
const BARE: [&str; 18] = [
    "y", "yes", "n", "no", "ok", "okay", "please", "thanks", "good", "fine", "sure", "go", "on",
    "again", "retry", "ship", "it", "not",
];

/// Cuts a person's words into spans. Every word is in one of them, but for those that only join two.
pub fn cut_asks(text: &str) -> Vec<String> {
    let mut spans: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines() {
        cut_line(line, &mut spans);
    }
    let mut spans: Vec<Vec<&str>> = spans.into_iter().filter(|span| !span.is_empty()).collect();
    // What is left at the end without a word of its own belongs to what was said before it.
    if let [.., before, last] = spans.as_mut_slice()
        && asks_nothing(last)
    {
        before.append(last);
        spans.pop();
    }
    let tidy = |span: Vec<&str>| {
        let text = span.join(" ");
        text.trim_matches(|c: char| c.is_whitespace() || ".,;:!?()\"".contains(c))
            .to_owned()
    };
    let spans = spans.into_iter().map(tidy);
    spans.filter(|span| !span.is_empty()).collect()
}

/// A wrapped line goes on with the span before it; an item of a list and an empty line do not.
fn cut_line<'a>(line: &'a str, spans: &mut Vec<Vec<&'a str>>) {
    let mut words = line.split_whitespace().peekable();
    let marks = |word: &&str| word.chars().all(|c| "-*+•#".contains(c));
    if words.next_if(marks).is_some() || words.peek().is_none() {
        close(spans);
    }
    for word in words {
        let plain = plain(word);
        let begins = BEGINS.contains(&plain.as_str());
        let between = is_between(&plain);
        if begins || between {
            close(spans);
        }
        if let (false, Some(last)) = (between, spans.last_mut()) {
            last.push(word);
        }
        if word.ends_with(['.', ',', ';', ':', '!', '?', ')']) {
            close(spans);
        }
    }
}

/// Ends the last span, unless it asks for nothing yet.
fn close(spans: &mut Vec<Vec<&str>>) {
    if spans.last().is_some_and(|last| !asks_nothing(last)) {
        spans.push(Vec::new());
    }
}

fn asks_nothing(span: &[&str]) -> bool {
    let asks = |word: &&str| {
        let word = plain(word);
        !is_carrier(&word) && !BARE.contains(&word.as_str())
    };
    !span.iter().any(asks)
}

/// True for a word that asks for nothing by itself.
pub(crate) fn is_carrier(word: &str) -> bool {
    CARRIERS.split_whitespace().any(|own| own == word)
}

/// True for a word between two spans, which belongs to neither.
pub(crate) fn is_between(word: &str) -> bool {
    BETWEEN.contains(&word)
}

/// A word as spans are told apart by: small letters, without marks around it.
pub(crate) fn plain(word: &str) -> String {
    let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
    letters.to_lowercase()
}

/// True for words that answer a question and ask for nothing: `yes`, `go on`.
pub fn is_bare_reply(text: &str) -> bool {
    let words = text.split_whitespace().map(plain);
    let words = words.filter(|word| !word.is_empty());
    words.into_iter().all(|word| BARE.contains(&word.as_str()))
}

/// Numbers spans as asks, in order.
pub fn number_asks(said: impl IntoIterator<Item = (AskSource, String)>) -> Vec<Ask> {
    number_asks_after(0, said)
}

/// Numbers spans as asks that follow so many others.
pub fn number_asks_after(
    known: usize,
    said: impl IntoIterator<Item = (AskSource, String)>,
) -> Vec<Ask> {
    let first = u32::try_from(known).unwrap_or(u32::MAX).saturating_add(1);
    let cut = said.into_iter().flat_map(|(source, text)| {
        let spans = cut_asks(&text).into_iter();
        spans.map(move |span| (source.clone(), span))
    });
    let numbered = cut.zip(first..);
    numbered
        .map(|((source, text), number)| Ask {
            id: format!("a{number}"),
            text,
            source,
            reworded_as: Vec::new(),
        })
        .collect()
}

/// A person's text without the spans that are left open.
pub fn without_open(text: &str, accounts: &[AskAccount]) -> String {
    let open = accounts.iter().filter(|account| account.is_open());
    open.fold(text.to_owned(), |text, account| {
        let text = text.replacen(&account.ask.text, "", 1);
        text.trim().trim_end_matches([',', ';']).to_owned()
    })
}

/// How a line begins about something that was asked for and is not answered for.
const UNSERVED: [&str; 3] = [
    "asked, and covered by no criterion: ",
    "asked, and covered by the leader's word alone: ",
    "asked, and left out: ",
];

/// The line about an ask that is not answered for by a criterion that nobody doubts, or by a person who
/// agreed, in the person's own words.
pub fn unserved_line(account: &AskAccount) -> Option<String> {
    let words = &account.ask.text;
    let [open, claimed, left_out] = UNSERVED;
    match &account.standing {
        AskStanding::Open => Some(format!("{open}\"{words}\"")),
        AskStanding::Claimed {
            doubt,
            agreed: false,
            ..
        } => Some(format!("{claimed}\"{words}\" ({})", doubt.words())),
        AskStanding::Excluded {
            reason,
            agreed: false,
        } => Some(format!("{left_out}\"{words}\" ({reason})")),
        AskStanding::Covered { .. }
        | AskStanding::Reworded
        | AskStanding::Claimed { agreed: true, .. }
        | AskStanding::Excluded { agreed: true, .. } => None,
    }
}

/// True for such a line.
pub fn is_ask_line(line: &str) -> bool {
    UNSERVED.iter().any(|begins| line.starts_with(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_into_asks() {
        for (text, spans) in [
            (
                "a bookmark manager with tags",
                vec!["a bookmark manager", "with tags"],
            ),
            (
                "rust cli that counts words in a file",
                vec!["rust cli that counts words in a file"],
            ),
            (
                "inventory for my small shop. products with price and quantity, warn me when stock is low",
                vec![
                    "inventory for my small shop",
                    "products",
                    "with price",
                    "quantity",
                    "warn me",
                    "when stock is low",
                ],
            ),
            ("a todo list, please.", vec!["a todo list, please"]),
            ("yes, with a rating", vec!["yes, with a rating"]),
            (
                "a rating, not now, thanks",
                vec!["a rating", "not now, thanks"],
            ),
            ("I want a habit tracker", vec!["I want a habit tracker"]),
            (
                "# Notes\n- keep notes\n- find them by\n  a word\n\nexport",
                vec!["Notes", "keep notes", "find them by a word", "export"],
            ),
            ("", vec![]),
            (" \n ", vec![]),
        ] {
            assert_eq!(cut_asks(text), spans, "{text}");
        }
    }

    #[test]
    fn no_word_is_lost_but_those_that_join() {
        let text = "Track plants, beds and planting dates; with a note: but no photos (please)!";
        let words = |text: &str| -> Vec<String> {
            let words = text.split_whitespace().map(plain);
            words
                .filter(|word| !BETWEEN.contains(&word.as_str()))
                .collect()
        };
        assert_eq!(words(&cut_asks(text).join(" ")), words(text));
    }

    #[test]
    fn a_reply_that_asks_for_nothing_is_told_from_a_wish() {
        for (text, bare) in [
            ("yes", true),
            ("OK, go on.", true),
            ("not yet", false),
            ("ship it in blue", false),
            ("also a rating", false),
            ("", true),
        ] {
            assert_eq!(is_bare_reply(text), bare, "{text}");
        }
    }

    #[test]
    fn later_asks_are_numbered_on() {
        let later = number_asks_after(2, [(AskSource::Interjection, "in blue".to_owned())]);
        assert_eq!((later.len(), later[0].id.as_str()), (1, "a3"));
    }
}
