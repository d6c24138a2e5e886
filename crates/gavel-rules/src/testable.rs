//! Whether a statement can be shown by a test: words of taste need a number beside them.

/// Words that no test can show, wherever they stand.
const TASTE: [&str; 17] = [
    "user-friendly",
    "userfriendly",
    "intuitive",
    "intuitively",
    "performant",
    "scalable",
    "seamless",
    "seamlessly",
    "smoothly",
    "quickly",
    "easily",
    "efficiently",
    "nicely",
    "reliably",
    "maintainable",
    "high-quality",
    "state-of-the-art",
];
/// Words that no test can show when something is said to be so; as names of things they are fine.
const PRAISE: [&str; 16] = [
    "fast",
    "quick",
    "responsive",
    "modern",
    "robust",
    "reliable",
    "beautiful",
    "easy",
    "simple",
    "nice",
    "elegant",
    "efficient",
    "clean",
    "good",
    "stable",
    "convenient",
];
/// What stands before praise.
const SAID_TO_BE: [&str; 19] = [
    "is",
    "are",
    "be",
    "being",
    "feels",
    "feel",
    "looks",
    "look",
    "seems",
    "stays",
    "remains",
    "works",
    "runs",
    "loads",
    "starts",
    "responds",
    "very",
    "really",
    "reasonably",
];

/// The word of a statement that no test can show; none when it can be tested as far as words tell.
///
/// A number makes such a word testable ("starts fast: within 200 ms"); quoted words are names.
pub fn untestable_word(statement: &str) -> Option<String> {
    let plain = without_quotes(statement);
    if plain.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let lower = plain.to_lowercase();
    let mut before = "";
    for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '-')) {
        if word.is_empty() {
            continue;
        }
        let praised = PRAISE.contains(&word) && SAID_TO_BE.contains(&before);
        if praised || TASTE.contains(&word) {
            return Some(word.to_owned());
        }
        before = word;
    }
    None
}

/// The statement without what stands in backticks or double quotes.
fn without_quotes(statement: &str) -> String {
    let mut plain = String::with_capacity(statement.len());
    let mut open = None;
    for c in statement.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if c == '`' || c == '"' => {
                open = Some(c);
                plain.push(' ');
            }
            None => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_taste_need_a_number() {
        for (statement, word) in [
            ("The program is fast.", Some("fast")),
            ("The program starts fast", Some("fast")),
            ("The interface is user-friendly", Some("user-friendly")),
            ("It can be learned easily.", Some("easily")),
            ("Pages are very responsive", Some("responsive")),
            ("A list of 1000 books is fast: under 50 ms", None),
            ("`list --fast` is refused", None),
            ("A note called \"easy and intuitive\" is listed", None),
            // Things may be called so.
            ("A fast that was added is listed in another start.", None),
            ("`edit` changes the given fields of a quick.", None),
            ("A damaged line is reported with its number.", None),
            ("Tiếng Việt được giữ nguyên.", None),
            ("", None),
        ] {
            assert_eq!(untestable_word(statement).as_deref(), word, "{statement}");
        }
    }
}
