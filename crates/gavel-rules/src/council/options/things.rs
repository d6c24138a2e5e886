//! The things that a text names without offering them to choose from.

use super::super::telling::{is_filling, tokens};

/// The most that are looked for.
const MOST: usize = 6;
/// Short words in capitals that name no thing of their own.
const GENERIC: &[&str] = &[
    "api", "cd", "ci", "cli", "cpu", "db", "faq", "gui", "html", "http", "https", "id", "ids",
    "io", "json", "ok", "os", "pr", "qa", "ram", "readme", "sdk", "sql", "todo", "ui", "uri",
    "url", "utf", "ux", "xml", "yaml",
];

/// The names in a text, as they are written and each once: words with a capital or a digit in them, and
/// words that begin with a capital where no sentence begins.
pub(super) fn things_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut end = 0;
    for (place, token) in tokens(text).into_iter().enumerate() {
        let gap = text.get(end..token.at.start).unwrap_or_default();
        end = token.at.end;
        let first = place == 0 || gap.contains(['.', '!', '?', ':', ';', '\n']);
        let written = text.get(token.at.clone()).unwrap_or_default();
        let letters = written.chars().any(char::is_alphabetic);
        let inner = written.chars().skip(1).any(char::is_uppercase)
            || letters && written.chars().any(|c| c.is_ascii_digit());
        let capital = written.starts_with(char::is_uppercase) && !first;
        let low = written.to_lowercase();
        let plain = is_filling(&low) || GENERIC.contains(&low.as_str());
        let known = found.iter().any(|name| name.to_lowercase() == low);
        if (inner || capital) && !plain && !known && found.len() < MOST {
            found.push(written.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_with_a_capital_that_begin_no_sentence() {
        for (text, names) in [
            (
                "Retire SQLite somehow. Redis too, with Kafka or K8s",
                &["SQLite", "Kafka", "K8s"][..],
            ),
            ("How does the API of the CLI fail?", &[]),
            ("Extract the dispatcher into its own package", &[]),
            ("Why is SQLite slow? sqlite never was", &["SQLite"]),
            ("", &[]),
        ] {
            assert_eq!(things_in(text), names, "{text}");
        }
    }
}
