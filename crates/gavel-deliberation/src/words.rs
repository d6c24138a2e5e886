//! The telling words of a text, for comparing texts with each other.

use std::collections::BTreeSet;

/// Words that say nothing about what a text is about.
const COMMON: &str = "about after also always another because been before being both could does doing \
    done each every from have here into just know like make made many more most much must need never \
    only other over same shall should some such than that their them then there these they thing this \
    those through under used uses user using very want were what when where which while will with \
    without work works would your none once program project";

/// Shorter words tell too little.
const LEAST_LETTERS: usize = 4;

/// The telling words, in lower case and without a plural's `s`.
pub(crate) fn telling(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let long = words.filter(|word| word.chars().count() >= LEAST_LETTERS);
    let common: BTreeSet<&str> = COMMON.split_ascii_whitespace().collect();
    long.filter(|word| !common.contains(word))
        .map(singular)
        .collect()
}

fn singular(word: &str) -> String {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (word.strip_suffix("ies"), word.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) if !kept => stem.to_owned(),
        (None, _) => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_is_about() {
        let words: Vec<_> = telling("The entries of HTTP clients must have a STATUS, über alles.")
            .into_iter()
            .collect();
        assert_eq!(words, ["alle", "client", "entry", "http", "status", "über"]);
        assert!(telling("a to of, must have: none!").is_empty());
    }
}
