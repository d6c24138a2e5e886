//! Whether what was written as the reason of a release is one.

/// Words that agree and say nothing about why.
const NODS: [&str; 34] = [
    "yes", "yep", "yeah", "ok", "okay", "fine", "sure", "good", "go", "ahead", "do", "it", "is",
    "its", "this", "that", "the", "release", "released", "approve", "approved", "accept",
    "accepted", "allow", "allowed", "lgtm", "please", "none", "nothing", "because", "reason",
    "all", "right", "na",
];
/// How many telling words a reason has.
const FEWEST: usize = 2;
/// How many letters a reason has that is written without spaces between its words.
const LETTERS: usize = 6;

/// True for a reason in words: two that say something beyond agreeing. Nothing, a letter, a number and
/// `ok` are none, so that nobody releases a change by leaning on a key.
pub fn is_reason(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let is_telling = |word: &&str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters > 1 && !NODS.contains(&word.to_lowercase().as_str())
    };
    let has_no_case = |c: &char| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    words.filter(is_telling).count() >= FEWEST
        || text.chars().filter(has_no_case).count() >= LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_something() {
        for (text, says) in [
            ("the request asks for a discount of a fifth", true),
            ("wrong rounding", true),
            ("neuer Preis", true),
            ("要求により割引が変わった", true),
            ("", false),
            (" ", false),
            ("x", false),
            ("ok", false),
            ("yes, go ahead", false),
            ("release it", false),
            ("1234 5678", false),
            ("because", false),
            ("- . - . -", false),
        ] {
            assert_eq!(is_reason(text), says, "{text:?}");
        }
    }
}
