//! Whether quoted words carry what is particular about a claim: its figures, its names, its negation.
//!
//! A line about the same matter shares words with a false claim; it rarely has its figures and names.

use super::telling::{is_filling, same_name, same_word, tokens, words};

/// Figures that are written as words, with what they stand for.
const FIGURES: [(&str, &str); 24] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
    ("twice", "2"),
    ("double", "2"),
    ("half", "half"),
];
/// What denies.
const DENIALS: [&str; 14] = [
    "cannot", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing",
    "without", "chưa", "chẳng", "không",
];
/// Words that begin a sentence with a capital and are no names.
const OPENERS: &str = "after|although|always|because|before|both|choose|choosing|drop|during|even|given|\
    he|hence|here|however|indeed|instead|keep|many|moreover|most|nobody|nothing|now|one|prefer|\
    running|several|she|since|still|take|therefore|thus|today|under|until|using|while|with|without|yes|yet";

/// True for a quote that has every figure and name of a claim, and denies where the claim does.
pub(super) fn carries(quote: &str, claim: &str) -> bool {
    let there = words(quote);
    let figures = words(claim).into_iter().filter_map(|word| figure(&word));
    let known: Vec<String> = there.iter().filter_map(|word| figure(word)).collect();
    let mut figures = figures;
    let all_figures = figures.all(|figure| known.contains(&figure));
    let named = |name: &String| {
        let same = |word: &&String| same_name(name, word) || same_word(name, word);
        there.iter().any(|word| same(&word))
    };
    all_figures && names(claim).iter().all(named) && denies(&there) == denies(&words(claim))
}

/// A figure as digits, however it is written.
fn figure(word: &str) -> Option<String> {
    if word.chars().any(|c| c.is_ascii_digit()) {
        let digits: String = word.chars().filter(char::is_ascii_digit).collect();
        return Some(digits);
    }
    let known = FIGURES.iter().find(|(written, _)| *written == word);
    known.map(|(_, digits)| (*digits).to_owned())
}

/// The names in a claim, in lower case: words with a capital, but for what begins the sentence anyway.
fn names(claim: &str) -> Vec<String> {
    let tokens = tokens(claim);
    let named = tokens.iter().enumerate().filter(|(place, token)| {
        let written = claim.get(token.at.clone()).unwrap_or_default();
        let inner = written.chars().skip(1).any(char::is_uppercase);
        let capital = written.starts_with(char::is_uppercase);
        let plain = is_filling(&token.word)
            || figure(&token.word).is_some()
            || *place == 0 && !inner && opens(&token.word);
        (inner || capital) && !plain
    });
    named.map(|(_, token)| token.word.to_lowercase()).collect()
}

fn opens(word: &str) -> bool {
    let form = ["ing", "ly"].iter().any(|end| word.ends_with(end));
    form || OPENERS.split('|').any(|other| other == word)
}

fn denies(words: &[String]) -> bool {
    let short = |word: &str| {
        let verbs = [
            "do", "does", "did", "is", "was", "are", "were", "ca", "wo", "has", "have", "would",
            "should",
        ];
        word.strip_suffix("nt")
            .is_some_and(|verb| verbs.contains(&verb))
    };
    words
        .iter()
        .any(|word| DENIALS.contains(&word.as_str()) || short(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_carries_the_figures_names_and_denials_of_a_claim() {
        let line = "Redis held four writers";
        for (claim, whole) in [
            ("Redis took four writers", true),
            ("Four writers are held by Redis", true),
            ("The writers are held", true),
            ("Choosing it holds 4 writers", true),
            ("Valkey held four writers", false),
            ("Redis held forty writers", false),
            ("It held 40 writers", false),
            ("Redis never held four writers", false),
            ("Redis held four writers at Acme", false),
        ] {
            assert_eq!(carries(line, claim), whole, "{claim}");
        }
        assert!(carries("it doesn't lose rows", "Rows are not lost"));
        assert!(!carries("it doesn't lose rows", "It does lose rows"));
    }
}
